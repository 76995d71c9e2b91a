"""Leaderboards with intervals and ties, and means by any two columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from string import ascii_lowercase
from typing import Any, Literal
from zlib import crc32

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.evaluation.estimate import Estimate, average, average_over_seeds, tail
from offnominal.evaluation.metrics import metric_named
from offnominal.evaluation.verdicts import different_pairs
from offnominal.studies.metric_table import MetricTable

By = Literal["world", "name", "split", "kind", "level"]


@dataclass(frozen=True, slots=True, eq=False)
class LeaderboardEntry:
    """An entry of a leaderboard.

    Args:
        name: Name of the detector.
        estimate: Mean over splits, then worlds, then training runs, with equal weights.
        rank: 1 is best; None for a detector without results in some of the splits that others have.
        tie: Letters; two detectors share one if the interval of their paired difference contains 0. The intervals of
            all pairs are simultaneous (max-t bootstrap). Empty without replicates or without a rank.
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
        metric: One of :data:`~offnominal.evaluation.metrics.METRICS`.
        world: Only this world.
        kind: Only this kind of fault.
        level: Only this level.

    Example:
        >>> from offnominal.studies.results import RunResults
        >>> standings = leaderboard(RunResults.example().table, "auroc")
        >>> [(standing.name, standing.tie, standing.estimate) for standing in standings]
        [('KNN', 'a', Estimate(0.750 [0.740, 0.760])), ('LOF', 'b', Estimate(0.700 [0.690, 0.710]))]
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
        stream = _stream(measured.name[0], world)
        means.append(average_over_seeds(runs, seed=stream) if len(runs) > 1 else runs[0])
    return average(means)


def over_training_runs(measured: MetricTable) -> MetricTable:
    """Return one row per world, detector and split: the mean over training runs, with its replicates.

    Leaderboards and means of the result are those of `measured`, in less time. The training runs of a detector that
    does not have the same splits in all of them stay apart.

    Args:
        measured: One metric of a run.

    Example:
        >>> texts = {name: np.array([name] * 2, object) for name in ("world", "name", "split", "kind", "level")}
        >>> values = np.array([0.6, 0.8])
        >>> runs = MetricTable(**texts, seed=np.arange(2), values=values, draws=np.empty((2, 0)))
        >>> over_training_runs(runs).values
        array([0.7])
    """
    groups: dict[tuple[str, str], dict[str, list[int]]] = {}
    for number, (world, name, split) in enumerate(zip(measured.world, measured.name, measured.split, strict=True)):
        groups.setdefault((world, name), {}).setdefault(split, []).append(number)
    first: list[int] = []
    means: list[Estimate] = []
    for (world, name), splits in groups.items():
        rows = [sorted(numbers, key=lambda number: measured.seed[number]) for numbers in splits.values()]
        if not _complete(measured, rows):
            rows = [[number] for numbers in rows for number in numbers]
        for numbers in rows:
            first.append(numbers[0])
            runs = [measured.estimate(number) for number in numbers]
            means.append(average_over_seeds(runs, seed=_stream(name, world)) if len(runs) > 1 else runs[0])
    return replace(
        measured.take(np.array(first, np.int64)),
        values=np.array([np.nan if found.value is None else found.value for found in means]),
        draws=np.array([found.draws for found in means]).reshape(len(first), measured.draws.shape[1]),
        units=np.array([found.units or 0 for found in means], np.int64),
        share=np.array([found.share for found in means], np.bool_),
    )


def _complete(measured: MetricTable, rows: Sequence[Sequence[int]]) -> bool:
    """Whether the training runs of a detector are the same for all splits, and defined in all or none of them."""
    seeds = {tuple(measured.seed[numbers].tolist()) for numbers in rows}
    undefined = [np.isnan(measured.values[numbers]) for numbers in rows]
    return len(seeds) == 1 and all(each.all() or not each.any() for each in undefined)


def _stream(name: str, world: str) -> int:
    return crc32(f"{name} {world}".encode())


def ties(found: dict[str, Estimate]) -> dict[str, str]:
    """Return the letters of detectors, given best first; none unless all of them have an interval."""
    if not found or any(np.isnan(estimate.draws).all() for estimate in found.values()):
        return {}
    apart = different_pairs(found)
    return tie_letters(list(found), [pair for pair in combinations(found, 2) if frozenset(pair) in apart])


def paired_intervals(draws: Sequence[FloatArray], units: int | None = None) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the 95 % intervals of all differences of two, in the order of `itertools.combinations`.

    The ends are those of :class:`~offnominal.evaluation.estimate.Estimate`; NaN where no replicate is defined.

    Args:
        draws: (replicates,) each: replicates of one metric from the same episodes.
        units: Number of independent units; None if it is unknown.

    Example:
        >>> low, high = paired_intervals([np.array([0.7, 0.9]), np.array([0.4, 0.5])])
        >>> low.round(2), high.round(2)
        (array([0.3]), array([0.4]))
    """
    table = np.array(draws, np.float64)
    one, other = np.triu_indices(len(table), 1)
    return interval_ends(table[one] - table[other], units)


def interval_ends(draws: FloatArray, units: int | None = None) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the 95 % intervals of several numbers; NaN where no replicate is defined.

    The ends are those of :class:`~offnominal.evaluation.estimate.Estimate`, in less time.

    Args:
        draws: (n, replicates).
        units: Number of independent units; None if it is unknown.

    Example:
        >>> interval_ends(np.array([[0.3, 0.4, 0.5], [0.1, 0.0, 0.2]]))
        (array([0.3, 0. ]), array([0.5, 0.2]))
    """
    if not np.isnan(draws).any() and draws.shape[1]:
        beyond = max(int(tail(units) * (draws.shape[1] + 1)), 1)
        ordered = np.partition(draws, sorted({beyond - 1, draws.shape[1] - beyond}), axis=1)
        return ordered[:, beyond - 1], ordered[:, -beyond]
    found = [Estimate(0.0, row, units) for row in draws]
    # float64 turns a missing end, None, into NaN.
    return np.array([each.low for each in found], np.float64), np.array([each.high for each in found], np.float64)


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


def tie_letters(order: Sequence[str], different: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return letters by name; two names share a letter exactly if they are tied.

    The compact letter display of Piepho (2004): start with one group of all, and part it at every difference.

    Args:
        order: Names, best first; the best gets the letter a.
        different: Pairs with a significant difference.

    Example:
        >>> tie_letters(["A", "B", "C"], [("A", "C")])
        {'A': 'a', 'B': 'ab', 'C': 'b'}
    """
    groups: list[frozenset[str]] = [frozenset(order)]
    for one, other in different:
        parted: list[frozenset[str]] = []
        for group in groups:
            parted += [group - {one}, group - {other}] if {one, other} <= group else [group]
        groups = _largest(parted)
    place = {name: number for number, name in enumerate(order)}
    groups.sort(key=lambda group: sorted(place[name] for name in group))
    return {name: "".join(_letter(number) for number, group in enumerate(groups) if name in group) for name in order}


def _largest(groups: Collection[frozenset[str]]) -> list[frozenset[str]]:
    """Return the groups that are not part of another."""
    distinct = dict.fromkeys(groups)
    return [group for group in distinct if not any(group < other for other in distinct)]


def _letter(number: int) -> str:
    return ascii_lowercase[number] if number < len(ascii_lowercase) else f"({number + 1})"
