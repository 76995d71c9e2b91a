"""`offnominal datasets`, `generate`, `verify`, `export` and `import`."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from rich.console import Console
from rich.markup import escape

from offnominal.cli.options import count_option, seed_option
from offnominal.cli.studies import AllowModule
from offnominal.cli.targets import allowed_modules

out = Console()
errors = Console(stderr=True)
datasets = typer.Typer()

PRESENCE = {"present": "present", "download": "can be downloaded", "by hand": "must be placed by hand"}
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace a dataset that is already there.")]
Folder = Annotated[Path, typer.Argument(help="Folder of the dataset.")]


@datasets.command("datasets")
def list_datasets(
    folder: Annotated[
        Path | None, typer.Argument(help="A folder, or a dataset in the data home; the data home if left out.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the datasets that are there, and how many public tables and image sets are.

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
            _note(f"{each} cannot be opened: {error}")
    _show(f"Datasets in {folder or find_data_home() or 'no data home'}", rows, as_json)
    if folder is None and not as_json:
        _point_to_tables()


def _point_to_tables() -> None:
    """Say how many public sets are there, and which command knows more."""
    from offnominal.cli.tables import public_sets

    states = Counter(row["files"] for row in public_sets())
    counted = ", ".join(f"{states[state]} {said}" for state, said in PRESENCE.items())
    out.print(
        f"Public tables and image sets: {counted}. [bold]offnominal tables[/] lists them, "
        "[bold]offnominal tables check[/] says what is odd about them.",
        highlight=False,
        soft_wrap=True,
    )


@datasets.command()
def generate(
    worlds: Annotated[list[str], typer.Argument(help="Ids of worlds, or 'all'.")],
    folder: Annotated[
        Path | None,
        typer.Option("--out", help="A folder per world goes in here; left out, the data goes where `load` finds it."),
    ] = None,
    episodes: Annotated[int, count_option("Episodes of the test split and of each fault.")] = 100,
    nominal: Annotated[int | None, count_option("Episodes to learn from; as many as --episodes if left out.")] = None,
    validation: Annotated[
        int | None,
        count_option("Episodes to fit alarms on; a tenth of the nominal ones if left out."),
    ] = None,
    twins: Annotated[
        bool, typer.Option("--twins", help="Also record the faulty episodes without their faults.")
    ] = False,
    extras: Annotated[
        bool, typer.Option("--extras", help="Also record clean observations, executed actions, fault parameters.")
    ] = False,
    frames: Annotated[
        bool, typer.Option("--frames", help="Also record what a camera sees: 128 x 128 RGB, without loss.")
    ] = False,
    camera: Annotated[
        str,
        typer.Option(
            help="What it shows while an observation is faulty: the true state (clean) or what sensors say (affected)."
        ),
    ] = "clean",
    anomaly: Annotated[list[str] | None, typer.Option(help="Only this one; may be given again.")] = None,
    level: Annotated[list[str] | None, typer.Option(help="Only this strength; may be given again.")] = None,
    algorithm: Annotated[str | None, typer.Option(help="Which of the shipped policies acts.")] = None,
    policy: Annotated[Path | None, typer.Option(help="A policy that `offnominal train` made acts instead.")] = None,
    seed: Annotated[int | None, seed_option("Seed of the first training episode; ten million if left out.")] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Record a world with and without its faults; a killed run goes on where it was.

    Example: [bold]offnominal generate SAP-Goal0-v0 --out data --level tiny --level strong --twins[/]

    With pictures: [bold]offnominal generate SAP-Goal0-v0 --out data --frames --camera affected[/]
    """
    from offnominal.datasets import generate
    from offnominal.datasets.recipe import EXTRAS, SEED
    from offnominal.worlds import worlds as registry

    rows = []
    for world in registry.ids() if worlds == ["all"] else [registry.spec(world).id for world in worlds]:
        made = generate(
            world,
            folder / world if folder else None,
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
            overwrite=overwrite,
            report=_note,
        )
        rows.append(_summary(made))
    _show("Datasets", rows, as_json)


