"""Outlier estimators of scikit-learn and PyOD as row detectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from offnominal.core.errors import InvalidParameter, UnsupportedEstimator, UnsupportedExport
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.state_arrays import StateArrays

if TYPE_CHECKING:
    from torch import Tensor

TRIED = 8
"""Number of nominal rows that are scored one by one after fitting."""


class OutlierEstimator(Protocol):
    """Estimators of scikit-learn and PyOD."""

    def fit(self, X: Any, y: Any = None) -> Any:
        """Fit the estimator."""


class EstimatorAdapter(RowDetector):
    """Any outlier estimator with `fit` and `score_samples` or `decision_function`.

    Higher scores are more anomalous: scikit-learn's scores are negated, PyOD's are not. After fitting, some nominal
    rows are scored one by one. An estimator is refused if its scores are not finite, if they depend on the rest of the
    batch, or if it cannot score a single row, because it could not be used online.

    Args:
        estimator: Is cloned and not changed; a `random_state` of None is replaced by the seed of `fit`.

    Example:
        >>> from sklearn.neighbors import LocalOutlierFactor
        >>> rows = np.random.default_rng(0).normal(size=(200, 2))
        >>> detector = EstimatorAdapter(LocalOutlierFactor(novelty=True)).fit(rows)
        >>> near, far = detector.score(np.array([[0.0, 0.0], [9.0, 9.0]]))
        >>> bool(near < far)
        True
    """

    def __init__(self, estimator: OutlierEstimator) -> None:
        if not hasattr(estimator, "fit") or not (
            hasattr(estimator, "score_samples") or hasattr(estimator, "decision_function")
        ):
            raise UnsupportedEstimator(
                f"{type(estimator).__name__} has no `fit` with `score_samples` or `decision_function`; give an outlier "
                "estimator of scikit-learn (with novelty=True if it has this parameter) or PyOD."
            )
        self.estimator = estimator

    @property
    def _is_pyod(self) -> bool:
        return any(kind.__module__.startswith("pyod.") for kind in type(self.estimator).__mro__)

    def _fit(self, rows: FloatArray, seed: int) -> None:
        from sklearn.base import clone

        self.fitted_: Any = clone(self.estimator)
        settable = self.fitted_.get_params()
        if "random_state" in settable and settable["random_state"] is None:
            self.fitted_.set_params(random_state=seed)
        self.fitted_.fit(rows)
        self._try_online(rows[np.linspace(0, len(rows) - 1, TRIED).astype(int)])

    def _try_online(self, rows: FloatArray) -> None:
        name = type(self.estimator).__name__
        together = self._score(rows)
        try:
            alone = np.concatenate([self._score(row[None]) for row in rows])
        except Exception as error:
            raise UnsupportedEstimator(
                f"{name} cannot score a single row ({type(error).__name__}: {error}); it cannot be used online."
            ) from error
        if not np.isfinite(together).all():
            infinite = together[~np.isfinite(together)]
            raise UnsupportedEstimator(
                f"{name} gives {len(infinite)} of {len(rows)} nominal rows scores such as {infinite[0]:g}; they "
                "must be finite. A constant channel is a common cause."
            )
        if not np.allclose(together, alone, rtol=1e-6, atol=1e-9):
            worst = int(np.argmax(np.abs(together - alone)))
            raise UnsupportedEstimator(
                f"{name} gives a row the score {together[worst]:.6g} among {len(rows)} rows and {alone[worst]:.6g} "
                "alone; a score must not depend on the rest of the batch."
            )

    def _score(self, rows: FloatArray) -> FloatArray:
        if self._is_pyod:
            return np.asarray(self.fitted_.decision_function(rows), np.float64)
        name = "score_samples" if hasattr(self.fitted_, "score_samples") else "decision_function"
        return -np.asarray(getattr(self.fitted_, name)(rows), np.float64)

    def _torch_score(self, rows: Tensor) -> Tensor:
        name = type(self.estimator).__name__
        raise UnsupportedExport(f"{name} belongs to another package, which this one cannot write to ONNX.")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Raise :class:`InvalidParameter`: an object of another package has no safe file format."""
        raise InvalidParameter(self._no_file())

    def _state_dict(self) -> dict[str, Array]:
        raise InvalidParameter(self._no_file())

    def _load_state_dict(self, state: StateArrays) -> None:
        raise InvalidParameter(self._no_file())

    def _no_file(self) -> str:
        return f"{type(self.estimator).__name__} belongs to another package and cannot be saved safely; fit it again."
