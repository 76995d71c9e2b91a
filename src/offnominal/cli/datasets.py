"""`offnominal datasets`, `generate`, `verify`, `export` and `import`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from rich.markup import escape

from offnominal.cli.options import MOST_AT_ONCE, count_option, folder_option, seed_option
from offnominal.cli.output import AsJson, out, print_json, print_note, print_rows
from offnominal.cli.studies import AllowModule
from offnominal.cli.targets import (
    POLICIES,
    WORLDS,
    allowed_modules,
    chosen_worlds,
    fault_named,
    policy_named,
    world_source,
)

datasets = typer.Typer()

PRESENCE = {"present": "present", "download": "can be downloaded", "by hand": "must be placed by hand"}
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an existing dataset.")]
Folder = Annotated[Path, typer.Argument(help="Folder of the dataset.")]


@datasets.command("datasets")
def list_datasets(
    folder: Annotated[
        Path | None, typer.Argument(help="Folder, or name of a dataset in the data home. Default: the data home.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the stored datasets, and count the public tables and image sets.

    Example: [bold]offnominal datasets[/]
    """
    from offnominal.core.directories import find_data_home
    from offnominal.core.errors import OffnominalError
    from offnominal.datasets import Dataset, dataset_folders

    rows = []
    for each in dataset_folders(folder):
        try:
            rows.append(_summary(Dataset(each, verify="size")))
        except OffnominalError as error:
            print_note(f"{each} cannot be opened: {error}")
    print_rows(f"Datasets in {folder or find_data_home() or 'no data home'}", rows, as_json)
    if folder is None and not as_json:
        _point_to_tables()


def _point_to_tables() -> None:
    """Print the number of public sets and the command that lists them."""
    from offnominal.cli.tables import public_sets

    states = Counter(row["files"] for row in public_sets())
    counted = ", ".join(f"{states[state]} {text}" for state, text in PRESENCE.items())
    out.print(
        f"Public tables and image sets: {counted}. [bold]offnominal tables[/] lists them, "
        "[bold]offnominal tables check[/] checks their quality.",
        highlight=False,
        soft_wrap=True,
    )


