"""The catalogue holds 178 objects of the published classes and sizes."""

from collections import Counter

import numpy as np
import pytest

from offnominal.core.errors import UnknownName
from offnominal.sensing import Camera, Scene, render
from offnominal.worlds.road.assets.catalogue import SIZES, SUPER_CLASSES, anomaly_object, catalogue, size_of
from offnominal.worlds.road.labels import CONTENT_ANOMALIES

pytestmark = pytest.mark.long


def test_catalogue_has_the_published_numbers_of_objects():
    assert len(catalogue()) == sum(SUPER_CLASSES.values()) == 178
    assert Counter(each.super_class for each in catalogue().values()) == SUPER_CLASSES
    assert set(SUPER_CLASSES) == set(CONTENT_ANOMALIES)


def test_all_five_sizes_occur():
    counts = Counter(each.size for each in catalogue().values())
    assert set(counts) == set(SIZES)
    assert min(counts.values()) >= 8


@pytest.mark.parametrize("name", catalogue())
def test_objects_have_the_size_of_their_class_and_few_triangles(name):
    each = anomaly_object(name)
    made = each.asset()
    assert size_of(max(made.size)) == each.size, made.size
    mesh = made.parts[0].shape
    assert 20 <= len(mesh.faces) <= 3000
    vertices = np.asarray(mesh.vertices)[np.asarray(mesh.faces)].reshape(-1, 3)
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    assert low[2] == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(low[:2] + high[:2], 0.0, atol=1e-9)
    assert np.isfinite(mesh.colours).all()
    assert each.asset().parts[0].shape is mesh
    density = each.mass / np.prod(made.size)
    assert 0.2 < density < 8000.0


@pytest.mark.parametrize("name", ["cow", "fridge", "hot_air_balloon"])
def test_objects_have_the_label_of_their_super_class(name):
    each = anomaly_object(name)
    made = each.asset()
    far = 3.0 * max(made.size)
    camera = Camera((far, 0.3, 0.5 * made.size[2]), (0.0, 0.0, 0.5 * made.size[2]), 48, 48)
    image = render(Scene(made.placed(identity=5)), camera, ("label", "instance"))
    shown = image.label[image.instance == 5]
    assert shown.size > 40
    assert set(shown) == {int(each.super_class)}


def test_blueprints_name_object_and_super_class():
    assert anomaly_object("barbedwire").blueprint == "static.prop.o_barbedwire_special"
    for each in catalogue().values():
        assert anomaly_object(each.blueprint) is each


def test_unknown_objects_are_named():
    with pytest.raises(UnknownName, match="Did you mean 'cow'"):
        anomaly_object("coww")


def test_placements_follow_the_super_class():
    assert {each.placement for each in catalogue().values()} == {"lane", "unstable", "air"}
    assert anomaly_object("pillar").placement == "unstable"
    assert anomaly_object("airliner").height > 5.0
