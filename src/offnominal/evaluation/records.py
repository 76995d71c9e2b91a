"""Records: the running maximum of a score since the onset, which gives the delay of every threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.types import FloatArray, IntArray
from offnominal.evaluation.step_scores import StepScores, onset_steps


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """Scores that are higher than all earlier scores since the onset of their episode.

    The first record above a threshold is the first alarm with that threshold.

    Args:
        values: (k,): the records, episode after episode, rising within each.
        delays: (k,): steps since the onset.
        bounds: (n + 1,): start of the records of each episode, and the end of the last; none without a fault.
        exposures: (n,): steps from onset to end; 0 without a fault.
        before: (n,): highest score before the onset; minus infinity if there is none.

    Example:
        >>> records = Records.of(StepScores.of([[3, 1, 2, 2, 5], [7, 8, 9]]), [1, None])
        >>> records.values, records.delays
        (array([1., 2., 5.]), array([0, 1, 3]))
    """

    values: FloatArray
    delays: IntArray
    bounds: IntArray
    exposures: IntArray
    before: FloatArray

    @classmethod
    def of(cls, steps: StepScores, onsets: Sequence[int | None]) -> Records:
        """Find the records of some episodes."""
        first = onset_steps(onsets, steps.lengths)
        values, delays = np.empty(len(steps.values)), np.empty(len(steps.values), np.int64)
        bounds, before = np.zeros(len(steps) + 1, np.int64), np.full(len(steps), -np.inf)
        _find(steps.values, steps.bounds, first, values, delays, bounds, before)
        exposures = np.where(first >= 0, steps.lengths - first, 0)
        return cls(values[: bounds[-1]], delays[: bounds[-1]], bounds, exposures, before)

    @property
    def owner(self) -> IntArray:
        """Index of the episode of each record."""
        return np.repeat(np.arange(len(self.exposures)), np.diff(self.bounds))

    @property
    def faulty(self) -> IntArray:
        """Indices of the episodes that reached their onset."""
        return np.flatnonzero(self.exposures)


@compiled
def _find(
    scores: FloatArray,
    episodes: IntArray,
    onsets: IntArray,
    values: FloatArray,
    delays: IntArray,
    bounds: IntArray,
    before: FloatArray,
) -> None:
    """Compute the arrays of :class:`Records`."""
    count = 0
    for e in range(len(onsets)):
        if onsets[e] >= 0:
            start, highest = episodes[e] + onsets[e], -np.inf
            for i in range(episodes[e], start):
                before[e] = max(before[e], scores[i])
            for i in range(start, episodes[e + 1]):
                if i == start or scores[i] > highest:
                    highest = scores[i]
                    values[count], delays[count] = highest, i - start
                    count += 1
        bounds[e + 1] = count
