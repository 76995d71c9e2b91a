"""`offnominal reproduce --all`: how many published values of each table are reproduced."""

from __future__ import annotations

from collections.abc import Sequence
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

COLUMNS = {
    "values": "",
    "match": "green",
    "near": "yellow",
    "differ,\nexpl.": "cyan",
    "differ,\nunexpl.": "red",
    "not\nrun": "dim",
}
"""Columns of numbers, with their colours."""


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
        print_whole(scoreboard_table(scores))
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


def scoreboard_table(scores: Sequence[TableScore]) -> RichTable:
    """Return the scoreboard for the terminal: a line per table below one with the sum of its paper."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    table = RichTable(title="Published values and ours", title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("table", max_width=11, overflow="fold")
    table.add_column("content, source of ours", min_width=20, ratio=1, overflow="fold")
    for name in COLUMNS:
        table.add_column(name, justify="right", no_wrap=True)
    for id, group in groupby(scores, lambda score: score.paper):
        listed = list(group)
        _add_total(table, id, listed)
        for score in listed:
            title = _two_lines(score.table.title, score.source, "dim")
            table.add_row(Text(score.label, "bold"), title, *_numbers(score.counts))
    _add_total(table, "all papers", scores)
    return table


def _add_total(table: RichTable, title: str, scores: Sequence[TableScore]) -> None:
    """Add the sum over tables, the values that are not run, and the share of unexplained differences of the others."""
    from offnominal.papers.scoreboard import OutcomeCounts

    total = OutcomeCounts.total(score.counts for score in scores)
    share = total.unexplained_share
    left_out = f"{total.not_run:,} of {total.values:,} not run" if total.not_run else ""
    below = "; ".join(
        filter(None, [left_out, "" if share is None else f"{share:.1%} of {total.compared:,} compared unexplained"])
    )
    table.add_section()
    table.add_row("", _two_lines(title, below, "not bold"), *_numbers(total), style="bold")


def _two_lines(text: str, below: str, style: str) -> Text:
    from rich.text import Text

    return Text.assemble(text, (f"\n{below}" if below else "", style))


def _numbers(counts: OutcomeCounts) -> list[Text]:
    from rich.text import Text

    numbers = (counts.values, *counts.each())
    styles = (colour if number else "dim" for number, colour in zip(numbers, COLUMNS.values(), strict=True))
    return [Text(f"{number:,}" if number else "–", style) for number, style in zip(numbers, styles, strict=True)]


def _remarks(scores: Sequence[TableScore]) -> list[str]:
    """Return what the table leaves out: values without a result, the state of the results, and how to see more."""
    from offnominal.papers.scoreboard import OutcomeCounts

    total = OutcomeCounts.total(score.counts for score in scores)
    missing = (
        [f"{total.not_run:,} of {total.values:,} published values have no result of ours; the shares leave them out."]
        if total.not_run
        else []
    )
    runs = {score.source: score.run for score in scores if score.run is not None}
    lines = missing + [f"{source}: {run.state}." for source, run in runs.items() if run.state]
    without = dict.fromkeys(score.table.study for score in scores if score.needs_run and score.run is None)
    if without:
        lines.append(f"No results of {', '.join(without)}; `offnominal run STUDY --scale SCALE` computes them.")
    return [*lines, "`offnominal reproduce PAPER --table N` shows each value of a table."]


def _plain(scores: Sequence[TableScore]) -> dict[str, Any]:
    """Return the scoreboard as plain data."""
    from offnominal.papers.scoreboard import OutcomeCounts

    papers = [
        {
            "paper": id,
            **OutcomeCounts.total(score.counts for score in listed).to_dict(),
            "tables": [score.to_dict() for score in listed],
        }
        for id, listed in ((id, list(group)) for id, group in groupby(scores, lambda score: score.paper))
    ]
    return {**OutcomeCounts.total(score.counts for score in scores).to_dict(), "papers": papers}
