"""`offnominal novelcraft`: sets of labelled images and episodes of the pogo-stick task."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from offnominal.cli.app import App
from offnominal.cli.options import MOST_AT_ONCE, count_option, folder_option, seed_option
from offnominal.cli.output import AsJson, print_json, print_note, print_rows, print_text

novelcraft = App(no_args_is_help=True, help="Make, count and export NovelCraft sets.")
Folder = Annotated[Path, typer.Argument(help="Folder of the set.", file_okay=False)]


@novelcraft.command()
def make(
    folder: Annotated[Path, folder_option("New folder for the set.")],
    plus: Annotated[bool, typer.Option("--plus", help="Also record the training episodes of NovelCraft+.")] = False,
    share: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of the published numbers of episodes; at least 3 per class.")
    ] = 1.0,
    only: Annotated[list[str] | None, typer.Option("--class", help="Only this class; can be repeated.")] = None,
    version: Annotated[str, typer.Option(help="Version of the task: v1 or v2.")] = "v2",
    max_frames: Annotated[int | None, count_option("Largest number of frames of an episode. Default: 401.")] = None,
    agents: Annotated[
        str,
        typer.Option(help="Mixture of agents: published, diverse, planner, or former for those of earlier versions."),
    ] = "published",
    seed: Annotated[int, seed_option("Seed of the set.")] = 0,
    workers: Annotated[int, count_option("Parallel processes.", most=MOST_AT_ONCE)] = 1,
    as_json: AsJson = False,
) -> None:
    """Record a NovelCraft set of the pogo-stick task.

    Every frame has an image, the sensed data, labels and a split. Interrupted runs resume: run the same command
    again. `offnominal verify` verifies the files.

    Example: [bold]offnominal novelcraft make --out data/novelcraft --workers 2[/]
    """
    from offnominal.datasets.novelcraft import NovelCraftRecipe, make_novelcraft, read_novelcraft_manifest

    limit = {} if max_frames is None else {"max_frames": max_frames}
    recipe = NovelCraftRecipe(
        version=cast(Any, version), seed=seed, plus=plus, share=share, classes=tuple(only or ()), agents=agents, **limit
    )
    made = make_novelcraft(recipe, folder, workers=workers, report=print_note)
    manifest = read_novelcraft_manifest(made.folder)
    if as_json:
        facts = {"classes": len(made.classes), "episodes": len(made), "frames": manifest.frames, "bytes": manifest.size}
        print_json({"folder": str(folder), **facts})
        return
    print_text(
        f"{folder}: {len(made):,} episodes of {len(made.classes)} classes, {manifest.frames:,} frames, "
        f"{manifest.size / 1e6:,.1f} MB."
    )


@novelcraft.command()
def summary(
    folder: Folder,
    classes: Annotated[bool, typer.Option("--classes", help="One row per class, not per split.")] = False,
    as_json: AsJson = False,
) -> None:
    """Count the episodes and images of a set.

    Counts by split or by class, before and after the filter of 1 % novel pixels.

    Example: [bold]offnominal novelcraft summary data/novelcraft --classes[/]
    """
    from offnominal.datasets.novelcraft import class_sizes, open_novelcraft, split_sizes

    sizes = (class_sizes if classes else split_sizes)(open_novelcraft(folder))
    rows = [
        {
            "class" if classes else "split": size.part,
            **({} if classes else {"classes": size.classes}),
            "episodes": size.episodes,
            "episodes kept": size.kept_episodes,
            "images": size.images,
            "images kept": size.kept_images,
        }
        for size in sizes
    ]
    print_rows(f"NovelCraft in {folder}", rows, as_json)


@novelcraft.command()
def export(
    folder: Folder,
    out: Annotated[Path, folder_option("New folder for the files.")],
    as_json: AsJson = False,
) -> None:
    """Write a set in the published layout.

    One PNG and one JSON file per frame, and the three tables.

    Example: [bold]offnominal novelcraft export data/novelcraft --out data/novelcraft-files[/]
    """
    from offnominal.datasets.novelcraft import export_published, open_novelcraft

    data = open_novelcraft(folder)
    export_published(data, out, report=print_note)
    if as_json:
        print_json({"folder": str(out), "episodes": len(data)})
        return
    print_text(f"{out}: {len(data):,} episodes in the published layout.")
