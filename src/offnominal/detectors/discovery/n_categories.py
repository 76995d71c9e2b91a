"""Estimate of the number of categories from the accuracy of clusters on the known classes."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.optimize import minimize_scalar

from offnominal.core.checks import integer_in, one_of
from offnominal.core.errors import InvalidParameter
from offnominal.detectors.discovery.matching import Matching
from offnominal.detectors.discovery.partly_labelled import UNLABELLED, checked_rows_and_labels
from offnominal.detectors.discovery.sskm import SSKM

Search = Literal["brent", "all"]
INDEX_WEIGHT = 0.05
"""Largest difference of accuracies that the index can outweigh."""
TINY = np.finfo(np.float64).tiny


def estimate_n_clusters(
    X: Any, y: Any, max_clusters: int, *, search: Search = "brent", n_init: int = 3, seed: int = 0
) -> int:
    """Return the number of clusters of k-means that agrees best with the known classes (Vaze et al. 2022).

    For each number, all rows are clustered without labels, and the accuracy on the rows of known classes is measured:
    too few clusters merge classes, too many split them. New classes may still be merged, so similar accuracies are
    compared by the Calinski-Harabasz index, the variance between clusters relative to that within them.

    Args:
        X: (n, d): rows.
        y: (n,): integer labels; -1 for rows without a class.
        max_clusters: Largest number to try. The smallest is the number of known classes.
        search: ``"brent"`` tries about a dozen numbers by Brent's method, ``"all"`` tries every number.
        n_init: Initialisations of each clustering.
        seed: Of the initialisations.

    Example:
        >>> X = np.repeat(np.eye(4) * 9.0, 10, axis=0) + 0.01 * np.arange(40)[:, None]
        >>> y = np.repeat([0, 1, -1, -1], 10)
        >>> estimate_n_clusters(X, y, 8, search="all")
        4
    """
    rows, labels = checked_rows_and_labels(X, y)
    known = labels != UNLABELLED
    if not known.any():
        raise InvalidParameter("no row has a class; the number of clusters is estimated from known classes.")
    low = len(np.unique(labels[known]))
    integer_in("max_clusters", max_clusters, low, len(labels) - 1)
    one_of("search", search, ("brent", "all"))
    total = float(((rows - rows.mean(axis=0)) ** 2).sum())
    losses: dict[int, float] = {}

    def loss(number: float) -> float:
        k = round(number)
        if k not in losses:
            found = SSKM(k, n_init=n_init).fit(rows, np.full(len(labels), UNLABELLED), seed=seed)
            accuracy = Matching.of(labels[known], found.labels_[known]).accuracy() or 0.0
            index = (total - found.inertia_) / max(k - 1, 1) * (len(rows) - k) / max(found.inertia_, TINY)
            losses[k] = -accuracy - INDEX_WEIGHT * index / (index + len(rows))
        return losses[k]

    if search == "all" or max_clusters - low < 3:
        for k in range(low, max_clusters + 1):
            loss(k)
    else:
        minimize_scalar(loss, bounds=(low, max_clusters), method="bounded", options={"xatol": 0.5})
    return min(losses, key=lambda k: (losses[k], k))
