"""How many published values of each table are reproduced, from the results in a store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.papers.catalogue import paper, papers
from offnominal.papers.paper import Published, PublishedTable
from offnominal.papers.reproduced_share import ReproducedShare, reproduced_share
from offnominal.studies.catalogue import load_study
from offnominal.studies.code import Sources
from offnominal.studies.published_comparison import KINDS, OUTCOMES, Kind, Outcome, PublishedComparison
from offnominal.studies.results import RunResults
from offnominal.studies.runs import STORE
from offnominal.studies.store_index import StoreIndex
from offnominal.studies.stored_runs import StoredRun, stored_run

NO_VALUE = "–"


@dataclass(frozen=True, slots=True)
class OutcomeCounts:
    """Number of published values of one kind by outcome.

    Args:
        kind: What the values are. Counts of different kinds are never added.
        counts: Number of values, in the order of :data:`~offnominal.studies.published_comparison.OUTCOMES`.

    Example:
        >>> counts = OutcomeCounts.of("measured", ["reproduced", "differs", "not run"])
        >>> counts.values, counts.compared, counts["differs"]
        (3, 2, 1)
    """

    kind: Kind
    counts: tuple[int, ...] = (0,) * len(OUTCOMES)

    @classmethod
    def of(cls, kind: Kind, outcomes: Iterable[str | None]) -> OutcomeCounts:
        """Count outcomes; None stands for a number of ours without a published one, and is left out."""
        found = Counter(outcomes)
        return cls(kind, tuple(found[outcome] for outcome in OUTCOMES))

    @classmethod
    def total(cls, kind: Kind, parts: Iterable[OutcomeCounts]) -> OutcomeCounts:
        """Return the sum of counts of a kind; those of other kinds are left out."""
        counted = [part.counts for part in parts if part.kind == kind]
        return cls(kind, tuple(map(sum, zip(*counted, strict=True)))) if counted else cls(kind)

    def __getitem__(self, outcome: Outcome) -> int:
        return self.counts[OUTCOMES.index(outcome)]

    @property
    def values(self) -> int:
        """Number of published values."""
        return sum(self.counts)

    @property
    def compared(self) -> int:
        """Number of published values that have one of ours beside them."""
        return self.values - self["not run"]

    @property
    def reproduced(self) -> int:
        """Number of reproduced values, closely or not."""
        return self["reproduced closely"] + self["reproduced"]

    @property
    def judged(self) -> int:
        """Number of values that can be judged: both are known, ours has an interval if it needs one, none is flawed."""
        return self.compared - self["no interval"] - self["flawed"]

    def to_dict(self) -> dict[str, int]:
        """Return plain data: the number of values and the counts."""
        return {"values": self.values, **{str(name): self[name] for name in OUTCOMES}}


@dataclass(frozen=True, slots=True, eq=False)
class TableScore:
    """A published table and the results that it is compared with.

    Args:
        paper: Short name of the paper.
        table: The table.
        lines: The comparison.
        runs: The stored runs with values of the table, the most powerful one first; none if the table needs none, or if
            there are no results for it.
    """

    paper: str
    table: PublishedTable
    lines: Sequence[PublishedComparison]
    runs: tuple[StoredRun, ...] = ()

    def counts(self, kind: Kind) -> OutcomeCounts:
        """Return the outcomes of its published values of a kind."""
        return OutcomeCounts.of(kind, (line.outcome for line in self.lines if line.kind == kind))

    @property
    def kind(self) -> Kind:
        """What most of its published values are."""
        return max(KINDS, key=lambda kind: self.counts(kind).values)

    @property
    def label(self) -> str:
        """Number of the table within the paper, with the part that its study is about."""
        part = self.table.study.removeprefix(self.paper).strip("-").replace("-", " ")
        return ", ".join(filter(None, [self.table.name.removeprefix("Table "), part]))

    @property
    def needs_run(self) -> bool:
        """Whether our values are computed by a study."""
        return bool(self.table.study) and not self.table.not_computed

    @property
    def source(self) -> str:
        """Study and scales of our values, or why they cannot be computed; empty if there are no results."""
        if self.table.not_computed:
            return self.table.not_computed
        if not self.table.study:
            return "needs no run"
        return ", ".join(f"{self.table.study}@{run.results.scale}" for run in self.runs)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, without the comparison."""
        return {
            "table": str(self.table.number),
            "images": self.table.images,
            "title": self.table.title,
            "kind": self.kind,
            **self.counts(self.kind).to_dict(),
            "study": self.table.study,
            "runs": [
                {
                    "scale": run.results.scale,
                    "cells": run.cells,
                    "missing": len(run.results.missing),
                    "outdated": len(run.outdated),
                }
                for run in self.runs
            ],
            "not_computed": self.table.not_computed,
        }


