"""`offnominal run`, `report`, `reproduce`, `results` and `studies`."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from offnominal.cli.options import MOST_AT_ONCE, count_option, folder_option
from offnominal.cli.output import AsJson, out, print_json, print_rows, print_whole
from offnominal.cli.targets import allowed_modules, with_imported

if TYPE_CHECKING:
    from offnominal.papers.paper import PublishedFigure, PublishedTable
    from offnominal.papers.reproduction import StudyRun
    from offnominal.studies.base import BaseStudy
    from offnominal.studies.results import RunResults
    from offnominal.studies.runner import RunOutcome

experiments = typer.Typer()

STORE = Path("runs/store")
NAMED = 20
"""Largest number of cells without a result that a command lists by name."""
Workers = Annotated[int | None, count_option("Parallel processes. Default: one per processor.", most=MOST_AT_ONCE)]
StoreFolder = Annotated[Path, typer.Option("--store", help="Folder of the result store.")]
AllowModule = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PACKAGE", help="Allow the file to name classes of this package, which is imported; can be repeated."
    ),
]
Worlds = Annotated[
    list[str] | None,
    typer.Option(metavar="PATTERN", help="Only these worlds of the study, such as 'URM*'; can be repeated."),
]
Ray = Annotated[str | None, typer.Option(metavar="ADDRESS", help="Address of a Ray cluster to run on, or auto.")]


@experiments.command()
def studies(as_json: AsJson = False) -> None:
    """List the studies and their scales.

    Example: [bold]offnominal studies[/]
    """
    from offnominal.studies.catalogue import studies as registry

    rows = []
    for spec in registry:
        study = registry.make(spec.id)
        scales: list[str | None] = [*study.scales] or [None]
        for scale in scales:
            summary = spec.summary if scale is None else study.scales[scale].summary
            cells = len(study.at(scale).cells())
            rows.append({"study": spec.id, "scale": scale, "cells": cells, "summary": summary})
    print_rows("Studies", rows, as_json)


@experiments.command()
def quickstart(
    folder: Annotated[Path, folder_option("Folder of the run and its report.")] = Path("runs/quickstart"),
    workers: Workers = None,
    store: StoreFolder = STORE,
    as_json: AsJson = False,
) -> None:
    """Benchmark six detectors on the faults of two worlds and write a report.

    Example: [bold]offnominal quickstart[/]
    """
    run("quickstart", folder=folder, workers=workers, store=store, as_json=as_json)


@experiments.command()
def run(
    study: Annotated[str, typer.Argument(help="Name of a study, or a .toml or .py file.")],
    scale: Annotated[str | None, typer.Option(help="Scale of the study, such as smoke, laptop or paper.")] = None,
    worlds: Worlds = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="Only cells that match: world/policy/detector/seed, with * and ?."),
    ] = None,
    sampler: Annotated[str | None, typer.Option(help="Sampler of a search on tables: random or optuna.")] = None,
    workers: Workers = None,
    ray: Ray = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Retry failed cells; cells that were killed are always retried.")
    ] = False,
    log: Annotated[
        list[str] | None, typer.Option(help="Also log to tensorboard, mlflow or wandb; can be repeated.")
    ] = None,
    folder: Annotated[Path | None, folder_option("Folder of the run. Default: runs/<study>-<scale>.")] = None,
    store: StoreFolder = STORE,
    allow_module: AllowModule = None,
    as_json: AsJson = False,
) -> None:
    """Run a study and write its report. Interrupted runs resume: run the same command again.

    Exits with 1 if a cell has no result.

    Example: [bold]offnominal run anomaly-gym --scale laptop --worlds "SAP*"[/]
    """
    from offnominal.studies.catalogue import load_study
    from offnominal.studies.runs import open_run
    from offnominal.studies.runs import run as go
    from offnominal.studies.sinks import sink_named

    options = {"workers": workers, "ray": ray, "retry": retry, "sinks": [sink_named(name) for name in log or ()]}
    loaded = with_imported(load_study(study, allow_modules=allowed_modules(allow_module)))
    chosen = _sampled(loaded, sampler)
    place, outcome = go(chosen, scale, folder=folder, store=store, worlds=worlds or None, only=only, **options)
    complete = outcome.complete
    if outcome.reused + outcome.computed:
        found = open_run(place)
        _finish(place, found, outcome, as_json)
        complete = complete and not found.missing
    else:
        _print_failures(outcome)
    if not complete:
        raise typer.Exit(1)


@experiments.command()
def report(
    folder: Annotated[Path, typer.Argument(help="Folder of a run.")],
    store: Annotated[Path | None, typer.Option("--store", help="Result store of the run, if it was moved.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write the report of a run again: page, tables and figures. Exits with 1 if a cell has no result.

    Example: [bold]offnominal report runs/anomaly-gym-smoke[/]
    """
    from offnominal.studies.runs import open_run

    found = open_run(folder, store)
    _finish(folder, found, None, as_json)
    if found.missing:
        raise typer.Exit(1)


