"""Discrimination between faulty and nominal steps: AUROC, average precision, FPR at 95 % TPR."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.core.types import Array, BoolArray
from offnominal.evaluation.bootstrap import REPLICATES, Resamples
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.ranking import rank_episodes, rank_pooled
from offnominal.evaluation.step_scores import StepScores, flags


@dataclass(frozen=True, slots=True)
class Ranking:
    """Ranking metrics of faulty steps against nominal steps.

    Args:
        auroc: Probability that a faulty step has a higher score than a nominal one; ties count half.
        average_precision: Mean precision over the detected faulty steps, with each distinct score as a threshold.
        fpr95: Fraction of nominal steps at or above the highest threshold that detects 95 % of the faulty steps; lower
            is better.
    """

    auroc: Estimate
    average_precision: Estimate
    fpr95: Estimate

    def __sub__(self, other: Ranking) -> Ranking:
        return Ranking(
            self.auroc - other.auroc,
            self.average_precision - other.average_precision,
            self.fpr95 - other.fpr95,
        )


@dataclass(frozen=True, slots=True)
class Discrimination:
    """Discrimination of a score between faulty and nominal steps.

    Args:
        local: Metrics within each episode, averaged over episodes that have steps of both kinds.
        pooled: Metrics over all steps together.
        episodes: Number of episodes.
        one_class: Number of episodes with steps of one kind only, and so without local metrics.
        steps: Number of steps of all episodes.
        active_steps: Number of faulty steps.
    """

    local: Ranking
    pooled: Ranking
    episodes: int
    one_class: int
    steps: int
    active_steps: int


def measure_discrimination(
    scores: Sequence[Array], labels: Sequence[Array], *, replicates: int = REPLICATES, seed: int = 0
) -> Discrimination:
    """Measure how well scores discriminate between faulty and nominal steps.

    If a fault lasts to the end of its episode, every faulty step is later than every nominal step: the elapsed time
    alone reaches a local AUROC of 1. See
    :func:`~offnominal.evaluation.null_discrimination.measure_null_discrimination` and
    :func:`~offnominal.evaluation.time_matched.measure_time_matched`.

    Args:
        scores: One array per episode with a score for each transition; higher is more anomalous.
        labels: One boolean array per episode: a fault was switched on.
        replicates: Bootstrap replicates; 0 for metrics without intervals.
        seed: Seed of the bootstrap.

    Example:
        >>> scores = [[0.1, 0.3, 0.2, 0.9], [0.5, 0.4, 0.4, 0.7]]
        >>> found = measure_discrimination(scores, [np.arange(4) >= 2, np.arange(4) >= 3], replicates=0)
        >>> found.local.auroc, found.pooled.auroc
        (Estimate(0.875), Estimate(0.733))
    """
    steps = StepScores.of(scores)
    active = flags(labels, steps.lengths)
    return discrimination_of_steps(steps, active, Resamples.draw(len(steps), replicates, seed=seed))


def discrimination_of_steps(steps: StepScores, active: BoolArray, resamples: Resamples) -> Discrimination:
    """Return the discrimination of joined scores; see :func:`measure_discrimination`."""
    per_episode = np.empty((len(steps), 3))
    rank_episodes(steps.values, active, steps.bounds, per_episode)
    return Discrimination(
        local=Ranking(*resamples.means(per_episode)),
        pooled=_pooled(steps, active, resamples),
        episodes=len(steps),
        one_class=int(np.isnan(per_episode[:, 0]).sum()),
        steps=len(active),
        active_steps=int(active.sum()),
    )


def _pooled(steps: StepScores, active: BoolArray, resamples: Resamples) -> Ranking:
    order = np.argsort(steps.values)[::-1]
    ranked = steps.values[order]
    last = np.append(ranked[1:] != ranked[:-1], True)[: len(ranked)]
    out = np.empty((3, resamples.counts.shape[1]))
    rank_pooled(steps.episode[order], active[order], last, resamples.counts, out)
    return Ranking(*(Estimate.of(row, resamples.units) for row in out))
