"""Metrics beside scikit-learn's, intervals beside SciPy's, on the same scores."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
from scipy.stats import bootstrap
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

from benchmarks.measure import rates
from offnominal.core.types import BoolArray, FloatArray
from offnominal.evaluation.bootstrap import REPLICATES, Resamples
from offnominal.evaluation.discrimination import discrimination_of_steps
from offnominal.evaluation.ranking import rank_episodes
from offnominal.evaluation.step_scores import StepScores, flags

EPISODES, STEPS = 6000, 200
AT_ONCE = 50
Row = dict[str, Any]


def scored() -> tuple[list[FloatArray], list[BoolArray]]:
    """Return scores that rise at a random onset."""
    rng = np.random.default_rng(0)
    labels = [np.arange(STEPS) >= onset for onset in rng.integers(2, STEPS, EPISODES)]
    return [rng.normal(size=STEPS) + on for on in labels], labels


def by_scikit_learn(labels: BoolArray, scores: FloatArray) -> tuple[float, float, float]:
    false, true, _ = roc_curve(labels, scores, drop_intermediate=False)
    rate = false[np.argmax(true >= 0.95)]
    return roc_auc_score(labels, scores), average_precision_score(labels, scores), float(rate)


def row(task: str, ours: Callable[[], int], peer: str, theirs: Callable[[], int], unit: str, bar: str = "") -> Row:
    measured = rates({"ours": ours, "theirs": theirs})
    speeds = [measured[who].per_cpu_second for who in ("ours", "theirs")]
    return {
        "task": task,
        "ours, per CPU-s": round(speeds[0]),
        "peer": peer,
        "peer, per CPU-s": round(speeds[1]),
        "unit": unit,
        "ratio": speeds[0] / speeds[1],
        "bar": bar,
    }


def metrics() -> list[Row]:
    """AUROC, average precision and FPR95 of 6,000 episodes of 200 steps, checks and joining included: episode by
    episode (scikit-learn loops over some of them at a time) and of all steps pooled.
    """
    scores, labels = scored()
    places = count(step=AT_ONCE)

    def local() -> int:
        steps, each = StepScores.of(scores), np.empty((EPISODES, 3))
        rank_episodes(steps.values, flags(labels, steps.lengths), steps.bounds, each)
        return EPISODES

    def loop() -> int:
        first = next(places) % EPISODES
        for episode in range(first, first + AT_ONCE):
            by_scikit_learn(labels[episode], scores[episode])
        return AT_ONCE

    def all_of_it() -> int:
        steps = StepScores.of(scores)
        discrimination_of_steps(steps, flags(labels, steps.lengths), Resamples.draw(EPISODES, 0))
        return 1

    def pooled() -> int:
        by_scikit_learn(np.concatenate(labels), np.concatenate(scores))
        return 1

    return [
        row("local", local, "scikit-learn loop", loop, "episodes", "ratio >= 20"),
        row("local and pooled", all_of_it, "scikit-learn, pooled only", pooled, "splits"),
    ]


def intervals() -> list[Row]:
    """Bootstrap over 6,000 episodes, 1,000 replicates, draws included, beside SciPy's vectorised one (percentile
    method, batches of 100). Ours draws once for all numbers of a report.
    """
    values = np.random.default_rng(0).normal(size=(EPISODES, 10))
    options = {"n_resamples": REPLICATES, "batch": 100, "method": "percentile", "rng": 0}

    def theirs(statistic: Callable[..., Any], columns: int) -> Callable[[], int]:
        def run() -> int:
            for column in range(columns):
                bootstrap((values[:, column],), statistic, **options)
            return REPLICATES

        return run

    def one_mean() -> int:
        return len(Resamples.draw(EPISODES).mean(values[:, 0]).draws)

    def ten_means() -> int:
        return len(Resamples.draw(EPISODES).means(values)[0].draws)

    def one_median() -> int:
        return len(Resamples.draw(EPISODES).median(values[:, 0]).draws)

    peer = "scipy.stats.bootstrap"
    return [
        row("a mean", one_mean, peer, theirs(np.mean, 1), "replicates"),
        row("ten means", ten_means, peer, theirs(np.mean, 10), "replicates"),
        row("a median", one_median, peer, theirs(np.median, 1), "replicates"),
    ]


def pooled_intervals() -> list[Row]:
    """Exact bootstrap of the pooled metrics of 100 and of 6,000 episodes: all replicates walk through the sorted steps
    together; beside writing each replicate out and giving it to scikit-learn.
    """
    scores, labels = scored()
    rows = []
    for episodes, replicates in ((100, REPLICATES), (EPISODES, 100)):
        steps, active = StepScores.of(scores[:episodes]), np.concatenate(labels[:episodes])
        drawn = Resamples.draw(episodes, replicates)

        def ours(steps: StepScores = steps, active: BoolArray = active, drawn: Resamples = drawn) -> int:
            return len(discrimination_of_steps(steps, active, drawn).pooled.auroc.draws)

        def theirs(episodes: int = episodes, drawn: Resamples = drawn) -> int:
            chosen = np.repeat(np.arange(episodes), drawn.counts[:, 1])
            on, values = (np.concatenate([rows[e] for e in chosen]) for rows in (labels, scores))
            by_scikit_learn(on, values)
            return 1

        rows.append(row(f"{episodes:,} episodes", ours, "scikit-learn", theirs, "replicates"))
    return rows


SECTIONS = {"Metrics": metrics, "Intervals": intervals, "Intervals of pooled metrics": pooled_intervals}