@experiments.command()
def results(
    query: Annotated[str, typer.Argument(help="SQL query; tables: results, cells, failures.")],
    store: StoreFolder = STORE,
    as_json: AsJson = False,
) -> None:
    """Query all stored results with SQL.

    Example: [bold]offnominal results "SELECT name, avg(matched_auroc) FROM results GROUP BY name"[/]
    """
    from offnominal.reports.tables import terminal_table
    from offnominal.studies.store import Store

    rows = Store(store).sql(query).to_pylist()
    if as_json:
        print(json.dumps(rows, indent=2, default=str))
    else:
        out.print(terminal_table(f"{len(rows)} rows", rows))


@experiments.command()
def reproduce(
    paper: Annotated[str, typer.Argument(help="anomaly-gym, anovox, comparison, novelcraft or ood-rl.")],
    table: Annotated[list[str] | None, typer.Option(help="Number of a table; can be repeated.")] = None,
    figure: Annotated[list[str] | None, typer.Option(help="Number of a figure; can be repeated.")] = None,
    images: Annotated[bool, typer.Option("--images", help="The part of the tables about image detectors.")] = False,
    as_published: Annotated[
        bool,
        typer.Option(
            "--as-published", help="Our metrics as the public code of the paper computes them (anovox, novelcraft)."
        ),
    ] = False,
    worlds: Worlds = None,
    scale: Annotated[
        str | None,
        typer.Option(help="Scale of the study; default: that of the table or figure."),
    ] = None,
    compute: Annotated[bool, typer.Option("--run", help="Compute missing results first.")] = False,
    workers: Workers = None,
    ray: Ray = None,
    store: StoreFolder = STORE,
    as_json: AsJson = False,
) -> None:
    """Compare our table with the published one, or draw our figure, from the results in the store.

    With --run, missing results are computed first, and the exit code is 1 if a cell has no result.

    Example: [bold]offnominal reproduce anomaly-gym --table 3 --worlds "SAP-*" --scale smoke --run[/]
    """
    from offnominal.core.errors import InvalidParameter
    from offnominal.papers.catalogue import figures_of, tables_of
    from offnominal.papers.paper import PublishedTable
    from offnominal.papers.reproduction import reproductions
    from offnominal.studies.results import RunResults

    figures = figures_of(paper, figure or ())
    tables = tables_of(paper, table, images=images) if table or not figure else []
    if as_published and not any(each.compare_as_published for each in tables):
        raise InvalidParameter("--as-published changes nothing in these tables and figures; leave it out.")
    if not compute and (workers is not None or ray is not None):
        raise InvalidParameter("--workers and --ray need --run: without it nothing is computed.")
    items: list[PublishedTable | PublishedFigure] = [*tables, *figures]
    found = reproductions(items, scale=scale, worlds=worlds or None)
    opened: dict[StudyRun | None, RunResults] = {None: RunResults.none()}
    remarks: list[str] = []
    for chosen in dict.fromkeys(run for _, run in found if run is not None):
        if compute:
            opened[chosen] = _computed(chosen, store=store, workers=workers, ray=ray)
        else:
            opened[chosen], remark = _stored(chosen, store)
            remarks += remark
    output = []
    for item, made_from in found:
        results = opened[made_from]
        if isinstance(item, PublishedTable):
            output.append(_show_table(_chosen_metrics(item, as_published), results, as_json))
        elif results.cells:
            output.append(_show_figure(item, results, as_json))
        else:
            output.append({"figure": item.number, "title": item.title, "file": None})
    if as_json:
        print_json(output)
    else:
        reproduced = [item for item, _ in found]
        for item in (item for item in items if item not in reproduced):
            out.print(f"{escape(item.heading)}: left out, because it has none of these worlds.", soft_wrap=True)
    for line in remarks:
        (Console(stderr=True) if as_json else out).print(escape(line), highlight=False, soft_wrap=True)
    incomplete = [results for results in opened.values() if compute and results.missing]
    for results in incomplete:
        _name_missing(results.missing, stderr=as_json)
    if incomplete:
        raise typer.Exit(1)


def _computed(chosen: StudyRun, **options: Any) -> RunResults:
    """Run the study of a table or figure, and return its results."""
    from offnominal.studies.catalogue import load_study
    from offnominal.studies.runs import open_run
    from offnominal.studies.runs import run as go

    folder, _ = go(load_study(chosen.study), chosen.scale, worlds=chosen.worlds, **options)
    return open_run(folder)


def _stored(chosen: StudyRun, store: Path) -> tuple[RunResults, list[str]]:
    """Return the results in the store, and what is missing or outdated, with the command that computes it."""
    from offnominal.studies.catalogue import load_study
    from offnominal.studies.stored_runs import stored_run

    found = stored_run(load_study(chosen.study), chosen.scale, store=store, worlds=chosen.worlds)
    words = ["offnominal", "run", chosen.study, "--scale", chosen.scale]
    words += [word for world in chosen.worlds or () for word in ("--worlds", world)]
    words += [] if store == STORE else ["--store", str(store)]
    states = {"have no result": len(found.results.missing), "have results of other code": len(found.outdated)}
    counted = " and ".join(f"{count} of {found.cells} cells {state}" for state, count in states.items() if count)
    line = f"Ours: {counted}; `{shlex.join(words)}` computes them, as --run does here."
    return found.results, [line] if counted else []


