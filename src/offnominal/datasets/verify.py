"""See whether a dataset is what its manifest says, to the last byte."""

from __future__ import annotations

from pathlib import Path

from offnominal.core.errors import OffnominalError
from offnominal.core.progress import progress
from offnominal.datasets.content import content_of
from offnominal.datasets.manifest import FILMS, MANIFEST, SPLITS, read_manifest
from offnominal.datasets.split import Split


def verify(folder: Path | str) -> dict[str, str]:
    """Hash every file again, read every episode again, and return what is wrong with each split.

    Args:
        folder: Of the dataset.

    Returns:
        A line of text per split; empty if nothing is wrong. Files that no split owns are listed, too.

    Raises:
        OffnominalError: The manifest is missing or damaged, so nothing can be compared with it.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from offnominal.datasets import generate
        >>> folder = TemporaryDirectory()
        >>> data = generate("SAP-Goal0-v0", folder.name, episodes=3, levels=[])
        >>> data["test"].path.write_bytes(b"something else")
        14
        >>> verify(folder.name)
        {'train': '', 'validation': '', 'test': '...test.parquet has 14 bytes, the manifest says ...; fetch ...'}
    """
    place = Path(folder)
    manifest = read_manifest(place)
    problems = {}
    if manifest.recipe and manifest.recipe.digest() != manifest.recipe_sha256:
        problems[MANIFEST] = "the recipe is not the one whose hash stands beside it"
    with progress(f"Verifying {manifest.world}", total=len(manifest.splits)) as tick:
        for name, entry in manifest.splits.items():
            problems[name] = _problem(Split(name, place, entry, world=manifest.world))
            tick(note=name)
    entries = manifest.splits.values()
    owned = {file.file for entry in entries for file in (entry, entry.frames) if file}
    files = [path for kind in (SPLITS, FILMS) for path in (place / kind).rglob("*") if path.is_file()]
    found = sorted(path.relative_to(place).as_posix() for path in files)
    problems.update({file: "no split owns this file" for file in found if file not in owned})
    return problems


def _problem(split: Split) -> str:
    try:
        split.check("hash")
        content = content_of(split)
    except OffnominalError as error:
        return str(error)
    if (len(split.lengths), int(split.lengths.sum())) != (split.entry.episodes, split.entry.steps):
        return "the number of episodes or steps is not that of the manifest"
    return "" if content == split.entry.content else "the episodes are not those of the manifest"
