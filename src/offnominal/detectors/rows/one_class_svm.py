"""One-class support vector machine (Schölkopf et al., 2001): a smooth border around nominal points."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from offnominal.core.checks import number_in, positive_number, shown
from offnominal.core.compilation import compiled
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.state_arrays import StateArrays


class OneClassSVM(RowDetector):
    """Minus the similarity to the support vectors, with a radial kernel.

    Scikit-learn finds the support vectors, in time that grows with the square of the rows; scoring is compiled.

    Args:
        nu: Share of the nominal points that may lie outside, at most.
        gamma: Inverse squared width of the kernel; ``"auto"`` is one over the number of columns, ``"scale"`` that over
            the variance.
        tol: At which the search stops.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(200, 2))
        >>> near, far = OneClassSVM().fit(rows).score(np.array([[0.0, 0.0], [9.0, 9.0]]))
        >>> bool(near < far)
        True
    """

    def __init__(self, nu: float = 0.5, *, gamma: float | Literal["auto", "scale"] = "auto", tol: float = 1e-3) -> None:
        self.nu = number_in("nu", nu, 0.0, 1.0, open_low=True)
        self.gamma = checked_gamma(gamma)
        self.tol = positive_number("tol", tol)

    def _fit(self, rows: FloatArray, seed: int) -> None:
        from sklearn.svm import OneClassSVM as Machine

        machine = Machine(kernel="rbf", nu=self.nu, gamma=self.gamma, tol=self.tol)
        machine.random_state = seed  # One class needs no random numbers, but NumPy's global generator is asked for one.
        machine.fit(rows)
        self.vectors_: FloatArray = np.ascontiguousarray(machine.support_vectors_)
        self.weights_: FloatArray = np.ascontiguousarray(machine.dual_coef_[0])
        self.gamma_ = float(machine._gamma)

    def _score(self, rows: FloatArray) -> FloatArray:
        return -_similarity(rows, self.vectors_, self.weights_, self.gamma_)

    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments."""
        return {"nu": self.nu, "gamma": self.gamma, "tol": self.tol}

    def _state_dict(self) -> dict[str, Array]:
        """Return the support vectors and their weights."""
        return {"vectors": self.vectors_, "weights": self.weights_, "gamma": np.array([self.gamma_])}

    def _load_state_dict(self, state: StateArrays) -> None:
        """Take them back."""
        self.vectors_ = state.floats("vectors", ("vectors", "width"))
        self.weights_ = state.floats("weights", ("vectors",))
        self.gamma_ = state.number("gamma", low=0.0)


def checked_gamma(gamma: Any) -> float | Literal["auto", "scale"]:
    """Return the scale of a kernel, or how it is found, or raise :class:`InvalidParameter`."""
    if isinstance(gamma, str) and gamma in ("auto", "scale"):
        return "auto" if gamma == "auto" else "scale"
    try:
        return positive_number("gamma", gamma)
    except InvalidParameter:
        raise InvalidParameter(f"gamma is {shown(gamma)}; expected a positive number, 'auto' or 'scale'.") from None


@compiled
def _similarity(rows: FloatArray, vectors: FloatArray, weights: FloatArray, gamma: float) -> FloatArray:
    total = np.zeros(rows.shape[0])
    for i in range(rows.shape[0]):
        for j in range(vectors.shape[0]):
            distance = 0.0
            for c in range(rows.shape[1]):
                difference = rows[i, c] - vectors[j, c]
                distance += difference * difference
            total[i] += weights[j] * math.exp(-gamma * distance)
    return total
