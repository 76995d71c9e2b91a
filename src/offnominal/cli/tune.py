"""`offnominal tune`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from offnominal.cli.app import SERVE, App
from offnominal.cli.options import count_option, folder_option, number_option, seed_option
from offnominal.cli.output import AsJson, print_json, print_note, print_sentence, print_table

tuning = App(SERVE)


@tuning.command("tune")
def tune_command(
    log: Annotated[Path, typer.Argument(help="Nominal log: file, folder of logs, or dataset.")],
    false_alarms: Annotated[
        str, typer.Option(metavar="RATE", help="Allowed rate, such as 1/day, 0.5/hour or 2/week.")
    ] = "1/day",
    to: Annotated[Path | None, folder_option("Deployable folder to write. Default: LOG-monitor.")] = None,
    time: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of the time.")] = None,
    label: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column with 1 in faulty rows.")] = None,
    period: Annotated[float | None, number_option("Seconds per row, if the log has no times.")] = None,
    detectors: Annotated[
        list[str] | None, typer.Option("--detector", metavar="ID", help="Detector to try; can be repeated.")
    ] = None,
    alarms: Annotated[
        list[str] | None,
        typer.Option("--alarm", metavar="NAME", help="Alarm to try; can be repeated. ParetoTail only if named."),
    ] = None,
    windows: Annotated[list[int] | None, count_option("Window to try, in rows; can be repeated.", "--window")] = None,
    anyway: Annotated[bool, typer.Option("--anyway", help="Write the folder although the rate is refused.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a deployable folder.")] = False,
    seed: Annotated[int, seed_option("Seed of the training.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Choose a monitor for an allowed rate of false alarms.

    Detectors, alarms and windows are tried on earlier blocks of the log. The choice is measured on the last block,
    which says what rate these hours can show, and how many are missing. It becomes a folder for `watch`. Exits with 1
    if the rate is refused: if the last block has more false alarms, or the scores change with time.

    Example: [bold]offnominal tune arm.mcap --false-alarms 1/day --out arm[/]
    """
    from offnominal.watch.tuning.candidates import ALARMS, DETECTORS, WINDOWS
    from offnominal.watch.tuning.nominal_log import nominal_log
    from offnominal.watch.tuning.result import REFUSED
    from offnominal.watch.tuning.search import tune

    found = tune(
        nominal_log(log, time=time, label=label),
        false_alarms,
        period=period,
        detectors=detectors or DETECTORS,
        alarms=alarms or ALARMS,
        windows=windows or WINDOWS,
        seed=seed,
    )
    refused = found.verdict == REFUSED
    folder = to or Path(f"{log.stem}-monitor")
    if anyway or not refused:
        found.write(folder, overwrite=overwrite, anyway=anyway)
    if as_json:
        print_json({**found.to_dict(), "folder": None if refused and not anyway else str(folder)})
    else:
        for line in str(found).splitlines():
            print_sentence(line)
        print_table("Candidates on the validation blocks", found.rows())
        for line in found.not_tried:
            print_sentence(f"Not tried: {line}")
        print_sentence("No folder was written." if refused and not anyway else f"Wrote {folder}.")
    if refused:
        print_note("The rate is refused; --anyway writes a folder without a promise.")
        raise typer.Exit(1)
