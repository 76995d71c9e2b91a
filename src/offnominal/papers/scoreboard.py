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
from offnominal.papers.paper import PublishedTable
from offnominal.studies.catalogue import load_study
from offnominal.studies.code import Sources
from offnominal.studies.published_comparison import OUTCOMES, PublishedComparison
from offnominal.studies.results import RunResults
from offnominal.studies.runs import STORE
from offnominal.studies.store_index import StoreIndex
from offnominal.studies.stored_runs import StoredRun, stored_run

SCALES = ("smoke", "shipped", "pong", "laptop", "pong-agents", "search", "large", "paper")
"""Scales from the smallest to the largest. Others only count, after laptop, for tables whose default they are."""
OWN_SCALE = SCALES.index("laptop") + 1
NO_VALUE = "–"


@dataclass(frozen=True, slots=True)
class OutcomeCounts:
    """Number of published values by outcome; see :class:`~offnominal.studies.published_comparison.PublishedComparison`.

    Example:
        >>> counts = OutcomeCounts(match=6, near=1, explained=2, unexplained=1, not_run=4)
        >>> counts.values, counts.compared, counts.unexplained_share
        (14, 10, 0.1)
    """

    match: int = 0
    near: int = 0
    explained: int = 0
    unexplained: int = 0
    not_run: int = 0

    @classmethod
    def of(cls, outcomes: Iterable[str | None]) -> OutcomeCounts:
        """Count outcomes; None stands for a number of ours without a published one, and is left out."""
        found = Counter(outcomes)
        return cls(*(found[outcome] for outcome in OUTCOMES))

    @classmethod
    def total(cls, parts: Iterable[OutcomeCounts]) -> OutcomeCounts:
        """Return the sum of counts."""
        return cls(*(sum(column) for column in zip(*(part.each() for part in parts), strict=True)))

    def each(self) -> tuple[int, ...]:
        """Return the counts, in the order of :data:`~offnominal.studies.published_comparison.OUTCOMES`."""
        return self.match, self.near, self.explained, self.unexplained, self.not_run

    @property
    def compared(self) -> int:
        """Number of published values that have one of ours beside them."""
        return self.values - self.not_run

    @property
    def values(self) -> int:
        """Number of published values."""
        return sum(self.each())

    @property
    def unexplained_share(self) -> float | None:
        """Share of the compared values that differ without a shown cause; None if none is compared."""
        return self.unexplained / self.compared if self.compared else None

    def to_dict(self) -> dict[str, int | float | None]:
        """Return plain data: the counts, their sum, and the share of unexplained differences."""
        counts = zip(OUTCOMES, self.each(), strict=True)
        return {
            "values": self.values,
            **{str(name): count for name, count in counts},
            "unexplained share": self.unexplained_share,
        }


@dataclass(frozen=True, slots=True, eq=False)
class TableScore:
    """A published table and the results that it is compared with.

    Args:
        paper: Short name of the paper.
        table: The table.
        lines: The comparison.
        run: The stored run; None if the table needs none, or if there are no results for it.
    """

    paper: str
    table: PublishedTable
    lines: Sequence[PublishedComparison]
    run: StoredRun | None = None

    @property
    def counts(self) -> OutcomeCounts:
        """Outcomes of its published values."""
        return OutcomeCounts.of(line.outcome for line in self.lines)

    @property
    def scale(self) -> str:
        """Scale of the run; empty without one."""
        return "" if self.run is None else self.run.results.scale

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
        """Study and scale of our values, or why they cannot be computed; empty if there are no results."""
        if self.table.not_computed:
            return self.table.not_computed
        if not self.table.study:
            return "needs no run"
        return "" if self.run is None else f"{self.table.study}@{self.scale}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, without the comparison."""
        run = self.run
        return {
            "table": str(self.table.number),
            "images": self.table.images,
            "title": self.table.title,
            **self.counts.to_dict(),
            "study": self.table.study,
            "scale": self.scale,
            "cells": 0 if run is None else run.cells,
            "missing": 0 if run is None else len(run.results.missing),
            "outdated": 0 if run is None else len(run.outdated),
            "not_computed": self.table.not_computed,
        }


