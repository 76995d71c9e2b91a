"""`offnominal reproduce --all`: how many published values of each table are reproduced."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from offnominal.cli.output import print_json, print_note, print_sentence, print_whole
from offnominal.cli.run_summary import print_missing

if TYPE_CHECKING:
    from rich.table import Table as RichTable
    from rich.text import Text

    from offnominal.papers.scoreboard import OutcomeCounts, TableScore
    from offnominal.papers.shipped_results import ShippedRun
    from offnominal.studies.published_comparison import Kind

Column = tuple[str, str, "Callable[[OutcomeCounts], int]"]
COLUMNS: tuple[Column, ...] = (
    ("values", "", lambda counts: counts.values),
    ("repro-\nduced", "green", lambda counts: counts.reproduced),
    ("incon-\nclusive", "yellow", lambda counts: counts["inconclusive"]),
    ("differ", "red", lambda counts: counts["differs"] + counts["explained"]),
    ("not\njudged", "magenta", lambda counts: counts["no interval"] + counts["flawed"]),
    ("not\nrun", "dim", lambda counts: counts["not run"]),
)
"""Columns of numbers, with their colours."""
OF_ESTIMATES = ("incon-\nclusive",)
"""Columns that only measured results have: parameters, facts and counts of work are known exactly."""


def show_scoreboard(
    paper: str | None, *, scale: str | None, store: Path, compute: bool, as_json: bool, **options: Any
) -> None:
    """Print the outcomes of every table of a paper, or of all papers.

    Args:
        paper: Short name of a paper; None for all papers.
        scale: Only results at this scale.
        store: Store of the results.
        compute: Whether to compute missing results first.
        as_json: Whether to print JSON.
        **options: Options of a run.
    """
    import warnings

    from offnominal.papers.catalogue import papers
    from offnominal.papers.scoreboard import scoreboard
    from offnominal.studies.damaged_results import DamagedResults
    from offnominal.studies.segments import DamagedResult
    from offnominal.studies.store import LostExamples, Store

    ids = papers.ids() if paper is None else [paper]
    missing = _compute(ids, scale, store=store, **options) if compute else []
    with warnings.catch_warnings():
        # Damaged results are counted below; the scoreboard shows no examples.
        for category in (DamagedResult, LostExamples):
            warnings.simplefilter("ignore", category)
        scores = scoreboard(ids, store=store, scale=scale)
    if as_json:
        print_json(_plain(scores))
    else:
        for table in scoreboard_tables(scores):
            print_whole(table)
        for line in _remarks(scores):
            print_sentence(line)
    if damaged := DamagedResults.of(Store(store)):
        (print_note if as_json else print_sentence)(str(damaged))
    print_missing(missing, stderr=as_json)
    if missing:
        raise typer.Exit(1)


def _compute(ids: Sequence[str], scale: str | None, **options: Any) -> list[str]:
    """Compute the results of all tables; return the labels of cells without a result."""
    from offnominal.papers.catalogue import paper
    from offnominal.papers.reproduced_runs import computed_run, runs_to_compute
    from offnominal.papers.reproduction import reproductions
    from offnominal.studies.catalogue import load_study

    found = reproductions([table for id in ids for table in paper(id).load_published().tables], scale=scale)
    known = [each for each in found if each.run is not None and each.run.scale in load_study(each.run.study).scales]
    return [label for run in runs_to_compute(known, print_note) for label in computed_run(run, **options).missing]


def scoreboard_tables(scores: Sequence[TableScore]) -> list[RichTable]:
    """Return the scoreboard for the terminal: a table for each kind of values, whose counts are never added."""
    from offnominal.studies.published_comparison import KINDS

    counted = [(kind, [score for score in scores if score.counts(kind).values]) for kind in KINDS]
    return [_table(kind, found) for kind, found in counted if found]


def _table(kind: Kind, scores: Sequence[TableScore]) -> RichTable:
    """Return a line per table below one with the sum of its paper."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    from offnominal.studies.published_comparison import KINDS

    table = RichTable(title=KINDS[kind].capitalize(), title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("table", max_width=10, overflow="fold")
    table.add_column("content, source of ours", min_width=18, ratio=1, overflow="fold")
    for name, _, _ in _columns(kind):
        table.add_column(name, justify="right", no_wrap=True)
    groups = [(id, list(group)) for id, group in groupby(scores, lambda score: score.paper)]
    for id, listed in groups:
        _add_total(table, kind, id, listed)
        for score in listed:
            title = _two_lines(score.table.title, score.source, "dim")
            table.add_row(Text(score.label, "bold"), title, *_numbers(kind, score.counts(kind)))
    if len(groups) > 1:
        _add_total(table, kind, "all papers", scores)
    return table


def _columns(kind: Kind) -> list[Column]:
    return [column for column in COLUMNS if kind == "measured" or column[0] not in OF_ESTIMATES]


def _add_total(table: RichTable, kind: Kind, title: str, scores: Sequence[TableScore]) -> None:
    """Add the sum over tables and, of measured results, the share that is reproduced."""
    from offnominal.papers.scoreboard import OutcomeCounts, share_of

    share = share_of(scores) if kind == "measured" else None
    below = "" if share is None else f"{share} of {share.judged:,} judged reproduced"
    total = OutcomeCounts.total(kind, (score.counts(kind) for score in scores))
    table.add_section()
    table.add_row("", _two_lines(title, below, "not bold"), *_numbers(kind, total), style="bold")


def _two_lines(text: str, below: str, style: str) -> Text:
    from rich.text import Text

    return Text.assemble(text, (f"\n{below}" if below else "", style))


def _numbers(kind: Kind, counts: OutcomeCounts) -> list[Text]:
    from rich.text import Text

    found = ((number(counts), colour) for _, colour, number in _columns(kind))
    return [Text(f"{number:,}" if number else "–", colour if number else "dim") for number, colour in found]


def _remarks(scores: Sequence[TableScore]) -> list[str]:
    """Return what the table leaves out: values without a result, the state of the results, and how to see more."""
    from offnominal.papers.scoreboard import OutcomeCounts

    total = OutcomeCounts.total("measured", (score.counts("measured") for score in scores))
    missing = (
        [
            f"{total['not run']:,} of {total.values:,} published results have no result of ours. Not judged are values "
            "of ours without an interval, and flawed published ones. The shares leave both out."
        ]
        if total["not run"]
        else []
    )
    runs = {(score.table.study, run.results.scale): run for score in scores for run in score.runs}
    lines = missing + [f"{study}@{scale}: {run.state}." for (study, scale), run in runs.items() if run.state]
    shipped = dict.fromkeys(run for score in scores for run in score.shipped)
    if shipped:
        lines.append(
            f"Results marked *shipped* travel with the package, and are not computed here: {_listed(shipped)}."
        )
    known = {score.table.study for score in scores if score.runs or score.shipped}
    without = dict.fromkeys(score.table.study for score in scores if score.needs_run and score.table.study not in known)
    if without:
        lines.append(f"No results of {', '.join(without)}; `offnominal run STUDY --scale SCALE` computes them.")
    return [*lines, "`offnominal reproduce PAPER --table N` shows each value of a table."]


def _listed(shipped: Iterable[ShippedRun]) -> str:
    """Return the shipped runs with their days."""
    days: dict[str, set[str]] = {}
    for run in shipped:
        days.setdefault(run.name, set()).add(run.date)
    return ", ".join(f"{name} ({' to '.join(dict.fromkeys((min(found), max(found))))})" for name, found in days.items())


def _plain(scores: Sequence[TableScore]) -> dict[str, Any]:
    """Return the scoreboard as plain data."""
    papers = [
        {"paper": id, **_sums(listed), "tables": [score.to_dict() for score in listed]}
        for id, listed in ((id, list(group)) for id, group in groupby(scores, lambda score: score.paper))
    ]
    return {**_sums(scores), "papers": papers}


def _sums(scores: Sequence[TableScore]) -> dict[str, Any]:
    """Return the counts of each kind, and the share of measured results that is reproduced."""
    from offnominal.papers.scoreboard import OutcomeCounts, share_of
    from offnominal.studies.published_comparison import KINDS

    share = share_of(scores)
    sums = {
        KINDS[kind]: OutcomeCounts.total(kind, (score.counts(kind) for score in scores)).to_dict() for kind in KINDS
    }
    return {"reproduced share": None if share is None else share.to_dict(), **sums}
