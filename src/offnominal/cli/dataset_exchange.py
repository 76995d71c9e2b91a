"""`offnominal import` and `export`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from offnominal.cli.app import DATA, App
from offnominal.cli.datasets import Overwrite, dataset_row
from offnominal.cli.failures import warnings_as_lines
from offnominal.cli.options import count_option, folder_option
from offnominal.cli.output import AsJson, print_json, print_rows

if TYPE_CHECKING:
    from offnominal.datasets import Dataset

exchange = App(DATA)

Folder = Annotated[Path, typer.Argument(help="Folder of the dataset.")]
MINARI, ANOMALY_GYM, PUBLIC = "minari", "anomaly-gym", "public"


@exchange.command()
def export(
    folder: Folder,
    to: Annotated[str, typer.Option("--to", help="Format: minari.")] = "minari",
    id: Annotated[
        str | None, typer.Option(help="Namespace of the new ids. Default: offnominal/<world>.", metavar="NAMESPACE")
    ] = None,
    split: Annotated[list[str] | None, typer.Option(help="Only this split; can be repeated.")] = None,
    as_json: AsJson = False,
) -> None:
    """Export a dataset in the format of Minari, with labels.

    Example: [bold]offnominal export data/SAP-Goal0-v0 --to minari --split train --split test[/]
    """
    from offnominal.datasets import Dataset, to_minari

    _only("--to", to, MINARI)
    written = to_minari(Dataset(folder), id, splits=split)
    rows = [{"id": each.id, "episodes": len(each), "steps": each.total_steps} for each in written]
    print_rows("Minari datasets", rows, as_json)


@exchange.command("import")
def import_(
    sources: Annotated[
        list[str],
        typer.Argument(
            help="Files and folders of a log; or the id of a Minari dataset, or published recordings.",
            metavar="FILE",
        ),
    ],
    name: Annotated[
        str | None, typer.Option("--as", help="Name of the new dataset in the data home.", metavar="NAME")
    ] = None,
    folder: Annotated[Path | None, folder_option("Folder of the new dataset, instead of the data home.")] = None,
    form: Annotated[
        str | None,
        typer.Option("--from", help="minari, anomaly-gym or public; other formats are known by their suffix."),
    ] = None,
    environment: Annotated[
        str | None, typer.Option("--env", help="Environment of the recordings of Anomaly-Gym, such as Sape-Goal0.")
    ] = None,
    observation: Annotated[
        list[str] | None,
        typer.Option("--observation", "--observations", help="Column or array of observations; can be repeated."),
    ] = None,
    action: Annotated[
        list[str] | None,
        typer.Option("--action", "--actions", help="Column or array of actions; can be repeated."),
    ] = None,
    reward: Annotated[str | None, typer.Option(help="Column of the rewards.")] = None,
    label: Annotated[str | None, typer.Option(help="Column with 1 in faulty rows.")] = None,
    nominal: Annotated[list[str] | None, typer.Option(help="Nominal value of the label; can be repeated.")] = None,
    label_windows: Annotated[
        Path | None, typer.Option(help="JSON or CSV file with the times of faults, instead of a label.", metavar="FILE")
    ] = None,
    keep: Annotated[
        list[str] | None, typer.Option(help="Column to keep that would be left out; can be repeated. all for all.")
    ] = None,
    episode: Annotated[str | None, typer.Option(help="Column that changes where an episode begins.")] = None,
    time: Annotated[str | None, typer.Option(help="Column of the time.")] = None,
    time_unit: Annotated[str, typer.Option(help="Unit of a time in numbers: s, ms, us or ns.")] = "s",
    gap: Annotated[float | None, typer.Option(help="Time step in seconds that separates two episodes.")] = None,
    clock_jumps: Annotated[
        str | None, typer.Option(help="Where the time goes back: error, or split to begin a new episode.")
    ] = None,
    window: Annotated[int | None, count_option("Transitions of an episode, if the log is cut into windows.")] = None,
    stride: Annotated[int | None, count_option("Transitions from one window to the next.")] = None,
    missing: Annotated[
        str | None, typer.Option(help="Missing values: error, previous or keep. Default: error.")
    ] = None,
    topic: Annotated[list[str] | None, typer.Option(help="Topic of a bag; can be repeated.")] = None,
    rate: Annotated[float | None, typer.Option(help="Rows per second of a bag.")] = None,
    fault: Annotated[
        list[str] | None,
        typer.Option(
            help="Fault to write into the test episodes as a split, such as observation/frozen or "
            "observation/offset=2, in standard deviations of each channel; can be repeated.",
            metavar="ID[=STRENGTH]",
        ),
    ] = None,
    preview: Annotated[bool, typer.Option("--preview", help="Show the channels; write nothing.")] = False,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Import logs as a dataset.

    Formats: CSV, Parquet, NumPy, MCAP, ROS 1 and ROS 2 bags, HDF5, LeRobot folders, Minari. Several files are one log.
    Columns that look like times or labels, or say nothing, are left out of the observations and shown. Nominal episodes
    are split in time order: 60 % train, 20 % validation, 20 % test. Labelled episodes are the split faulty. A Minari
    dataset is nominal: 80 % train, 10 % validation, 10 % test. The published recordings of Anomaly-Gym keep their
    splits. A warning says if nominal episodes of a log change with time (`check order`).

    Example: [bold]offnominal import valve1/*.csv --as valve --label anomaly --window 60[/]
    """
    from offnominal.core.checks import file_name
    from offnominal.core.directories import data_home
    from offnominal.core.errors import InvalidParameter

    if folder is None and name is None and not preview:
        raise InvalidParameter("there is no name for the dataset; give --as NAME, or --out FOLDER.")
    place = folder or data_home() / file_name("--as", name or "preview")
    if environment is not None and form != ANOMALY_GYM:
        raise InvalidParameter(f"--env is for published recordings; add --from {ANOMALY_GYM}.")
    if form is not None:
        _only("--from", form, MINARI, ANOMALY_GYM, PUBLIC)
    if form in (MINARI, ANOMALY_GYM):
        with warnings_as_lines():
            row = dataset_row(_converted(form, _only_one(form, sources), place, environment, overwrite))
        print_rows("Datasets", [row], as_json)
        return
    from offnominal.datasets import LogEpisodes, episodes_from, import_log, read_bag

    options: dict[str, Any] = {"observations": observation, "actions": action, "reward": reward, "label": label}
    options |= {"nominal": nominal or (), "episode": episode, "time": time, "time_unit": time_unit, "gap": gap}
    options |= {"clock_jumps": clock_jumps, "window": window, "stride": stride, "missing": missing}
    options |= {"label_windows": label_windows, "keep": keep or ()}
    with warnings_as_lines():
        if form == PUBLIC:
            episodes: LogEpisodes = _public_log(_only_one(form, sources), options)
        else:
            logs = [read_bag(each, topics=topic, rate=rate) for each in sources] if topic or rate else sources
            episodes = episodes_from(logs, **options)
    if not as_json or preview:
        _show_log(episodes, as_json)
    if not preview:
        with warnings_as_lines():
            made = import_log(episodes, place, name=name or place.name, faults=_faults(fault), overwrite=overwrite)
            _test_order(made)
        print_rows("Datasets", [dataset_row(made)], as_json)


