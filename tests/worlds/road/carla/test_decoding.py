"""Data of CARLA's sensors becomes images, labels and point clouds of this package."""

import itertools
import threading
from types import SimpleNamespace

import numpy as np
import pytest

from offnominal.sensing import Camera
from offnominal.worlds.road.carla import image_decoding
from offnominal.worlds.road.carla.errors import CarlaError, CarlaTimeout
from offnominal.worlds.road.carla.instance_matching import FIRST_STATIC, Boxes, InstanceMatcher
from offnominal.worlds.road.carla.semantic_tags import Role, label_of_actor, labels_of
from offnominal.worlds.road.carla.sensors import SensorFeed
from offnominal.worlds.road.labels import CONTENT_ANOMALIES, Label

pytestmark = pytest.mark.long


def image(bgra):
    array = np.asarray(bgra, np.uint8)
    return SimpleNamespace(raw_data=array.tobytes(), height=array.shape[0], width=array.shape[1])


@pytest.mark.parametrize("metres", [0.001, 0.5, 12.345, 99.999, 512.0, 999.9])
def test_depth_is_exact_to_a_millimetre(metres):
    code = round(metres / 1000.0 * (2**24 - 1))
    found = image_decoding.depth(image([[(code >> 16, code >> 8 & 255, code & 255, 255)]]))
    assert found.dtype == np.float32
    assert found[0, 0] == pytest.approx(metres, abs=5e-4)


def test_depth_of_the_sky_is_infinite():
    assert image_decoding.depth(image([[(255, 255, 255, 255), (255, 255, 254, 255)]])).tolist() == [
        [np.inf, pytest.approx(1000.0, abs=0.1)]
    ]


def test_colours_tags_and_instances_have_their_channels():
    one = image([[(30, 20, 10, 255), (1, 2, 14, 255)]])
    assert image_decoding.rgb(one).tolist() == [[[10, 20, 30], [14, 2, 1]]]
    assert image_decoding.tags(one).tolist() == [[10, 14]]
    assert image_decoding.instances(one).tolist() == [[30 * 256 + 20, 256 + 2]]


def test_an_image_with_missing_bytes_is_a_named_error():
    with pytest.raises(CarlaError, match="6 bytes"):
        image_decoding.rgb(SimpleNamespace(raw_data=bytes(6), height=1, width=2))


def test_all_44_labels_follow_from_tags_and_roles():
    fixed = [None, Label.EGO_VEHICLE, Label.TEMPORAL_ANOMALY, *CONTENT_ANOMALIES]
    roles = [Role(label, agent) for label, agent in itertools.product(fixed, (False, True))]
    tags = labels_of(np.arange(35))
    found = {Label(int(label)) for role in roles for label in role.relabel(tags)}
    assert found == set(Label)
    assert Role().relabel(tags).tolist() == list(range(35))
    agents = Role(is_agent=True).relabel(tags)
    assert all(Label(int(tag)).as_agent() == agent for tag, agent in zip(tags, agents, strict=True) if tag != agent)
    assert np.count_nonzero(tags != agents) == 7


def test_an_unknown_tag_is_a_named_error():
    with pytest.raises(CarlaError, match="semantic tag 57"):
        labels_of(np.array([1, 57, 2]))


def test_label_of_an_actor():
    assert label_of_actor([13, 18]) is Label.MOTORCYCLE
    assert label_of_actor([20]) is Label.STATIC
    assert label_of_actor([]) is Label.UNLABELED


def test_instances_belong_to_the_actor_whose_box_contains_them():
    camera = Camera((0.0, 0.0, 1.0), (1.0, 0.0, 1.0), width=40, height=20, fov=60.0)
    ids, tags = np.zeros((20, 40), np.int32), np.full((20, 40), 1)
    depth = np.full((20, 40), np.inf, np.float32)
    # Two cars, one of them parked, and a bench.
    for first, last, id, tag, away in ((2, 10, 900, 14, 10.0), (20, 24, 70, 14, 30.0), (30, 36, 5, 20, 8.0)):
        ids[8:12, first:last], tags[8:12, first:last], depth[8:12, first:last] = id, tag, away
    pixel = 2.0 * np.tan(np.radians(30.0)) / 20.0
    left = 10.0 * pixel * (20.0 - 6.0)
    boxes = Boxes(np.array([3]), np.array([[10.0, left, 1.0]]), np.eye(3)[None], np.array([[2.0, 2.5, 2.0]]))
    matcher = InstanceMatcher()
    found = matcher.match(ids, tags, depth, camera, boxes)
    assert set(found[8:12, 2:10].ravel()) == {3}
    assert set(found[8:12, 20:24].ravel()) == {FIRST_STATIC + 70}
    assert set(found[8:12, 30:36].ravel()) == {FIRST_STATIC + 5}
    assert set(found[:7].ravel()) == {0}
    gone = Boxes(np.array([3]), boxes.centre + 500.0, boxes.rotation, boxes.half)
    assert matcher.match(ids, tags, depth, camera, gone)[10, 5] == 3


def test_frames_of_a_sensor_are_matched_by_number():
    feed = SensorFeed("front: rgb")
    for frame in (8, 7, 9):
        feed.receive(SimpleNamespace(frame=frame))
    assert feed.take(7, 1.0).frame == 7
    feed.discard(9)
    feed.receive(SimpleNamespace(frame=8))
    assert feed.take(9, 1.0).frame == 9
    with pytest.raises(CarlaTimeout, match=r"'front: rgb' sent nothing for frame 8 in 0.01 s; .* is None"):
        feed.take(8, 0.01)
    late = threading.Timer(0.02, lambda: feed.receive(SimpleNamespace(frame=10)))
    late.start()
    assert feed.take(10, 5.0).frame == 10
