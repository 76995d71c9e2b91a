"""`offnominal export-onnx` and `export-folder`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from offnominal.cli.app import SERVE, App
from offnominal.cli.options import count_option, number_option
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


@exporting.command("export-folder")
def export_folder_command(
    detector: Annotated[Path, typer.Argument(help="Saved detector: path without extension, as for save_detector.")],
    folder: Annotated[Path, typer.Argument(help="Folder to write.", file_okay=False)],
    alarm: Annotated[Path, typer.Option(dir_okay=False, help="Saved alarm (JSON).")],
    episodes: Annotated[Path, typer.Option(metavar="LOG", help=f"Nominal log. {LOG}")],
    name: Annotated[str, typer.Option(help="Name of what is monitored. Default: that of the folder.")] = "",
    rate: Annotated[float | None, number_option("Samples per second, if the log has no times.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a deployable folder.")] = False,
) -> None:
    """Write detector, alarm and checks as a folder for `watch`.

    The log is replayed through the written detector; the folder is not written if a score differs. Ranges, held values
    and rates of the channels are learned from the log. Needs the extra `onnx`; to run the folder needs no torch.

    Example: [bold]offnominal export-folder detectors/knn arm --alarm detectors/alarm.json --episodes data/arm[/]
    """
    from offnominal.alarms import load_alarm
    from offnominal.detectors import load_detector
    from offnominal.watch.deployment_writer import write_deployment

    logged = logged_episodes(episodes)
    written = write_deployment(
        folder,
        load_detector(detector),
        load_alarm(alarm),
        logged,
        name=name,
        rate=rate,
        overwrite=overwrite,
        **_channels(episodes, logged),
    )
    out.print(
        f"Wrote {escape(str(folder))}: {written.detector} with {written.alarm}, {len(written.observations)} "
        f"observations, {len(written.actions)} actions, model {written.model_digest}.",
        soft_wrap=True,
    )


def _channels(log: Path, episodes: Sequence[Episode]) -> dict[str, list[str]]:
    """Return the names of the channels of a log, and the units of those of a world."""
    from offnominal.datasets import Dataset, LogEpisodes
    from offnominal.worlds import worlds

    if isinstance(episodes, LogEpisodes):
        return episodes.channels
    world = Dataset(log).world
    if world not in worlds:
        return {}
    card = worlds.card(world)
    if len(card.observation) != episodes[0].observations[0].size or len(card.action) != episodes[0].actions[:1].size:
        return {}
    return {
        "observations": [each.name for each in card.observation],
        "actions": [each.name for each in card.action],
        "units": [each.unit for each in (*card.observation, *card.action)],
    }


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