def scoreboard(ids: Iterable[str] = (), *, store: Path = STORE, scale: str | None = None) -> list[TableScore]:
    """Compare every published table with the results in a store. Nothing is computed.

    The most powerful run counts: every value is that of the last scale in the protocol of the paper that has one.
    Values without a result count as not run.

    Args:
        ids: Short names of papers; all papers if empty.
        store: Store of the results of all runs.
        scale: Only results at this scale.

    Raises:
        UnknownName: No study of the tables has the scale.

    Example:
        >>> found = scoreboard(["ood-rl"], store=Path("no-such-store"))
        >>> {score.counts("measured").compared for score in found}
        {0}
    """
    found = [(id, paper(id).load_published()) for id in tuple(ids) or papers.ids()]
    results = _Results(store)
    if scale is not None:
        results.check_scale(scale, [table.study for _, published in found for table in published.tables if table.study])
    return [
        _score(id, table, results, (scale,) if scale is not None else scales_of(published, table))
        for id, published in found
        for table in published.tables
    ]


def scales_of(published: Published, table: PublishedTable) -> tuple[str, ...]:
    """Return the scales whose results count, from the least to the most powerful; without a protocol, the default."""
    return (table.scale,) if published.protocol is None else published.protocol.scales


def share_of(scores: Iterable[TableScore]) -> ReproducedShare | None:
    """Return the share of the measured results of some tables that is reproduced; None if none can be judged."""
    return reproduced_share(
        (
            f"{score.paper} {score.table.number}",
            line.labels.get("method") or line.labels.get("detector") or "",
            line.outcome,
        )
        for score in scores
        for line in score.lines
        if line.kind == "measured"
    )


def _score(paper: str, table: PublishedTable, results: _Results, scales: Sequence[str]) -> TableScore:
    """Return the comparison in which every value is that of the most powerful run that has one."""
    found = table.lines(replace(RunResults.none(), name=table.study))
    published, used = list(found), list[StoredRun]()
    for run in (results.run(table.study, each) for each in reversed(results.scales(table.study, scales))):
        if run.results.cells and all(run.keys != each.keys for each in used):
            filled, added = _filled(found, table.lines(run.results), published)
            if added:
                found, used = filled, [*used, run]
    return TableScore(paper, table, found, tuple(used))


def _filled(
    before: Sequence[PublishedComparison],
    lines: Sequence[PublishedComparison],
    published: Sequence[PublishedComparison],
) -> tuple[list[PublishedComparison], bool]:
    """Return values with those of another run where there was none, and whether it has any.

    A run may leave out published values, and has values of ours alone. Labels without a value beside a published value
    alone are measured, such as a deviation, and name no row.

    Args:
        before: Values of more powerful runs.
        lines: Values of the run.
        published: The published values without ours.
    """
    naming = sorted({tuple(name for name, value in line.labels.items() if value != NO_VALUE) for line in published})
    columns = sorted(naming, key=len, reverse=True)
    names = {_place(line, names) for line in published for names in columns}

    def place(line: PublishedComparison) -> tuple[tuple[str, str], ...]:
        places = [_place(line, each) for each in columns] or [tuple(line.labels.items())]
        return next((each for each in places if each in names), tuple(line.labels.items()))

    found = {place(line): line for line in before}
    added = False
    for line in (line for line in lines if line.ours.value is not None):
        known = found.get(place(line))
        if known is None or known.ours.value is None:
            found[place(line)], added = line, True
    return list(found.values()), added


def _place(line: PublishedComparison, names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, line.labels[name]) for name in names if name in line.labels)


class _Results:
    """The studies of tables, and their results in a store; the index of the store and each study are read once."""

    def __init__(self, store: Path) -> None:
        self._study = cache(load_study)
        self._index = cache(lambda: StoreIndex.read(store))
        self._sources = Sources()
        self.run = cache(self._run)

    def _run(self, study: str, scale: str) -> StoredRun:
        return stored_run(self._study(study), scale, store=self._index(), sources=self._sources)

    def scales(self, study: str, scales: Iterable[str]) -> list[str]:
        """Return those of some scales that a study has."""
        return [each for each in scales if each in self._study(study).scales] if study else []

    def check_scale(self, scale: str, studies: Iterable[str]) -> None:
        """Raise an error if none of the studies has a scale."""
        known = sorted({each for study in studies for each in self._study(study).scales})
        if scale not in known:
            raise UnknownName(
                f"no study of these tables has a scale {scale!r}.{did_you_mean(scale, known)} "
                f"There are: {', '.join(known)}."
            )
