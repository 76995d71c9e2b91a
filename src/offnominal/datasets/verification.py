"""See whether a dataset is what its manifest says, to the last byte."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from offnominal.core.errors import OffnominalError
from offnominal.core.files import sha256_of
from offnominal.core.progress_bar import progress
from offnominal.datasets.hashing import ContentHash
from offnominal.datasets.manifest import AGAIN, FRAMES_FOLDER, MANIFEST, SPLITS, Manifest, read_manifest
from offnominal.datasets.owned import foreign_files
from offnominal.datasets.recipe import Recipe
from offnominal.datasets.split import Split
from offnominal.datasets.statistics import StatisticsAccumulator


def verify_dataset(folder: Path | str) -> dict[str, str]:
    """Hash every file again, read every episode again, and return what is wrong with each split.

    The manifest states its own hash, which is compared first. Numbers of episodes, steps and frames and all statistics
    are computed again from the episodes. Names, seeds and faults of the splits must be those of the recipe.

    Args:
        folder: Of the dataset.

    Returns:
        A line of text per split; empty if nothing is wrong. Of the manifest, of documents, and of files beside the
        splits that no split owns, only those with a problem are listed.

    Raises:
        OffnominalError: The manifest is missing or damaged, so nothing can be compared with it.

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
    place = Path(folder)
    problems = {MANIFEST: wrong} if (wrong := _recipe_problem(manifest)) else {}
    with progress(f"Verifying {manifest.world}", total=len(manifest.splits)) as tick:
        for name, entry in manifest.splits.items():
            problems[name] = _problem(Split(name, place, entry, world=manifest.world), manifest.recipe)
            tick(note=name)
    for name, sha256 in manifest.documents.items():
        if wrong := _document_problem(place / name, sha256):
            problems[name] = wrong
    stray = [file for file in foreign_files(place, manifest) if file.startswith((f"{SPLITS}/", f"{FRAMES_FOLDER}/"))]
    return problems | dict.fromkeys(stray, "no split owns this file")


def _recipe_problem(manifest: Manifest) -> str:
    """Say in what a manifest contradicts its own recipe."""
    recipe = manifest.recipe
    if recipe is None:
        return ""
    if recipe.digest() != manifest.recipe_sha256:
        return "the recipe is not the one whose hash stands beside it"
    if recipe.world != manifest.world:
        return f"the recipe is one of {recipe.world}, not of {manifest.world}"
    if list(recipe.seeds()) != list(manifest.splits):
        return f"the splits are not those of the recipe: {', '.join(recipe.seeds())}"
    return ""


def _document_problem(path: Path, sha256: str) -> str:
    try:
        return "" if sha256_of(path) == sha256 else f"{path} is not the file that the manifest lists; {AGAIN}."
    except OffnominalError as error:
        return str(error)


def _problem(split: Split, recipe: Recipe | None) -> str:
    """Return the first problem of a split, or an empty text."""
    try:
        split.check("hash")
        differences = chain(_wrong_entries(split), _wrong_origin(split, recipe) if recipe else ())
        return next(differences, "")
    except OffnominalError as error:
        return str(error)


def _wrong_entries(split: Split) -> Iterator[str]:
    """Say what the manifest states of a split and its episodes do not have."""
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
    """Say what the episodes have and their recipe does not state."""
    seeds = recipe.seeds().get(split.name)
    if seeds is None or split.seeds.tolist() != seeds.tolist():
        yield "the seeds are not those of the recipe"
    planned = {(cell.anomaly, cell.parameter) for cell in recipe.cells if cell.name == split.name}
    if {(event.anomaly, event.parameter) for events in split.events for event in events} - planned:
        yield "the faults are not those of the recipe"
