"""The null: what a metric would be if nothing had happened."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

import numpy as np

from offnominal.core.episode import Episode
from offnominal.core.types import Array, IntArray
from offnominal.evaluation.discrimination import Discrimination, discriminate
from offnominal.evaluation.errors import InvalidLabels
from offnominal.evaluation.resample import REPLICATES, Resamples
from offnominal.evaluation.steps import Steps
from offnominal.evaluation.truth import Truth


def null_discrimination(
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
        >>> from offnominal import Event
        >>> active = np.arange(8) >= 5
        >>> fault = Episode(np.zeros((9, 1)), np.zeros((8, 1)), np.zeros(8), active, (Event("action/offset", 1.0, 5),))
        >>> rising, noise = np.arange(10.0), np.array([3.0, 1.0, 2.0, 4.0, 1.0, 2.0, 3.0, 2.0, 1.0, 2.0])
        >>> null = null_discrimination([rising, noise], [fault], replicates=0)
        >>> null.local.auroc, null.active_steps
        (Estimate(0.740), 10)
    """
    steps = Steps.of(nominal, "nominal scores")
    resamples = Resamples.draw_nominal(len(steps), replicates, seed=seed)
    return lay(steps, [Truth.of(episode) for episode in episodes], resamples)


def lay(nominal: Steps, truths: Sequence[Truth], resamples: Resamples) -> Discrimination:
    """Lay the labels of faulty episodes on nominal ones; see :func:`null_discrimination`."""
    if not truths:
        raise InvalidLabels("there are no faulty episodes to borrow onsets from; give at least one.")
    rows = np.arange(max(len(nominal), len(truths))) % len(nominal)
    lengths = nominal.lengths[rows].tolist()
    labels = [truth.over(length) for truth, length in zip(cycle(truths), lengths, strict=False)]
    return discriminate(_taken(nominal, rows), np.concatenate(labels), resamples.take(rows))


def _taken(steps: Steps, rows: IntArray) -> Steps:
    """Return some episodes, one after the other."""
    parts = [steps.values[steps.bounds[row] : steps.bounds[row + 1]] for row in rows]
    return Steps(np.concatenate(parts), np.concatenate([[0], np.cumsum(steps.lengths[rows])]))
