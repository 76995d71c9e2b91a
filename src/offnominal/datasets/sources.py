"""Public files: their path in the data home, SHA-256 and URL."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from offnominal.core.directories import DATA_VARIABLE, data_home, find_data_home
from offnominal.core.download import fetch_file
from offnominal.core.errors import DamagedFile, MissingFile
from offnominal.core.files import sha256_of


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One public file.

    Attributes:
        role: Name of the file within its set.
        path: Path in the data home, with forward slashes.
        size: Size in bytes; zero if unknown.
        sha256: SHA-256 of the file at ``url``; if empty, the first copy is trusted.
        url: Download URL; empty if the file must be placed by hand.
        also: SHA-256 of other files with the same rows.

    Example:
        >>> SourceFile("rows", "tabular/mine.csv", 4, "0" * 64).is_present
        False
    """

    role: str
    path: str
    size: int
    sha256: str
    url: str = ""
    also: tuple[str, ...] = ()

    @property
    def local_path(self) -> Path:
        """Path of the file in the current data home."""
        return data_home() / self.path

    @property
    def is_present(self) -> bool:
        """Whether the file exists; its content is not checked."""
        home = find_data_home()
        try:
            return home is not None and (home / self.path).is_file()
        except OSError:
            return False

    def fetch(self) -> Path:
        """Return the path of the file after a check of its hash; download it first if it is missing.

        Raises:
            MissingFile: The file is missing and cannot be downloaded; the message says where to place it.
            DamagedFile: The file has another hash.
        """
        if not self.is_present:
            return self._download()
        if self.sha256 and (found := sha256_of(self.local_path)) not in (self.sha256, *self.also):
            raise DamagedFile(
                f"{self.local_path} has sha256 {found}; expected {self.sha256}. Remove it, then {self.instruction()}"
            )
        return self.local_path

    def instruction(self) -> str:
        """Return a sentence that says where to place the file."""
        known = f"sha256 {self.sha256}" if self.sha256 else "its SHA-256 is unknown"
        source = f", from {self.url}" if self.url else ""
        path = self.local_path
        return f"place the file {path.name} ({known}) at {path}{source}; ${DATA_VARIABLE} sets the data home."

    def _download(self) -> Path:
        if not self.url:
            raise MissingFile(self.instruction())
        try:
            return fetch_file(self.url, self.local_path.parent, name=self.local_path.name, sha256=self.sha256)
        except MissingFile as error:
            raise MissingFile(f"{self.instruction()} It could not be downloaded.") from error
        except OSError as error:
            raise MissingFile(f"{self.instruction()} It could not be written there: {error}.") from error


SourceOptions = Mapping[str, tuple[SourceFile, ...]]
"""Alternative sources by name, each with all its files."""


def choose_source(sources: SourceOptions) -> tuple[str, dict[str, Path]]:
    """Return the first source whose files all exist, else the first one that can be fetched; with the paths by role.

    Raises:
        MissingFile: No source is complete, and none can be downloaded; the message is about the first one.
        DamagedFile: A file has another hash.
    """
    complete = [name for name, files_ in sources.items() if all(file.is_present for file in files_)]
    failures: list[MissingFile] = []
    for name in complete[:1] or sources:
        try:
            return name, {file.role: file.fetch() for file in sources[name]}
        except MissingFile as error:
            failures.append(error)
    raise failures[0]


def presence(sources: SourceOptions) -> str:
    """Return ``"present"``, ``"download"`` (can be downloaded) or ``"by hand"`` (must be placed by hand)."""
    if any(all(file.is_present for file in needed) for needed in sources.values()):
        return "present"
    if any(all(file.is_present or file.url for file in needed) for needed in sources.values()):
        return "download"
    return "by hand"


@cache
def read_sources(package: str) -> dict[str, SourceOptions]:
    """Return the sources of every set in ``files.csv`` of a package."""
    found: dict[str, dict[str, tuple[SourceFile, ...]]] = {}
    text = files(package).joinpath("files.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        sources = found.setdefault(row["name"], {})
        sources[row["way"]] = (*sources.get(row["way"], ()), _file(row))
    return dict(found)


def _file(row: Mapping[str, str]) -> SourceFile:
    also = tuple(row["also"].split())
    return SourceFile(row["role"], row["path"], int(row["bytes"] or 0), row["sha256"], row["url"], also)
