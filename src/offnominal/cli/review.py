"""`offnominal review`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from offnominal.cli.app import SERVE, App
from offnominal.cli.failures import warnings_as_lines
from offnominal.cli.options import count_option, folder_option, number_option, seed_option
from offnominal.cli.output import AsJson, print_json, print_sentence, print_table
from offnominal.core.errors import InvalidParameter

reviewing = App(SERVE)


@reviewing.command("review")
def review_command(
    log: Annotated[Path, typer.Argument(help="Log: file, or folder of logs.")],
    false_alarms: Annotated[
        str, typer.Option(metavar="RATE", help="Allowed rate, such as 1/day, 0.5/hour or 2/week.")
    ] = "1/day",
    to: Annotated[Path | None, folder_option("Folder of the page. Default: LOG-review.")] = None,
    time: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of the time.")] = None,
    label: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column with 1 in faulty rows.")] = None,
    period: Annotated[float | None, number_option("Seconds per row, if the log has no times.")] = None,
    detector: Annotated[str, typer.Option(metavar="ID", help="Detector.")] = "Mahalanobis",
    window: Annotated[int, count_option("Rows of a window of the alarm.")] = 100,
    seed: Annotated[int, seed_option("Seed of the training.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Look at alarms in a recording: events, delays, drift.

    The earlier part trains a detector and calibrates an alarm; the page is about the later part. It ends with one
    recommendation.

    Example: [bold]offnominal review pump.csv --time time --label fault[/]
    """
    from offnominal.datasets.logs.reading import episodes_from
    from offnominal.datasets.manifest import MANIFEST
    from offnominal.watch.log_review.page import event_table, overview, write_log_page
    from offnominal.watch.log_review.review import review_log

    if (log / MANIFEST).exists():
        raise InvalidParameter(f"{log} is a dataset, whose splits are in no order of time; give the log itself.")
    with warnings_as_lines():
        episodes = episodes_from(log, time=time, label=label)
        found = review_log(
            episodes,
            false_alarms,
            name=log.name,
            detector=detector,
            window=window,
            period=period,
            channels=[name for names in episodes.channels.values() for name in names],
            seed=seed,
        )
    page = write_log_page(found, to or Path(f"{log.stem}-review"))
    if as_json:
        result = {row["what"]: row["found"] for row in overview(found)}
        events = event_table(found).numbers
        print_json({"result": result, "events": events, "recommendation": found.recommendation, "page": str(page)})
        return
    print_table("Result", overview(found))
    if found.events:
        print_table("Events", event_table(found).rows)
    print_sentence(found.recommendation)
    print_sentence(f"Page: {page}")