@datasets.command()
def verify(
    folder: Annotated[Path, typer.Argument(help="Folder of a dataset or of a run.")],
    share: Annotated[float, typer.Option(help="Of the cells of a run, how many are done again.")] = 0.05,
    quick: Annotated[
        bool, typer.Option("--quick", help="Only compare the files of a run with their hashes, and do nothing again.")
    ] = False,
    store: Annotated[Path | None, typer.Option("--store", help="Where a run's results are, if moved.")] = None,
    allow_module: AllowModule = None,
    as_json: AsJson = False,
) -> None:
    """Hash every file of a dataset again and read every episode again, or do some cells of a run again.

    Exits with 1 if anything is not as the manifest or the store says.

    Example: [bold]offnominal verify data/SAP-Goal0-v0[/]
    """
    if (folder / "run.json").exists():
        from offnominal.studies.verify import verify_run

        cells = verify_run(folder, share, quick=quick, store=store, allow_modules=allowed_modules(allow_module))
        count = sum(not problem for _, problem in cells)
        praise = f"{folder} comes out again: {count} cells gave the same numbers."
        if quick:
            praise = f"{folder} is intact: {count} cells have the hashes that they carry."
        _show_problems(cells, "cell", praise, as_json)
        return

    from offnominal.datasets import verify_dataset

    splits = list(verify_dataset(folder).items())
    _show_problems(splits, "split", f"{folder} is intact: {len(splits)} splits hold what the manifest says.", as_json)


def _show_problems(problems: list[tuple[str, str]], what: str, praise: str, as_json: bool) -> None:
    """Print what is wrong, or that nothing is; exit with 1 if something is."""
    wrong = [(name, problem) for name, problem in problems if problem]
    if as_json:
        print(json.dumps([{what: name, "problem": problem} for name, problem in problems], indent=2))
    elif wrong:
        for name, problem in wrong:
            out.print(f"[red]{escape(name)}[/]  {escape(problem)}", highlight=False, soft_wrap=True)
    else:
        out.print(f"[green]{escape(praise)}[/]", highlight=False, soft_wrap=True)
    if wrong:
        raise typer.Exit(1)


@datasets.command()
def export(
    folder: Folder,
    to: Annotated[
        str, typer.Option("--to", help="Only 'minari' so far; the store itself is plain Parquet.")
    ] = "minari",
    id: Annotated[
        str | None, typer.Option(help="Namespace of the new ids; offnominal/<world> if left out.", metavar="NAMESPACE")
    ] = None,
    split: Annotated[list[str] | None, typer.Option(help="Only this split; may be given again.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write the splits of a dataset as Minari datasets, labels included.

    Example: [bold]offnominal export data/SAP-Goal0-v0 --to minari --split train --split test[/]
    """
    from offnominal.datasets import Dataset, to_minari

    _only("--to", to)
    written = to_minari(Dataset(folder), id, splits=split)
    rows = [{"id": each.id, "episodes": len(each), "steps": each.total_steps} for each in written]
    _show("Minari datasets", rows, as_json)


@datasets.command("import")
def import_(
    id: Annotated[str, typer.Argument(help="Id of a Minari dataset on this machine.", metavar="ID")],
    folder: Annotated[Path, typer.Option("--out", help="Folder of the new dataset.")],
    source: Annotated[str, typer.Option("--from", help="Only 'minari' so far.")] = "minari",
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Take a Minari dataset with Box spaces as nominal episodes: 80 % train, 10 % validation, 10 % test.

    Example: [bold]offnominal import mujoco/halfcheetah/expert-v0 --from minari --out data/cheetah[/]
    """
    from offnominal.datasets import import_minari

    _only("--from", source)
    _show("Datasets", [_summary(import_minari(id, folder, overwrite=overwrite))], as_json)


def _only(option: str, given: str) -> None:
    from offnominal.core.errors import InvalidParameter

    if given != "minari":
        raise InvalidParameter(f"{option} is {given!r}; only 'minari' is known.")


def _note(line: str) -> None:
    errors.print(f"[yellow]{escape(line)}[/]", highlight=False, soft_wrap=True)


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


def _show(title: str, rows: list[dict[str, Any]], as_json: bool) -> None:
    from offnominal.reports.tables import terminal_table

    if as_json:
        print(json.dumps(rows, indent=2))
    else:
        out.print(terminal_table(title, rows))
