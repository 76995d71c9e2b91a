"""The manifest of a dataset: what it is, how it was made, and the hash of every file."""

from __future__ import annotations

import json
import platform
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path, PurePosixPath
from typing import Any

from offnominal.core.config import Config
from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile, UnsupportedFormat
from offnominal.datasets.facts import FORMAT
from offnominal.datasets.recipe import Recipe, without
from offnominal.datasets.statistics import Statistics

MANIFEST = "manifest.json"
SPLITS, FILMS = "splits", "frames"
AGAIN = "fetch the dataset again, or generate it again with overwrite=True"
PACKAGES = ("offnominal", "gymnasium", "mujoco", "numba", "numpy", "pyarrow")


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
        content: Hash of the episodes, whatever wrote the file; see :class:`Content`.
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
        format: Version of the layout of the files.
    """

    world: str
    source: str
    recipe: Recipe | None
    recipe_sha256: str
    versions: dict[str, str]
    platform: str
    splits: dict[str, SplitEntry] = field(default_factory=dict)
    format: int = FORMAT

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

    def write(self, folder: Path) -> None:
        """Write it into a folder."""
        text = json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"
        (folder / MANIFEST).write_text(text, encoding="utf-8")


def installed() -> dict[str, str]:
    """Return the versions that can make a difference."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    return found


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a dataset, or say what is wrong with it."""
    path = folder / MANIFEST
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise MissingFile(f"{path} does not exist; a dataset is a folder with a {MANIFEST}.") from None
    except ValueError as error:
        raise DamagedFile(f"{path} is no JSON ({error}); {AGAIN}.") from None
    if not isinstance(data, dict) or "format" not in data:
        raise DamagedFile(f"{path} is no manifest of a dataset; {AGAIN}.")
    if data["format"] != FORMAT:
        raise UnsupportedFormat(f"{path} has format {data['format']!r}; this version reads format {FORMAT}.")
    try:
        manifest = Manifest.from_dict(data)
    except InvalidParameter as error:
        raise DamagedFile(f"{path} is not valid ({str(error).rstrip('.')}); {AGAIN}.") from None
    for name, entry in manifest.splits.items():
        _check_inside(folder, name, entry.file)
        if entry.frames:
            _check_inside(folder, name, entry.frames.file)
    return manifest


def _check_inside(folder: Path, split: str, file: str) -> None:
    """A manifest from elsewhere must not make us read what lies elsewhere."""
    plain = PurePosixPath(file)
    inside = (folder / file).resolve().is_relative_to(folder.resolve())
    if plain.is_absolute() or ".." in plain.parts or "\\" in file or not inside:
        raise DamagedFile(f"{folder / MANIFEST} says that split {split!r} is {file!r}, which is not in the dataset.")


def file_of(split: str, kind: str = SPLITS) -> str:
    """Return where the file of a split goes, or that of its frames.

    Example:
        >>> file_of("action/noise@tiny"), file_of("train", FILMS)
        ('splits/action--noise@tiny.parquet', 'frames/train.parquet')
    """
    parts = split.split("/")
    allowed = all(part.strip(".") and part.isprintable() and not set(part) & set('\\:*?"<>|') for part in parts)
    if not allowed or len(split) > 200:
        raise InvalidParameter(f"{split!r} cannot be the name of a split; use letters, digits, and . - _ @ / between.")
    return f"{kind}/{'--'.join(parts)}.parquet"
