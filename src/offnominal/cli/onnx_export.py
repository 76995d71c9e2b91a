"""`offnominal export-onnx`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from offnominal.cli.app import SERVE, App
from offnominal.cli.options import count_option
from offnominal.cli.output import out

if TYPE_CHECKING:
    from offnominal.core.episode import Episode

exporting = App(SERVE)

LOG = "Log of the episodes: dataset folder, or log file whose columns are all observations."


@exporting.command("export-onnx")
def export_onnx_command(
    detector: Annotated[Path, typer.Argument(help="Saved detector: path without extension, as for save_detector.")],
    model: Annotated[Path, typer.Argument(help="ONNX file to write.", dir_okay=False)],
    alarm: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Saved alarm (JSON), which becomes part of the file.")
    ] = None,
    threshold: Annotated[float | None, typer.Option(help="Threshold of the score, instead of an alarm.")] = None,
    n: Annotated[int, count_option("Number of episodes that run at the same time.", most=4096)] = 1,
    discrete_actions: Annotated[
        bool, typer.Option("--discrete-actions", help="An action is an integer, not a vector.")
    ] = False,
    episodes: Annotated[Path | None, typer.Option(metavar="LOG", help=LOG)] = None,
) -> None:
    """Write a saved detector as an ONNX file.

    The state of the detector is among the inputs and outputs. The episodes are replayed through the file, which is not
    written if a score differs from that of the detector. Needs the extra `onnx`.

    Example: [bold]offnominal export-onnx detectors/knn knn.onnx --alarm detectors/alarm.json[/]
    """
    from offnominal.alarms import load_alarm
    from offnominal.core.errors import InvalidParameter
    from offnominal.detectors import load_detector

    if alarm is not None and threshold is not None:
        raise InvalidParameter("--alarm and --threshold are both given; give one of them.")
    chosen = threshold if alarm is None else load_alarm(alarm)
    replayed = None if episodes is None else logged_episodes(episodes)
    written = load_detector(detector).export(
        model, alarm=chosen, n=n, discrete_actions=discrete_actions, episodes=replayed
    )
    out.print(
        f"Wrote {escape(str(written.path))} ({written.n_bytes / 1024:,.0f} KiB): "
        f"{', '.join(written.inputs)} → {', '.join(written.outputs)}.",
        soft_wrap=True,
    )


def logged_episodes(log: Path) -> Sequence[Episode]:
    """Return the episodes of a log file, or of a dataset: its validation split, or else its first nominal one."""
    from offnominal.core.errors import InvalidParameter
    from offnominal.datasets import Dataset, LogEpisodes, episodes_from
    from offnominal.datasets.manifest import MANIFEST

    if not (log / MANIFEST).exists():
        found: LogEpisodes = episodes_from(log)
        return found
    dataset = Dataset(log)
    nominal = [name for name in dataset if name not in dataset.faulty]
    if not nominal:
        raise InvalidParameter(f"{log} has only splits with faults: {', '.join(dataset)}; give nominal episodes.")
    return dataset["validation" if "validation" in nominal else nominal[0]]
