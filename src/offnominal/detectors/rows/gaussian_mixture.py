"""Mixture of Gaussians, fitted by expectation maximisation (Dempster et al., 1977)."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from offnominal.core.checks import integer_in
from offnominal.core.compilation import compiled
from offnominal.core.errors import DamagedFile, InvalidParameter
from offnominal.core.streams import Stream
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.normaliser import Normaliser
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.state_arrays import StateArrays

if TYPE_CHECKING:
    from torch import Tensor

MOST = 10**4
TRIED = (1, 2, 3, 4, 6, 8, 10)
"""Numbers of components of which ``"bic"`` takes the best."""
LEAST_VARIANCE = 1e-6
"""Added to the variances, in those of the columns."""


class GaussianMixture(RowDetector):
    """Negative log of the density of a mixture of Gaussians with full covariances.

    Args:
        n_components: Number of Gaussians; ``"bic"`` takes the number from 1 to 10 with the lowest Bayesian information
            criterion (Schwarz, 1978). A number above that of the nominal rows is refused, and not tried by ``"bic"``.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(500, 2))
        >>> near, far = GaussianMixture().fit(rows).score(np.array([[0.0, 0.0], [9.0, 9.0]]))
        >>> bool(near < far)
        True
    """

    def __init__(self, n_components: int | Literal["bic"] = "bic") -> None:
        if isinstance(n_components, str) and n_components != "bic":
            raise InvalidParameter(f"n_components is {n_components!r}; expected a positive integer or 'bic'.")
        self.n_components: int | Literal["bic"] = (
            "bic" if isinstance(n_components, str) else integer_in("n_components", n_components, 1, MOST)
        )

    def _fit(self, rows: FloatArray, seed: int) -> None:
        if len(rows) < 2:
            raise InvalidParameter(f"there is {len(rows)} row; a mixture of Gaussians needs two.")
        tried = TRIED if isinstance(self.n_components, str) else (self.n_components,)
        possible = [count for count in tried if count <= len(rows)]
        if not possible:
            raise InvalidParameter(
                f"n_components is {self.n_components}, but there are {len(rows)} rows; give more, or ask for fewer."
            )
        self.units_ = Normaliser.of(rows)
        values = self.units_(rows)
        fits = [_fitted(values, count, seed) for count in possible]
        best = fits[0] if len(fits) == 1 else min(fits, key=lambda fit: float(fit.bic(values)))
        self._take(best.weights_, best.means_, best.precisions_cholesky_)

    def _take(self, weights: FloatArray, means: FloatArray, factors: FloatArray) -> None:
        """Keep the weights, means and triangular factors of the precisions, in units of the columns."""
        self.weights_, self.means_, self.factors_ = weights, means, np.ascontiguousarray(factors)
        diagonals = np.einsum("kii->ki", factors)
        heights = np.log(weights) + np.log(diagonals).sum(axis=1)
        units = 0.5 * means.shape[1] * math.log(2.0 * math.pi) + float(np.log(self.units_.scale).sum())
        self.heights_: FloatArray = heights - units

    def _score(self, rows: FloatArray) -> FloatArray:
        return -_log_densities(self.units_(rows), self.means_, self.factors_, self.heights_)

    def _torch_score(self, rows: Tensor) -> Tensor:
        import torch

        means, factors, heights = (torch.from_numpy(part) for part in (self.means_, self.factors_, self.heights_))
        deviation = (self.units_.torch(rows)[:, None] - means)[:, :, None]
        squares = (deviation @ factors).square().sum((2, 3))
        return -torch.logsumexp(heights - 0.5 * squares, 1)

    def _state_dict(self) -> dict[str, Array]:
        learned = {"weights": self.weights_, "means": self.means_, "factors": self.factors_}
        return learned | {"mean": self.units_.mean, "scale": self.units_.scale}

    def _load_state_dict(self, state: StateArrays) -> None:
        self.units_ = Normaliser.restored(state, "mean", "scale", self.width_)
        components = "components" if isinstance(self.n_components, str) else self.n_components
        weights = state.floats("weights", (components,), low=np.finfo(np.float64).tiny, high=1.0 + 1e-9)
        means = state.floats("means", (len(weights), self.width_))
        factors = state.floats("factors", (len(weights), self.width_, self.width_))
        if np.tril(factors, -1).any() or not (np.einsum("kii->ki", factors) > 0.0).all():
            raise DamagedFile("a factor is not upper triangular with a positive diagonal; GaussianMixture expects it.")
        self._take(weights, means, factors)


def _fitted(values: FloatArray, count: int, seed: int) -> Any:
    """Return the mixture of scikit-learn with so many components; one that did not converge is taken as it is."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture as Mixture

    drawn = Stream.named(seed, 0, "gaussian mixture").integer(0, 2**31 - 1)
    mixture = Mixture(count, reg_covar=LEAST_VARIANCE, init_params="k-means++", random_state=drawn, max_iter=200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return mixture.fit(values)


@compiled
def _log_densities(rows: FloatArray, means: FloatArray, factors: FloatArray, heights: FloatArray) -> FloatArray:
    # One sum per row in a fixed order: a matrix product would round differently in batches of different size.
    count, width = means.shape
    out = np.empty(rows.shape[0])
    logs, product = np.empty(count), np.empty(width)
    for i in range(rows.shape[0]):
        for k in range(count):
            product[:] = 0.0
            for j in range(width):
                deviation = rows[i, j] - means[k, j]
                for c in range(j, width):
                    product[c] += deviation * factors[k, j, c]
            squared = 0.0
            for c in range(width):
                squared += product[c] * product[c]
            logs[k] = heights[k] - 0.5 * squared
        highest = logs.max()
        total = 0.0
        for k in range(count):
            total += math.exp(logs[k] - highest)
        out[i] = highest + math.log(total)
    return out
