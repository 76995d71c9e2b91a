"""Results by the number of configurations of a search: the expected test metric of the best of a few."""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.papers.comparison.selection.protocols import by_configuration

SIZES = (1, 5, 10, 20, 50)
"""Numbers of configurations that reports show."""


def expected_best(criterion: FloatArray, metric: FloatArray, size: int) -> float:
    """Return the expected metric of the best of some random configurations; exact, without random numbers.

    Configurations without a criterion are left out. NaN if there are fewer than `size`.

    Args:
        criterion: (n,) validation metric of each configuration, by which the best one is selected.
        metric: (n,) its test metric.
        size: Number of configurations, drawn without replacement.

    Raises:
        InvalidParameter: The size is less than one.

    Example:
        >>> validation, test = np.array([0.9, 0.6, 0.8]), np.array([0.7, 0.5, 0.9])
        >>> [round(expected_best(validation, test, size), 3) for size in (1, 2, 3)]
        [0.7, 0.767, 0.7]
    """
    if size < 1:
        raise InvalidParameter(f"size is {size}; expected at least one configuration.")
    known = ~np.isnan(criterion)
    ordered = metric[known][np.argsort(-criterion[known], kind="stable")]
    n = len(ordered)
    if n < size:
        return math.nan
    # The configuration in place i is the best of those drawn if the others are all after it.
    ways = [math.comb(n - 1 - place, size - 1) / math.comb(n, size) for place in range(n)]
    return float(np.dot(ways, ordered))


def by_search_size(outcomes: ComparisonResults, size: int, *, metric: str = "auc") -> FloatArray:
    """Return the expected test metric of the best configuration of each seed, (tables, methods).

    NaN where some seed has fewer configurations.

    Args:
        outcomes: Of a run.
        size: Number of configurations of each seed.
        metric: To report; configurations are selected by the same on validation points.
    """
    found = {}
    for place, rows in outcomes.single.items():
        validation, test = by_configuration(rows, f"validation_{metric}", f"test_{metric}")
        seeds = zip(validation.T, test.T, strict=True)
        found[place] = float(np.mean([expected_best(*values, size) for values in seeds]))
    return outcomes.matrix(found)
