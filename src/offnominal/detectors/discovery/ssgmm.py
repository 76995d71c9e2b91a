"""SSGMM: semi-supervised mixture of spherical Gaussians."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Self

import numpy as np
from scipy.special import logsumexp

from offnominal.core.checks import integer_in, number_in
from offnominal.core.errors import NotFitted
from offnominal.core.streams import Stream, check_seed
from offnominal.core.types import FloatArray, IntArray
from offnominal.detectors.discovery.partly_labelled import (
    PartlyLabelled,
    checked_rows,
    seeded_centres,
    squared_distances,
)


@dataclass(eq=False)
class SSGMM:
    """Mixture of spherical Gaussians in which the rows of known classes belong to the component of their class.

    The first components are the known classes in ascending order of their labels. The means start as in
    :class:`~offnominal.detectors.discovery.sskm.SSKM`.

    Args:
        n_clusters: Number of known and new classes together.
        n_init: Number of initialisations; the one with the largest likelihood is kept.
        max_iter: Largest number of iterations of expectation maximisation.
        tol: Increase of the mean log-likelihood at which iterations stop.
        reg_covar: Number that is added to every variance.
        balanced: Whether all known classes have the same total weight.

    Attributes:
        labels_: (n,): most probable component of every row; the class of a labelled row.
        means_: (n_clusters, d): means.
        variances_: (n_clusters,): variance of each component.
        weights_: (n_clusters,): share of each component.
        classes_: (L,): labels of the known classes, which are the first components.
        log_likelihood_: Mean log-likelihood of all rows.
        n_iter_: Number of iterations of the initialisation that was kept.

    Example:
        >>> X = np.array([[0.0], [0.2], [5.0], [5.1], [9.0], [9.1]])
        >>> SSGMM(3).fit(X, np.array([7, -1, 4, -1, -1, -1])).labels_
        array([1, 1, 0, 0, 2, 2])
    """

    n_clusters: int
    n_init: int = 1
    max_iter: int = 100
    tol: float = 1e-3
    reg_covar: float = 1e-6
    balanced: bool = False
    labels_: IntArray = field(init=False, repr=False)
    means_: FloatArray = field(init=False, repr=False)
    variances_: FloatArray = field(init=False, repr=False)
    weights_: FloatArray = field(init=False, repr=False)
    classes_: IntArray = field(init=False, repr=False)
    log_likelihood_: float = field(init=False, repr=False)
    n_iter_: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("n_clusters", "n_init", "max_iter"):
            integer_in(name, getattr(self, name), 1)
        number_in("tol", self.tol, 0.0)
        number_in("reg_covar", self.reg_covar, 0.0)

    def fit(self, X: Any, y: Any, *, seed: int = 0) -> Self:
        """Fit the mixture.

        Args:
            X: (n, d): rows.
            y: (n,): integer labels; -1 for rows without a class.
            seed: Of the initialisations.
        """
        data = PartlyLabelled.of(X, y, self.n_clusters, balanced=self.balanced)
        draw = Stream.named(check_seed(seed), 0, "ssgmm").generator()
        runs = (self._run(data, seeded_centres(data, self.n_clusters, draw)) for _ in range(self.n_init))
        self.log_likelihood_, mixture, self.n_iter_ = max(runs, key=itemgetter(0))
        means, self.variances_, self.weights_ = mixture
        self.means_, self.classes_ = means + data.mean, data.classes
        self.labels_ = data.clusters(_log_densities(data.unlabelled, *mixture).argmax(axis=1))
        return self

    def predict(self, X: Any) -> IntArray:
        """Return the most probable component of other rows."""
        if not hasattr(self, "means_"):
            raise NotFitted("SSGMM is not fitted; call fit first.")
        rows = checked_rows(X, self.means_.shape[1])
        return np.asarray(_log_densities(rows, self.means_, self.variances_, self.weights_).argmax(axis=1))

    def _run(
        self, data: PartlyLabelled, centres: FloatArray
    ) -> tuple[float, tuple[FloatArray, FloatArray, FloatArray], int]:
        """Return the mean log-likelihood, the mixture, and the number of iterations."""
        rows = np.concatenate([data.labelled, data.unlabelled])
        weights = np.append(data.weights, np.ones(len(data.unlabelled)))
        squares = np.einsum("nd,nd->n", rows, rows)
        fixed = np.eye(self.n_clusters)[data.numbers]
        nearest = squared_distances(data.unlabelled, centres).argmin(axis=1)
        shares = np.concatenate([fixed, np.eye(self.n_clusters)[nearest]])
        before, likelihood, n_iter = -np.inf, -np.inf, 0
        while n_iter < self.max_iter:
            n_iter += 1
            mixture = self._maximised(rows, squares, shares * weights[:, None])
            densities = _log_densities(rows, *mixture)
            total = logsumexp(densities, axis=1)
            likelihood = float(np.average(total, weights=weights))
            shares = np.exp(densities - total[:, None])
            shares[: len(fixed)] = fixed
            if abs(likelihood - before) < self.tol:
                break
            before = likelihood
        return likelihood, mixture, n_iter

    def _maximised(
        self, rows: FloatArray, squares: FloatArray, shares: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return means, variances and weights for given shares of every row in every component."""
        counts = shares.sum(axis=0) + 10.0 * np.finfo(np.float64).eps
        means = shares.T @ rows / counts[:, None]
        spread = shares.T @ squares / counts - np.einsum("kd,kd->k", means, means)
        variances = np.maximum(spread, 0.0) / rows.shape[1] + self.reg_covar
        return means, variances, counts / counts.sum()


def _log_densities(rows: FloatArray, means: FloatArray, variances: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the logarithm of weight times density of every component at every row, (n, k)."""
    width = rows.shape[1]
    constant = np.log(weights) - 0.5 * width * np.log(2.0 * np.pi * variances)
    densities: FloatArray = constant - 0.5 * squared_distances(rows, means) / variances
    return densities
