"""One-class support vector machine (Schölkopf et al., 2001) with the kernels of scikit-learn."""

from __future__ import annotations

import math
import warnings
from typing import Any, Literal

import numpy as np

from offnominal.core.checks import integer_in, number_in, one_of, positive_number
from offnominal.core.compilation import compiled
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.rows.one_class_svm import checked_gamma
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.state_arrays import StateArrays

Kernel = Literal["rbf", "sigmoid", "poly"]
MOST_DEGREE = 1_000
KERNELS: tuple[Kernel, ...] = ("rbf", "sigmoid", "poly")


class KernelSVM(RowDetector):
    """Minus the similarity to the support vectors, under one of three kernels.

    Of x and y they are ``rbf`` exp(-gamma |x - y|²), ``sigmoid`` tanh(gamma <x, y> + offset) and ``poly``
    (gamma <x, y> + offset) ** degree. Only the first says that far away is strange. The others can rank nominal rows
    as the strangest; look at the sign before trusting them. The numbers are scikit-learn's; with ``rbf`` they are those
    of :class:`~offnominal.detectors.rows.OneClassSVM`.

    Args:
        kernel: Which one.
        nu: Share of the nominal points that may lie outside, at most.
        gamma: Scale of the kernel; ``"auto"`` is one over the number of columns, ``"scale"`` that over the variance.
        degree: Of ``poly``.
        coef0: Of ``sigmoid`` and ``poly``.
        tol: At which the search stops.
        max_iter: After which it stops in any case. A steep ``poly`` kernel never reaches the tolerance: its scale does
            not change which rows are stranger, but makes the tolerance finer than single precision, in which the kernel
            is kept.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(200, 2))
        >>> near, far = KernelSVM("rbf").fit(rows).score(np.array([[0.0, 0.0], [9.0, 9.0]]))
        >>> bool(near < far)
        True
    """

    def __init__(
        self,
        kernel: Kernel = "rbf",
        *,
        nu: float = 0.5,
        gamma: float | Literal["auto", "scale"] = "auto",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-3,
        max_iter: int = 100_000,
    ) -> None:
        self.kernel: Kernel = one_of("kernel", kernel, KERNELS)
        self.nu = number_in("nu", nu, 0.0, 1.0, open_low=True)
        self.gamma = checked_gamma(gamma)
        self.degree = integer_in("degree", degree, 0, MOST_DEGREE)
        self.coef0, self.tol = number_in("coef0", coef0), positive_number("tol", tol)
        self.max_iter = integer_in("max_iter", max_iter, 1, 2**31 - 1)

    def _fit(self, rows: FloatArray, seed: int) -> None:
        machine = self.solve(rows, gamma=self.gamma, kernel=self.kernel)
        self.vectors_: FloatArray = np.ascontiguousarray(machine.support_vectors_)
        self.weights_: FloatArray = np.ascontiguousarray(machine.dual_coef_[0])
        self.gamma_ = float(machine._gamma)

    def solve(self, given: FloatArray, **kernel: Any) -> Any:
        """Return scikit-learn's machine, fitted on rows or, with ``kernel="precomputed"``, on their kernel."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.svm import OneClassSVM as Machine

        shape = {"degree": self.degree, "coef0": self.coef0}
        machine = Machine(nu=self.nu, tol=self.tol, max_iter=self.max_iter, **shape, **kernel)
        machine.random_state = 0  # One class needs no random numbers, but NumPy's global generator is asked for one.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return machine.fit(given)

    def _score(self, rows: FloatArray) -> FloatArray:
        products = _products(rows, self.vectors_, self.kernel == "rbf")
        kernel = KERNELS.index(self.kernel)
        return -_weigh(products, self.weights_, kernel, self.gamma_, self.coef0, self.degree)

    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments."""
        names = ("kernel", "nu", "gamma", "degree", "coef0", "tol", "max_iter")
        return {name: getattr(self, name) for name in names}

    def _state_dict(self) -> dict[str, Array]:
        """Return the support vectors and their weights."""
        return {"vectors": self.vectors_, "weights": self.weights_, "gamma": np.array([self.gamma_])}

    def _load_state_dict(self, state: StateArrays) -> None:
        """Take them back."""
        self.vectors_ = state.floats("vectors", ("vectors", "width"))
        self.weights_ = state.floats("weights", ("vectors",))
        self.gamma_ = state.number("gamma", low=0.0)


def inner_products(rows: FloatArray, vectors: FloatArray, kernel: Kernel) -> FloatArray:
    """Return what the kernel is a function of: (rows, vectors) squared distances for ``rbf``, else scalar products."""
    return _products(rows, vectors, kernel == "rbf")


def kernel_of(products: FloatArray, kernel: Kernel, gamma: float, degree: int = 3, coef0: float = 0.0) -> FloatArray:
    """Return the kernel of :func:`inner_products`."""
    out = np.empty_like(products)
    _apply(products, KERNELS.index(kernel), gamma, coef0, degree, out)
    return out


def similarities(
    products: FloatArray, weights: FloatArray, kernel: Kernel, gamma: float, degree: int = 3, coef0: float = 0.0
) -> FloatArray:
    """Return each row's weighted similarity to the vectors, from their :func:`inner_products`."""
    return _weigh(products, weights, KERNELS.index(kernel), gamma, coef0, degree)


@compiled
def _products(rows: FloatArray, vectors: FloatArray, distances: bool) -> FloatArray:
    """One sum per pair in a fixed order: a matrix product would round differently in batches of different size."""
    columns = np.ascontiguousarray(vectors.T)
    out = np.zeros((rows.shape[0], vectors.shape[0]))
    for i in range(rows.shape[0]):
        total = out[i]
        for c in range(rows.shape[1]):
            x, column = rows[i, c], columns[c]
            if distances:
                for j in range(len(total)):
                    split_validation = x - column[j]
                    total[j] += split_validation * split_validation
            else:
                for j in range(len(total)):
                    total[j] += x * column[j]
    return out


@compiled
def _kernel(product: float, kernel: int, gamma: float, coef0: float, degree: int) -> float:
    if kernel == 0:
        return math.exp(-gamma * product)
    if kernel == 1:
        return math.tanh(gamma * product + coef0)
    base, power = gamma * product + coef0, 1.0
    for _ in range(degree):
        power *= base
    return power


@compiled
def _apply(products: FloatArray, kernel: int, gamma: float, coef0: float, degree: int, out: FloatArray) -> None:
    for i in range(products.shape[0]):
        for j in range(products.shape[1]):
            out[i, j] = _kernel(products[i, j], kernel, gamma, coef0, degree)


@compiled
def _weigh(
    products: FloatArray, weights: FloatArray, kernel: int, gamma: float, coef0: float, degree: int
) -> FloatArray:
    total = np.zeros(products.shape[0])
    for i in range(products.shape[0]):
        for j in range(products.shape[1]):
            total[i] += weights[j] * _kernel(products[i, j], kernel, gamma, coef0, degree)
    return total
