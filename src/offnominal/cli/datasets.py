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
from offnominal.cli.targets import allowed_modules

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
    worlds: Annotated[list[str], typer.Argument(help="Ids of worlds, or 'all'.")],
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
    policy: Annotated[Path | None, typer.Option(help="Policy of `offnominal train`, instead of a shipped one.")] = None,
    seed: Annotated[int | None, seed_option("Seed of the first training episode. Default: 10,000,000.")] = None,
    workers: Annotated[int, count_option("Parallel processes.", most=MOST_AT_ONCE)] = 1,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Record nominal and faulty episodes of worlds. Interrupted runs resume: run the same command again.

    Example: [bold]offnominal generate SAP-Goal0-v0 --out data --level tiny --level strong --twins[/]

    With frames: [bold]offnominal generate SAP-Goal0-v0 --out data --frames --camera affected[/]
    """
    from offnominal.datasets import Recipe, generate
    from offnominal.datasets.recipe import EXTRAS, SEED
    from offnominal.worlds import worlds as registry

    rows = []
    for world in registry.ids() if worlds == ["all"] else [registry.spec(world).id for world in worlds]:
        recipe = Recipe.for_world(
            world,
            episodes=episodes,
            nominal=nominal,
            validation=validation,
            twins=twins,
            extras=EXTRAS if extras else (),
            frames=frames,
            camera=cast(Any, camera),
            anomalies=anomaly,
            levels=level,
            algorithm=algorithm,
            policy=policy,
            seed=SEED if seed is None else seed,
        )
        path = folder / world if folder else None
        made = generate(recipe, path, policy=policy, overwrite=overwrite, workers=workers, report=print_note)
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
    id: Annotated[str, typer.Argument(help="Id of a Minari dataset on this machine.", metavar="ID")],
    folder: Annotated[Path, folder_option("Folder of the new dataset.")],
    source: Annotated[str, typer.Option("--from", help="Format: minari.")] = "minari",
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Import a Minari dataset with Box spaces as nominal episodes: 80 % train, 10 % validation, 10 % test.

    Example: [bold]offnominal import mujoco/halfcheetah/expert-v0 --from minari --out data/cheetah[/]
    """
    from offnominal.datasets import import_minari

    _only("--from", source)
    print_rows("Datasets", [_summary(import_minari(id, folder, overwrite=overwrite))], as_json)


def _only(option: str, given: str) -> None:
    from offnominal.core.errors import InvalidParameter

    if given != "minari":
        raise InvalidParameter(f"{option} is {given!r}; expected 'minari', the only supported format.")


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
