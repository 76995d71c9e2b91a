"""The scores of many episodes in one array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.core.errors import InvalidScores
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.evaluation.errors import InvalidLabels


@dataclass(frozen=True, slots=True, eq=False)
class StepScores:
    """The scores of all transitions, episode after episode.

    Args:
        values: (S,): scores.
        bounds: (n + 1,): start of each episode, and the end of the last.
    """

    values: FloatArray
    bounds: IntArray

    @classmethod
    def of(cls, scores: Sequence[Array], what: str = "scores", *, lengths: Sequence[int] | None = None) -> StepScores:
        """Join the scores of some episodes, or raise :class:`InvalidScores`.

        Args:
            scores: One array per episode.
            what: Name of the scores in error messages.
            lengths: Expected number of transitions of each episode.

        Example:
            >>> StepScores.of([[0.5, 0.7], [0.1, np.nan]])
            Traceback (most recent call last):
                ...
            offnominal.core.errors.InvalidScores: the scores of episode 1 contain NaN, first at transition 1; ...
        """
        rows = [np.asarray(row) for row in scores]
        if not rows:
            raise InvalidScores(f"there are no {what}; give one array per episode.")
        for number, row in enumerate(rows):
            if row.ndim != 1 or row.dtype.kind not in "fiu":
                raise InvalidScores(
                    f"the {what} of episode {number} are an array of {row.dtype} with shape {row.shape}; "
                    "expected one number per transition."
                )
        if lengths is not None:
            _compare([len(row) for row in rows], lengths, what)
        joined = np.concatenate(rows, dtype=np.float64)
        steps = cls(joined, np.concatenate([[0], np.cumsum([len(row) for row in rows])]))
        missing = np.isnan(joined)
        if missing.any():
            first = int(np.argmax(missing))
            raise InvalidScores(
                f"the {what} of episode {steps.episode[first]} contain NaN, first at transition {steps.time[first]}; "
                "correct the detector or omit the episode."
            )
        return steps

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @property
    def lengths(self) -> IntArray:
        """Number of transitions of each episode."""
        return np.diff(self.bounds)

    @property
    def episode(self) -> IntArray:
        """Index of the episode of each transition."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @property
    def time(self) -> IntArray:
        """Index of each transition within its episode."""
        return np.arange(len(self.values)) - np.repeat(self.bounds[:-1], self.lengths)

    def maxima(self) -> FloatArray:
        """Return the highest score of each episode; minus infinity if it has no transitions."""
        highest = np.full(len(self), -np.inf)
        np.maximum.at(highest, self.episode, self.values)
        return highest

    def time_baseline(self) -> StepScores:
        """Return the elapsed time as scores."""
        return StepScores(self.time.astype(np.float64), self.bounds)


def _compare(found: Sequence[int], expected: Sequence[int], what: str) -> None:
    if len(found) != len(expected):
        raise InvalidScores(f"there are {what} of {len(found)} episodes; expected {len(expected)}.")
    for number, (length, transitions) in enumerate(zip(found, expected, strict=True)):
        if length != transitions:
            raise InvalidScores(f"episode {number} has {length} {what} for {transitions} transitions.")


def flags(rows: Sequence[Array], lengths: IntArray, what: str = "labels") -> BoolArray:
    """Join the booleans of some episodes; raise :class:`InvalidLabels` unless there is one per transition.

    Example:
        >>> flags([np.array([False, True])], np.array([3]))
        Traceback (most recent call last):
            ...
        offnominal.evaluation.errors.InvalidLabels: episode 0 has 2 labels for 3 transitions.
    """
    arrays = [np.asarray(row) for row in rows]
    if len(arrays) != len(lengths):
        raise InvalidLabels(f"there are {what} of {len(arrays)} episodes; expected {len(lengths)}.")
    for number, (row, length) in enumerate(zip(arrays, lengths.tolist(), strict=True)):
        if row.dtype != np.bool_:
            raise InvalidLabels(f"the {what} of episode {number} are of type {row.dtype}; expected booleans.")
        if row.shape != (length,):
            raise InvalidLabels(f"episode {number} has {row.size} {what} for {length} transitions.")
    return np.concatenate(arrays) if arrays else np.empty(0, np.bool_)


def onset_steps(onsets: Sequence[int | None], lengths: IntArray) -> IntArray:
    """Return the onset of each episode; -1 if there is none or the episode ends before it.

    Example:
        >>> onset_steps([3, None, 9], np.array([5, 5, 5]))
        array([ 3, -1, -1])
    """
    if len(onsets) != len(lengths):
        raise InvalidLabels(f"there are onsets of {len(onsets)} episodes; expected {len(lengths)}.")
    first = np.array([-1 if onset is None else int(onset) for onset in onsets], np.int64)
    return np.where(first < lengths, first, -1)


def intervals(values: BoolArray, bounds: IntArray) -> tuple[IntArray, IntArray]:
    """Return the first step of each uninterrupted interval of True, and the step after its last.

    Args:
        values: (S,): values of all steps.
        bounds: (n + 1,): start of each episode, and the end of the last; an interval ends with its episode.

    Example:
        >>> intervals(np.array([True, True, False, True, True]), np.array([0, 4, 5]))
        (array([0, 3, 4]), array([2, 4, 5]))
    """
    before = np.concatenate([[False], values[:-1]]) if len(values) else values
    after = np.concatenate([values[1:], [False]]) if len(values) else values
    first, last = np.zeros(len(values), np.bool_), np.zeros(len(values), np.bool_)
    first[bounds[:-1][np.diff(bounds) > 0]] = True
    last[bounds[1:][np.diff(bounds) > 0] - 1] = True
    return np.flatnonzero(values & (first | ~before)), np.flatnonzero(values & (last | ~after)) + 1