def scoreboard(ids: Iterable[str] = (), *, store: Path = STORE, scale: str | None = None) -> list[TableScore]:
    """Compare every published table with the results in a store. Nothing is computed.

    Of the scales of a study, the one is taken whose results give most of the values of the table; of several, the one
    with most results, then that with the fewest missing cells, and then the largest. Values without a result count as
    not run.

    Args:
        ids: Short names of papers; all papers if empty.
        store: Store of the results of all runs.
        scale: Only results at this scale.

    Raises:
        UnknownName: No study of the tables has the scale.

    Example:
        >>> found = scoreboard(["ood-rl"], store=Path("no-such-store"))
        >>> {score.counts.compared for score in found if score.table.study}
        {0}
    """
    tables = [(id, table) for id in tuple(ids) or papers.ids() for table in paper(id).load_published().tables]
    results = _Results(store)
    if scale is not None:
        results.check_scale(scale, [table.study for _, table in tables if table.study])
    return [_score(id, table, results, scale) for id, table in tables]


def _score(paper: str, table: PublishedTable, results: _Results, scale: str | None) -> TableScore:
    """Return the comparison with the results at the scale that gives most values."""
    published = table.compare(replace(RunResults.none(), name=table.study))
    best = TableScore(paper, table, published)
    for run in sorted((results.run(table.study, each) for each in results.scales(table, scale)), key=_order):
        if run.results.cells and (best.run is None or run.keys != best.run.keys):
            found = TableScore(paper, table, _with_left_out(table.compare(run.results), published), run)
            best = found if best.run is None or found.counts.compared > best.counts.compared else best
        if best.run is not None and not best.counts.not_run:
            break
    return best


def _order(run: StoredRun) -> tuple[int, int]:
    """Return numbers that are smaller for runs with more results, and then for those with fewer missing cells."""
    return -len(run.keys), len(run.results.missing)


def _with_left_out(
    lines: Sequence[PublishedComparison], published: Iterable[PublishedComparison]
) -> list[PublishedComparison]:
    """Return a comparison with the published values that it leaves out, because their results are missing.

    Labels without a value beside a published value alone are measured, such as a deviation, and name no row.
    """
    known: dict[tuple[str, ...], set[tuple[str | None, ...]]] = {}
    left_out = []
    for line in published:
        names = tuple(name for name, value in line.labels.items() if value != NO_VALUE)
        if names not in known:
            known[names] = {tuple(map(each.labels.get, names)) for each in lines}
        if tuple(map(line.labels.get, names)) not in known[names]:
            left_out.append(line)
    return [*lines, *left_out]


class _Results:
    """The studies of tables, and their results in a store; the index of the store and each study are read once."""

    def __init__(self, store: Path) -> None:
        self._study = cache(load_study)
        self._index = cache(lambda: StoreIndex.read(store))
        self._sources = Sources()
        self.run = cache(self._run)

    def _run(self, study: str, scale: str) -> StoredRun:
        return stored_run(self._study(study), scale, store=self._index(), sources=self._sources)

    def scales(self, table: PublishedTable, scale: str | None) -> list[str]:
        """Return the scales of the table's study whose results may count, the largest first."""
        if not table.study:
            return []
        own = () if table.scale in SCALES else (table.scale,)
        ordered = (*SCALES[:OWN_SCALE], *own, *SCALES[OWN_SCALE:]) if scale is None else (scale,)
        return [each for each in reversed(ordered) if each in self._study(table.study).scales]

    def check_scale(self, scale: str, studies: Iterable[str]) -> None:
        """Raise an error if none of the studies has a scale."""
        known = sorted({each for study in studies for each in self._study(study).scales})
        if scale not in known:
            raise UnknownName(
                f"no study of these tables has a scale {scale!r}.{did_you_mean(scale, known)} "
                f"There are: {', '.join(known)}."
            )
