"""Networks that are trained with the labels of normal scenes: losses, outliers, scores and training runs."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from offnominal.core.errors import DamagedFile, InvalidParameter
from offnominal.datasets.scenes import record_scenes
from offnominal.detectors.scenes import (
    REAL,
    RbA,
    SceneObservation,
    Segmenter,
    load_scene_detector,
    train_scene_networks,
)
from offnominal.detectors.scenes.label_classes import CLASSES, IGNORED, N_CLASSES, class_table
from offnominal.detectors.scenes.mask_classifier import mask_loss
from offnominal.detectors.scenes.range_images import RangeImage, with_outliers
from offnominal.detectors.scenes.real import redundancy_loss
from offnominal.detectors.scenes.scene_network import learning_rate_factor
from offnominal.detectors.scenes.segmenter import lack_of_confidence
from offnominal.laws import street_scene
from offnominal.laws.street_scenes import STREET_RIG
from offnominal.worlds.road.labels import CONTENT_ANOMALIES, Label
from offnominal.worlds.road.scenarios import ContentAnomaly, Scenario, Timing

SMALL = {"width": 8, "batch_size": 2, "device": "cpu"}


def test_every_normal_label_has_one_class_and_anomalies_have_none():
    table = class_table()
    assert all(table[label] == IGNORED for label in (*CONTENT_ANOMALIES, Label.TEMPORAL_ANOMALY, Label.UNLABELED))
    assert sum(map(len, CLASSES)) == len({label for labels in CLASSES for label in labels}) == 28
    assert table[Label.AGENT_BUS] == table[Label.BUS]


@pytest.mark.slow
def test_a_segmenter_learns_the_classes_of_a_street(streets, cow):
    detector = Segmenter(n_steps=24, learning_rate=0.01, crop=(32, 48), **SMALL).fit(streets)
    assert detector.curve_[-1, 1] < 0.8 * detector.curve_[0, 1]
    found = {}
    for confidence in ("max_softmax", "max_logit", "entropy"):
        other = detector.with_confidence(confidence)
        assert other.network_ is detector.network_
        found[confidence] = other.score(cow[:1])[0].cameras["top"]
    assert found["entropy"].min() >= 0.0
    assert not np.array_equal(found["max_softmax"], found["max_logit"])
    with pytest.raises(InvalidParameter, match="confidence is 'odds'"):
        detector.with_confidence("odds")


def test_scores_fall_with_confidence():
    logits = torch.tensor([[0.0, 2.0, 60.0, 90.0], [0.0, 0.0, 0.0, 0.0]])[:, None]
    for confidence in ("max_softmax", "max_logit", "entropy"):
        scores = lack_of_confidence(logits, confidence)[0]
        assert (scores.diff() <= 0.0).all(), confidence
    assert lack_of_confidence(logits, "max_softmax")[0, 2] >= 0.0


def test_the_mask_loss_is_smallest_for_the_right_masks_and_classes():
    target = torch.tensor([[[3, 3, 7, IGNORED]]])
    masks = torch.full((1, 3, 1, 4), -9.0)
    masks[0, 1, 0, :2] = masks[0, 2, 0, 2:] = 9.0
    classes = torch.zeros(1, 3, N_CLASSES + 1)
    classes[0, 0, -1] = classes[0, 1, 3] = classes[0, 2, 7] = 9.0
    right = mask_loss(classes, masks, target)
    assert right < 0.1
    assert mask_loss(classes[:, [0, 2, 1]], masks, target) > 1.0
    assert mask_loss(classes, -masks, target) > 1.0
    assert torch.isfinite(mask_loss(classes, masks, torch.full_like(target, IGNORED)))


def test_rba_scores_are_between_minus_the_number_of_classes_and_zero(streets, cow):
    detector = RbA(n_steps=6, n_queries=20, n_layers=1, crop=(32, 48), **SMALL).fit(streets)
    scores = detector.score(cow[:1])[0].cameras["top"]
    assert -N_CLASSES <= scores.min() < scores.max() <= 0.0
    state = detector.state_dict()
    with pytest.raises(DamagedFile, match="arrays of weights; missing or unknown"):
        detector.load_state_dict({name: array for name, array in state.items() if name != "network.place"})


def test_the_unknown_is_the_second_choice_of_normal_points():
    classes = torch.tensor([[[2, N_CLASSES, IGNORED]]])
    logits = torch.zeros(1, N_CLASSES + 1, 1, 3)
    logits[0, 2, 0, 0] = logits[0, -1, 0, 1] = 20.0
    plain = redundancy_loss(logits, classes, 0.0)
    assert plain < 1e-3
    unsure = redundancy_loss(logits, classes, 1.0)
    logits[0, -1, 0, 0] = 10.0
    assert redundancy_loss(logits, classes, 1.0) < 0.1 < unsure


def test_outliers_stand_on_the_road_and_hide_only_what_is_behind_them(streets):
    observation = SceneObservation.of(streets[0][0])
    cloud = observation.lidars["top"]
    image = RangeImage.of(cloud, 0.0)
    returned = streets[0][0].sensors.lidars["top"].measured.returned
    assert np.array_equal(image.distance > 0.0, returned)
    heights = image.rays[..., 2] * image.distance + image.height
    assert np.abs(heights[returned] - cloud.points[:, 2]).max() < 0.05
    road = streets[0][0].sensors.lidars["top"].measured.label == Label.ROAD
    changed, added = with_outliers(image, road, 20, np.random.default_rng(0))
    assert 0 < added.sum() < added.size // 2
    assert np.array_equal(changed.distance[~added], image.distance[~added])
    behind = added & (image.distance > 0.0)
    assert (changed.distance[behind] < image.distance[behind] + 0.6).all()
    nothing, none = with_outliers(image, np.zeros_like(road), 5, np.random.default_rng(0))
    assert not none.any()
    assert np.array_equal(nothing.inputs(), image.inputs())


@pytest.mark.slow
def test_real_separates_outliers_from_normal_points(streets, cow):
    detector = REAL(n_steps=24, learning_rate=0.01, **SMALL).fit(streets)
    assert detector.curve_[-1, 1] < 0.95 * detector.curve_[0, 1]
    cloud = cow[0].sensors.lidars["top"].measured
    assert detector.score(cow[:1])[0].lidars["top"].shape == (cloud.returned.sum(),)


def test_the_learning_rate_never_rises_after_the_beginning():
    rates = np.array([learning_rate_factor(progress) for progress in np.linspace(0.1, 1.5, 50)])
    assert rates[0] == pytest.approx(1.0)
    assert (np.diff(rates) <= 0.0).all()


class StreetRun:
    """A run of a scenario along a street."""

    def __init__(self, scenario, *, rig=None, twin=False):
        self.scenario, self.twin, self.rig, self.discards = scenario, twin, STREET_RIG, ()
        self.route = SimpleNamespace(waypoints=(np.array([(float(k), 0.0) for k in range(110)]), None))

    def anomaly_truth(self):
        return None

    def frames(self, start=0):
        return iter(street_scene(self.scenario.timing.frames, seed=self.scenario.seed)[start:])


def test_networks_are_trained_once_on_the_normal_scenes_of_a_folder(tmp_path, cow):
    normal = [Scenario(f"s{k}", "grid", "CLEAR_NOON", k, 0, 0, timing=Timing(2, 2)) for k in range(2)]
    record_scenes(normal, tmp_path / "scenes", source=StreetRun)
    few = {"MaxSoftmax": {"n_steps": 2, **SMALL}, "REAL": {"n_steps": 2, **SMALL}}
    given = {"minutes": None, "detectors": ("MaxSoftmax", "REAL"), "parameters": few}
    cards = train_scene_networks(tmp_path / "scenes", tmp_path / "out", **given)
    assert [card.detector for card in cards.values()] == ["MaxSoftmax", "REAL"]
    assert load_scene_detector(tmp_path / "out" / "REAL").score(cow[:1])[0].lidars
    written = (tmp_path / "out" / "REAL.json").stat().st_mtime_ns
    assert train_scene_networks(tmp_path / "scenes", tmp_path / "out", **given) == cards
    assert (tmp_path / "out" / "REAL.json").stat().st_mtime_ns == written
    with pytest.raises(InvalidParameter, match="an entry of detectors is 'Motion'"):
        train_scene_networks(tmp_path / "scenes", tmp_path / "out", detectors=["Motion"])


def test_a_set_without_normal_scenes_is_named(tmp_path):
    anomaly = ContentAnomaly("cow", distance=9.0)
    cow = Scenario("cow", "grid", "CLEAR_NOON", 1, 0, 0, timing=Timing(2, 1), anomaly=anomaly)
    record_scenes([cow], tmp_path / "cows", source=StreetRun)
    with pytest.raises(InvalidParameter, match="has no normal scenes; record those of"):
        train_scene_networks(tmp_path / "cows", tmp_path / "out")
