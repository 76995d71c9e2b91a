"""Parameters to use where no anomaly is known: fixed, or a rule of the training points."""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.core.types import FloatArray
from offnominal.studies.detector_comparison.space import Configuration

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
        {'k': 30, 'distance': 'kappa'}
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
        "abod": {"k": max(3, math.ceil(0.1 * n))},
        "hbos": {"bins": 10, "alpha": 0.1, "tolerance": 0.5},
        "if": {"trees": 100, "rows": min(1.0, 256 / n), "columns": 1.0},
        "knn": {"k": k, "distance": "kappa"},
        "loda": {"bins": "auto", "cuts": 100},
        "lof": {"k": k},
        "pidf": {"depth": 10, "trees": 50, "sample": 100, "buckets": 3, "epsilon": 0.1, "percentile": 10},
    }
    return fixed[method]


def median_distance(points: FloatArray) -> float:
    """Return the median distance between training points, over evenly chosen ones if there are many."""
    from scipy.spatial.distance import pdist

    chosen = points[np.linspace(0, len(points) - 1, min(len(points), PAIRED)).astype(int)]
    return float(np.median(pdist(chosen))) or 1.0
