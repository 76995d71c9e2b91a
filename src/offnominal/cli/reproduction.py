"""`offnominal reproduce`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from offnominal.cli.app import RUN, App
from offnominal.cli.options import STORE, Ray, StoreFolder, Workers, Worlds
from offnominal.cli.output import AsJson, out, print_json, print_note, print_whole
from offnominal.cli.run_summary import print_missing
from offnominal.cli.scoreboard import show_scoreboard

if TYPE_CHECKING:
    from offnominal.papers.reproduced_items import ReproducedFigure, ReproducedTable
    from offnominal.studies.results import RunResults

reproduction = App(RUN)


@reproduction.command()
def reproduce(
    paper: Annotated[
        str | None, typer.Argument(help="anomaly-gym, anovox, comparison, novelcraft or ood-rl.", show_default=False)
    ] = None,
    table: Annotated[list[str] | None, typer.Option(metavar="N", help="Number of a table; can be repeated.")] = None,
    figure: Annotated[list[str] | None, typer.Option(metavar="N", help="Number of a figure; can be repeated.")] = None,
    images: Annotated[
        bool, typer.Option("--images", help="The part of tables and figures about image detectors.")
    ] = False,
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
            help="Scale of the study; default: the most powerful one with results, or with --run that of the item."
        ),
    ] = None,
    compute: Annotated[bool, typer.Option("--run", help="Compute missing results first.")] = False,
    on: Annotated[
        str | None,
        typer.Option(
            help="Other data: 'released', the set of the authors in the data home (novelcraft); implies --run."
        ),
    ] = None,
    workers: Workers = None,
    ray: Ray = None,
    store: StoreFolder = STORE,
    as_json: AsJson = False,
) -> None:
    """Compare our results with the tables and figures of a paper.

    Without --run, the most powerful results in the store are shown; without any, those that travel with the package.
    With it, missing results are computed first, and the exit code is 1 if a cell has no result. With --all, the
    published values that are reproduced, differ, are not judged and have no result are counted for every table.

    Example: [bold]offnominal reproduce anomaly-gym --table 3 --worlds "SAP-*" --scale smoke --run[/]

    Example: [bold]offnominal reproduce novelcraft --table 3 --on released[/]

    Example: [bold]offnominal reproduce --all[/]
    """
    from offnominal.core.errors import InvalidParameter
    from offnominal.papers.catalogue import papers
    from offnominal.papers.reproduced_items import chosen_items, reproduced
    from offnominal.papers.reproduced_runs import computed_runs
    from offnominal.papers.reproduction import on_data, reproductions
    from offnominal.papers.stored_items import stored_items

    compute = compute or on is not None
    if not compute and (workers is not None or ray is not None):
        raise InvalidParameter("--workers and --ray need --run: without it nothing is computed.")
    options: dict[str, Any] = {"store": store, "workers": workers, "ray": ray}
    if all_tables:
        if table or figure or images or as_published or worlds or on:
            raise InvalidParameter("--all is about all values of all tables; with it, give only a paper and a scale.")
        show_scoreboard(paper, scale=scale, compute=compute, as_json=as_json, **options)
        return
    if paper is None:
        raise InvalidParameter(f"name a paper ({', '.join(papers.ids())}), or give --all for all of them.")
    items = chosen_items(paper, table or (), figure or (), images=images, as_published=as_published)
    found = reproductions(items, scale=scale, worlds=worlds or None)
    if on is not None:
        found = on_data(found, on)
    incomplete: list[RunResults] = []
    remarks: list[str] = []
    if compute:
        results = computed_runs(found, note=print_note, **options)
        made = [reproduced(item, results[run]) for item, run in found]
        incomplete = [each for each in results.values() if each.missing]
    else:
        made, remarks = stored_items(paper, found, scale=scale, store=store)
    if as_json:
        print_json([each.to_dict() for each in made])
    else:
        for each in made:
            _show(each)
        for item in (item for item in items if item not in [item for item, _ in found]):
            out.print(f"{escape(item.heading)}: left out, because it has none of these worlds.", soft_wrap=True)
    for line in remarks:
        (Console(stderr=True) if as_json else out).print(escape(line), highlight=False, soft_wrap=True)
    for results_of_run in incomplete:
        print_missing(results_of_run.missing, stderr=as_json)
    if incomplete:
        raise typer.Exit(1)


def _show(made: ReproducedTable | ReproducedFigure) -> None:
    """Print the comparison with a published table, or the path of a figure."""
    from offnominal.papers.reproduced_items import ReproducedFigure
    from offnominal.reports.comparison_terminal import comparison_terminal
    from offnominal.reports.published_comparison import verdict_line

    if isinstance(made, ReproducedFigure):
        if made.file is not None:
            out.print(f"{escape(made.figure.heading)}\n[bold]{escape(str(made.file))}[/]", soft_wrap=True)
        return
    table, lines = made.table, made.lines
    if lines:
        print_whole(comparison_terminal(table.heading, lines, table.not_computed))
    else:
        out.print(f"{escape(table.heading)}: {escape(table.not_computed or verdict_line(lines))}", soft_wrap=True)
    if made.file is not None:
        out.print(f"Also in [bold]{escape(str(made.file))}[/]", soft_wrap=True)
