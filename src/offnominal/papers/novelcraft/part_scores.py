"""Scores of one detector for all frames of the episode task, computed once for all methods that use them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.detectors.detector import Detector
from offnominal.papers.novelcraft.computed import Arrays, computed_once
from offnominal.papers.novelcraft.image_scoring import build, fit_images, score_images
from offnominal.papers.novelcraft.novelty_sets import NoveltySets, Split
from offnominal.studies.detector_study import DetectorEntry
from offnominal.studies.resource_meter import ResourceMeter

SCORED: tuple[Split, ...] = ("valid", "test")


@dataclass(frozen=True, slots=True, eq=False)
class PartScores:
    """Scores of every frame of the validation and test episodes.

    Args:
        valid: One array per normal validation episode.
        test: One array per test episode.
        fit_cpu_s: Processor time of the training.
        score_cpu_s: Processor time of the scoring.
    """

    valid: list[FloatArray]
    test: list[FloatArray]
    fit_cpu_s: float
    score_cpu_s: float


def part_scores(entry: DetectorEntry, sets: NoveltySets, seed: int, code: str) -> PartScores:
    """Return the scores of a detector that is fitted to normal training episodes.

    They are stored in the data home, so that a fusion does not fit its parts again.

    Args:
        entry: The detector.
        sets: The set.
        seed: Training seed.
        code: Hash of the code of the detector.
    """
    stored = computed_once("scores", entry, sets, seed, code, lambda: _computed(entry, sets, seed))
    valid, test = (_split(stored[split], stored[f"{split}_lengths"].tolist()) for split in SCORED)
    return PartScores(valid, test, *stored["cpu"].tolist())


def _computed(entry: DetectorEntry, sets: NoveltySets, seed: int) -> Arrays:
    """Fit and score; all episodes of a split are in one array."""
    meter, detector = ResourceMeter(), build(entry)
    scores: dict[Split, list[FloatArray]] = {}
    if not isinstance(detector, Detector) or detector.pixel_observations:
        frames = sets.episode_pixels("train")
        owners = np.repeat(np.arange(len(frames)), [len(each) for each in frames])
        with meter("fit"):
            fit_images(detector, np.concatenate(frames), np.zeros(len(owners), np.int64), owners.tolist(), seed)
        for split in SCORED:
            frames = sets.episode_pixels(split)
            with meter("score"):
                scores[split] = [score_images(detector, each) for each in frames]
    else:
        train = [episode.to_episode() for episode in sets.episodes("train")]
        with meter("fit"):
            detector.fit(train, seed=seed)
        for split in SCORED:
            episodes = [episode.to_episode() for episode in sets.episodes(split)]
            with meter("score"):
                scores[split] = detector.score(episodes)
        scores = _of_frames(scores)
    arrays: Arrays = {"cpu": np.array([meter.cpu["fit"], meter.cpu["score"]])}
    for split in SCORED:
        arrays[split] = np.concatenate(scores[split])
        arrays[f"{split}_lengths"] = np.array(list(map(len, scores[split])))
    return arrays


def _of_frames(scores: dict[Split, list[FloatArray]]) -> dict[Split, list[FloatArray]]:
    """Return scores of transitions as those of the frames that they lead to; the first frame has the lowest score."""
    lowest = min(float(each.min()) for each in scores["valid"])
    return {split: [np.append(lowest, each) for each in rows] for split, rows in scores.items()}


def _split(values: FloatArray, lengths: Sequence[int]) -> list[FloatArray]:
    return np.split(values, np.cumsum(lengths)[:-1])
