"""Bootstrap over episodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled
from offnominal.core.errors import InvalidParameter
from offnominal.core.streams import Stream
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.evaluation.estimate import Estimate

REPLICATES = 1000

Counts: TypeAlias = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Resamples:
    """The number of occurrences of each episode in each bootstrap replicate.

    The steps of one episode are correlated, so whole episodes are drawn. The draws depend only on the number of
    episodes and the seed: all metrics of the same episodes use the same replicates.

    Args:
        counts: (n, 1 + replicates): the first column is all ones, the original episodes.
        distinct: Number of different episodes, where some repeat; None if all differ.

    Example:
        >>> resamples = Resamples.draw(100, 1000, seed=0)
        >>> resamples.mean(np.arange(100.0))
        Estimate(49.500 [43.790, 55.250])
    """

    counts: Counts
    distinct: int | None = None

    @classmethod
    def draw(cls, n: int, replicates: int = REPLICATES, *, seed: int = 0, purpose: str = "bootstrap") -> Resamples:
        """Draw replicates of n episodes with replacement.

        Args:
            n: Number of episodes.
            replicates: Number of replicates; 0 for metrics without intervals.
            seed: Seed of the draws.
            purpose: Name of the random stream.
        """
        if isinstance(replicates, bool) or not isinstance(replicates, int) or replicates < 0:
            raise InvalidParameter(f"replicates is {replicates!r}; expected an integer of at least 0.")
        generator = np.random.default_rng(int(Stream.named(seed, 0, purpose).key))
        counts = np.ones((1 + replicates, n), np.int32)
        drawn = generator.integers(0, n, size=(replicates, n), dtype=np.int32)
        for row, chosen in zip(counts[1:], drawn, strict=True):
            row[:] = np.bincount(chosen, minlength=n)
        return cls(np.ascontiguousarray(counts.T))

    @classmethod
    def draw_nominal(cls, n: int, replicates: int = REPLICATES, *, seed: int = 0) -> Resamples:
        """Draw nominal episodes from a random stream of their own."""
        return cls.draw(n, replicates, seed=seed, purpose="bootstrap nominal")

    def __len__(self) -> int:
        return len(self.counts)

    def take(self, episodes: IntArray) -> Resamples:
        """Return the resamples of the given episodes, which may repeat."""
        return Resamples(self.counts[episodes], len(np.unique(episodes)))

    @property
    def units(self) -> int:
        """Number of independent units."""
        return len(self.counts) if self.distinct is None else self.distinct

    def mean(self, values: FloatArray) -> Estimate:
        """Return the mean of one value per episode, without episodes whose value is NaN."""
        return self.means(values[:, None])[0]

    def means(self, values: FloatArray) -> list[Estimate]:
        """Return the mean of each column of (n, k) values."""
        return self._averaged(values, share=False)

    def shares(self, holds: FloatArray) -> list[Estimate]:
        """Return the share of episodes for which each of several conditions holds.

        Args:
            holds: (n, k): 1 where a condition holds, 0 where not, NaN for episodes that do not count.
        """
        return self._averaged(holds, share=True)

    def _averaged(self, values: FloatArray, *, share: bool) -> list[Estimate]:
        sums, weights = (np.zeros((values.shape[1], self.counts.shape[1])) for _ in range(2))
        _add_up(self.counts, values, sums, weights)
        defined = (~np.isnan(values)).sum(axis=0)
        return [
            Estimate.of(row, min(self.units, int(count)), share=share)
            for row, count in zip(_divided(sums, weights), defined, strict=True)
        ]

    def share(self, holds: BoolArray) -> Estimate:
        """Return the share of episodes for which a condition holds, given as (n, 1 + replicates)."""
        shares = _divided(np.einsum("er,er->r", self.counts, holds), self.counts.sum(axis=0))
        return Estimate.of(shares, self.units, share=True)

    def ratio(self, above: FloatArray, below: FloatArray) -> Estimate:
        """Return the ratio of two sums over episodes."""
        sums, weights = (np.zeros((2, self.counts.shape[1])) for _ in range(2))
        _add_up(self.counts, np.stack([above, below], axis=1), sums, weights)
        return Estimate.of(_divided(sums[0], sums[1]), self.units)

    def median(self, values: FloatArray) -> Estimate:
        """Return the lower median of one value per episode, without episodes whose value is NaN.

        The lower median is the smallest value that at least half of the episodes do not exceed. Values may be infinite.
        """
        defined = np.flatnonzero(~np.isnan(values))
        order = defined[np.argsort(values[defined], kind="stable")]
        middle = np.full(self.counts.shape[1], np.nan)
        _find_middle(self.counts, order, values, middle)
        return Estimate.of(middle, min(self.units, len(defined)))


def _divided(above: Array, below: Array) -> FloatArray:
    """Return the quotient; NaN for zero by zero."""
    with np.errstate(invalid="ignore"):
        quotient: FloatArray = above / below
    return quotient


@compiled
def _add_up(counts: Counts, values: FloatArray, sums: FloatArray, weights: FloatArray) -> None:
    """Add the values of each episode to the sums of every replicate."""
    for e in range(len(counts)):
        row = counts[e]
        for k in range(values.shape[1]):
            value = values[e, k]
            if not np.isnan(value):
                total, weight = sums[k], weights[k]
                for r in range(len(row)):
                    total[r] += row[r] * value
                    weight[r] += row[r]


@compiled
def _find_middle(counts: Counts, order: IntArray, values: FloatArray, middle: FloatArray) -> None:
    """Write the lower median of each replicate."""
    total, cumulative = np.zeros(counts.shape[1]), np.zeros(counts.shape[1])
    for e in order:
        total += counts[e]
    for e in order:
        row = counts[e]
        for r in range(len(row)):
            before = cumulative[r]
            cumulative[r] += row[r]
            if 2.0 * before < total[r] <= 2.0 * cumulative[r]:
                middle[r] = values[e]
