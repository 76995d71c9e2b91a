"""Row detectors with a threshold, as outlier detectors of scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from offnominal.core.checks import number_in
from offnominal.core.errors import InvalidParameter, NotFitted, OffnominalError, WrongArgument
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.rows.knn import KNN
from offnominal.detectors.rows.row_detector import RowDetector


class EstimatorNotFitted(NotFitted, NotFittedError):  # type: ignore[misc]
    """An outlier detector is used before it is fitted; the error of scikit-learn and of this package in one."""


class OutlierDetector(OutlierMixin, BaseEstimator):  # type: ignore[misc]
    """A row detector with a threshold at a quantile of its training scores, with the conventions of scikit-learn.

    Here higher is more normal, as in scikit-learn; a row detector itself and PyOD have the opposite sign. Parameters of
    the row detector have the prefix ``detector__``. Its errors have the types and messages that scikit-learn
    prescribes, and are an :class:`~offnominal.core.errors.OffnominalError` as well.

    Args:
        detector: Row detector, which is cloned and not changed; ``KNN(5)`` if None. ``KNN(1)`` has no useful threshold:
            the nearest neighbour of a training row is the row itself.
        contamination: Share of the training rows that are outliers, in (0, 0.5].
        random_state: Seed of the training; a generator or None draws one.

    Attributes:
        detector_: The fitted row detector.
        offset_: Value of :meth:`score_samples` below which a row is an outlier.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(200, 2))
        >>> estimator = OutlierDetector(KNN(5), contamination=0.05).fit(rows)
        >>> estimator.predict(np.array([[0.0, 0.0], [9.0, 9.0]]))
        array([ 1, -1])
        >>> estimator.set_params(detector__n_neighbors=3).detector.n_neighbors
        3
    """

    def __init__(
        self, detector: RowDetector | None = None, *, contamination: float = 0.1, random_state: Any = 0
    ) -> None:
        self.detector = detector
        self.contamination = contamination
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the row detector and set the threshold.

        Args:
            X: (n, columns) rows.
            y: Ignored.
        """
        if self.detector is not None and not isinstance(self.detector, RowDetector):
            raise InvalidParameter(f"detector is a {type(self.detector).__name__}; expected a row detector.")
        share = number_in("contamination", self.contamination, 0.0, 0.5, open_low=True)
        with _errors_named():
            rows = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
            seed = self.random_state
            if not isinstance(seed, Integral):
                seed = check_random_state(seed).randint(2**31)
        self.detector_: RowDetector = KNN(5) if self.detector is None else clone(self.detector)
        self.detector_.fit(rows, seed=int(seed))
        self.offset_ = float(np.quantile(-self.detector_.score(rows), share))
        return self

    def score_samples(self, X: Any) -> FloatArray:
        """Return the negated anomaly score of each row."""
        with _errors_named():
            check_is_fitted(self)
            rows = validate_data(self, X, dtype=np.float64, reset=False)
        return -self.detector_.score(rows)

    def decision_function(self, X: Any) -> FloatArray:
        """Return :meth:`score_samples` minus the threshold: negative for outliers."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> IntArray:
        """Return -1 for outliers and 1 for the others."""
        inside: Array = self.decision_function(X) >= 0.0
        return np.where(inside, 1, -1)


@contextmanager
def _errors_named() -> Iterator[None]:
    """Let the errors of scikit-learn's validation be errors of this package as well, with the same messages."""
    try:
        yield
    except NotFittedError as error:
        raise EstimatorNotFitted(str(error)) from error
    except OffnominalError:
        raise
    except Exception as error:  # Mostly ValueError and TypeError; an object may raise anything when it is converted.
        raise WrongArgument(str(error)) from error
