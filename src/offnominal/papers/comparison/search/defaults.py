"""Parameters to use where no anomaly is known: fixed, or a rule of the training points."""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.core.types import FloatArray
from offnominal.papers.comparison.search.search_space import Configuration

PAIRED = 1000
"""Training points whose distances are looked at."""
METHODS = ("abod", "hbos", "if", "knn", "loda", "lof", "orbf", "osvm", "pidf")


def has_default(method: str) -> bool:
    """Whether a method has parameters to use where no anomaly is known.

    Example:
        >>> has_default("knn"), has_default("vae")
        (True, False)
    """
    return method in METHODS


def default_of(method: str, points: FloatArray) -> Configuration:
    """Return the parameters that the paper's later version fixes for a classical method.

    Args:
        method: Its name in the paper's tables.
        points: (n, d) training points.

    Example:
        >>> default_of("knn", np.zeros((1000, 2)))
        {'n_neighbors': 30, 'distance': 'kappa'}
    """
    if not has_default(method):
        raise UnknownName(
            f"no fixed parameters for {method!r}.{did_you_mean(method, METHODS)} There are {', '.join(METHODS)}."
        )
    if method in ("orbf", "osvm"):
        return {"kernel": "rbf", "nu": 0.5, "gamma": 1.0 / median_distance(points)}
    n = len(points)
    k = min(max(10, math.ceil(0.03 * n)), n - 1)
    fixed: dict[str, Configuration] = {
        "abod": {"n_neighbors": max(3, math.ceil(0.1 * n))},
        "hbos": {"n_bins": 10, "alpha": 0.1, "tol": 0.5},
        "if": {"n_estimators": 100, "max_samples": min(1.0, 256 / n), "max_features": 1.0},
        "knn": {"n_neighbors": k, "distance": "kappa"},
        "loda": {"n_bins": "auto", "n_random_cuts": 100},
        "lof": {"n_neighbors": k},
        "pidf": {
            "max_depth": 10,
            "n_estimators": 50,
            "max_samples": 100,
            "max_buckets": 3,
            "epsilon": 0.1,
            "percentile": 10,
        },
    }
    return fixed[method]


def median_distance(points: FloatArray) -> float:
    """Return the median distance between training points, over evenly chosen ones if there are many."""
    from scipy.spatial.distance import pdist

    chosen = points[np.linspace(0, len(points) - 1, min(len(points), PAIRED)).astype(int)]
    return float(np.median(pdist(chosen))) or 1.0
