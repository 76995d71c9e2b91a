"""Tail probabilities of single columns: ECOD (Li et al., 2022) and COPOD (Li et al., 2020)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from offnominal.core.checks import one_of
from offnominal.core.errors import DamagedFile
from offnominal.core.types import Array, BoolArray, FloatArray
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.state_arrays import StateArrays

if TYPE_CHECKING:
    from torch import Tensor

Combine = Literal["rows", "columns", "means"]
COMBINES: tuple[Combine, ...] = ("rows", "columns", "means")


class ECOD(RowDetector):
    """Negative log of the empirical tail probabilities, summed over the columns as if they were independent.

    The left tail of a value is the share of nominal values that are not larger, the right tail the share of those that
    are not smaller, both with the value itself among them. The tail *by skewness* is the left one for columns whose
    nominal values are skewed to the left, else the right one.

    The papers of ECOD and COPOD have the same formula, that of ``combine="rows"``. Their public code (PyOD) has others.
    It also counts the rows that are scored among the nominal ones; here a score does not depend on other rows, and is
    that of PyOD for a single row, except where that row changes the sign of a skewness.

    Args:
        combine: ``"rows"``: the largest of three sums over the columns: of left tails, of right tails, and of tails by
            skewness; ``"columns"``: the sum over the columns of the rarer of both tails, or of both for a column that
            is not skewed, as in the public code of ECOD; ``"means"``: the sum over the columns of the tail by skewness
            or, if it is larger, the mean of both, as in the public code of COPOD.

    Example:
        >>> rows = np.arange(9.0)[:, None]
        >>> ECOD().fit(rows).score(np.array([[4.0], [8.0], [99.0]])).round(2)
        array([0.51, 1.61, 2.3 ])
    """

    def __init__(self, *, combine: Combine = "rows") -> None:
        self.combine: Combine = one_of("combine", combine, COMBINES)

    def _fit(self, rows: FloatArray, seed: int) -> None:
        deviation = rows - rows.mean(axis=0)
        self.skewness_: FloatArray = np.sign((deviation**3).sum(axis=0))
        self.points_: FloatArray = np.sort(rows, axis=0)

    def _score(self, rows: FloatArray) -> FloatArray:
        return np.asarray(self._terms(rows).sum(axis=1))

    def _contributions(self, rows: FloatArray) -> FloatArray:
        return self._terms(rows)

    def _terms(self, rows: FloatArray) -> FloatArray:
        """Return the terms (n, columns) whose sums are the scores."""
        left, right = self._tails(rows)
        skewed_left: BoolArray = self.skewness_ < 0.0
        by_skewness = np.where(skewed_left, left, right)
        if self.combine == "columns":
            both = np.where(self.skewness_ == 0.0, left + right, by_skewness)
            return np.maximum(np.maximum(left, right), both)
        if self.combine == "means":
            both = np.where(self.skewness_ == 0.0, left + right, by_skewness)
            return np.maximum(both, (left + right) / 2.0)
        choices = np.stack([left, right, by_skewness])
        largest = choices.sum(axis=2).argmax(axis=0)
        return np.asarray(choices[largest, np.arange(len(rows))])

    def _tails(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the negative logs of the left and the right tail of every value."""
        n = len(self.points_)
        left, right = np.empty_like(rows), np.empty_like(rows)
        for column in range(rows.shape[1]):
            values, points = rows[:, column], self.points_[:, column]
            left[:, column] = 1 + np.searchsorted(points, values, side="right")
            right[:, column] = 1 + n - np.searchsorted(points, values, side="left")
        return -np.log(left / (n + 1)), -np.log(right / (n + 1))

    def _torch_score(self, rows: Tensor) -> Tensor:
        import torch

        points, skewness = torch.from_numpy(self.points_), torch.from_numpy(self.skewness_)
        n = len(points)
        left = -torch.log((1 + (points <= rows[:, None]).sum(1)).double() / (n + 1))
        right = -torch.log((1 + (points >= rows[:, None]).sum(1)).double() / (n + 1))
        by_skewness = torch.where(skewness < 0.0, left, right)
        if self.combine == "rows":
            return torch.stack([left.sum(1), right.sum(1), by_skewness.sum(1)]).amax(0)
        both = torch.where(skewness == 0.0, left + right, by_skewness)
        if self.combine == "columns":
            return left.maximum(right).maximum(both).sum(1)
        return both.maximum((left + right) / 2.0).sum(1)

    def _state_dict(self) -> dict[str, Array]:
        return {"points": self.points_, "skewness": self.skewness_}

    def _load_state_dict(self, state: StateArrays) -> None:
        self.points_ = state.points(1)
        if (self.points_[:-1] > self.points_[1:]).any():
            raise DamagedFile("a column of points is not sorted; ECOD expects ascending values.")
        self.skewness_ = state.floats("skewness", ("width",), low=-1.0, high=1.0)
