"""A published table with our values from its file."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from offnominal.agents.selection import EXPERTS_VERSION
from offnominal.evaluation.estimate import Estimate
from offnominal.papers.reproduced_share import JudgedValue, ReproducedShare, reproduced_share
from offnominal.papers.scoreboard import OutcomeCounts, TableScore
from offnominal.papers.shipped_results import NUMBERS
from offnominal.reports.escape import markdown_text
from offnominal.studies.published_comparison import Kind
from published_values.rows import Row, rows_in, rows_of


@dataclass(frozen=True)
class MeasuredTable:
    """A published table and the rows of its file; without results, the published values alone."""

    score: TableScore
    rows: list[Row]

    @cached_property
    def kind(self) -> Kind:
        """What its published values are."""
        return self.score.kind

    @cached_property
    def counts(self) -> OutcomeCounts:
        """Outcomes of its published values."""
        return OutcomeCounts.of(self.kind, (row["outcome"] or None for row in self.rows if row["kind"] == self.kind))

    @property
    def content(self) -> str:
        """Title of the table; study, scale and date of our values, or why there are none."""
        source = markdown_text(self.score.source)
        if runs := dict.fromkeys(_run_name(row) for row in self.rows if row["ours"] and row["study"]):
            source = "; ".join(runs)
        title = markdown_text(self.score.table.title)
        return f"{title}<br>*{source}*" if source else title


def measured_tables(scores: Iterable[TableScore], folder: Path) -> list[MeasuredTable]:
    """Return published tables with the rows of their files; without one, the published values alone.

    Args:
        scores: The published tables.
        folder: Folder of the files.
    """
    tables = [MeasuredTable(score, rows_in(folder / file_name(score))) for score in scores]
    return [table if table.rows else replace(table, rows=published_alone(table.score)) for table in tables]


def published_alone(score: TableScore) -> list[Row]:
    """Return the published values of a table as not run: what needs no run may need data that are not everywhere."""
    return rows_of((replace(line, ours=Estimate(None)) for line in score.lines), {})


def file_name(score: TableScore) -> str:
    """Return the name of the file of a table; a table that several studies compute in parts has one for each."""
    study = score.table.study
    part = study.removeprefix(score.paper).strip("-") if study else "facts"
    return "-".join(filter(None, [score.paper, str(score.table.number), part])) + ".csv"


def total_of(kind: Kind, tables: Iterable[MeasuredTable]) -> OutcomeCounts:
    """Return the sum of the outcomes of tables with values of a kind."""
    return OutcomeCounts.total(kind, (table.counts for table in tables))


def share_of(tables: Iterable[MeasuredTable]) -> ReproducedShare | None:
    """Return the share of the measured results of tables that is reproduced; None if none can be judged."""
    return reproduced_share(
        JudgedValue(
            f"{table.score.paper} {table.score.table.number}",
            row.get("method") or row.get("detector") or "",
            row["outcome"],
            (table.score.paper, *(f"{float(row[name]):.5g}" if row[name] else "" for name in NUMBERS)),
        )
        for table in tables
        for row in table.rows
        if row["kind"] == "measured"
    )


def _run_name(row: Row) -> str:
    """Return study, scale and date of a result; the cells, if some of the study are missing."""
    done, _, of = row.get("cells", "").partition(" of ")
    cells = f" ({row['cells']} cells)" if done != of else ""
    experts = row["version"].partition(" with experts ")[2]
    earlier = f", experts of version {experts}" if experts not in ("", str(EXPERTS_VERSION)) else ""
    return f"{row['study']}@{row['scale']}{cells}, {row['date']}{earlier}"
