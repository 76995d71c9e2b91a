"""One-class support vector machine (Schölkopf et al., 2001) with the kernels of scikit-learn."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from offnominal.core.checks import integer_in, number_in, one_of, positive_number, require_shape
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.rows.kernels import (
    KERNELS,
    Kernel,
    inner_products,
    rbf_similarities,
    similarities,
    squared_distances,
)
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.state_arrays import StateArrays

if TYPE_CHECKING:
    from torch import Tensor

MOST_DEGREE = 1_000
MOST_ITERATIONS = 2**31 - 1


class OneClassSVM(RowDetector):
    """Negative similarity to the support vectors.

    The kernels of x and y are ``rbf`` exp(-gamma |x - y|²), ``sigmoid`` tanh(gamma <x, y> + coef0) and ``poly``
    (gamma <x, y> + coef0) ** degree. Only ``rbf`` gives every distant row a high score. The others can give nominal
    rows the highest scores; check the sign before you use them.

    Scikit-learn finds the support vectors, in time that grows with the square of the number of rows. Scoring is
    compiled.

    Args:
        kernel: ``"rbf"``, ``"sigmoid"`` or ``"poly"``.
        nu: Upper bound on the fraction of nominal rows outside the boundary.
        gamma: Scale of the kernel; ``"auto"`` is one over the number of columns, ``"scale"`` divides that by the
            variance.
        degree: Degree of ``poly``.
        coef0: Constant term of ``sigmoid`` and ``poly``.
        tol: Tolerance at which the solver stops.
        max_iter: Largest number of iterations of the solver; -1 for no limit. A steep ``poly`` kernel needs a limit: it
            never reaches the tolerance, because the kernel is kept in single precision.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(200, 2))
        >>> near, far = OneClassSVM().fit(rows).score(np.array([[0.0, 0.0], [9.0, 9.0]]))
        >>> bool(near < far)
        True
    """

    def __init__(
        self,
        *,
        kernel: Kernel = "rbf",
        nu: float = 0.5,
        gamma: float | Literal["auto", "scale"] = "auto",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-3,
        max_iter: int = -1,
    ) -> None:
        self.kernel: Kernel = one_of("kernel", kernel, KERNELS)
        self.nu = number_in("nu", nu, 0.0, 1.0, open_low=True)
        self.gamma = _checked_gamma(gamma)
        self.degree = integer_in("degree", degree, 0, MOST_DEGREE)
        self.coef0, self.tol = number_in("coef0", coef0), positive_number("tol", tol)
        self.max_iter = integer_in("max_iter", max_iter, -1, MOST_ITERATIONS)
        if self.max_iter == 0:
            raise InvalidParameter("max_iter is 0; expected a positive integer, or -1 for no limit.")

    def _fit(self, rows: FloatArray, seed: int) -> None:
        machine = self.solve(rows, gamma=self.gamma, kernel=self.kernel)
        self.vectors_: FloatArray = np.ascontiguousarray(machine.support_vectors_)
        self.columns_: FloatArray = np.ascontiguousarray(self.vectors_.T)
        self.weights_: FloatArray = np.ascontiguousarray(machine.dual_coef_[0])
        self.gamma_ = float(machine._gamma)

    def solve(self, given: FloatArray, **kernel: Any) -> Any:
        """Return scikit-learn's machine, fitted on rows or, with ``kernel="precomputed"``, on their kernel matrix."""
        require_shape("given", given, "rows", "columns")
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.svm import OneClassSVM as Machine

        shape = {"degree": self.degree, "coef0": self.coef0}
        machine = Machine(nu=self.nu, tol=self.tol, max_iter=self.max_iter, **shape, **kernel)
        machine.random_state = 0  # One class needs no random numbers, but NumPy's global generator is asked for one.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return machine.fit(given)

    def _score(self, rows: FloatArray) -> FloatArray:
        if self.kernel == "rbf":
            return -rbf_similarities(rows, self.vectors_, self.weights_, self.gamma_)
        products = inner_products(rows, self.vectors_, self.kernel)
        return -similarities(products, self.weights_, self.kernel, self.gamma_, self.degree, self.coef0)

    def _torch_score(self, rows: Tensor) -> Tensor:
        import torch

        vectors, weights = torch.from_numpy(self.vectors_), torch.from_numpy(self.weights_)
        if self.kernel == "rbf":
            similarity = (-self.gamma_ * (rows[:, None] - vectors).square().sum(-1)).exp()
        else:
            inner = self.gamma_ * (rows @ vectors.T) + self.coef0
            similarity = inner.tanh() if self.kernel == "sigmoid" else inner**self.degree
        return -(similarity * weights).sum(1)

    def _score_row(self, row: FloatArray) -> FloatArray:
        if self.kernel != "rbf":
            return self._score(row)
        exponents = squared_distances(row[0], self.columns_)
        np.exp(np.multiply(exponents, -self.gamma_, out=exponents), out=exponents)
        return np.array([-np.vdot(exponents, self.weights_)])

    def _state_dict(self) -> dict[str, Array]:
        return {"vectors": self.vectors_, "weights": self.weights_, "gamma": np.array([self.gamma_])}

    def _load_state_dict(self, state: StateArrays) -> None:
        self.vectors_ = state.floats("vectors", ("vectors", "width"))
        self.columns_ = np.ascontiguousarray(self.vectors_.T)
        self.weights_ = state.floats("weights", ("vectors",))
        self.gamma_ = state.number("gamma", low=0.0)


def _checked_gamma(gamma: Any) -> float | Literal["auto", "scale"]:
    """Return a valid `gamma`, or raise :class:`InvalidParameter`."""
    if isinstance(gamma, str) and gamma in ("auto", "scale"):
        return "auto" if gamma == "auto" else "scale"
    try:
        return positive_number("gamma", gamma)
    except InvalidParameter:
        raise InvalidParameter(f"gamma is {shown(gamma)}; expected a positive number, 'auto' or 'scale'.") from None
