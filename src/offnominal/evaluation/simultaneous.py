"""Simultaneous intervals: with a probability of 95 %, all intervals of a family contain their true values."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, stdtrit

from offnominal.core.checks import require_shape
from offnominal.core.types import BoolArray, FloatArray

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, eq=False)
class Simultaneous:
    """Max-t bootstrap intervals of a family of numbers.

    Args:
        values: (k,): the numbers.
        low: (k,): lower ends; NaN where no replicate is defined.
        high: (k,): upper ends.
        factor: Number of standard errors from a number to its ends.
    """

    values: FloatArray
    low: FloatArray
    high: FloatArray
    factor: float

    @property
    def excludes_zero(self) -> BoolArray:
        """Whether each interval excludes 0."""
        excluded: BoolArray = (self.low > 0.0) | (self.high < 0.0)
        return excluded


def simultaneous_intervals(values: FloatArray, draws: FloatArray, *, units: int | None = None) -> Simultaneous:
    """Return the max-t bootstrap intervals of a family of numbers, such as all differences of a leaderboard.

    All intervals have the same number of standard errors: the 95 % quantile of the largest |draw − value| / standard
    error of the family. A number whose replicates are all equal has an interval without width.

    Args:
        values: (k,): the numbers.
        draws: (k, replicates): their bootstrap replicates, drawn together; NaN where undefined.
        units: Number of independent units, such as episodes, for the small-sample correction; None for none.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> draws = rng.normal(size=(10, 2000))
        >>> for family in (draws[:1], draws):
        ...     print(round(simultaneous_intervals(np.zeros(len(family)), family).factor, 1))
        1.9
        2.9
    """
    require_shape("values", values, "k")
    require_shape("draws", draws, len(values), "replicates")
    known = ~np.isnan(draws)
    counts = known.sum(axis=1)
    deviations = np.where(known, draws - values[:, None], 0.0)
    means = np.divide(deviations.sum(axis=1), counts, out=np.zeros(len(values)), where=counts > 0)
    squares = np.where(known, (deviations - means[:, None]) ** 2, 0.0).sum(axis=1)
    errors = np.sqrt(np.divide(squares, counts - 1, out=np.zeros(len(values)), where=counts > 1))
    # Differences of equal scores have errors of rounding only.
    moving = errors > 1e-12 * np.maximum(np.abs(values), 1.0)
    factor = 0.0
    if moving.any():
        largest = np.max(np.abs(deviations[moving]) / errors[moving, None], axis=0)
        factor = _small_sample(_upper(largest), units)
    # The factor of a single unit is infinite, and no multiple of an error of 0.
    width = np.multiply(factor, errors, out=np.zeros(len(values)), where=moving)
    undefined = counts == 0
    low, high = np.where(undefined, np.nan, values - width), np.where(undefined, np.nan, values + width)
    return Simultaneous(values, low, high, factor)


def _upper(largest: FloatArray) -> float:
    """Return the draw with one twentieth of the draws beyond it."""
    ordered = np.sort(largest)
    return float(ordered[min(math.ceil(CONFIDENCE * (len(ordered) + 1)), len(ordered)) - 1])


def _small_sample(factor: float, units: int | None) -> float:
    """Return a factor for Student's instead of the normal distribution, and for n - 1 instead of n."""
    if units is None:
        return factor
    if units < 2:
        return math.inf
    return math.sqrt(units / (units - 1)) * float(stdtrit(units - 1, ndtr(factor)))
