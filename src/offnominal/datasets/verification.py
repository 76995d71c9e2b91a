"""Verification of datasets: hashes, episodes, statistics and recipe."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from offnominal.core.errors import OffnominalError
from offnominal.core.progress_bar import progress
from offnominal.datasets.hashing import ContentHash
from offnominal.datasets.listed_files import document_problems
from offnominal.datasets.manifest import AGAIN, FRAMES_FOLDER, MANIFEST, SPLITS, Manifest, read_manifest
from offnominal.datasets.owned import foreign_files
from offnominal.datasets.recipe import Recipe
from offnominal.datasets.split import Split
from offnominal.datasets.statistics import StatisticsAccumulator


def verify_dataset(folder: Path | str) -> dict[str, str]:
    """Verify all files and episodes of a dataset and return the problem of each split.

    The hash of the manifest is compared first. Then every file is hashed, every episode is read, and numbers of
    episodes, steps and frames and all statistics are computed again. Names, seeds and faults of the splits are compared
    with the recipe.

    Args:
        folder: Folder of the dataset.

    Returns:
        One line of text per split, empty if it is intact. The manifest, documents and unexpected files in the folders
        of the splits are listed only if they have a problem.

    Raises:
        OffnominalError: The manifest is missing or damaged.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from offnominal.datasets import Recipe, generate
        >>> folder = TemporaryDirectory()
        >>> data = generate(Recipe.for_world("SAP-Goal0-v0", episodes=3, levels=[]), folder.name)
        >>> data["test"].path.write_bytes(b"something else")
        14
        >>> verify_dataset(folder.name)
        {'train': '', 'validation': '', 'test': '...test.parquet has 14 bytes, the manifest says ...; fetch ...'}
    """
    manifest = read_manifest(folder)
    path = Path(folder)
    problems = {MANIFEST: wrong} if (wrong := _recipe_problem(manifest)) else {}
    with progress(f"Verifying {manifest.world}", total=len(manifest.splits)) as tick:
        for name, entry in manifest.splits.items():
            problems[name] = _problem(Split(name, path, entry, world=manifest.world), manifest.recipe)
            tick(note=name)
    problems |= document_problems(path, manifest.documents, AGAIN)
    stray = [file for file in foreign_files(path, manifest) if file.startswith((f"{SPLITS}/", f"{FRAMES_FOLDER}/"))]
    return problems | dict.fromkeys(stray, "no split owns this file")


def _recipe_problem(manifest: Manifest) -> str:
    """Return how a manifest contradicts its recipe, or an empty text."""
    recipe = manifest.recipe
    if recipe is None:
        return ""
    if recipe.digest() != manifest.recipe_sha256:
        return "the recipe does not have the hash in the manifest"
    if recipe.world != manifest.world:
        return f"the recipe is for {recipe.world}, not for {manifest.world}"
    if list(recipe.seeds()) != list(manifest.splits):
        return f"the splits are not those of the recipe: {', '.join(recipe.seeds())}"
    return ""


def _problem(split: Split, recipe: Recipe | None) -> str:
    """Return the first problem of a split, or an empty text."""
    try:
        split.check("hash")
        differences = chain(_wrong_entries(split), _wrong_origin(split, recipe) if recipe else ())
        return next(differences, "")
    except OffnominalError as error:
        return str(error)


def _wrong_entries(split: Split) -> Iterator[str]:
    """Yield differences between the manifest and the episodes of a split."""
    entry, content, statistics = split.entry, ContentHash(), StatisticsAccumulator()
    if (len(split.lengths), int(split.lengths.sum())) != (entry.episodes, entry.steps):
        yield "the number of episodes or steps is not that of the manifest"
    for episode in split:
        content.add(episode)
        statistics.add(episode)
    if content.hexdigest() != entry.content:
        yield "the episodes are not those of the manifest"
    if repr(statistics.result()) != repr(entry.statistics):
        yield f"the statistics of the manifest are not those of the episodes, {statistics.result()}"
    frames = entry.frames
    if frames and (frames.count, frames.shape) != (entry.episodes + entry.steps, split.frame_shape):
        yield "the number or shape of the frames is not that of the manifest"


def _wrong_origin(split: Split, recipe: Recipe) -> Iterator[str]:
    """Yield differences between the recipe and the episodes of a split."""
    seeds = recipe.seeds().get(split.name)
    if seeds is None or split.seeds.tolist() != seeds.tolist():
        yield "the seeds are not those of the recipe"
    cells = [each for cell in recipe.cells if cell.name == split.name for each in cell.each()]
    planned = {(cell.anomaly, cell.parameter) for cell in cells}
    if {(event.anomaly, event.parameter) for events in split.events for event in events} - planned:
        yield "the faults are not those of the recipe"
