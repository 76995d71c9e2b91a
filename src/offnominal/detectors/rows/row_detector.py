"""The contract of a row detector: an anomaly score for each row of a table."""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from offnominal.core.checks import numeric_array
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter, UnsupportedExport, did_you_mean
from offnominal.core.streams import check_seed
from offnominal.core.types import Array, BoolArray, FloatArray
from offnominal.detectors.learned_state import LearnedState
from offnominal.detectors.observation_limits import MAX_SCORE, all_valid, bounded, invalid, invalid_rows
from offnominal.detectors.state_arrays import StateArrays, all_or_nothing

if TYPE_CHECKING:
    from torch import Tensor

WIDEST = 10**9
"""Largest number of columns."""


class RowDetector(LearnedState):
    """Gives every row of a table an anomaly score. Higher is more anomalous; a score does not depend on other rows.

    A row with a value that is not finite, or larger than :data:`~offnominal.detectors.observation_limits.MAX_READING`,
    has the score :data:`~offnominal.detectors.observation_limits.MAX_SCORE`. Every score is finite, and none is larger.

    :func:`~offnominal.detectors.on_transitions` makes a detector of episodes of a row detector.
    """

    LEARNED: ClassVar[str] = "width_"
    stops_early: ClassVar[bool] = False
    """Whether training stops early by validation rows."""

    def fit(self, X: Array, y: Any = None, *, validation: Array | None = None, seed: int = 0) -> Self:
        """Learn from nominal rows.

        Args:
            X: (n, columns) nominal rows.
            y: Ignored; for pipelines of scikit-learn.
            validation: Other nominal rows, for detectors with early stopping; others ignore them.
            seed: Of all random numbers of the training.

        Raises:
            InvalidParameter: `X` is not a table of valid numbers.
        """
        values, seed = table(X), check_seed(seed)
        with all_or_nothing(self):
            self.width_ = values.shape[1]
            self._fit(values, seed)
        return self

    @abstractmethod
    def _fit(self, rows: FloatArray, seed: int) -> None:
        """Learn from a checked table."""

    def score(self, X: Array) -> FloatArray:
        """Return the anomaly score of each row; every score is finite."""
        self._require_fitted()
        values, broken = readable(X)
        if values.shape[1] != self.width_:
            raise InvalidParameter(f"the rows have {values.shape[1]} columns; fit got {self.width_}.")
        with np.errstate(all="ignore"):
            scores = bounded(self._score(values))
        return scores if broken is None else np.where(broken, MAX_SCORE, scores)

    def score_row(self, X: Array) -> FloatArray:
        """Return the score of a single row, (1, columns): that of :meth:`score` up to rounding, in less time."""
        single = type(X) is np.ndarray and X.dtype == np.float64 and X.flags.c_contiguous and X.ndim == 2
        self._require_fitted()
        if not (single and X.shape == (1, self.width_) and all_valid(X)):
            return self.score(X)
        with np.errstate(all="ignore"):
            return bounded(self._score_row(X))

    def _score_row(self, row: FloatArray) -> FloatArray:
        """Score a checked row; a detector overrides it if there is a faster way for one row than for many."""
        return self._score(row)

    def decision_function(self, X: Array) -> FloatArray:
        """Return the same as :meth:`score`, under PyOD's name: higher is more anomalous."""
        return self.score(X)

    def score_samples(self, X: Array) -> FloatArray:
        """Return the negated :meth:`score`, under scikit-learn's name: lower is more anomalous."""
        return -self.score(X)

    @abstractmethod
    def _score(self, rows: FloatArray) -> FloatArray:
        """Score a checked table."""

    def _contributions(self, rows: FloatArray) -> FloatArray | None:
        """Return the terms (n, columns) that add up to the scores of a checked table; None if there are none."""
        return None

    def _torch_score(self, rows: Tensor) -> Tensor:
        """Score (n, columns) double rows by torch operators, which `Detector.export` records; see :meth:`_score`."""
        raise UnsupportedExport(f"{type(self).__name__} has no ONNX form: it does not implement `_torch_score`.")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's arguments.

        Args:
            deep: Has no effect; for scikit-learn's ``clone``.
        """
        return {name: getattr(self, name) for name in parameter_names(type(self))}

    def set_params(self, **parameters: Any) -> Self:
        """Change constructor's arguments, as in scikit-learn; what was learned stays until the next `fit`.

        Raises:
            InvalidParameter: There is no such parameter, or its value is invalid. The detector is not changed.
        """
        known = parameter_names(type(self))
        for name in parameters:
            if name not in known:
                raise InvalidParameter(
                    f"{type(self).__name__} has no parameter {name!r}.{did_you_mean(name, known)} It has "
                    f"{', '.join(known) or 'none'}."
                )
        changed = type(self)(**{**self.get_params(), **parameters})
        vars(self).update({name: getattr(changed, name) for name in known})
        return self

    def __sklearn_tags__(self) -> Any:
        """Return the tags by which pipelines of scikit-learn know an outlier detector."""
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type="outlier_detector", target_tags=TargetTags(required=False))

    def _shared_state(self) -> dict[str, Array]:
        return {"width": np.array([self.width_], np.int64)}

    def _load_shared_state(self, state: StateArrays) -> None:
        self.width_ = state.sizes["width"] = state.integer("width", low=1, high=WIDEST)


@cache
def parameter_names(kind: type) -> tuple[str, ...]:
    """Return the names of the constructor's arguments."""
    own = inspect.signature(kind).parameters.values()
    return tuple(each.name for each in own if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD))


def table(rows: Array) -> FloatArray:
    """Return rows as a table of valid numbers, or raise :class:`InvalidParameter`."""
    values, broken = readable(rows)
    if broken is not None:
        raise InvalidParameter(f"row {int(np.argmax(broken))} has a value that is not finite or too large; remove it.")
    return values


def readable(rows: Array) -> tuple[FloatArray, BoolArray | None]:
    """Return rows as a table with zeros for invalid values, and which rows have such values; None if none has."""
    refuse_episodes(rows)
    given = numeric_array("rows", rows)
    if given.ndim != 2 or 0 in given.shape:
        raise InvalidParameter(f"the rows have shape {given.shape}; expected (rows, columns) with some of each.")
    values = np.ascontiguousarray(given, np.float64)
    if all_valid(values):
        return values, None
    return np.where(invalid(values), 0.0, values), invalid_rows(values)


def refuse_episodes(rows: object) -> None:
    """Raise :class:`InvalidParameter` for episodes, with the way to score them."""
    if isinstance(rows, Episode) or (isinstance(rows, Sequence) and rows and isinstance(rows[0], Episode)):
        raise InvalidParameter(
            "these are episodes; a row detector takes a table. Use on_transitions(detector), or make_detector with the "
            "id of the detector."
        )
