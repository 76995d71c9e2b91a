"""`offnominal report`, `leaderboard`, `compare` and `results`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Annotated

import typer

from offnominal.cli.app import RUN, App
from offnominal.cli.failures import WRONG, print_failure
from offnominal.cli.options import STORE, MovedStore, ShowAll, StoreFolder, folder_option, number_option
from offnominal.cli.output import AsJson, print_json, print_note, print_rows, print_sentence, print_table, print_text
from offnominal.cli.run_summary import finish_run, print_leaderboard, print_missing

outcomes = App(RUN)
GRACE = 2.0
"""Seconds after the time of a query until the process ends."""

RunName = Annotated[
    str | None,
    typer.Argument(metavar="RUN|STUDY", help="Folder of a run, or name of a study. Default: the last run in runs/."),
]
RunScale = Annotated[str | None, typer.Option(help="Scale of the study, if several were run.")]
MetricName = Annotated[str | None, typer.Option(metavar="NAME", help="Metric; a wrong name lists all of them.")]
OneWorld = Annotated[str | None, typer.Option(metavar="ID", help="Only this world.")]
OneKind = Annotated[str | None, typer.Option(metavar="KIND", help="Only this kind of fault, such as action.")]
OneLevel = Annotated[str | None, typer.Option(metavar="LEVEL", help="Only this level, such as tiny.")]


@outcomes.command()
def report(
    folder: Annotated[Path, typer.Argument(help="Folder of a run.")],
    show: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    publish: Annotated[
        Path | None,
        folder_option("Also write the report with its manifest here; needs version and commit.", "--publish"),
    ] = None,
    clips: Annotated[
        bool, typer.Option("--clips", help="Also record a clip of each fault, shown on the page; some minutes.")
    ] = False,
    store: MovedStore = None,
    untrained: ShowAll = False,
    as_json: AsJson = False,
) -> None:
    """Write the report of a run again: page, tables and figures.

    Exits with 1 if a cell has no result.

    Example: [bold]offnominal report runs/anomaly-gym-smoke --open[/]
    """
    from offnominal.studies.runs import open_run

    found = open_run(folder, store)
    if clips:
        from offnominal.reports.fault_clips import write_fault_clips

        for world, reason in write_fault_clips(found, folder).left_out.items():
            print_note(f"No clips of {world}: {reason}")
    page = finish_run(folder, found, None, as_json=as_json, untrained=untrained)
    if publish is not None:
        from offnominal.reports.report import publish_report

        page = publish_report(found, publish)
        if not as_json:
            print_text(f"Published: {page}")
    if show:
        _open_in_browser(page)
    if found.missing:
        raise typer.Exit(1)


@outcomes.command()
def leaderboard(
    name: RunName = None,
    scale: RunScale = None,
    metric: MetricName = None,
    world: OneWorld = None,
    kind: OneKind = None,
    level: OneLevel = None,
    store: MovedStore = None,
    untrained: ShowAll = False,
    as_json: AsJson = False,
) -> None:
    """Show the leaderboard of a run, with intervals and ties.

    Two detectors share a letter if the interval of their paired difference contains 0; the intervals of all pairs are
    simultaneous. Nothing is computed: the results come from the store.

    Example: [bold]offnominal leaderboard quickstart --kind action --metric fpr95[/]
    """
    from offnominal.studies.find_run import find_run
    from offnominal.studies.kinds import study_kind
    from offnominal.studies.result_selection import select_results

    found = find_run(name, scale=scale, store=store)
    chosen = select_results(found, world=world, kind=kind, level=level)
    if as_json:
        print_json(study_kind(found.kind).summary(chosen, metric))
        return
    part = ", ".join(each for each in (world, kind, level) if each)
    print_leaderboard(chosen, metric, part=f", {part}" if part else "", untrained=untrained)
    print_missing(found.missing)


@outcomes.command()
def compare(
    first: Annotated[str, typer.Argument(help="Name of a detector of the run.")],
    second: Annotated[str, typer.Argument(help="Name of another one.")],
    name: RunName = None,
    scale: RunScale = None,
    metric: MetricName = None,
    world: OneWorld = None,
    kind: OneKind = None,
    level: OneLevel = None,
    faults: Annotated[bool, typer.Option("--faults", help="Also show every fault.")] = False,
    store: MovedStore = None,
    as_json: AsJson = False,
) -> None:
    """Compare two detectors of a run on the same faults.

    Shows the paired difference with its 95 % interval, and wins, ties and losses of the first detector by kind of
    fault, level and world. A fault is a tie if the interval of its difference contains 0. To compare detectors on your
    own data, use [bold]off.compare[/] in Python.

    Example: [bold]offnominal compare KNN Mahalanobis quickstart[/]
    """
    from offnominal.reports.leaderboard import metrics_of
    from offnominal.reports.paired_comparison import (
        comparison_data,
        comparison_rows,
        comparison_sentence,
        pair_table,
    )
    from offnominal.studies.find_run import find_run
    from offnominal.studies.paired_comparison import compare_pair
    from offnominal.studies.result_selection import select_results

    found = find_run(name, scale=scale, store=store)
    chosen = select_results(found, world=world, kind=kind, level=level)
    compared = compare_pair(chosen.table, first, second, metric or next(iter(metrics_of(chosen)), "matched_auroc"))
    if as_json:
        print_json(comparison_data(compared))
        return
    print_rows(f"{found.title}: {first} and {second}, {compared.metric.label}", comparison_rows(compared), False)
    for place, rows in pair_table(compared).items() if faults else ():
        print_rows(place, rows, False)
    print_sentence(comparison_sentence(compared))
    if compared.left_out:
        print_text(f"{compared.left_out} faults are left out, because only one of the two has results for them.")


@outcomes.command()
def results(
    query: Annotated[str, typer.Argument(help="SQL query; tables: results, cells, failures.")],
    store: StoreFolder = STORE,
    timeout: Annotated[
        float, number_option("Seconds that the query may take.", "--timeout", least=0.001, most=86_400)
    ] = 60.0,
    as_json: AsJson = False,
) -> None:
    """Query all stored results with SQL.

    Example: [bold]offnominal results "SELECT name, avg(matched_auroc) FROM results GROUP BY name"[/]
    """
    from offnominal.studies.store import Store

    with _ended_after(timeout):
        rows = Store(store).sql(query, timeout=timeout).to_pylist()
    if as_json:
        print(json.dumps(rows, indent=2, default=str))
    else:
        print_table(f"{len(rows)} rows", rows)


@contextmanager
def _ended_after(seconds: float) -> Iterator[None]:
    """End the process if a query does not end soon after its time, as within one call of a function on a long text."""
    from offnominal.studies.sql import too_slow

    def end() -> None:
        error = too_slow(seconds)
        print_failure(type(error).__name__, str(error))
        os._exit(WRONG)

    timer = Timer(seconds + GRACE, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _open_in_browser(page: Path) -> None:
    import webbrowser

    if not webbrowser.open(page.resolve().as_uri()):
        print_text(f"No browser was found; open {page} by hand.")
