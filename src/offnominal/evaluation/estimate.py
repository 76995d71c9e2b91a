"""A number and how far to trust it."""

from __future__ import annotations

from collections.abc import Sequence
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
    _same_replicates(estimates)
    draws = np.mean([estimate.draws for estimate in estimates], axis=0)
    return Estimate(_mean_value(estimates), draws)


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
    _same_replicates(estimates)
    draws = np.array([estimate.draws for estimate in estimates])
    generator = np.random.default_rng(int(Stream.named(seed, 0, "bootstrap runs").key))
    drawn = generator.integers(0, len(draws), size=draws.shape)
    return Estimate(_mean_value(estimates), np.take_along_axis(draws, drawn, axis=0).mean(axis=0))


def _mean_value(estimates: Sequence[Estimate]) -> float | None:
    values = [estimate.value for estimate in estimates if estimate.value is not None]
    return float(np.mean(values)) if len(values) == len(estimates) else None


def _same_replicates(estimates: Sequence[Estimate]) -> None:
    if not estimates:
        raise InvalidParameter("there are no estimates; give at least one.")
    if len({len(estimate.draws) for estimate in estimates}) > 1:
        raise InvalidParameter("the estimates have different numbers of replicates; make them with the same.")
