"""Recordings with several events, frames and episodes with novelties, driving scenes, and means over splits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from interval_coverage.episodes import correlated
from interval_coverage.group import Group, Numbers
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.evaluation import measure_events
from offnominal.evaluation.bootstrap import Resamples
from offnominal.evaluation.novelty import measure_discovery, measure_episode_novelty, measure_novelty
from offnominal.evaluation.scenes.components import ComponentMatches
from offnominal.evaluation.scenes.rows import Row
from offnominal.evaluation.scenes.scene_metrics import measure_row
from offnominal.evaluation.scenes.scored_scenes import STATISTICS, ElementScores, ScoredFrame
from offnominal.studies.leaderboards import mean_of
from offnominal.studies.metric_table import MetricTable

THRESHOLD = 2.2
Recordings = tuple[FloatArray, BoolArray]
"""Scores and labels, (episodes, steps)."""


def recordings(n: int, rng: np.random.Generator) -> Recordings:
    """Return n recordings of 120 steps with one to three events; recordings differ in how strong these are."""
    steps = np.arange(120)
    active = np.zeros((n, 120), np.bool_)
    for row, count in enumerate(rng.integers(1, 4, n)):
        for place in rng.permutation(3)[:count]:
            start = 40 * place + rng.integers(5, 25)
            active[row] |= (steps >= start) & (steps < start + rng.integers(3, 14))
    return correlated(n, rng, 120) + 1.8 * rng.gamma(2.0, 0.5, (n, 1)) * active, active


def events(data: Recordings, replicates: int) -> Numbers:
    """Return the numbers of events."""
    scores, active = data
    found = measure_events(list(scores > THRESHOLD), list(active), within=(5,), replicates=replicates).numbers()
    return {
        "Detected events": found["event_detected"],
        "Median delay of events": found["event_median_delay"],
        "Events within 5 steps": found["event_within_5"],
        "False alarms between events": found["event_false_alarms"],
    }


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """Scores of frames: normal episodes, and novel ones of two types.

    Args:
        scores: (episodes, frames).
        novel: (episodes, frames).
        types: Type of novelty of each episode; None for normal ones.
    """

    scores: FloatArray
    novel: BoolArray
    types: list[str | None]


def frames(n: int, rng: np.random.Generator) -> Frames:
    """Return n normal and n novel episodes of 30 frames; in a novel one the object is visible in some frames."""
    scores, novel = correlated(2 * n, rng, 30), np.zeros((2 * n, 30), np.bool_)
    level = 0.4 * rng.normal(size=(2 * n, 1))
    for row in novel[n:]:
        start = rng.integers(0, 15)
        row[start : start + rng.integers(5, 16)] = True
    rise = np.where(np.arange(2 * n)[:, None] % 2, 2.2, 1.4) * rng.gamma(4.0, 0.25, (2 * n, 1))
    types = [None if episode < n else ("tree", "fence")[episode % 2] for episode in range(2 * n)]
    return Frames(scores + level + rise * novel, novel, types)


def novelty(data: Frames, replicates: int) -> Numbers:
    """Return the numbers of frames and of episodes; those of episodes are of their highest score."""
    owner = np.repeat(np.arange(len(data.scores)), data.scores.shape[1])
    of_frames = measure_novelty(
        data.scores.ravel(), data.novel.ravel(), episodes=owner.tolist(), replicates=replicates
    ).numbers()
    of_episodes = measure_episode_novelty(list(data.scores), data.types, replicates=replicates).numbers()
    named = {
        "auroc": "AUROC",
        "auprc": "average precision",
        "tnr_at_tpr": "TNR at TPR 95",
        "ppv_at_tpr": "PPV at TPR 95",
        "tpr_at_ppv": "TPR at a required PPV",
        "delay_at_tpr": "delay at TPR 95",
    }
    both = {"frames": of_frames, "episodes": of_episodes}
    return {
        f"Novelty, {what}: {title}": numbers[name]
        for what, numbers in both.items()
        for name, title in named.items()
        if name in numbers
    }


Clusters = tuple[IntArray, IntArray, IntArray]
"""True class, cluster and episode of each row."""


def clusters(n: int, rng: np.random.Generator) -> Clusters:
    """Return n episodes of 20 rows of six classes, with clusters that agree with them more in some than in others."""
    episode = np.repeat(np.arange(n), 20)
    true = np.concatenate([np.repeat(np.arange(6), 4)[: 6 * 20], rng.integers(0, 6, max(20 * n - 24, 0))])[: 20 * n]
    true = np.roll(np.sort(true.reshape(n, 20), axis=1), 1, axis=1).ravel()
    right = rng.random(20 * n) < rng.beta(6.0, 2.0, n)[episode] - 0.15 * (true >= 4)
    return true, np.where(right, true, rng.integers(0, 6, 20 * n)), episode


def discovery(data: Clusters, replicates: int) -> Numbers:
    """Return the accuracies of clusters."""
    true, found, episode = data
    measured = measure_discovery(true, found, range(4), episodes=episode.tolist(), replicates=replicates)
    return {
        "Clustering accuracy": measured.all,
        "Clustering accuracy, known classes": measured.labelled,
        "Clustering accuracy, new classes": measured.new,
    }


def scenes(n: int, rng: np.random.Generator) -> list[ScoredFrame]:
    """Return n driving scenes of two frames; objects differ in size and in how much their scores rise."""
    return [frame for number in range(n) for frame in _scene(number, rng)]


def _scene(number: int, rng: np.random.Generator) -> list[ScoredFrame]:
    rise, level, size = 1.5 * rng.gamma(4.0, 0.25), 0.4 * rng.normal(), rng.integers(5, 40)
    found = []
    for place in range(2):
        overlap = np.clip(rng.normal(0.25 * rise + 0.1, 0.15, rng.integers(1, 3)), 0.0, 1.0)
        precision = np.clip(rng.normal(0.2 * rise + 0.2, 0.25, rng.integers(1, 5)), 0.0, 1.0)
        elements = ElementScores(
            positives=(level + rise + rng.normal(size=size)).astype(np.float32),
            negatives=(level + rng.normal(size=100)).astype(np.float32),
            positive_ranges=np.zeros(size, np.uint8),
            negative_ranges=np.zeros(100, np.uint8),
            statistics=dict.fromkeys(STATISTICS, 0.0),
            object_mean=float("nan"),
            components=ComponentMatches(overlap, precision),
        )
        name = str(number)
        found.append(
            ScoredFrame(name, name, place, "content", "small", "town", "weather", True, 1.0, {"voxel": elements})
        )
    return found


def scene_numbers(data: list[ScoredFrame], replicates: int) -> Numbers:
    """Return the numbers of elements and of components, over scenes."""
    found = measure_row(Row("published", "default", tuple(data)), "voxel", threshold=1.5, replicates=replicates)
    named = {
        "auroc": "AUROC",
        "aupr": "average precision",
        "fpr95": "FPR at 95 % TPR",
        "f1": "F1",
        "ppv": "PPV",
        "recall": "recall",
        "f1_star": "F1*",
        "ppv_star": "PPV*",
        "siou": "SIoU",
    }
    return {f"Scenes: {title}": found.numbers()[name] for name, title in named.items()}


WORLDS, FAULTS, RUNS = 2, 4, 6
"""Worlds, faults of each, and training runs: one that is looked at alone, and five others."""
EFFECTS = np.linspace(-1.0, 2.0, WORLDS * FAULTS).reshape(WORLDS, FAULTS)
POOLED = {
    "Mean over 4 faults of a world": float(EFFECTS[0].mean()),
    **dict.fromkeys(
        (
            "Mean over 2 worlds of 4 faults each",
            "Mean over 2 worlds, 3 training runs",
            "Mean over 2 worlds, 5 training runs",
        ),
        float(EFFECTS.mean()),
    ),
}
"""Numbers of leaderboards and their true values."""


def pooled_episodes(n: int, rng: np.random.Generator) -> FloatArray:
    """Return a value such as a local AUROC, (worlds, training runs, faults, n).

    The n faulty episodes of a fault begin as those of the other faults of its world. Faults differ, and so do training
    runs, of each fault in another way. Training runs, difficulties and what remains have a mean of 0.
    """
    difficulty = 0.8 * rng.normal(size=(WORLDS, 1, 1, n))
    luck = 0.3 * rng.normal(size=(WORLDS, RUNS, 1, 1)) + 0.15 * rng.normal(size=(WORLDS, RUNS, FAULTS, 1))
    remainder = 0.6 * (1.0 - rng.exponential(size=(WORLDS, RUNS, FAULTS, n)))
    # One training run is what it is: its intervals are about this one.
    luck[:, 0] = 0.0
    values: FloatArray = EFFECTS[:, None, :, None] + difficulty + luck + remainder
    return values


def pooled(data: FloatArray, replicates: int) -> Numbers:
    """Return the means of leaderboards: of one training run, of three, and of five."""
    resamples = Resamples.draw(data.shape[-1], replicates)
    parts = (data[:1, :1], data[:, :1], data[:, 1:4], data[:, 1:])
    return {name: mean_of(_table(part, resamples)) for name, part in zip(POOLED, parts, strict=True)}


def _table(values: FloatArray, resamples: Resamples) -> MetricTable:
    """Return the rows of a run with the mean over the episodes of each world, training run and fault."""
    places = list(np.ndindex(*values.shape[:-1]))
    found = [resamples.mean(values[place]) for place in places]
    world, run, fault = (np.array(column) for column in zip(*places, strict=True))
    same = np.full(len(places), "", object)

    def texts(numbers: Array) -> Array:
        return np.array([str(number) for number in numbers], object)

    return MetricTable(
        texts(world),
        np.full(len(places), "detector", object),
        run,
        texts(fault),
        same,
        same,
        values=np.array([each.value for each in found], np.float64),
        draws=np.array([each.draws for each in found]),
        units=np.array([each.units for each in found], np.int64),
    )


GROUPS: Mapping[str, Group] = {
    "pooled": Group(pooled_episodes, pooled, known=POOLED),
    "events": Group(recordings, events),
    "novelty": Group(frames, novelty, truth=2000),
    "discovery": Group(clusters, discovery),
    "scenes": Group(scenes, scene_numbers, truth=2000),
}
