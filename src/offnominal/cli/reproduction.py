"""`offnominal reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from offnominal.cli.app import RUN, App
from offnominal.cli.options import STORE, Ray, StoreFolder, Workers, Worlds
from offnominal.cli.output import AsJson, out, print_json, print_whole
from offnominal.cli.reproduced_runs import computed_run, runs_to_compute, stored_results
from offnominal.cli.run_summary import print_missing
from offnominal.cli.scoreboard import show_scoreboard

if TYPE_CHECKING:
    from offnominal.papers.paper import PublishedFigure, PublishedTable
    from offnominal.papers.reproduction import StudyRun
    from offnominal.studies.results import RunResults

reproduction = App(RUN)


@reproduction.command()
def reproduce(
    paper: Annotated[
        str | None, typer.Argument(help="anomaly-gym, anovox, comparison, novelcraft or ood-rl.", show_default=False)
    ] = None,
    table: Annotated[list[str] | None, typer.Option(metavar="N", help="Number of a table; can be repeated.")] = None,
    figure: Annotated[list[str] | None, typer.Option(metavar="N", help="Number of a figure; can be repeated.")] = None,
    images: Annotated[bool, typer.Option("--images", help="The part of the tables about image detectors.")] = False,
    all_tables: Annotated[
        bool,
        typer.Option("--all", help="Scoreboard: outcomes of every table of the paper; without PAPER, of all papers."),
    ] = False,
    as_published: Annotated[
        bool,
        typer.Option(
            "--as-published",
            help="With the errors of the public code (anomaly-gym, anovox, comparison, novelcraft).",
        ),
    ] = False,
    worlds: Worlds = None,
    scale: Annotated[
        str | None,
        typer.Option(
            help="Scale of the study; default: that of the table or figure. With --all, that of most results."
        ),
    ] = None,
    compute: Annotated[bool, typer.Option("--run", help="Compute missing results first.")] = False,
    workers: Workers = None,
    ray: Ray = None,
    store: StoreFolder = STORE,
    as_json: AsJson = False,
) -> None:
    """Compare our results with the tables and figures of a paper.

    Without --run, only results that are in the store are shown. With it, missing results are computed first, and the
    exit code is 1 if a cell has no result. With --all, the published values that match, are near, differ and have no
    result are counted for every table.

    Example: [bold]offnominal reproduce anomaly-gym --table 3 --worlds "SAP-*" --scale smoke --run[/]

    Example: [bold]offnominal reproduce --all[/]
    """
    from offnominal.core.errors import InvalidParameter
    from offnominal.papers.catalogue import figures_of, papers, tables_of
    from offnominal.papers.paper import PublishedTable
    from offnominal.papers.reproduction import reproductions
    from offnominal.studies.results import RunResults

    if not compute and (workers is not None or ray is not None):
        raise InvalidParameter("--workers and --ray need --run: without it nothing is computed.")
    options: dict[str, Any] = {"store": store, "workers": workers, "ray": ray}
    if all_tables:
        if table or figure or images or as_published or worlds:
            raise InvalidParameter("--all is about all values of all tables; with it, give only a paper and a scale.")
        show_scoreboard(paper, scale=scale, compute=compute, as_json=as_json, **options)
        return
    if paper is None:
        raise InvalidParameter(f"name a paper ({', '.join(papers.ids())}), or give --all for all of them.")
    figures = figures_of(paper, figure or ())
    tables = tables_of(paper, table, images=images) if table or not figure else []
    if as_published:
        if not any(each.has_published_form for each in tables):
            raise InvalidParameter("--as-published changes nothing in these tables and figures; leave it out.")
        tables = [each.as_published() for each in tables]
    items: list[PublishedTable | PublishedFigure] = [*tables, *figures]
    found = reproductions(items, scale=scale, worlds=worlds or None)
    opened: dict[StudyRun | None, RunResults] = {None: RunResults.none()}
    remarks: list[str] = []
    worth_computing = runs_to_compute(found) if compute else []
    for chosen in dict.fromkeys(run for _, run in found if run is not None):
        if chosen in worth_computing:
            opened[chosen] = computed_run(chosen, **options)
        else:
            opened[chosen], remark = stored_results(chosen, store)
            remarks += remark
    output = []
    for item, made_from in found:
        results = opened[made_from]
        if isinstance(item, PublishedTable):
            output.append(_show_table(item, results, as_json))
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


def _show_table(table: PublishedTable, results: RunResults, as_json: bool) -> dict[str, Any]:
    """Print the comparison with a published table; return it as plain data.

    If there are results, the table is also written into the folder of their run.
    """
    from offnominal.core.files import write_text
    from offnominal.reports.comparison_terminal import comparison_terminal
    from offnominal.reports.escape import markdown_text
    from offnominal.reports.published_comparison import comparison_markdown, comparison_rows, verdict_line

    lines = table.compare(results)
    if not as_json and lines:
        print_whole(comparison_terminal(table.heading, lines, table.not_computed))
    elif not as_json:
        out.print(f"{escape(table.heading)}: {escape(table.not_computed or verdict_line(lines))}", soft_wrap=True)
    if results.folder is not None and results.cells:
        file = results.folder / f"table-{table.number}.md"
        write_text(file, f"# {markdown_text(table.heading)}\n\n{comparison_markdown(lines)}\n")
        if not as_json:
            out.print(f"Also in [bold]{escape(str(file))}[/]", soft_wrap=True)
    reason = {"not_computed": table.not_computed} if table.not_computed else {}
    return {"table": table.number, "title": table.title, **reason, "rows": comparison_rows(lines)}


def _show_figure(figure: PublishedFigure, results: RunResults, as_json: bool) -> dict[str, Any]:
    """Write the report of a run and print the path of a figure in it; return it as plain data."""
    from offnominal.reports.report import write_report

    folder = results.folder or Path()
    write_report(results, folder)
    image = folder / "figures" / f"{figure.file}.png"
    if not as_json:
        out.print(f"{escape(figure.heading)}\n[bold]{escape(str(image))}[/]", soft_wrap=True)
    return {"figure": figure.number, "title": figure.title, "file": str(image)}