def _test_order(made: Dataset) -> None:
    """Warn if the nominal episodes of a log change with time: then no guarantee of an alarm holds."""
    import warnings

    from offnominal.alarms import TooFewEpisodes
    from offnominal.core.errors import OffnominalError
    from offnominal.datasets.logs import QuestionableLog
    from offnominal.evaluation import check_time_order
    from offnominal.evaluation.time_order import episodes_in_order

    try:
        found = check_time_order(episodes_in_order(made))
    except TooFewEpisodes:
        return
    except OffnominalError as error:
        warnings.warn(f"the order of the nominal episodes was not tested: {error}", QuestionableLog, stacklevel=2)
        return
    if found.rejected:
        warnings.warn(
            f"the nominal episodes change with time, so no guarantee of an alarm holds for later ones. Scores of "
            f"Mahalanobis: {found}.",
            QuestionableLog,
            stacklevel=2,
        )


def _converted(form: str, source: str, place: Path, environment: str | None, overwrite: bool) -> Any:
    """Return the dataset of a Minari dataset, or of published recordings of Anomaly-Gym."""
    from offnominal.datasets import import_anomaly_gym, import_minari

    if form == ANOMALY_GYM:
        return import_anomaly_gym(source, place, env_id=environment, overwrite=overwrite)
    return import_minari(source, place, overwrite=overwrite)


def _show_log(episodes: Any, as_json: bool) -> None:
    """Print the channels and the sizes of a log."""
    from offnominal.datasets.logs import audited_columns, describe_log, preview_log
    from offnominal.reports.tables import text

    left_out = audited_columns(episodes)
    if as_json:
        print_json({"log": describe_log(episodes), "channels": preview_log(episodes), "left out": left_out})
    else:
        print_rows("Channels", preview_log(episodes), False)
        if left_out:
            print_rows("Left out (--keep COLUMN keeps one)", left_out, False)
        print_rows("Log", [{"": name, "value": text(value)} for name, value in describe_log(episodes).items()], False)


def _faults(given: list[str] | None) -> dict[str, float | None]:
    """Return the strengths of faults by their ids."""
    from offnominal.core.errors import InvalidParameter

    found: dict[str, float | None] = {}
    for fault in given or ():
        id, equals, strength = fault.partition("=")
        try:
            found[id] = float(strength) if equals else None
        except ValueError:
            raise InvalidParameter(f"the strength of --fault {id} is {strength!r}; expected a number.") from None
    return found


def _public_log(source: str, options: dict[str, Any]) -> Any:
    """Return the episodes of public recordings, or of a part of them: NAME or NAME:PART."""
    from offnominal.datasets import load_public_log

    name, _, part = source.partition(":")
    unchanged = {"time_unit": "s", "nominal": (), "keep": ()}
    given = {key: value for key, value in options.items() if value is not None and value != unchanged.get(key)}
    return load_public_log(name, part=part or None, **given)


def _only_one(form: str, sources: list[str]) -> str:
    from offnominal.core.errors import InvalidParameter

    if len(sources) > 1:
        raise InvalidParameter(f"--from {form} takes one source, and {len(sources)} are given.")
    return sources[0]


def _only(option: str, given: str, *formats: str) -> None:
    from offnominal.core.errors import InvalidParameter

    if given not in formats:
        known = " or ".join(map(repr, formats))
        raise InvalidParameter(f"{option} is {given!r}; expected {known}, or nothing for a format known by its suffix.")
