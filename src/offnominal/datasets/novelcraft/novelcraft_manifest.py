"""Manifest of a NovelCraft set: recipe, versions, and the hash of every file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from offnominal.core.checks import instances_of
from offnominal.core.config import Config
from offnominal.core.errors import DamagedFile
from offnominal.datasets.listed_files import file_problem
from offnominal.datasets.manifest_file import ManifestFile, installed, this_platform
from offnominal.datasets.novelcraft.novelcraft_recipe import NovelCraftRecipe

MANIFEST = "novelcraft.json"
AGAIN = "make the set again in another folder"


@dataclass(frozen=True)
class CraftEntry(Config):
    """An episode in the manifest.

    Args:
        file: Archive, relative to the manifest.
        frames: Number of frames.
        solved: Whether the player made the pogo stick.
        size: Size of the archive, bytes.
        sha256: SHA-256 of the archive.
    """

    file: str
    frames: int
    solved: bool
    size: int
    sha256: str


@dataclass(frozen=True)
class NovelCraftManifest(ManifestFile):
    """Description of a NovelCraft set.

    Args:
        recipe: Recipe of the set.
        versions: Versions of the packages that wrote it.
        platform: Operating system and processor on which it was written.
        episodes: Episodes by ``class/episode``.
        documents: SHA-256 of the tables.
        format: Version of the manifest.
        sha256: Hash of all other fields.
    """

    FILE: ClassVar[str] = MANIFEST
    FORMAT: ClassVar[int] = 2
    NOUN: ClassVar[str] = "a NovelCraft set"
    REMEDY: ClassVar[str] = AGAIN

    recipe: NovelCraftRecipe
    versions: dict[str, str]
    platform: str
    episodes: dict[str, CraftEntry] = field(default_factory=dict)
    documents: dict[str, str] = field(default_factory=dict)
    format: int = FORMAT
    sha256: str = ""

    @classmethod
    def here(cls, recipe: NovelCraftRecipe) -> NovelCraftManifest:
        """Return the manifest of a new set on this machine, without episodes."""
        return cls(recipe, installed(), this_platform())

    def check_tables(self, folder: Path, names: Iterable[str]) -> None:
        """Raise an error if tables are not the listed ones.

        Args:
            folder: Folder of the set.
            names: Names of the tables.

        Raises:
            DamagedFile: A table is missing or has another SHA-256.
        """
        for name in instances_of("names", names, str):
            if wrong := file_problem(folder / name, self.documents.get(name, ""), AGAIN):
                raise DamagedFile(wrong)

    @property
    def frames(self) -> int:
        """Number of frames of all episodes."""
        return sum(entry.frames for entry in self.episodes.values())

    @property
    def size(self) -> int:
        """Size of all episodes, bytes."""
        return sum(entry.size for entry in self.episodes.values())


def read_novelcraft_manifest(folder: Path) -> NovelCraftManifest:
    """Read the manifest of a set.

    Raises:
        MissingFile: There is no manifest.
        UnsupportedFormat: It was written by another version.
        DamagedFile: It is invalid or was changed.
    """
    return NovelCraftManifest.read(folder)
