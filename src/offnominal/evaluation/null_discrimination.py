"""The null: what a metric would be if nothing had happened."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

import numpy as np

from offnominal.core.episode import Episode
from offnominal.core.types import Array, IntArray
from offnominal.evaluation.bootstrap import REPLICATES, Resamples
from offnominal.evaluation.discrimination import Discrimination, discrimination_of_steps
from offnominal.evaluation.errors import InvalidLabels
from offnominal.evaluation.ground_truth import GroundTruth
from offnominal.evaluation.step_scores import StepScores


def measure_null_discrimination(
    nominal: Sequence[Array], episodes: Sequence[Episode], *, replicates: int = REPLICATES, seed: int = 0
) -> Discrimination:
    """Return how well a score finds faults that never were: labels of faulty episodes, scores of nominal ones.

    A metric minus its null is what the fault itself adds. The null of a local AUROC need not be 0.5: scores rise and
    fall along an episode for reasons of their own.

    Args:
        nominal: Scores of nominal episodes. The labels of episode k are laid on the k-th of them; the shorter list
            starts over, so that every onset and every nominal episode is used.
        episodes: The faulty ones, whose labels and onsets are borrowed.
        replicates: Bootstrap replicates, of nominal episodes.
        seed: Of the bootstrap.

    Example:
        >>> from offnominal.core import Event
        >>> active = np.arange(8) >= 5
        >>> fault = Episode(np.zeros((9, 1)), np.zeros((8, 1)), np.zeros(8), active, (Event("action/offset", 1.0, 5),))
        >>> rising, noise = np.arange(10.0), np.array([3.0, 1.0, 2.0, 4.0, 1.0, 2.0, 3.0, 2.0, 1.0, 2.0])
        >>> null = measure_null_discrimination([rising, noise], [fault], replicates=0)
        >>> null.local.auroc, null.active_steps
        (Estimate(0.740), 10)
    """
    steps = StepScores.of(nominal, "nominal scores")
    resamples = Resamples.draw_nominal(len(steps), replicates, seed=seed)
    return null_discrimination_of_steps(steps, [GroundTruth.of(episode) for episode in episodes], resamples)


def null_discrimination_of_steps(
    nominal: StepScores, truths: Sequence[GroundTruth], resamples: Resamples
) -> Discrimination:
    """Lay the labels of faulty episodes on nominal ones; see :func:`measure_null_discrimination`."""
    if not truths:
        raise InvalidLabels("there are no faulty episodes to borrow onsets from; give at least one.")
    rows = np.arange(max(len(nominal), len(truths))) % len(nominal)
    lengths = nominal.lengths[rows].tolist()
    labels = [truth.over(length) for truth, length in zip(cycle(truths), lengths, strict=False)]
    return discrimination_of_steps(_taken(nominal, rows), np.concatenate(labels), resamples.take(rows))


def _taken(steps: StepScores, rows: IntArray) -> StepScores:
    """Return some episodes, one after the other."""
    parts = [steps.values[steps.bounds[row] : steps.bounds[row + 1]] for row in rows]
    return StepScores(np.concatenate(parts), np.concatenate([[0], np.cumsum(steps.lengths[rows])]))
