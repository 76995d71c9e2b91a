"""Discrimination: does the score tell faulty steps from healthy ones?"""

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
    """How well faulty steps are ranked above healthy ones.

    Args:
        auroc: Probability that a faulty step scores higher than a healthy one; ties count half.
        average_precision: Mean precision over the faulty steps found, each distinct score being a threshold.
        fpr95: Share of healthy steps at or above the highest score that finds 95 % of the faulty ones. Lower is better.
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
    """How well a score tells faulty steps from healthy ones.

    Args:
        local: Within each episode, then averaged over episodes. An episode needs steps of both kinds.
        pooled: Over all steps together.
        episodes: How many episodes there are.
        one_class: How many of them have steps of one kind only, and so no local value.
        steps: Steps of all episodes.
        active_steps: How many of them are faulty.
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
    """Return how well scores tell faulty steps from healthy ones.

    A fault that lasts to the end of its episode makes every faulty step later than every healthy one: a score that only
    counts steps reaches a local AUROC of 1. See
    :func:`~offnominal.evaluation.null_discrimination.measure_null_discrimination` and
    :func:`~offnominal.evaluation.time_matched.measure_time_matched`.

    Args:
        scores: One array per episode with a score for each transition; higher is stranger.
        labels: One boolean array per episode: a fault was switched on.
        replicates: Bootstrap replicates; 0 for numbers without intervals.
        seed: Of the bootstrap.

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
    each = np.empty((len(steps), 3))
    rank_episodes(steps.values, active, steps.bounds, each)
    return Discrimination(
        local=Ranking(*resamples.means(each)),
        pooled=_pooled(steps, active, resamples),
        episodes=len(steps),
        one_class=int(np.isnan(each[:, 0]).sum()),
        steps=len(active),
        active_steps=int(active.sum()),
    )


def _pooled(steps: StepScores, active: BoolArray, resamples: Resamples) -> Ranking:
    order = np.argsort(steps.values)[::-1]
    ranked = steps.values[order]
    last = np.append(ranked[1:] != ranked[:-1], True)[: len(ranked)]
    out = np.empty((3, resamples.counts.shape[1]))
    rank_pooled(steps.episode[order], active[order], last, resamples.counts, out)
    return Ranking(*(Estimate.of(row) for row in out))
