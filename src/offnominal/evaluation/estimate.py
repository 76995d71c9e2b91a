"""A number and how far to trust it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray

TAIL = 0.025


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Estimate:
    """A number with its 95 % percentile interval.

    Two estimates made from the same episodes with the same bootstrap seed share their replicates, so their difference
    knows what they have in common: ``a - b`` has the interval of the paired comparison.

    A share of exactly 0 or 1 has an interval without width, because no replicate can contain what was never seen. Up
    to 3 / n is then still possible, n being the number of episodes.

    Args:
        value: On the episodes as they are; None where it is not defined, such as an AUROC without a faulty step.
        draws: In each bootstrap replicate; NaN where it is not defined.

    Example:
        >>> Estimate(0.8, np.linspace(0.7, 0.9, 201))
        Estimate(0.800 [0.704, 0.896])
        >>> Estimate(0.8, np.array([0.7, 0.9])) - Estimate(0.5, np.array([0.4, 0.6]))
        Estimate(0.300 [0.300, 0.300])
    """

    value: float | None
    draws: FloatArray = field(default_factory=lambda: np.empty(0))

    @classmethod
    def of(cls, values: FloatArray) -> Estimate:
        """Return the estimate whose value comes first and whose draws follow."""
        return cls(None if np.isnan(values[0]) else float(values[0]), values[1:])

    @property
    def low(self) -> float | None:
        """Lower end of the interval; None without draws."""
        return self._end(lower=True)

    @property
    def high(self) -> float | None:
        """Upper end of the interval; None without draws."""
        return self._end(lower=False)

    def _end(self, *, lower: bool) -> float | None:
        """Return the draw that leaves a fortieth beyond it; draws may be infinite, so nothing is interpolated."""
        defined = np.sort(self.draws[~np.isnan(self.draws)])
        if self.value is None or not defined.size:
            return None
        beyond = max(int(TAIL * (len(defined) + 1)), 1)
        return float(defined[beyond - 1] if lower else defined[-beyond])

    def columns(self, name: str) -> dict[str, float | None]:
        """Return value and interval as columns of a table; what is infinite does not exist there.

        Example:
            >>> Estimate(3.0, np.array([2.0, np.inf])).columns("delay")
            {'delay': 3.0, 'delay_low': 2.0, 'delay_high': None}
        """
        ends = {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}
        return {column: value if value is None or np.isfinite(value) else None for column, value in ends.items()}

    def __sub__(self, other: Estimate) -> Estimate:
        _same_replicates([self, other])
        value = None if self.value is None or other.value is None else self.value - other.value
        return Estimate(value, self.draws - other.draws)

    def __str__(self) -> str:
        if self.value is None:
            return "–"
        return f"{self.value:.3f}" if self.low is None else f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"

    def __repr__(self) -> str:
        return f"Estimate({self})"


def average(estimates: Sequence[Estimate]) -> Estimate:
    """Return the mean of some estimates, such as those of all splits; None if one of them is not defined.

    Example:
        >>> average([Estimate(0.9), Estimate(0.6)])
        Estimate(0.750)
    """
    return _combined(estimates, _means)


def lower_median(estimates: Sequence[Estimate]) -> Estimate:
    """Return the smallest of some estimates that at least half do not exceed; None if one of them is not defined.

    Example:
        >>> lower_median([Estimate(9.0), Estimate(4.0), Estimate(np.inf)])
        Estimate(9.000)
    """
    return _combined(estimates, _medians)


def average_over_seeds(estimates: Sequence[Estimate], *, seed: int = 0) -> Estimate:
    """Return the mean over training runs, with an interval for runs that were not made.

    Training runs are drawn with replacement, and in each of them the episodes that its replicate holds. With five
    runs or fewer the interval is too narrow, as that of any bootstrap over so few.

    Args:
        estimates: The same number of each run, all from the same episodes and the same bootstrap seed.
        seed: Of the draws of runs.

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
    """Return the runs, each with the replicates of runs drawn with replacement."""
    _same_replicates(estimates)
    draws = np.array([estimate.draws for estimate in estimates])
    generator = np.random.default_rng(int(Stream.named(seed, 0, "bootstrap runs").key))
    drawn = generator.integers(0, len(draws), size=draws.shape)
    chosen = np.take_along_axis(draws, drawn, axis=0)
    return [Estimate(estimate.value, row) for estimate, row in zip(estimates, chosen, strict=True)]


def _combined(estimates: Sequence[Estimate], middle: Callable[[FloatArray], FloatArray]) -> Estimate:
    """Return what some rows of numbers have in their middle, of the values and of each replicate."""
    _same_replicates(estimates)
    draws = middle(np.array([estimate.draws for estimate in estimates]))
    values = [estimate.value for estimate in estimates if estimate.value is not None]
    known = len(values) == len(estimates)
    return Estimate(float(middle(np.array(values))) if known else None, draws)


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
        raise InvalidParameter("the estimates have different numbers of replicates; make them with the same.")
