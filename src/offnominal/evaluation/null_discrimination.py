"""The null of a metric: its value on nominal episodes with the onsets of faulty ones."""

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
    """Measure the discrimination of nominal scores with the labels of faulty episodes.

    A metric minus its null is the effect of the fault itself. The null of a local AUROC need not be 0.5, because
    nominal scores also change along an episode.

    Args:
        nominal: Scores of nominal episodes. The labels of faulty episode k are applied to the k-th of them; the shorter
            list is repeated, so that every onset and every nominal episode is used.
        episodes: Faulty episodes, for labels and onsets.
        replicates: Bootstrap replicates, of nominal episodes.
        seed: Seed of the bootstrap.

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
    """Return the null from ground truths; see :func:`measure_null_discrimination`."""
    if not truths:
        raise InvalidLabels("there are no faulty episodes; the null needs the onsets of at least one.")
    rows = np.arange(max(len(nominal), len(truths))) % len(nominal)
    lengths = nominal.lengths[rows].tolist()
    labels = [truth.over(length) for truth, length in zip(cycle(truths), lengths, strict=False)]
    return discrimination_of_steps(_taken(nominal, rows), np.concatenate(labels), resamples.take(rows))


def _taken(steps: StepScores, rows: IntArray) -> StepScores:
    """Return the scores of some episodes."""
    parts = [steps.values[steps.bounds[row] : steps.bounds[row + 1]] for row in rows]
    return StepScores(np.concatenate(parts), np.concatenate([[0], np.cumsum(steps.lengths[rows])]))