def _chosen_metrics(table: PublishedTable, as_published: bool) -> PublishedTable:
    """Return the table with our metrics as the public code computes them, if that is wanted and makes a difference."""
    other = table.compare_as_published
    return replace(table, compare=other) if as_published and other is not None else table


def _show_table(table: PublishedTable, results: RunResults, as_json: bool) -> dict[str, Any]:
    """Print the comparison with a published table; return it as plain data.

    If there are results, the table is also written into the folder of their run.
    """
    from offnominal.core.files import write_text
    from offnominal.reports.comparison_terminal import comparison_terminal
    from offnominal.reports.escape import markdown_text
    from offnominal.reports.published_comparison import comparison_markdown, comparison_rows

    lines = table.compare(results)
    if not as_json:
        print_whole(comparison_terminal(table.heading, lines))
    if results.folder is not None and results.cells:
        file = results.folder / f"table-{table.number}.md"
        write_text(file, f"# {markdown_text(table.heading)}\n\n{comparison_markdown(lines)}\n")
        if not as_json:
            out.print(f"Also in [bold]{escape(str(file))}[/]", soft_wrap=True)
    return {"table": table.number, "title": table.title, "rows": comparison_rows(lines)}


def _show_figure(figure: PublishedFigure, results: RunResults, as_json: bool) -> dict[str, Any]:
    """Write the report of a run and print the path of a figure in it; return it as plain data."""
    from offnominal.reports.report import write_report

    folder = results.folder or Path()
    write_report(results, folder)
    image = folder / "figures" / f"{figure.file}.png"
    if not as_json:
        out.print(f"{escape(figure.heading)}\n[bold]{escape(str(image))}[/]", soft_wrap=True)
    return {"figure": figure.number, "title": figure.title, "file": str(image)}


def _sampled(study: BaseStudy, sampler: str | None) -> BaseStudy:
    """Return a study that searches with another sampler, under a name of its own."""
    from offnominal.core.errors import InvalidParameter

    if sampler is None:
        return study
    if not hasattr(study, "sampler"):
        raise InvalidParameter(f"--sampler is {sampler!r}, but study {study.name!r} has no sampler; leave it out.")
    return type(study).from_dict(study.to_dict() | {"sampler": sampler, "name": f"{study.name}-{sampler}"})


def _finish(folder: Path, found: RunResults, outcome: RunOutcome | None, as_json: bool) -> None:
    """Write the report, and print the leaderboard and the path of the page."""
    from offnominal.core.printable import printable
    from offnominal.reports.report import leading_rows, write_report
    from offnominal.reports.tables import terminal_table
    from offnominal.studies.kinds import study_kind

    page, rows = write_report(found, folder), leading_rows(found)
    if as_json:
        output: dict[str, Any] = {"page": str(page), "leaderboard": rows, "missing": list(found.missing)}
        print(json.dumps(output | ({} if outcome is None else outcome.to_dict()), indent=2))
        return
    kind = study_kind(found.kind)
    columns = kind.leaderboard_columns
    shown = [{name: value for name, value in row.items() if name in (columns or row)} for row in rows]
    out.print(terminal_table(f"{found.title}: leaderboard", shown))
    for line in kind.findings(found):
        out.print(printable(line), highlight=False, markup=False)
    if outcome is not None:
        out.print(f"{outcome.computed} cells computed, {outcome.reused} reused, {outcome.wall_s:.0f} s.")
        _print_failures(outcome)
    failed = {failure["label"] for failure in found.failures}
    _name_missing([label for label in found.missing if outcome is None or label not in failed])
    for name in found.manifest.get("missing", ()):
        line = f"{name} is missing and was left out; `offnominal tables fetch {name}` downloads it."
        out.print(line, highlight=False, markup=False, soft_wrap=True)
    out.print(f"Report: [bold]{escape(str(page))}[/]", soft_wrap=True)


def _print_failures(outcome: RunOutcome) -> None:
    """Print the failures."""
    from offnominal.core.printable import one_line, printable

    for failure in outcome.failures:
        label, message = escape(one_line(failure.label)), escape(printable(failure.message))
        out.print(f"[red]{label}[/] {message}", highlight=False, soft_wrap=True)
    if outcome.failures:
        out.print(
            '`offnominal results "SELECT * FROM failures"` shows the full errors; --retry runs these cells again.'
        )
    if not all(failure.final for failure in outcome.failures):
        out.print("Run the same command again to retry cells that were killed or ran out of memory.")


def _name_missing(labels: Sequence[str], *, stderr: bool = False) -> None:
    """Print the labels of cells without a result."""
    if not labels:
        return
    console = Console(stderr=True) if stderr else out
    console.print(f"[red]{len(labels)} cells have no result and are omitted; run the study again:[/]", soft_wrap=True)
    for label in labels[:NAMED]:
        console.print(f"  {escape(label)}", highlight=False, soft_wrap=True)
    if len(labels) > NAMED:
        console.print(f"  and {len(labels) - NAMED} more; --json lists all of them.")
