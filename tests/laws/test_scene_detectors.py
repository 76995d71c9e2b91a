"""Every scene detector obeys the laws; broken scene detectors fail them."""

import dataclasses

import numpy as np
import pytest

from offnominal.detectors.scenes import FrameScores, HeightAboveRoad, make_scene_detector, scene_detectors
from offnominal.laws import check_scene_detector, street_scene

pytestmark = pytest.mark.long

TINY = {"width": 8, "n_steps": 2, "batch_size": 2, "device": "cpu"}
QUICK = {
    "EAM": {**TINY, "n_queries": 6},
    "Energy": TINY,
    "Entropy": TINY,
    "Mahalanobis": TINY,
    "MaxLogit": TINY,
    "MaxSoftmax": TINY,
    "REAL": TINY,
    "REAL-NoObjects": {**TINY, "cells": (8, 16, 4), "lovasz": 1.0},
    "RbA": {**TINY, "n_layers": 1},
    "RbA-NoOutliers": {**TINY, "n_layers": 2, "n_queries": 6},
    "LidarKNN": {"memory_size": 64},
    "PatchKNN": {"memory_size": 64},
    "SceneFusion": {"detectors": ["HeightAboveRoad", ["PatchKNN", {"memory_size": 32}]]},
}
"""Parameters that make detectors quick enough for the laws."""


@pytest.fixture(scope="module")
def streets():
    scenes = [street_scene(4, seed=seed) for seed in range(3)]
    return {"scenes": scenes, "fresh": street_scene(4, seed=90, anomaly=True)}


NETWORKS = tuple(spec.id for spec in scene_detectors if "gpu" in spec.tags)
SAME_NETWORK = ("Energy", "Entropy", "MaxLogit")
"""They have the network of MaxSoftmax, and only another score."""


@pytest.mark.parametrize(
    "name", [pytest.param(id, marks=[pytest.mark.slow] if id in SAME_NETWORK else []) for id in scene_detectors.ids()]
)
def test_every_scene_detector_obeys_the_laws(name, streets):
    if name in NETWORKS:
        pytest.importorskip("torch", reason="torch is not installed")
    report = check_scene_detector(lambda: make_scene_detector(name, **QUICK.get(name, {})), **streets)
    report.raise_if_broken()
    assert all(finding.holds for finding in report), [finding for finding in report if not finding.holds]


class Peeking(HeightAboveRoad):
    def iter_scores(self, frames):
        all_scores = list(super().iter_scores(frames))
        for scores in all_scores:
            yield FrameScores(
                {name: values + len(all_scores) for name, values in scores.cameras.items()}, scores.lidars
            )


class Cheating(HeightAboveRoad):
    def update(self, state, frame):
        state, scores = super().update(state, frame)
        labels = {name: each.image.label.astype(np.float32) for name, each in frame.sensors.cameras.items()}
        return state, FrameScores(labels, scores.lidars)


class Learning(HeightAboveRoad):
    def _update(self, state, observation):
        self.counts_["camera"][0, 0] += 1.0
        return super()._update(state, observation)


class Dice(HeightAboveRoad):
    def _fit(self, scenes, seed):
        super()._fit(scenes, seed)
        self.surprise_["lidar"] = self.surprise_["lidar"] + np.random.default_rng().normal()


class Collapsed(HeightAboveRoad):
    def _update(self, state, observation):
        return None, FrameScores({name: np.zeros_like(each.depth) for name, each in observation.cameras.items()})


class Gullible(HeightAboveRoad):
    def score_observation(self, state, observation):
        nothing = {
            name: dataclasses.replace(each, invalid=each.depth < 0) for name, each in observation.cameras.items()
        }
        return super().score_observation(state, dataclasses.replace(observation, cameras=nothing))


@pytest.mark.parametrize(
    ("make", "law"),
    [
        (Peeking, "it is causal"),
        (Peeking, "online equals batch"),
        (Cheating, "labels and truth have no effect"),
        (Learning, "scoring changes nothing"),
        (Dice, "training is reproducible by its seed"),
        (Collapsed, "scores are finite and differ"),
        (Gullible, "an invalid reading has the largest score"),
    ],
)
def test_a_broken_scene_detector_fails_its_law(make, law, streets):
    few = {"scenes": streets["scenes"][:1], "fresh": streets["fresh"][:3]}
    assert law in {finding.law for finding in check_scene_detector(make, **few) if finding.problem}
