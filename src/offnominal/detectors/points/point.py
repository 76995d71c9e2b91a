"""The contract of a point detector."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from offnominal.core.errors import InvalidParameter, NotFitted
from offnominal.core.streams import check_seed
from offnominal.core.types import Array, FloatArray


class PointDetector(ABC):
    """Gives every row of a table a score. Higher is stranger, and no row's score depends on the other rows."""

    stops_early: ClassVar[bool] = False
    """Whether rows that are held out say when learning ends."""

    def fit(self, rows: Array, *, validation: Array | None = None, seed: int = 0) -> Self:
        """Learn what is normal.

        Args:
            rows: (n, channels) of normal rows.
            validation: Other normal rows, for detectors that stop learning when these say so; others ignore them.
            seed: Fixes everything that is random about learning.
        """
        values, seed = table(rows), check_seed(seed)
        self.width_ = values.shape[1]
        self._fit(values, seed)
        return self

    @abstractmethod
    def _fit(self, rows: FloatArray, seed: int) -> None:
        """Learn from a checked table."""

    def score(self, rows: Array) -> FloatArray:
        """Return a score for each row."""
        if not hasattr(self, "width_"):
            raise NotFitted(f"{type(self).__name__} has learned nothing yet; call fit first.")
        values = table(rows)
        if values.shape[1] != self.width_:
            raise InvalidParameter(f"the rows have {values.shape[1]} columns; fit saw {self.width_}.")
        return self._score(values)

    @abstractmethod
    def _score(self, rows: FloatArray) -> FloatArray:
        """Score a checked table."""

    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """Return the constructor's arguments."""

    @abstractmethod
    def learned(self) -> dict[str, Array]:
        """Return everything that was learned, as arrays."""

    @abstractmethod
    def restore(self, learned: Mapping[str, Array]) -> None:
        """Take back what :meth:`learned` returned."""


def table(rows: Array) -> FloatArray:
    """Return rows as a table of finite numbers, or say what is wrong with them."""
    values = np.asarray(rows)
    if values.ndim != 2 or 0 in values.shape:
        raise InvalidParameter(f"the rows have shape {values.shape}; expected (rows, columns) with some of each.")
    if values.dtype.kind not in "fiub":
        raise InvalidParameter(f"the rows are of type {values.dtype}; expected numbers.")
    values = np.ascontiguousarray(values, np.float64)
    if not np.isfinite(values).all():
        raise InvalidParameter(f"row {int(np.argmin(np.isfinite(values).all(axis=1)))} is not finite; leave it out.")
    return values
