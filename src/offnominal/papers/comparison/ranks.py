"""Ranks of methods over tables, and how far apart they must be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Literal

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray
from offnominal.studies.friedman import RankComparison, compare_ranks

Ties = Literal["average", "min"]


def table_ranks(values: FloatArray, *, ties: Ties = "average", decimals: int | None = None) -> FloatArray:
    """Return the ranks of methods on every table; 1 is best.

    Args:
        values: (tables, methods) of a metric of which more is better; what is missing ranks last.
        ties: ``average`` gives equal methods the mean of their ranks (Demšar, 2006); ``min`` the best of them, as the
            paper does.
        decimals: To which values are rounded before; the paper rounds to two.

    Example:
        >>> table_ranks(np.array([[0.91, 0.914, 0.5]]), ties="min", decimals=2).tolist()
        [[1.0, 1.0, 3.0]]
    """
    from scipy.stats import rankdata

    if ties not in ("average", "min"):
        raise InvalidParameter(f"ties is {ties!r}; expected 'average' or 'min'.")
    if values.ndim != 2:
        raise InvalidParameter(f"values has shape {values.shape}; expected (tables, methods).")
    rounded = values if decimals is None else np.round(values, decimals)
    known = np.where(np.isnan(rounded), -math.inf, rounded)
    return np.asarray(rankdata(-known, method=ties, axis=1), np.float64)


def mean_ranks(values: FloatArray, *, ties: Ties = "average", decimals: int | None = None) -> FloatArray:
    """Return the rank of each method, averaged over tables; see :func:`table_ranks`."""
    return np.asarray(table_ranks(values, ties=ties, decimals=decimals).mean(axis=0))


@cache
def critical_difference(methods: int, tables: int, *, alpha: float = 0.1) -> float:
    """Return how far apart two average ranks must be for Nemenyi's test to tell them apart.

    Example:
        >>> round(critical_difference(23, 40), 3)
        5.148
    """
    from scipy.stats import studentized_range

    if methods < 2 or tables < 1 or not 0.0 < alpha < 1.0:
        raise InvalidParameter(
            f"{methods} methods on {tables} tables at the level {alpha}; expected at least two on one, and a level in "
            "(0, 1)."
        )
    quantile = float(studentized_range.ppf(1.0 - alpha, methods, math.inf)) / math.sqrt(2.0)
    return quantile * math.sqrt(methods * (methods + 1) / (6.0 * tables))


def compare_methods(
    names: Sequence[str],
    values: FloatArray,
    *,
    alpha: float = 0.1,
    ties: Ties = "average",
    decimals: int | None = None,
) -> RankComparison | None:
    """Compare methods over tables: average ranks, Friedman's test, Nemenyi's critical difference.

    With ``ties="min", decimals=2`` the ranks and the statistic are the paper's; the default follows Demšar (2006).

    Args:
        names: (methods,).
        values: (tables, methods) of a metric of which more is better; what is missing ranks last.
        alpha: Level of the critical difference.
        ties: See :func:`table_ranks`.
        decimals: See :func:`table_ranks`.

    Returns:
        None with fewer than two methods or two tables.
    """
    from scipy.stats import chi2

    rounded = values if decimals is None else np.round(values, decimals)
    known = np.where(np.isnan(rounded), -math.inf, rounded)
    compared = compare_ranks(names, known)
    if compared is None:
        return None
    tables, k = values.shape
    compared = replace(compared, critical_difference=critical_difference(k, tables, alpha=alpha))
    if ties == "average":
        return compared
    means = mean_ranks(values, ties=ties, decimals=decimals)
    order = np.argsort(means, kind="stable")
    statistic = 12.0 * tables / (k * (k + 1)) * float((means**2).sum() - k * (k + 1) ** 2 / 4.0)
    return replace(
        compared,
        names=tuple(names[i] for i in order),
        ranks=tuple(float(means[i]) for i in order),
        statistic=statistic,
        p_value=float(chi2.sf(statistic, k - 1)),
    )
