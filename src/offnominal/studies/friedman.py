"""Do detectors differ over many blocks? Friedman's test, and Nemenyi's critical difference of average ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray
from offnominal.evaluation.metrics import metric_named
from offnominal.studies.metric_table import MetricTable


@dataclass(frozen=True, slots=True)
class RankComparison:
    """Average ranks over blocks, and how far apart they must be.

    Not guaranteed: blocks of one world share their detectors and their nominal episodes, so they are not independent
        and the test is too sure of itself. The paired intervals of the leaderboard do not have this flaw.

    Args:
        names: Detectors, best average rank first.
        ranks: Their average ranks; 1 is best.
        blocks: Number of blocks.
        statistic: Friedman's, corrected for ties.
        p_value: From the chi-squared distribution.
        critical_difference: Nemenyi's critical difference, at the level 0.05 by default.
    """

    names: tuple[str, ...]
    ranks: tuple[float, ...]
    blocks: int
    statistic: float
    p_value: float
    critical_difference: float

    def bars(self) -> list[tuple[int, int]]:
        """Return the longest runs of neighbours, first and last, whose ranks are within the critical difference.

        Example:
            >>> RankComparison(("A", "B", "C", "D"), (1.2, 1.9, 2.6, 4.0), 20, 40.0, 0.0, 1.0).bars()
            [(0, 1), (1, 2)]
        """
        bars: list[tuple[int, int]] = []
        for first, rank in enumerate(self.ranks):
            last = max(number for number, other in enumerate(self.ranks) if other - rank <= self.critical_difference)
            if last > first and (not bars or last > bars[-1][1]):
                bars.append((first, last))
        return bars


def compare_ranks(names: Sequence[str], values: FloatArray, *, higher: bool = True) -> RankComparison | None:
    """Compare detectors over blocks.

    Args:
        names: (k,): of the detectors.
        values: (blocks, k).
        higher: Whether more is better.

    Returns:
        None with fewer than two detectors or two blocks.

    Example:
        >>> values = np.array([[0.9, 0.7, 0.5], [0.8, 0.9, 0.4], [0.7, 0.6, 0.5], [0.9, 0.8, 0.6]])
        >>> found = compare_ranks(["A", "B", "C"], values)
        >>> found.names, found.ranks, round(found.statistic, 2)
        (('A', 'B', 'C'), (1.25, 1.75, 3.0), 6.5)
    """
    from scipy.stats import chi2, rankdata

    if values.ndim != 2 or values.shape[1] != len(names):
        raise InvalidParameter(f"values has shape {values.shape}; expected one column per detector, ({len(names)}).")
    blocks, k = values.shape
    if blocks < 2 or k < 2:
        return None
    ranks = rankdata(-values if higher else values, axis=1)
    means = ranks.mean(axis=0)
    # Ties shrink the spread of ranks that chance alone would give; k (k² - 1) / 12 without any.
    spread = ((ranks - (k + 1) / 2) ** 2).sum() / (k - 1)
    statistic = blocks**2 * ((means - (k + 1) / 2) ** 2).sum() / spread if spread > 0.0 else 0.0
    order = np.argsort(means, kind="stable")
    return RankComparison(
        names=tuple(names[i] for i in order),
        ranks=tuple(float(means[i]) for i in order),
        blocks=blocks,
        statistic=float(statistic),
        p_value=float(chi2.sf(statistic, k - 1)),
        critical_difference=_quantile(k) * math.sqrt(k * (k + 1) / (6.0 * blocks)),
    )


@cache
def _quantile(k: int) -> float:
    """Return Nemenyi's factor: the 95 % quantile of the studentized range over the root of 2."""
    from scipy.stats import studentized_range

    return float(studentized_range.ppf(0.95, k, math.inf)) / math.sqrt(2.0)


def friedman(measured: MetricTable, metric: str) -> RankComparison | None:
    """Compare the detectors of a run that have a number in every (world, split), averaged over training runs."""
    blocks = measured.blocks()
    everything = sorted(set().union(*blocks.values()))
    names = [name for name in measured.names if len(blocks[name]) == len(everything)]
    place = {block: number for number, block in enumerate(everything)}
    column = {name: number for number, name in enumerate(names)}
    total, runs = np.zeros((len(everything), len(names))), np.zeros((len(everything), len(names)))
    for name, world, split, value in zip(measured.name, measured.world, measured.split, measured.values, strict=True):
        if name in column and (world, split) in place:
            total[place[world, split], column[name]] += value
            runs[place[world, split], column[name]] += 1
    return compare_ranks(names, total / np.maximum(runs, 1), higher=metric_named(metric).higher)
