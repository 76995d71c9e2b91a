"""Scores and truth in the pairs of the public code: which frames are paired, and how a perfect detector looks then."""

import numpy as np
import pytest

import renew_anovox_evidence
from anovox_public_pairs import PairedFrame, SizedScene, lidar_pairs, paired_frames, public_rows, scene_order
from offnominal.detectors.scenes import FrameScores
from offnominal.evaluation.discrimination import Ranking
from offnominal.evaluation.estimate import Estimate
from offnominal.laws import street_scene
from offnominal.worlds.road.scenes.labelled_voxels import ANOMALIES
from renew_anovox_evidence import evidence_rows, public_metrics

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def scenes():
    """Two streets with a cow and two without, three frames each."""
    return [
        SizedScene("big" if cow else None, street_scene(3, seed=seed, anomaly=cow))
        for seed, cow in enumerate((True, False, True, False))
    ]


def perfect_scores(scenes, sensor):
    """Scores of 1 on anomalies and of 0 elsewhere."""
    labels = [int(label) for label in ANOMALIES]
    found = []
    for scene in scenes:
        for frame in scene.frames:
            if sensor == "camera":
                cameras = {name: each.image.label for name, each in frame.sensors.cameras.items()}
                found.append(
                    FrameScores({name: np.isin(label, labels).astype("f4") for name, label in cameras.items()})
                )
            else:
                clouds = {name: each.measured for name, each in frame.sensors.lidars.items()}
                inside = {name: np.isin(cloud.label[cloud.returned], labels) for name, cloud in clouds.items()}
                found.append(FrameScores(lidars={name: each.astype("f4") for name, each in inside.items()}))
    return found


def test_scenes_change_places_with_others_of_their_length():
    lengths = [5, 20, 20, 5, 20, 20]
    orders = [scene_order(lengths, np.random.default_rng(seed)) for seed in range(20)]
    for order in orders:
        assert sorted(order) == list(range(6))
        assert [lengths[scene] for scene in order] == lengths
    assert len({tuple(order) for order in orders}) > 5


def test_truth_that_is_sorted_as_text_is_that_of_another_frame():
    frames = np.arange(100, 0, -1) - 1
    truth = lidar_pairs(frames)
    assert sorted(truth) == list(range(100))
    assert truth[frames[2]] == frames[10]
    assert np.sum(truth == np.arange(100)) == 12


@pytest.mark.parametrize("sensor", ["camera", "lidar"])
def test_a_perfect_detector_is_worse_in_the_pairs_of_the_public_code(scenes, sensor):
    right, paired = public_metrics(scenes, perfect_scores(scenes, sensor), orders=4, replicates=0)
    assert right["default"].auroc.value > 0.9
    assert np.mean([each["+norm"].auroc.value for each in paired]) < right["+norm"].auroc.value - 0.1


@pytest.mark.parametrize("sensor", ["camera", "lidar"])
def test_right_pairs_are_those_of_each_frame(scenes, sensor):
    numbers = np.arange(12)
    (found,) = paired_frames(scenes, perfect_scores(scenes, sensor), [numbers])
    seen = [frame for frame in found if len(frame.positives)]
    assert seen
    assert all(frame.in_view for frame in seen)
    assert np.concatenate([frame.positives for frame in seen]).mean() > 0.8
    assert np.concatenate([frame.negatives for frame in found]).mean() < 0.05


def test_rows_have_frames_in_view_and_plus_norm_has_all():
    good, bad, none = np.array([0.9, 0.8]), np.array([0.1, 0.2]), np.empty(0)
    frames = [
        PairedFrame(0, "big", True, good, bad),
        PairedFrame(1, "small", False, bad, good),
        PairedFrame(2, None, True, none, bad),
    ]
    rows = public_rows(frames)
    assert set(rows) == {"default", "+norm", "big"}
    assert rows["default"].auroc.value == rows["big"].auroc.value == 1.0
    assert rows["+norm"].auroc.value < 1.0


def test_rows_of_the_file_have_intervals_over_orders_and_scenes(monkeypatch):
    monkeypatch.setattr(renew_anovox_evidence, "ROWS", ("default",))

    def rankings(auroc):
        draws = np.full(100, auroc)
        return {"default": Ranking(Estimate(auroc, draws), Estimate(0.01, draws), Estimate(1.0, draws))}

    ends = np.array([0.3, 0.5])
    before = {"default": {"AUPR": Estimate(0.4, ends), "AUROC": Estimate(0.95, ends + 0.5)}}
    rows = list(evidence_rows("REAL", before, rankings(0.9), [rankings(0.4), rankings(0.6)]))
    assert [row["metric"] for row in rows] == ["AUPR", "AUROC"]
    assert list(rows[1].values())[3:] == ["0.9500", "0.8000", "1.0000", "0.9000", "0.5000", "0.4000", "0.6000"]
