"""Manifest of a dataset: recipe, versions, splits, and the hash of every file and of the manifest."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

from offnominal.core.config import Config
from offnominal.core.errors import DamagedFile, InvalidParameter
from offnominal.core.files import file_errors
from offnominal.datasets.manifest_file import ManifestFile, installed, this_platform
from offnominal.datasets.recipe import Recipe, without
from offnominal.datasets.statistics import Statistics

MANIFEST = "manifest.json"
SPLITS, FRAMES_FOLDER = "splits", "frames"
AGAIN = "fetch the dataset again, or generate it again with overwrite=True"


@dataclass(frozen=True)
class FramesEntry(Config):
    """Manifest entry of the frames of a split.

    Args:
        file: Path relative to the manifest.
        count: Number of frames, one per observation.
        shape: Height, width and channels of a frame.
        size: Size of the file in bytes.
        sha256: SHA-256 of the file.
    """

    file: str
    count: int
    shape: tuple[int, ...]
    size: int
    sha256: str


@dataclass(frozen=True)
class SplitEntry(Config):
    """Manifest entry of a split.

    Args:
        file: Path relative to the manifest.
        episodes: Number of episodes.
        steps: Number of transitions of all episodes.
        size: Size of the file in bytes.
        sha256: SHA-256 of the file.
        content: Hash of the episodes, independent of the file format; see :class:`ContentHash`.
        statistics: Summary statistics of the episodes.
        frames: Entry of the frames; None if there are none.
    """

    file: str
    episodes: int
    steps: int
    size: int
    sha256: str
    content: str
    statistics: Statistics
    frames: FramesEntry | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, without the field of the frames if there are none."""
        return without(super().to_dict(), frames=None)

    @property
    def weight(self) -> int:
        """Size in bytes, frames included."""
        return self.size + (self.frames.size if self.frames else 0)


@dataclass(frozen=True)
class Manifest(ManifestFile):
    """Description of a dataset.

    Args:
        world: Id of the world, or another name for the source of the episodes.
        source: Function that wrote it: ``"generate"``, ``"save"`` or ``"minari"``.
        recipe: Recipe of the dataset; None for imported episodes.
        recipe_sha256: Hash of the recipe.
        versions: Versions of the packages that wrote it.
        platform: Operating system and processor on which it was written.
        splits: Entries of the splits by name.
        documents: SHA-256 of its other files by name.
        format: Version of the manifest.
        sha256: Hash of all other fields.
    """

    FILE: ClassVar[str] = MANIFEST
    FORMAT: ClassVar[int] = 2
    """That of the Parquet files is in :mod:`offnominal.datasets.split_metadata`."""
    NOUN: ClassVar[str] = "a dataset"
    REMEDY: ClassVar[str] = "remove the folder, then fetch or generate the dataset again"

    world: str
    source: str
    recipe: Recipe | None
    recipe_sha256: str
    versions: dict[str, str]
    platform: str
    splits: dict[str, SplitEntry] = field(default_factory=dict)
    documents: dict[str, str] = field(default_factory=dict)
    format: int = FORMAT
    sha256: str = ""

    @classmethod
    def here(cls, world: str, source: str, recipe: Recipe | None = None) -> Manifest:
        """Return a manifest for a new dataset on this machine, without splits."""
        return cls(
            world=world,
            source=source,
            recipe=recipe,
            recipe_sha256=recipe.digest() if recipe else "",
            versions=installed(),
            platform=this_platform(),
        )


def read_manifest(folder: Path | str) -> Manifest:
    """Read the manifest of a dataset.

    Args:
        folder: Folder of the dataset.

    Raises:
        MissingFile: There is no manifest.
        UnsupportedFormat: It was written by another version.
        DamagedFile: It is invalid or was changed.
    """
    manifest = Manifest.read(folder)
    _check_paths(Path(folder), manifest)
    return manifest


def _check_paths(folder: Path, manifest: Manifest) -> None:
    """Raise if the manifest lists a file outside the folder of the dataset."""
    entries = [part for entry in manifest.splits.values() for part in (entry, entry.frames) if part is not None]
    for file in [*(entry.file for entry in entries), *manifest.documents]:
        plain = PurePosixPath(file)
        with file_errors(folder / file):
            inside = (folder / file).resolve().is_relative_to(folder.resolve())
        if plain.is_absolute() or not plain.name or ".." in plain.parts or "\\" in file or not inside:
            raise DamagedFile(
                f"{folder / MANIFEST} lists the file {file!r}, which is not in the dataset; {manifest.REMEDY}."
            )


def file_of(split: str, kind: str = SPLITS) -> str:
    """Return the path of the file of a split, or of its frames.

    Example:
        >>> file_of("action/noise@tiny"), file_of("train", FRAMES_FOLDER)
        ('splits/action--noise@tiny.parquet', 'frames/train.parquet')
    """
    if not isinstance(split, str):
        raise InvalidParameter(f"{split!r} cannot be the name of a split; expected a text.")
    parts = split.split("/")
    allowed = all(part.strip(".") and part.isprintable() and not set(part) & set('\\:*?"<>|') for part in parts)
    if not allowed or len(split.encode()) > 200:
        raise InvalidParameter(f"{split!r} cannot be the name of a split; use letters, digits, and . - _ @ / between.")
    return f"{kind}/{'--'.join(parts)}.parquet"
