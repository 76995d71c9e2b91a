"""The contract of a point detector."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from offnominal.core.checks import numeric_array
from offnominal.core.errors import InvalidParameter, NotFitted
from offnominal.core.streams import check_seed
from offnominal.core.types import Array, BoolArray, FloatArray
from offnominal.detectors.observation_limits import MAX_SCORE, all_valid, bounded, invalid, invalid_rows
from offnominal.detectors.state_arrays import StateArrays, all_or_nothing

WIDEST = 10**9
"""Columns, at most."""


class RowDetector(ABC):
    """Gives every row of a table a score. Higher is stranger, and no row's score depends on the other rows.

    A row with a value that is not finite, or larger than :data:`~offnominal.detectors.observation_limits.MAX_READING`,
    has the score :data:`~offnominal.detectors.observation_limits.MAX_SCORE`. No score is larger, and every score is
    finite.
    """

    stops_early: ClassVar[bool] = False
    """Whether rows that are held out say when learning ends."""

    def fit(self, rows: Array, *, validation: Array | None = None, seed: int = 0) -> Self:
        """Learn what is normal.

        Args:
            rows: (n, channels) of normal rows.
            validation: Other normal rows, for detectors that stop learning when these say so; others ignore them.
            seed: Fixes everything that is random about learning.

        Raises:
            InvalidParameter: The rows are no table of valid numbers.
        """
        values, seed = table(rows), check_seed(seed)
        with all_or_nothing(self):
            self.width_ = values.shape[1]
            self._fit(values, seed)
        return self

    @abstractmethod
    def _fit(self, rows: FloatArray, seed: int) -> None:
        """Learn from a checked table."""

    def score(self, rows: Array) -> FloatArray:
        """Return a score for each row; it is finite."""
        self._require_fitted()
        values, broken = readable(rows)
        if values.shape[1] != self.width_:
            raise InvalidParameter(f"the rows have {values.shape[1]} columns; fit saw {self.width_}.")
        with np.errstate(all="ignore"):
            scores = bounded(self._score(values))
        return scores if broken is None else np.where(broken, MAX_SCORE, scores)

    @abstractmethod
    def _score(self, rows: FloatArray) -> FloatArray:
        """Score a checked table."""

    @abstractmethod
    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments."""

    def state_dict(self) -> dict[str, Array]:
        """Return everything that was learned, as arrays."""
        self._require_fitted()
        return {"width": np.array([self.width_], np.int64)} | self._state_dict()

    @abstractmethod
    def _state_dict(self) -> dict[str, Array]:
        """Return what this kind of detector has learned, as arrays."""

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Take back what :meth:`state` returned.

        Raises:
            DamagedFile: An array is missing, unknown, or not what this detector with these parameters learns. The
                detector stays as it was.
        """
        arrays = StateArrays(state, type(self).__name__)
        with all_or_nothing(self), arrays.damage_named():
            self.width_ = arrays.sizes["width"] = arrays.integer("width", low=1, high=WIDEST)
            self._load_state_dict(arrays)
            arrays.require_all_taken()

    @abstractmethod
    def _load_state_dict(self, state: StateArrays) -> None:
        """Take back what :meth:`_state_dict` returned; the dimension ``"width"`` is known."""

    def _require_fitted(self) -> None:
        if not hasattr(self, "width_"):
            raise NotFitted(f"{type(self).__name__} has learned nothing yet; call fit first.")


def table(rows: Array) -> FloatArray:
    """Return rows as a table of valid numbers, or say what is wrong with them."""
    values, broken = readable(rows)
    if broken is not None:
        raise InvalidParameter(f"row {int(np.argmax(broken))} is not finite, or absurdly large; leave it out.")
    return values


def readable(rows: Array) -> tuple[FloatArray, BoolArray | None]:
    """Return rows as a table, and which of them have an invalid value, for which a zero stands in; None if none has."""
    given = numeric_array("rows", rows)
    if given.ndim != 2 or 0 in given.shape:
        raise InvalidParameter(f"the rows have shape {given.shape}; expected (rows, columns) with some of each.")
    values = np.ascontiguousarray(given, np.float64)
    if all_valid(values):
        return values, None
    return np.where(invalid(values), 0.0, values), invalid_rows(values)
