"""Paired comparison of two detectors of a run: overall, by world, kind and level, and for every fault."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.evaluation.estimate import Estimate, fewest
from offnominal.evaluation.metric import Metric
from offnominal.evaluation.metrics import metric_named
from offnominal.evaluation.simultaneous import simultaneous_intervals
from offnominal.studies.leaderboards import differs_from_zero, mean_of
from offnominal.studies.metric_table import MetricTable

Outcome = Literal["win", "tie", "loss"]
Group = Literal["world", "kind", "level"]
COLUMNS = ("world", "policy", "name", "seed", "split", "kind", "level", "alarm")


@dataclass(frozen=True, slots=True, eq=False)
class FaultPair:
    """Two detectors on one fault of one world.

    Args:
        world: Name of the world; with the policy, where a world has several.
        split: Name of the split, such as ``"action/noise@tiny"``.
        kind: Kind of the fault.
        level: Level of its strength.
        first: Metric of the first detector, over training runs.
        second: Metric of the second detector, over training runs.
        outcome: For the first detector. A tie if the interval of the difference contains 0, simultaneous with those of
            all faults; without replicates there is no interval, and the sign of the difference decides.
    """

    world: str
    split: str
    kind: str
    level: str
    first: Estimate
    second: Estimate
    outcome: Outcome

    @property
    def difference(self) -> Estimate:
        """First minus second."""
        return self.first - self.second


@dataclass(frozen=True, slots=True, eq=False)
class PairedDifference:
    """Difference of two detectors over some faults.

    Args:
        first: Mean of the first detector over splits, then worlds, with equal weights; see
            :func:`~offnominal.studies.leaderboards.leaderboard`.
        second: Mean of the second detector.
        outcome: For the first detector, from the interval of the difference of the means.
        wins: Number of faults on which the first detector is better.
        ties: Number of faults without a difference.
        losses: Number of faults on which the second detector is better.
    """

    first: Estimate
    second: Estimate
    outcome: Outcome
    wins: int
    ties: int
    losses: int

    @property
    def difference(self) -> Estimate:
        """First minus second."""
        return self.first - self.second

    @property
    def faults(self) -> int:
        """Number of faults."""
        return self.wins + self.ties + self.losses


@dataclass(frozen=True, slots=True, eq=False)
class PairedComparison:
    """Two detectors on the faults for which both have results; see :func:`compare_pair`.

    Args:
        metric: The metric.
        first: Name of the first detector.
        second: Name of the second detector.
        pairs: One entry per world and fault.
        left_out: Number of faults for which only one of them has results.
        overall: Difference over all faults.
        groups: Difference per world, kind of fault and level.
    """

    metric: Metric
    first: str
    second: str
    pairs: tuple[FaultPair, ...]
    left_out: int
    overall: PairedDifference
    groups: dict[Group, dict[str, PairedDifference]]

    @property
    def better(self) -> str | None:
        """Name of the detector that is better over all faults; None if the interval of the difference contains 0."""
        return {"win": self.first, "tie": None, "loss": self.second}[self.overall.outcome]


def compare_pair(
    results: Any,
    first: str,
    second: str,
    metric: str = "matched_auroc",
    *,
    world: str | None = None,
    kind: str | None = None,
    level: str | None = None,
) -> PairedComparison:
    """Compare two detectors of a run on the faults for which both have results.

    The bootstrap replicates of both come from the same episodes, so the interval of the difference is a paired one.
    The wins and losses on single faults are those of simultaneous intervals (max-t bootstrap), whose family is all
    faults; the intervals that are shown are those of single faults.

    Args:
        results: Table of a run, or :class:`MetricTable` made from it with the same metric.
        first: Name of a detector.
        second: Name of another detector.
        metric: One of :data:`~offnominal.evaluation.metrics.METRICS`.
        world: Only this world.
        kind: Only this kind of fault.
        level: Only this level.

    Raises:
        UnknownName: The run has no such detector.
        InvalidParameter: Both detectors are the same, or there is no fault for which both have results.

    Example:
        >>> from offnominal.studies.results import RunResults
        >>> found = compare_pair(RunResults.example().table, "KNN", "LOF", "auroc")
        >>> found.better, found.overall.difference, (found.overall.wins, found.overall.ties, found.overall.losses)
        ('KNN', Estimate(0.050 [0.050, 0.050]), (1, 1, 0))
    """
    chosen = metric_named(metric)
    everything = _measured(results, metric)
    _check_names(everything.names, first, second)
    measured = everything.where(world=world, kind=kind, level=level)
    blocks = measured.blocks()
    common = blocks.get(first, set()) & blocks.get(second, set())
    if not common:
        raise InvalidParameter(
            f"there is no fault for which both {first} and {second} have a value of {metric}; "
            "choose other detectors, another metric, or run the missing cells."
        )
    shared = np.array([block in common for block in zip(measured.world, measured.split, strict=True)])
    sides = measured.take(shared & (measured.name == first)), measured.take(shared & (measured.name == second))
    pairs = _judged([_pair(sides, block) for block in _in_order(sides[0], common)], higher=chosen.higher)
    columns: tuple[Group, ...] = ("world", "kind", "level")
    return PairedComparison(
        metric=chosen,
        first=first,
        second=second,
        pairs=pairs,
        left_out=len((blocks[first] | blocks[second]) - common),
        overall=_difference(sides, pairs, higher=chosen.higher),
        groups={column: _grouped(sides, pairs, column, higher=chosen.higher) for column in columns},
    )


def _measured(results: Any, metric: str) -> MetricTable:
    """Return the metric of a run; raise an error if its table has no detectors and faults."""
    if isinstance(results, MetricTable):
        return results
    if any(name not in results.column_names for name in COLUMNS):
        raise InvalidParameter(
            "this run has no detectors and faults to compare in pairs; give a run of a study on faults."
        )
    return MetricTable.of(results, metric)


def _check_names(names: list[str], first: str, second: str) -> None:
    for name in (first, second):
        if name not in names:
            raise UnknownName(
                f"the run has no detector {name!r}.{did_you_mean(name, names)} It has: {', '.join(sorted(names))}."
            )
    if first == second:
        raise InvalidParameter(f"both detectors are {first}; give two different ones.")


def _in_order(side: MetricTable, common: set[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    """Return worlds and splits in the order of the results."""
    blocks = dict.fromkeys(zip(side.world.tolist(), side.split.tolist(), strict=True))
    return [block for block in blocks if block in common]


def _pair(sides: tuple[MetricTable, MetricTable], block: tuple[str, str]) -> FaultPair:
    world, split = block
    first, second = (side.take((side.world == world) & (side.split == split)) for side in sides)
    means = mean_of(first), mean_of(second)
    kind, level = str(first.kind[0]), str(first.level[0])
    return FaultPair(world, split, kind, level, *means, outcome="tie")


def _judged(pairs: Sequence[FaultPair], *, higher: bool) -> tuple[FaultPair, ...]:
    """Return the pairs with their outcomes, by simultaneous intervals of the differences on all faults."""
    differences = [pair.first - pair.second for pair in pairs]
    values = np.array([each.value for each in differences], np.float64)
    apart = values != 0.0
    if all(len(each.draws) for each in differences):
        draws = np.array([each.draws for each in differences])
        found = simultaneous_intervals(values, draws, units=fewest(differences))
        apart &= found.excludes_zero | np.isnan(found.low)
    outcomes: list[Outcome] = ["win" if (value > 0.0) == higher else "loss" for value in values]
    return tuple(
        replace(pair, outcome=outcome if differs else "tie")
        for pair, outcome, differs in zip(pairs, outcomes, apart, strict=True)
    )


def _grouped(
    sides: tuple[MetricTable, MetricTable], pairs: Iterable[FaultPair], column: Group, *, higher: bool
) -> dict[str, PairedDifference]:
    """Return the difference for each value of a column."""
    members: dict[str, list[FaultPair]] = {}
    for pair in pairs:
        members.setdefault(getattr(pair, column), []).append(pair)
    found = {}
    for value, group in members.items():
        first, second = (side.take(getattr(side, column) == value) for side in sides)
        found[value] = _difference((first, second), group, higher=higher)
    return found


def _difference(
    sides: tuple[MetricTable, MetricTable], pairs: Iterable[FaultPair], *, higher: bool
) -> PairedDifference:
    outcomes = [pair.outcome for pair in pairs]
    first, second = map(mean_of, sides)
    return PairedDifference(
        first=first,
        second=second,
        outcome=_outcome(first - second, higher=higher),
        wins=outcomes.count("win"),
        ties=outcomes.count("tie"),
        losses=outcomes.count("loss"),
    )


def _outcome(difference: Estimate, *, higher: bool) -> Outcome:
    """Return who is better, for the first detector."""
    value = difference.value or 0.0
    if value == 0.0 or (difference.low is not None and not differs_from_zero(difference)):
        return "tie"
    return "win" if (value > 0.0) == higher else "loss"