@datasets.command()
def generate(
    worlds: Annotated[list[str], typer.Argument(help=WORLDS)],
    folder: Annotated[
        Path | None,
        folder_option(
            "Parent folder of the datasets, one per world. Default: the data home, where `load_dataset` looks."
        ),
    ] = None,
    episodes: Annotated[int, count_option("Episodes of the test split and of each fault.")] = 100,
    nominal: Annotated[int | None, count_option("Training episodes. Default: as many as --episodes.")] = None,
    validation: Annotated[
        int | None,
        count_option("Validation episodes, for alarms. Default: a tenth of the training episodes."),
    ] = None,
    twins: Annotated[
        bool, typer.Option("--twins", help="Also record the nominal twins of the faulty episodes.")
    ] = False,
    extras: Annotated[
        bool, typer.Option("--extras", help="Also record clean observations, executed actions, fault parameters.")
    ] = False,
    frames: Annotated[
        bool, typer.Option("--frames", help="Also record camera frames: 128 x 128 RGB, lossless.")
    ] = False,
    camera: Annotated[
        str,
        typer.Option(
            help="State in the frames during an observation fault: the true one (clean) or the faulty one (affected)."
        ),
    ] = "clean",
    anomaly: Annotated[list[str] | None, typer.Option(help="Only this anomaly; can be repeated.")] = None,
    level: Annotated[list[str] | None, typer.Option(help="Only this strength; can be repeated.")] = None,
    algorithm: Annotated[str | None, typer.Option(help="Algorithm of the shipped policy.")] = None,
    policy: Annotated[str | None, typer.Option(help=f"Policy: {POLICIES}. Default: a shipped one.")] = None,
    fault: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ANOMALY=PARAMETER",
            help="Fault with a parameter, such as action/noise=0.2, in place of named strengths; can be repeated.",
        ),
    ] = None,
    seed: Annotated[int | None, seed_option("Seed of the first training episode. Default: 10,000,000.")] = None,
    workers: Annotated[int, count_option("Parallel processes.", most=MOST_AT_ONCE)] = 1,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Record nominal and faulty episodes of worlds. Interrupted runs resume: run the same command again.

    Example: [bold]offnominal generate SAP-Goal0-v0 --out data --level tiny --level strong --twins[/]

    Of your own: [bold]offnominal generate my_package:make_env --policy my_package:control --fault action/noise=0.3[/]

    With frames: [bold]offnominal generate SAP-Goal0-v0 --out data --frames --camera affected[/]
    """
    from offnominal.datasets import Recipe, generate
    from offnominal.datasets.recipe import EXTRAS, SEED
    from offnominal.studies.data import folder_of

    rows = []
    own = [fault_named(text) for text in fault or ()]
    for world in chosen_worlds(worlds):
        source, acting = world_source(world), policy_named(policy, world)
        recipe = Recipe.for_world(
            source,
            episodes=episodes,
            nominal=nominal,
            validation=validation,
            twins=twins,
            extras=EXTRAS if extras else (),
            frames=frames,
            camera=cast(Any, camera),
            anomalies=anomaly,
            levels=[] if own else level,
            algorithm=algorithm,
            policy=acting,
            policy_name=policy,
            seed=SEED if seed is None else seed,
        )
        if own:
            recipe = recipe.replace(cells=tuple(entry.cell(world) for entry in own))
        path = folder / world.replace(":", "-") if folder else folder_of(recipe, world, policy or "")
        env = None if isinstance(source, str) else source
        options: dict[str, Any] = {"overwrite": overwrite, "workers": workers, "report": print_note}
        made = generate(recipe, path, policy=acting, env=env, **options)
        rows.append(_summary(made))
    print_rows("Datasets", rows, as_json)


@datasets.command()
def verify(
    folder: Annotated[
        Path, typer.Argument(help="Folder of a dataset, of driving scenes, of a NovelCraft set or of a run.")
    ],
    share: Annotated[float, typer.Option(help="Fraction of the cells of a run that are computed again.")] = 0.05,
    quick: Annotated[
        bool, typer.Option("--quick", help="Only compare the files of a run with their hashes; compute nothing.")
    ] = False,
    store: Annotated[Path | None, typer.Option("--store", help="Result store of the run, if it was moved.")] = None,
    allow_module: AllowModule = None,
    as_json: AsJson = False,
) -> None:
    """Verify the files of a dataset, scenes or NovelCraft set, or compute some cells of a run again and compare.

    Exits with 1 if anything differs from the manifest or the result store.

    Example: [bold]offnominal verify data/SAP-Goal0-v0[/]
    """
    if (folder / "run.json").exists():
        from offnominal.studies.verify import verify_run

        cells = verify_run(folder, share, quick=quick, store=store, allow_modules=allowed_modules(allow_module))
        count = sum(not problem for _, problem in cells)
        success = f"{folder} is reproduced: {count} cells gave the same numbers."
        if quick:
            success = f"{folder} is intact: the hashes of {count} cells match."
        _show_problems(cells, "cell", success, as_json)
        return

    if (folder / "scenes.json").exists():
        from offnominal.datasets.scenes import verify_scenes

        scenes = list(verify_scenes(folder).items())
        _show_problems(scenes, "scene", f"{folder} is intact: {len(scenes)} scenes match the manifest.", as_json)
        return

    if (folder / "novelcraft.json").exists():
        from offnominal.datasets.novelcraft import verify_novelcraft

        episodes = list(verify_novelcraft(folder).items())
        message = f"{folder} is intact: {len(episodes)} episodes match the manifest."
        _show_problems(episodes, "episode", message, as_json)
        return

    from offnominal.datasets import verify_dataset

    splits = list(verify_dataset(folder).items())
    _show_problems(splits, "split", f"{folder} is intact: {len(splits)} splits match the manifest.", as_json)


def _show_problems(problems: list[tuple[str, str]], unit: str, success: str, as_json: bool) -> None:
    """Print the problems, or the message of success; exit with 1 if there are problems."""
    wrong = [(name, problem) for name, problem in problems if problem]
    if as_json:
        print_json([{unit: name, "problem": problem} for name, problem in problems])
    elif wrong:
        for name, problem in wrong:
            out.print(f"[red]{escape(name)}[/]  {escape(problem)}", highlight=False, soft_wrap=True)
    else:
        out.print(f"[green]{escape(success)}[/]", highlight=False, soft_wrap=True)
    if wrong:
        raise typer.Exit(1)


@datasets.command()
def export(
    folder: Folder,
    to: Annotated[str, typer.Option("--to", help="Format: minari.")] = "minari",
    id: Annotated[
        str | None, typer.Option(help="Namespace of the new ids. Default: offnominal/<world>.", metavar="NAMESPACE")
    ] = None,
    split: Annotated[list[str] | None, typer.Option(help="Only this split; can be repeated.")] = None,
    as_json: AsJson = False,
) -> None:
    """Export the splits of a dataset as Minari datasets, with labels.

    Example: [bold]offnominal export data/SAP-Goal0-v0 --to minari --split train --split test[/]
    """
    from offnominal.datasets import Dataset, to_minari

    _only("--to", to)
    written = to_minari(Dataset(folder), id, splits=split)
    rows = [{"id": each.id, "episodes": len(each), "steps": each.total_steps} for each in written]
    print_rows("Minari datasets", rows, as_json)


@datasets.command("import")
def import_(
    source: Annotated[str, typer.Argument(help="File or folder of a log, or id of a Minari dataset.", metavar="FILE")],
    name: Annotated[
        str | None, typer.Option("--as", help="Name of the new dataset in the data home.", metavar="NAME")
    ] = None,
    folder: Annotated[Path | None, folder_option("Folder of the new dataset, instead of the data home.")] = None,
    form: Annotated[str | None, typer.Option("--from", help="minari; other formats are known by their suffix.")] = None,
    observation: Annotated[list[str] | None, typer.Option(help="Column of an observation; can be repeated.")] = None,
    action: Annotated[list[str] | None, typer.Option(help="Column of an action; can be repeated.")] = None,
    reward: Annotated[str | None, typer.Option(help="Column of the rewards.")] = None,
    label: Annotated[str | None, typer.Option(help="Column with 1 in faulty rows.")] = None,
    nominal: Annotated[list[str] | None, typer.Option(help="Nominal value of the label; can be repeated.")] = None,
    episode: Annotated[str | None, typer.Option(help="Column that changes where an episode begins.")] = None,
    time: Annotated[str | None, typer.Option(help="Column of the time.")] = None,
    time_unit: Annotated[str, typer.Option(help="Unit of a time in numbers: s, ms, us or ns.")] = "s",
    gap: Annotated[float | None, typer.Option(help="Time step in seconds that separates two episodes.")] = None,
    window: Annotated[int | None, count_option("Transitions of an episode, if the log is cut into windows.")] = None,
    stride: Annotated[int | None, count_option("Transitions from one window to the next.")] = None,
    missing: Annotated[str, typer.Option(help="Missing values: error, previous or keep.")] = "error",
    topic: Annotated[list[str] | None, typer.Option(help="Topic of an MCAP file; can be repeated.")] = None,
    rate: Annotated[float | None, typer.Option(help="Rows per second of an MCAP file.")] = None,
    preview: Annotated[bool, typer.Option("--preview", help="Show the channels; write nothing.")] = False,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Import a log as a dataset: CSV, Parquet, NumPy, MCAP and ROS 2 bags, HDF5, LeRobot folders, Minari.

    Nominal episodes are split in time order: 60 % train, 20 % validation, 20 % test. Labelled episodes are the split
    faulty. A Minari dataset is nominal: 80 % train, 10 % validation, 10 % test.

    Example: [bold]offnominal import pump.csv --as pump --time datetime --label anomaly --window 60[/]
    """
    from offnominal.core.checks import file_name
    from offnominal.core.directories import data_home
    from offnominal.core.errors import InvalidParameter

    if folder is None and name is None and not preview:
        raise InvalidParameter("there is no name for the dataset; give --as NAME, or --out FOLDER.")
    place = folder or data_home() / file_name("--as", name or "preview")
    if form is not None:
        from offnominal.datasets import import_minari

        _only("--from", form)
        print_rows("Datasets", [_summary(import_minari(source, place, overwrite=overwrite))], as_json)
        return
    from offnominal.datasets import LogEpisodes, episodes_from, import_log, read_mcap

    options: dict[str, Any] = {"observations": observation, "actions": action, "reward": reward, "label": label}
    options |= {"nominal": nominal or (), "episode": episode, "time": time, "time_unit": time_unit, "gap": gap}
    options |= {"window": window, "stride": stride, "missing": missing}
    log = read_mcap(source, topics=topic, rate=rate) if topic or rate else source
    episodes: LogEpisodes = episodes_from(log, **options)
    if not as_json or preview:
        _show_log(episodes, as_json)
    if not preview:
        made = import_log(episodes, place, name=name or place.name, overwrite=overwrite)
        print_rows("Datasets", [_summary(made)], as_json)


def _show_log(episodes: Any, as_json: bool) -> None:
    """Print the channels and the sizes of a log."""
    from offnominal.datasets.logs import describe_log, preview_log
    from offnominal.reports.tables import text

    if as_json:
        print_json({"log": describe_log(episodes), "channels": preview_log(episodes)})
    else:
        print_rows("Channels", preview_log(episodes), False)
        print_rows("Log", [{"": name, "value": text(value)} for name, value in describe_log(episodes).items()], False)


def _only(option: str, given: str) -> None:
    from offnominal.core.errors import InvalidParameter

    if given != "minari":
        raise InvalidParameter(
            f"{option} is {given!r}; expected 'minari', or nothing for a format known by its suffix."
        )


def _summary(made: Any) -> dict[str, Any]:
    entries = made.manifest.splits.values()
    return {
        "world": made.world,
        "splits": len(made),
        "episodes": sum(entry.episodes for entry in entries),
        "steps": sum(entry.steps for entry in entries),
        "frames": sum(entry.frames.count for entry in entries if entry.frames),
        "MB": round(sum(entry.weight for entry in entries) / 1e6, 2),
        "folder": str(made.folder),
    }
