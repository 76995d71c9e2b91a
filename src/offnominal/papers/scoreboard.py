"""How many published values of each table are reproduced, from the results in a store or in the package."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from offnominal.papers.catalogue import paper, papers
from offnominal.papers.paper import PublishedTable
from offnominal.papers.reproduced_share import JudgedValue, ReproducedShare, reproduced_share
from offnominal.papers.result_sources import ResultSources, scales_of
from offnominal.papers.shipped_results import ShippedRun
from offnominal.studies.published_comparison import KINDS, OUTCOMES, Kind, Outcome, PublishedComparison
from offnominal.studies.runs import STORE
from offnominal.studies.stored_runs import StoredRun


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
        shipped: The runs whose values travel with the package, if no stored run has any.
    """

    paper: str
    table: PublishedTable
    lines: Sequence[PublishedComparison]
    runs: tuple[StoredRun, ...] = ()
    shipped: tuple[ShippedRun, ...] = ()

    def counts(self, kind: Kind) -> OutcomeCounts:
        """Return the outcomes of its published values of a kind."""
        return OutcomeCounts.of(kind, (line.outcome for line in self.lines if line.kind == kind))

    @property
    def kind(self) -> Kind:
        """What most of its published values are."""
        published = Counter(line.kind for line in self.lines if line.published is not None)
        return max(KINDS, key=lambda kind: published[kind])

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
        if self.shipped:
            return f"shipped: {', '.join(dict.fromkeys(run.name for run in self.shipped))}"
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
            "shipped": [run.to_dict() for run in self.shipped],
            "not_computed": self.table.not_computed,
        }


def scoreboard(
    ids: Iterable[str] = (), *, store: Path = STORE, scale: str | None = None, shipped: bool = True
) -> list[TableScore]:
    """Compare every published table with the results in a store. Nothing is computed.

    The most powerful run counts: every value is that of the last scale in the protocol of the paper that has one. A
    table without results in the store has those that travel with the package. Values without a result count as not run.

    Args:
        ids: Short names of papers; all papers if empty.
        store: Store of the results of all runs.
        scale: Only results at this scale.
        shipped: Whether results of the package are taken where the store has none.

    Raises:
        UnknownName: No study of the tables has the scale.

    Example:
        >>> nowhere = Path("no-such-store")
        >>> {score.counts("measured").compared for score in scoreboard(["ood-rl"], store=nowhere, shipped=False)}
        {0}
        >>> [score.source for score in scoreboard(["anovox"], store=nowhere) if score.table.number == 4]
        ['shipped: anovox@laptop']
    """
    found = [(id, paper(id).load_published()) for id in tuple(ids) or papers.ids()]
    sources = ResultSources(store, shipped=shipped)
    if scale is not None:
        sources.check_scale(scale, [table.study for _, published in found for table in published.tables if table.study])
    scores = []
    for id, published in found:
        for table in published.tables:
            made = sources.table(id, table, (scale,) if scale is not None else scales_of(published, table))
            scores.append(TableScore(id, table, made.lines, made.runs, made.shipped if table.study else ()))
    return scores


def share_of(scores: Iterable[TableScore]) -> ReproducedShare | None:
    """Return the share of the measured results of some tables that is reproduced; None if none can be judged."""
    return reproduced_share(
        JudgedValue(
            f"{score.paper} {score.table.number}",
            line.labels.get("method") or line.labels.get("detector") or "",
            line.outcome,
            _numbers(score.paper, line),
        )
        for score in scores
        for line in score.lines
        if line.kind == "measured"
    )


def _numbers(paper: str, line: PublishedComparison) -> tuple[str, ...]:
    """Return what tells whether a paper prints a value twice."""
    numbers = (line.ours.value, line.ours.low, line.ours.high, line.published)
    return paper, *("" if number is None else f"{number:.5g}" for number in numbers)
