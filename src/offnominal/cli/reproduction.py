"""`offnominal reproduce`."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from offnominal.cli.app import RUN, App
from offnominal.cli.options import STORE, Ray, StoreFolder, Workers, Worlds
from offnominal.cli.output import AsJson, out, print_json, print_whole
from offnominal.cli.run_summary import print_missing

if TYPE_CHECKING:
    from offnominal.papers.paper import PublishedFigure, PublishedTable
    from offnominal.papers.reproduction import StudyRun
    from offnominal.studies.results import RunResults

reproduction = App(RUN)


@reproduction.command()
def reproduce(
    paper: Annotated[str, typer.Argument(help="anomaly-gym, anovox, comparison, novelcraft or ood-rl.")],
    table: Annotated[list[str] | None, typer.Option(metavar="N", help="Number of a table; can be repeated.")] = None,
    figure: Annotated[list[str] | None, typer.Option(metavar="N", help="Number of a figure; can be repeated.")] = None,
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
    """Compare our results with the tables and figures of a paper.

    Without --run, only results that are in the store are shown. With it, missing results are computed first, and the
    exit code is 1 if a cell has no result.

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
        print_missing(results.missing, stderr=as_json)
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
