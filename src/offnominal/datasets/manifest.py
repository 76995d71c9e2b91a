"""The manifest of a dataset: what it is, how it was made, the hash of every file and its own."""

from __future__ import annotations

import platform
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePosixPath
from typing import Any

from offnominal._version import __version__
from offnominal.core.config import Config
from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile, OffnominalError, UnsupportedFormat
from offnominal.core.files import file_errors, read_json, write_json
from offnominal.datasets.recipe import Recipe, without
from offnominal.datasets.statistics import Statistics

MANIFEST = "manifest.json"
SPLITS, FRAMES_FOLDER = "splits", "frames"
FORMAT = 2
"""Version of the manifest; that of the Parquet files is in :mod:`offnominal.datasets.split_metadata`."""
AGAIN = "fetch the dataset again, or generate it again with overwrite=True"
ANEW = "remove the folder, then fetch or generate the dataset again"
PACKAGES = ("gymnasium", "mujoco", "numba", "numpy", "pyarrow")


@dataclass(frozen=True)
class FramesEntry(Config):
    """What a manifest says of the frames of a split.

    Args:
        file: Where they lie, seen from the manifest.
        count: How many there are: one per observation.
        shape: Height, width and colours of each.
        size: Bytes of the file.
        sha256: Hash of the file.
    """

    file: str
    count: int
    shape: tuple[int, ...]
    size: int
    sha256: str


@dataclass(frozen=True)
class SplitEntry(Config):
    """What a manifest says of a split.

    Args:
        file: Where it lies, seen from the manifest.
        episodes: How many it has.
        steps: Transitions of all of them.
        size: Bytes of the file.
        sha256: Hash of the file.
        content: Hash of the episodes, whatever wrote the file; see :class:`ContentHash`.
        statistics: What they are like.
        frames: Their frames; None if none were recorded.
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
        """Return plain data; what has no frames does not speak of them."""
        return without(super().to_dict(), frames=None)

    @property
    def weight(self) -> int:
        """Bytes on disk, frames included."""
        return self.size + (self.frames.size if self.frames else 0)


@dataclass(frozen=True)
class Manifest(Config):
    """What a dataset is and how it was made.

    Args:
        world: Id of the world, or the name of where the episodes come from.
        source: Who made it: ``"generate"``, ``"save"`` or ``"minari"``.
        recipe: How to make it again; None if its episodes came from elsewhere.
        recipe_sha256: Hash of the recipe.
        versions: Of the packages that made it.
        platform: Operating system and processor that made it.
        splits: By name.
        documents: SHA-256 of the files that describe it, by name.
        format: Version of the manifest.
        sha256: Hash of all the other fields.
    """

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
        """Return the manifest of a dataset that is about to be made on this machine."""
        return cls(
            world=world,
            source=source,
            recipe=recipe,
            recipe_sha256=recipe.digest() if recipe else "",
            versions=installed(),
            platform=f"{platform.system()} {platform.machine()}",
        )

    def with_sha256(self) -> Manifest:
        """Return the manifest with its own hash."""
        return self.replace(sha256=self.replace(sha256="").digest())

    def write(self, folder: Path) -> None:
        """Write it into a folder, with its own hash."""
        write_json(folder / MANIFEST, self.with_sha256().to_dict())


def installed() -> dict[str, str]:
    """Return the versions that can make a difference."""
    found = {"python": platform.python_version(), "offnominal": __version__}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    return found


def read_manifest(folder: Path | str) -> Manifest:
    """Read the manifest of a dataset.

    Args:
        folder: Of the dataset.

    Raises:
        MissingFile: There is none.
        UnsupportedFormat: It was written by another version.
        DamagedFile: It is not what was written.
    """
    if not isinstance(folder, Path | str):
        raise InvalidParameter(f"folder is {folder!r}; give the path of a dataset.")
    path = Path(folder) / MANIFEST
    try:
        data = read_json(path)
    except MissingFile:
        raise MissingFile(f"{path} does not exist; a dataset is a folder with a {MANIFEST}.") from None
    except DamagedFile as error:
        raise DamagedFile(f"{str(error).rstrip('.')}; {ANEW}.") from None
    if "format" not in data:
        raise DamagedFile(f"{path} is not the manifest of a dataset; {ANEW}.")
    if data["format"] != FORMAT:
        raise UnsupportedFormat(f"{path} has format {data['format']!r}; this version reads format {FORMAT}; {ANEW}.")
    try:
        manifest = Manifest.from_dict(data)
        intact = manifest.sha256 == manifest.with_sha256().sha256
    except (OffnominalError, ValueError, TypeError, RecursionError, OverflowError) as error:
        raise DamagedFile(f"{path} is not valid ({str(error).rstrip('.')}); {ANEW}.") from None
    if not intact:
        raise DamagedFile(f"{path} was changed: its content does not have the SHA-256 that it states; {ANEW}.")
    _check_places(Path(folder), manifest)
    return manifest


def _check_places(folder: Path, manifest: Manifest) -> None:
    """A manifest from elsewhere must not make us read or remove what lies elsewhere."""
    entries = [each for entry in manifest.splits.values() for each in (entry, entry.frames) if each is not None]
    for file in [*(entry.file for entry in entries), *manifest.documents]:
        plain = PurePosixPath(file)
        with file_errors(folder / file):
            inside = (folder / file).resolve().is_relative_to(folder.resolve())
        if plain.is_absolute() or not plain.name or ".." in plain.parts or "\\" in file or not inside:
            raise DamagedFile(f"{folder / MANIFEST} lists the file {file!r}, which is not in the dataset; {ANEW}.")


def file_of(split: str, kind: str = SPLITS) -> str:
    """Return where the file of a split goes, or that of its frames.

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
