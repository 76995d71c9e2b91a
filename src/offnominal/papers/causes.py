"""Causes of differences: experiments that make ours as published, and the control that says what they show by chance.

A cause explains a difference only if the protocol named it before, the published value was not used to find it, our
number is reproduced with the change, and the experiment shows more than it does for exchanged published values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from offnominal.core.rounding import fixed
from offnominal.core.types import IntArray
from offnominal.evaluation.estimate import Estimate
from offnominal.papers.protocol import Cause, Protocol
from offnominal.studies.published_comparison import PublishedComparison, interval_of

REPETITIONS = 999
LEVEL = 0.05
"""Largest p-value of a control, divided by the number of causes of the paper."""
SAME, DIFFERS, EXPLAINED = 0, 1, 2
REPRODUCED = ("reproduced closely", "reproduced")
Lines = Mapping[str, Sequence[PublishedComparison]]
"""The published values of each table, without ours."""
Place = tuple[str, frozenset[tuple[str, str]]]
"""A table, and the labels of a value in it."""


@dataclass(frozen=True, slots=True, eq=False)
class Experiment:
    """Our number before and after one thing was made as published.

    Args:
        cause: Name of what was changed.
        table: Number of the published table.
        labels: Labels of the published value.
        before: Our number.
        after: Our number with the change.
    """

    cause: str
    table: str
    labels: Mapping[str, str]
    before: Estimate
    after: Estimate

    def is_about(self, line: PublishedComparison) -> bool:
        """Whether it began with the number of a comparison: of another scale our number may be another one."""
        before, ours, rule = self.before.value, line.ours.value, line.rule
        known = before is not None and ours is not None and rule is not None and abs(before - ours) <= rule.close
        return known and self.labels.items() <= line.labels.items()

    def explains(self, line: PublishedComparison) -> bool:
        """Whether our number differs from a published value, and is reproduced with the change."""
        return self.outcomes([line]) == [EXPLAINED]

    def outcomes(self, lines: Iterable[PublishedComparison | None]) -> list[int]:
        """Return whether our number differs from each published value, and whether that is explained."""
        before, after = ((each.value, interval_of(each)) for each in (self.before, self.after))
        found = []
        for line in lines:
            if line is None or line.verdict_of(*before) != "differs":
                found.append(SAME)
            else:
                found.append(EXPLAINED if line.verdict_of(*after) in REPRODUCED else DIFFERS)
        return found


@dataclass(frozen=True, slots=True)
class Control:
    """What an experiment explains, of the true published values and of exchanged ones.

    Args:
        cause: Name of the experiment.
        differing: Number of our values that differ from the published ones.
        explained: Number of them that are reproduced with the change.
        by_chance: Share of the differences that is explained with exchanged values, for each repetition.
    """

    cause: str
    differing: int
    explained: int
    by_chance: tuple[float, ...]

    @property
    def share(self) -> float:
        """Share of the differences that is explained."""
        return self.explained / self.differing if self.differing else 0.0

    @property
    def p_value(self) -> float:
        """Share of the repetitions, the true values included, that explain as much."""
        return (1 + sum(share >= self.share for share in self.by_chance)) / (1 + len(self.by_chance))

    def __str__(self) -> str:
        chance = float(np.mean(self.by_chance)) if self.by_chance else 0.0
        share, exchanged = (fixed(100.0 * value, 0) for value in (self.share, chance))
        return (
            f"{self.cause}: {self.explained} of {self.differing} ({share}%); exchanged values: {exchanged}%, "
            f"p = {fixed(self.p_value, 3)}"
        )


def control(
    cause: str,
    experiments: Iterable[Experiment],
    published: Lines,
    exchanged: str,
    *,
    repetitions: int = REPETITIONS,
    seed: int = 0,
) -> Control:
    """Return what an experiment explains, beside what it explains when places exchange their published values.

    Args:
        cause: Name of the experiment.
        experiments: Experiments; those of other names, and those about values without the label, are left out.
        published: The published values of each table.
        exchanged: Label whose values are exchanged, such as ``"world"``.
        repetitions: Number of exchanges.
        seed: Seed of the exchanges.
    """
    values = {_place(table, line.labels): line for table, lines in published.items() for line in lines}
    own = [each for each in experiments if each.cause == cause and exchanged in each.labels]
    units = list(dict.fromkeys(each.labels[exchanged] for each in own))
    outcomes = np.array([each.outcomes(_exchanged(each, values, exchanged, units)) for each in own])
    places, numbers = np.arange(len(own)), np.array([units.index(each.labels[exchanged]) for each in own], np.int64)

    def count(order: IntArray) -> tuple[int, int]:
        found = outcomes[places, order[numbers]]
        return int((found >= DIFFERS).sum()), int((found == EXPLAINED).sum())

    if not own:
        return Control(cause, 0, 0, ())
    generator = np.random.default_rng(seed)
    chance = [count(_exchange(len(units), generator)) for _ in range(repetitions if len(units) > 1 else 0)]
    shares = tuple(part / whole if whole else 0.0 for whole, part in chance)
    return Control(cause, *count(np.arange(len(units))), shares)


def accepted(protocol: Protocol, experiments: Sequence[Experiment], published: Lines) -> frozenset[str]:
    """Return the names of the causes whose control is passed on the values that were not used to find them.

    Args:
        protocol: Of the paper.
        experiments: All experiments of the paper.
        published: The published values of each table.
    """
    found = []
    for cause in protocol.causes:
        kept = [each for each in experiments if _is_held_out(cause, each)]
        if kept and control(cause.name, kept, published, protocol.exchanged).p_value <= LEVEL / len(protocol.causes):
            found.append(cause.name)
    return frozenset(found)


def explainer(
    protocol: Protocol, experiments: Callable[[], Sequence[Experiment]], published: Callable[[], Lines], table: str
) -> Callable[[PublishedComparison], PublishedComparison]:
    """Return what adds the cause to a difference of a table, if an accepted one explains it.

    Args:
        protocol: Of the paper.
        experiments: Returns all experiments of the paper; only called if the protocol has causes.
        published: Returns the published values of each table.
        table: Number of the table.
    """

    @cache
    def causes() -> list[Cause]:
        names = accepted(protocol, experiments(), published())
        return [each for each in protocol.causes if each.name in names]

    def explain(line: PublishedComparison) -> PublishedComparison:
        if not protocol.causes or line.verdict != "differs":
            return line
        for cause in (each for each in causes() if each.may_explain(table, line.labels)):
            about = (each for each in experiments() if each.cause == cause.name and each.table == table)
            if any(each.is_about(line) and each.explains(line) for each in about):
                return replace(line, cause=cause.name)
        return line

    return explain


def _is_held_out(cause: Cause, experiment: Experiment) -> bool:
    return experiment.cause == cause.name and cause.may_explain(experiment.table, experiment.labels)


def _exchanged(
    experiment: Experiment, values: Mapping[Place, PublishedComparison], exchanged: str, units: Iterable[str]
) -> list[PublishedComparison | None]:
    """Return the published value of each unit in the place of that of an experiment."""
    kept = {item for item in experiment.labels.items() if item[0] != exchanged}
    return [values.get((experiment.table, frozenset({*kept, (exchanged, unit)}))) for unit in units]


def _exchange(count: int, generator: np.random.Generator) -> IntArray:
    """Return another unit for each unit, by their numbers."""
    while True:
        found = generator.permutation(count)
        if (found != np.arange(count)).all():
            return found


def _place(table: str, labels: Mapping[str, str]) -> Place:
    return table, frozenset(labels.items())
