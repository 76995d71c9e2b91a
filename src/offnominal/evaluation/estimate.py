"""Estimates with bootstrap confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache

import numpy as np
from scipy.special import ndtr, stdtrit

from offnominal.alarms.share_interval import TAIL, clopper_pearson
from offnominal.core.checks import require_shape
from offnominal.core.errors import InvalidParameter
from offnominal.core.rounding import fixed
from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Estimate:
    """A number with its 95 % interval from a bootstrap.

    Two estimates from the same episodes with the same bootstrap seed share their replicates, so ``a - b`` has the
    interval of the paired comparison.

    Percentiles of the replicates are too narrow for few episodes. With a known number of independent units they are
    expanded (Hesterberg 2015), as Student's distribution is. The ends of a share of units are at least as wide as the
    exact interval of Clopper and Pearson: replicates of a share of 0 or 1 are all equal.

    Args:
        value: Value on the original episodes; None if it is undefined, such as an AUROC without a faulty step.
        draws: Values in the bootstrap replicates; NaN if undefined.
        units: Number of independent units, such as episodes; None for percentiles as they are.
        share: Whether the value is a share of the units, or a share minus another; a negative one counts as 0.

    Example:
        >>> Estimate(0.8, np.linspace(0.7, 0.9, 201)), Estimate(0.8, np.linspace(0.7, 0.9, 201), units=10)
        (Estimate(0.800 [0.704, 0.896]), Estimate(0.800 [0.700, 0.900]))
        >>> Estimate(0.8, np.array([0.7, 0.9])) - Estimate(0.5, np.array([0.4, 0.6]))
        Estimate(0.300 [0.300, 0.300])
        >>> Estimate(0.0, np.zeros(1000), units=20, share=True)
        Estimate(0.000 [0.000, 0.168])
    """

    value: float | None
    draws: FloatArray = field(default_factory=lambda: np.empty(0))
    units: int | None = None
    share: bool = False

    @classmethod
    def of(cls, values: FloatArray, units: int | None = None, *, share: bool = False) -> Estimate:
        """Return the estimate from an array of the value and the draws."""
        require_shape("values", values, "draws + 1")
        return cls(None if np.isnan(values[0]) else float(values[0]), values[1:], units, share)

    @property
    def low(self) -> float | None:
        """Lower end of the interval; None without draws."""
        return self._end(lower=True)

    @property
    def high(self) -> float | None:
        """Upper end of the interval; None without draws."""
        return self._end(lower=False)

    def _end(self, *, lower: bool) -> float | None:
        """Return the draw with the tail of the draws beyond it, without interpolation, as draws may be infinite."""
        defined = np.sort(self.draws[~np.isnan(self.draws)])
        if self.value is None or not defined.size:
            return None
        beyond = max(int(tail(self.units) * (len(defined) + 1)), 1)
        end = float(defined[beyond - 1] if lower else defined[-beyond])
        if not self.share or self.units is None:
            return end
        exact = clopper_pearson(max(self.value, 0.0) * self.units, self.units)
        return min(end, exact[0]) if lower else max(end, exact[1])

    def columns(self, name: str) -> dict[str, float | None]:
        """Return value and interval as columns of a table, with None for infinite values.

        Example:
            >>> Estimate(3.0, np.array([2.0, np.inf])).columns("delay")
            {'delay': 3.0, 'delay_low': 2.0, 'delay_high': None}
        """
        ends = {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}
        return {column: value if value is None or np.isfinite(value) else None for column, value in ends.items()}

    def times(self, factor: float) -> Estimate:
        """Return the number in another unit.

        Example:
            >>> Estimate(2.0, np.array([1.0, 3.0])).times(10.0)
            Estimate(20.000 [10.000, 30.000])
        """
        return Estimate(None if self.value is None else self.value * factor, self.draws * factor, self.units)

    def __sub__(self, other: Estimate) -> Estimate:
        _same_replicates([self, other])
        value = None if self.value is None or other.value is None else self.value - other.value
        return Estimate(value, self.draws - other.draws, fewest([self, other]))

    def __str__(self) -> str:
        if self.value is None:
            return "–"
        value = fixed(self.value, 3)
        low, high = self.low, self.high
        return value if low is None or high is None else f"{value} [{fixed(low, 3)}, {fixed(high, 3)}]"

    def __repr__(self) -> str:
        return f"Estimate({self})"


@cache
def tail(units: int | None) -> float:
    """Return the part of the replicates beyond each end of a 95 % interval.

    Args:
        units: Number of independent units; None if it is unknown.

    Example:
        >>> [round(tail(units), 4) for units in (None, 10, 100)]
        [0.025, 0.0086, 0.0231]
    """
    if units is None:
        return TAIL
    if units < 2:
        return 0.0
    return float(ndtr(-math.sqrt(units / (units - 1)) * stdtrit(units - 1, 1.0 - TAIL)))


def fewest(estimates: Sequence[Estimate]) -> int | None:
    """Return the smallest known number of units of some estimates; None if none is known."""
    return min((each.units for each in estimates if each.units is not None), default=None)


def average(estimates: Sequence[Estimate]) -> Estimate:
    """Return the mean of some estimates, such as those of all splits; None if one of them is undefined.

    Example:
        >>> average([Estimate(0.9), Estimate(0.6)])
        Estimate(0.750)
    """
    return _combined(estimates, _means)


def lower_median(estimates: Sequence[Estimate]) -> Estimate:
    """Return the lower median of some estimates; None if one of them is undefined.

    Example:
        >>> lower_median([Estimate(9.0), Estimate(4.0), Estimate(np.inf)])
        Estimate(9.000)
    """
    return _combined(estimates, _medians)


def average_over_seeds(estimates: Sequence[Estimate], *, seed: int = 0) -> Estimate:
    """Return the mean over training seeds, with an interval that includes the variance over training seeds.

    Training runs are drawn with replacement, each with its bootstrap replicate of the episodes. With five runs or fewer
    the interval is too narrow, as for any bootstrap over so few.

    Args:
        estimates: The same metric of each run, from the same episodes and the same bootstrap seed.
        seed: Seed of the draws of runs.

    Example:
        >>> runs = [Estimate(value, np.full(1000, value)) for value in (0.5, 0.6, 0.7, 0.8)]
        >>> average_over_seeds(runs)
        Estimate(0.650 [0.550, 0.750])
    """
    return _combined(_redrawn(estimates, seed), _means)


def lower_median_over_seeds(estimates: Sequence[Estimate], *, seed: int = 0) -> Estimate:
    """Return the lower median over training runs, with the interval of :func:`average_over_seeds`."""
    return _combined(_redrawn(estimates, seed), _medians)


def _redrawn(estimates: Sequence[Estimate], seed: int) -> list[Estimate]:
    """Return the runs with the replicates of runs that are drawn with replacement."""
    _same_replicates(estimates)
    draws = np.array([estimate.draws for estimate in estimates])
    chosen = np.take_along_axis(draws, _drawn_runs(seed, *draws.shape), axis=0)
    return [Estimate(estimate.value, row, estimate.units) for estimate, row in zip(estimates, chosen, strict=True)]


@lru_cache(maxsize=256)
def _drawn_runs(seed: int, runs: int, replicates: int) -> IntArray:
    """Return (runs, replicates): numbers of the drawn runs, the same for every split of a detector and world."""
    generator = np.random.default_rng(int(Stream.named(seed, 0, "bootstrap runs").key))
    drawn = generator.integers(0, runs, size=(runs, replicates))
    drawn.flags.writeable = False
    return drawn


def _combined(estimates: Sequence[Estimate], middle: Callable[[FloatArray], FloatArray]) -> Estimate:
    """Return the mean or median of some estimates, for the values and for each replicate."""
    _same_replicates(estimates)
    if len(estimates) == 1:
        return estimates[0]
    draws = middle(np.array([estimate.draws for estimate in estimates]))
    values = [estimate.value for estimate in estimates if estimate.value is not None]
    complete = len(values) == len(estimates)
    return Estimate(float(middle(np.array(values))) if complete else None, draws, fewest(estimates))


def _means(rows: FloatArray) -> FloatArray:
    means: FloatArray = rows.mean(axis=0)
    return means


def _medians(rows: FloatArray) -> FloatArray:
    medians: FloatArray = np.sort(rows, axis=0)[(len(rows) - 1) // 2]
    return np.where(np.isnan(rows).any(axis=0), np.nan, medians)


def _same_replicates(estimates: Sequence[Estimate]) -> None:
    if not estimates:
        raise InvalidParameter("there are no estimates; give at least one.")
    if len({len(estimate.draws) for estimate in estimates}) > 1:
        raise InvalidParameter("the estimates have different numbers of replicates; compute them with the same number.")
