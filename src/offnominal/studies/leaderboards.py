"""Leaderboards with intervals and ties, and means by any two columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal
from zlib import crc32

import numpy as np

from offnominal.evaluation.estimate import Estimate, average, average_over_seeds
from offnominal.studies.metric_table import MetricTable
from offnominal.studies.metrics import metric_named
from offnominal.studies.tie_letters import tie_letters

By = Literal["world", "name", "split", "kind", "level"]


@dataclass(frozen=True, slots=True, eq=False)
class LeaderboardEntry:
    """An entry of a leaderboard.

    Args:
        name: Name of the detector.
        estimate: Mean over splits, then worlds, then training runs, with equal weights.
        rank: 1 is best; None for a detector without results in some of the splits that others have.
        tie: Letters; two detectors share one if the 95 % interval of their paired difference contains 0. Not corrected
            for the number of pairs. Empty without replicates or without a rank.
        blocks: Number of (world, split) pairs with a result.
        runs: Smallest number of training runs per world.
    """

    name: str
    estimate: Estimate
    rank: int | None
    tie: str
    blocks: int
    runs: int


def leaderboard(
    results: Any,
    metric: str = "matched_auroc",
    *,
    world: str | None = None,
    kind: str | None = None,
    level: str | None = None,
) -> list[LeaderboardEntry]:
    """Return the leaderboard, best detector first.

    Args:
        results: Table of a run, or :class:`MetricTable` made from it with the same metric.
        metric: One of :data:`~offnominal.studies.metrics.METRICS`.
        world: Only this world.
        kind: Only this kind of fault.
        level: Only this level.

    Example:
        >>> import pyarrow as pa
        >>> rows = [
        ...     {
        ...         "world": "Toy-v0",
        ...         "policy": "tqc",
        ...         "name": name,
        ...         "seed": 0,
        ...         "split": "action/noise@tiny",
        ...         "kind": "action",
        ...         "level": "tiny",
        ...         "alarm": None,
        ...         "auroc": value,
        ...         "draws_auroc": [value - 0.01, value],
        ...     }
        ...     for name, value in (("Random", 0.5), ("KNN", 0.8))
        ... ]
        >>> [
        ...     (standing.name, standing.tie, standing.estimate)
        ...     for standing in leaderboard(pa.Table.from_pylist(rows), "auroc")
        ... ]
        [('KNN', 'a', Estimate(0.800 [0.790, 0.800])), ('Random', 'b', Estimate(0.500 [0.490, 0.500]))]
    """
    better = 1.0 if metric_named(metric).higher else -1.0
    measured = results if isinstance(results, MetricTable) else MetricTable.of(results, metric)
    measured = measured.where(world=world, kind=kind, level=level)
    blocks = measured.blocks()
    everything = set().union(*blocks.values())
    parts = {name: measured.take((measured.name == name) & ~np.isnan(measured.values)) for name in measured.names}
    found = {name: mean_of(part) for name, part in parts.items() if len(part.values)}
    order = sorted(found, key=lambda name: (blocks[name] != everything, -better * (found[name].value or 0.0)))
    ranked = [name for name in order if blocks[name] == everything]
    tie = ties({name: found[name] for name in ranked})
    return [
        LeaderboardEntry(
            name=name,
            estimate=found[name],
            rank=number + 1 if number < len(ranked) else None,
            tie=tie.get(name, ""),
            blocks=len(blocks[name]),
            runs=parts[name].runs(),
        )
        for number, name in enumerate(order)
    ]


def mean_of(measured: MetricTable) -> Estimate:
    """Return the mean of one detector: over splits, over training runs, over worlds.

    Training runs of different worlds and of different detectors have nothing in common, so each world and detector
    draws its own.
    """
    means = []
    for world, runs in measured.per_world():
        stream = crc32(f"{measured.name[0]} {world}".encode())
        means.append(average_over_seeds(runs, seed=stream) if len(runs) > 1 else runs[0])
    return average(means)


def ties(found: dict[str, Estimate]) -> dict[str, str]:
    """Return the letters of detectors, given best first."""
    if not found or min(len(estimate.draws) for estimate in found.values()) == 0:
        return {}
    different = [(one, other) for one, other in combinations(found, 2) if differs_from_zero(found[one] - found[other])]
    return tie_letters(list(found), different)


def tied_with_best(letters: Mapping[str, str]) -> list[str]:
    """Return the best detector and all that do not differ from it.

    Args:
        letters: Letters by name, best first; see :func:`ties`.

    Example:
        >>> tied_with_best({"KNN": "a", "LOF": "ab", "ABOD": "b"})
        ['KNN', 'LOF']
    """
    first = next(iter(letters), None)
    if first is None:
        return []
    return [name for name in letters if name == first or set(letters[name]) & set(letters[first])]


def differs_from_zero(difference: Estimate) -> bool:
    """Whether an interval excludes 0."""
    low, high = difference.low, difference.high
    return low is not None and high is not None and (low > 0.0 or high < 0.0)


def pivot(
    results: Any, metric: str, rows: By, columns: By, *, names: Sequence[str] | None = None
) -> dict[tuple[str, str], Estimate]:
    """Return the mean of a metric for every pair of values of two columns.

    Args:
        results: Table of a run, or :class:`MetricTable`.
        metric: Any column of numbers.
        rows: Such as ``"world"``.
        columns: Such as ``"name"``.
        names: Detectors that count; all if None. With several, the mean over detectors has no training runs in common
            and so only its value is known.
    """
    measured = results if isinstance(results, MetricTable) else MetricTable.of(results, metric)
    measured = measured.take(~np.isnan(measured.values))
    if names is not None:
        measured = measured.take(np.isin(measured.name, list(names)))
    across, down = getattr(measured, columns), getattr(measured, rows)
    found = {}
    for row in dict.fromkeys(down.tolist()):
        for column in dict.fromkeys(across.tolist()):
            part = measured.take((down == row) & (across == column))
            if not len(part.values):
                continue
            alone = len(part.names) == 1
            found[row, column] = mean_of(part) if alone else Estimate(float(part.values.mean()))
    return found
