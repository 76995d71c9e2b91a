"""`offnominal datasets` and `generate`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from offnominal.cli.app import DATA, App
from offnominal.cli.options import MOST_AT_ONCE, count_option, folder_option, seed_option
from offnominal.cli.output import AsJson, out, print_note, print_rows
from offnominal.cli.targets import (
    POLICIES,
    WORLDS,
    chosen_worlds,
    fault_named,
    policy_named,
    world_source,
)

datasets = App(DATA)

PUBLIC = "public"
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
    """List the stored datasets.

    Also counts the public tables and image sets; [bold]offnominal tables[/] lists them. [bold]offnominal datasets
    public[/] lists the public recordings of machines, with hash, licence and size.

    Example: [bold]offnominal datasets[/]
    """
    if folder == Path(PUBLIC) and not folder.exists():
        _list_public_logs(as_json)
        return
    from offnominal.core.directories import find_data_home
    from offnominal.core.errors import OffnominalError
    from offnominal.datasets import Dataset, dataset_folders

    rows = []
    for each in dataset_folders(folder):
        try:
            rows.append(dataset_row(Dataset(each, verify="size")))
        except OffnominalError as error:
            print_note(f"{each} cannot be opened: {error}")
    print_rows(f"Datasets in {folder or find_data_home() or 'no data home'}", rows, as_json)
    if folder is None and not as_json:
        _point_to_tables()


def _list_public_logs(as_json: bool) -> None:
    """Print a row per set of public recordings."""
    from offnominal.core.directories import find_data_home
    from offnominal.datasets import public_log_entry, public_log_names

    rows = [
        {
            "name": each.name,
            "files": each.presence,
            "size": each.stated_size,
            "SHA-256": each.sha256,
            "licence": each.licence,
            "content": each.summary,
            "note": each.note,
            "page": each.page,
        }
        for each in map(public_log_entry, public_log_names())
    ]
    shown = rows if as_json else [{name: row[name] for name in list(row)[:5]} for row in rows]
    print_rows(f"Public recordings in {find_data_home() or 'no data home'}", shown, as_json)
    if not as_json:
        out.print(
            "[bold]offnominal import NAME --from public --as NAME[/] reads one; [bold]--json[/] shows their pages.",
            highlight=False,
            soft_wrap=True,
        )


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
    """Record nominal and faulty episodes of worlds.

    Interrupted runs resume: run the same command again.

    Example: [bold]offnominal generate SAP-Goal0-v0 --out data --level tiny --level strong --twins[/]

    Of your own: [bold]offnominal generate my_package:make_env --policy my_package:control --fault action/noise=0.3[/]

    With frames: [bold]offnominal generate SAP-Goal0-v0 --out data --frames --camera affected[/]
    """
    from offnominal.datasets import Recipe, generate
    from offnominal.datasets.recipe import EXTRAS, SEED
    from offnominal.kinds.faults.data import folder_of

    own = [fault_named(text) for text in fault or ()]

    def recipe_of(world: str, source: Any, acting: Any) -> Recipe:
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
        return recipe.replace(cells=tuple(entry.cell(world) for entry in own)) if own else recipe

    # A mistake in any world is found before the first one is recorded.
    sources = [(world, world_source(world), policy_named(policy, world)) for world in chosen_worlds(worlds)]
    recipes = [recipe_of(*each) for each in sources]
    rows = []
    for (world, source, acting), recipe in zip(sources, recipes, strict=True):
        path = folder / world.replace(":", "-") if folder else folder_of(recipe, world, policy or "")
        env = None if isinstance(source, str) else source
        options: dict[str, Any] = {"overwrite": overwrite, "workers": workers, "report": print_note}
        made = generate(recipe, path, policy=acting, env=env, **options)
        rows.append(dataset_row(made))
    print_rows("Datasets", rows, as_json)


def dataset_row(made: Any) -> dict[str, Any]:
    """Return a dataset as a row: its sizes and its folder."""
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
