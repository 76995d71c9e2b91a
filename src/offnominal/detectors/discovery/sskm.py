"""SSKM: semi-supervised k-means, which keeps known classes together and finds new ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Self

import numpy as np
from scipy import sparse

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
class SSKM:
    """K-means in which the rows of known classes stay in the cluster of their class (Vaze et al. 2022).

    The first clusters are the known classes in ascending order of their labels, the others are new categories. The
    centre of a known class is the mean of its labelled rows and of the unlabelled rows nearest to it.

    Args:
        n_clusters: Number of known and new classes together.
        n_init: Number of initialisations; the one with the smallest inertia is kept.
        max_iter: Largest number of iterations.
        tol: Smallest movement of the centres, relative to the variance of the rows, at which iterations stop.
        balanced: Whether all known classes have the same total weight.

    Attributes:
        labels_: (n,): cluster of every row.
        centres_: (n_clusters, d): centres.
        classes_: (L,): labels of the known classes, which are the first clusters.
        inertia_: Sum of the squared distances of all rows to their centres.
        n_iter_: Number of iterations of the initialisation that was kept.

    Example:
        >>> X = np.array([[0.0], [0.2], [5.0], [5.1], [9.0], [9.1]])
        >>> SSKM(3).fit(X, np.array([7, -1, 4, -1, -1, -1])).labels_
        array([1, 1, 0, 0, 2, 2])
    """

    n_clusters: int
    n_init: int = 10
    max_iter: int = 300
    tol: float = 1e-4
    balanced: bool = False
    labels_: IntArray = field(init=False, repr=False)
    centres_: FloatArray = field(init=False, repr=False)
    classes_: IntArray = field(init=False, repr=False)
    inertia_: float = field(init=False, repr=False)
    n_iter_: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("n_clusters", "n_init", "max_iter"):
            integer_in(name, getattr(self, name), 1)
        number_in("tol", self.tol, 0.0)

    def fit(self, X: Any, y: Any, *, seed: int = 0) -> Self:
        """Cluster rows.

        Args:
            X: (n, d): rows.
            y: (n,): integer labels; -1 for rows without a class.
            seed: Of the initialisations.
        """
        data = PartlyLabelled.of(X, y, self.n_clusters, balanced=self.balanced)
        draw = Stream.named(check_seed(seed), 0, "sskm").generator()
        limit = self.tol * float(np.concatenate([data.labelled, data.unlabelled]).var(axis=0).mean())
        runs = (self._run(data, seeded_centres(data, self.n_clusters, draw), limit) for _ in range(self.n_init))
        self.inertia_, centres, assigned, self.n_iter_ = min(runs, key=itemgetter(0))
        self.centres_, self.classes_ = centres + data.mean, data.classes
        self.labels_ = data.clusters(assigned)
        return self

    def predict(self, X: Any) -> IntArray:
        """Return the cluster of other rows: the nearest centre."""
        if not hasattr(self, "centres_"):
            raise NotFitted("SSKM is not fitted; call fit first.")
        rows = checked_rows(X, self.centres_.shape[1])
        return np.asarray(squared_distances(rows, self.centres_).argmin(axis=1))

    def _run(self, data: PartlyLabelled, centres: FloatArray, limit: float) -> tuple[float, FloatArray, IntArray, int]:
        """Return inertia, centres, clusters of the unlabelled rows, and the number of iterations."""
        rows, (sums, weights) = data.unlabelled, data.class_sums()
        norms = np.einsum("nd,nd->n", rows, rows)
        assigned, n_iter = np.full(len(rows), -1), 0
        while n_iter < self.max_iter:
            n_iter += 1
            before, (assigned, nearest) = assigned, _nearest(rows, norms, centres)
            moved = _means(rows, assigned, nearest, sums, weights, self.n_clusters)
            shift = float(((moved - centres) ** 2).sum())
            centres = moved
            if shift <= limit or np.array_equal(before, assigned):
                break
        assigned, nearest = _nearest(rows, norms, centres)
        apart = ((data.labelled - centres[data.numbers]) ** 2).sum(axis=1)
        return float(nearest.sum() + data.weights @ apart), centres, assigned, n_iter


def _nearest(rows: FloatArray, norms: FloatArray, centres: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the nearest centre of every row, and the squared distance to it."""
    partial = rows @ (-2.0 * centres.T) + np.einsum("kd,kd->k", centres, centres)
    assigned = partial.argmin(axis=1)
    return assigned, np.maximum(partial[np.arange(len(rows)), assigned] + norms, 0.0)


def _means(
    rows: FloatArray, assigned: IntArray, nearest: FloatArray, sums: FloatArray, weights: FloatArray, n_clusters: int
) -> FloatArray:
    """Return the centres of clusters; an empty new cluster gets the row that is farthest from its centre."""
    members = sparse.csr_array((np.ones(len(rows)), (assigned, np.arange(len(rows)))), shape=(n_clusters, len(rows)))
    totals, counts = np.asarray(members @ rows), np.bincount(assigned, minlength=n_clusters).astype(np.float64)
    totals[: len(sums)] += sums
    counts[: len(sums)] += weights
    empty = np.flatnonzero(counts == 0.0)
    if len(empty):
        far = np.argsort(-nearest, kind="stable")[: len(empty)]
        totals[empty], counts[empty] = rows[far], 1.0
    centres: FloatArray = totals / counts[:, None]
    return centres
