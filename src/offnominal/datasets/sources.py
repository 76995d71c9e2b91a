"""Public files that others made: where they lie in the data home, what they must hold, where they come from."""

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
        role: What its set calls it.
        path: Under the data home, with forward slashes.
        size: In bytes; zero if not known.
        sha256: Of the copy at ``url``; empty if not known, and then the first copy is trusted.
        url: Where it can be had; empty if only by hand.
        also: SHA-256 of other copies that hold the same rows.

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
    def place(self) -> Path:
        """Where the file is looked for now."""
        return data_home() / self.path

    @property
    def is_present(self) -> bool:
        """Whether a file is there; what it holds is not looked at."""
        home = find_data_home()
        try:
            return home is not None and (home / self.path).is_file()
        except OSError:
            return False

    def fetch(self) -> Path:
        """Return the place of the file, downloaded first if it is missing, its hash checked.

        Raises:
            MissingFile: It is not there and cannot be downloaded; the message says what to place where.
            DamagedFile: What is there is not the file.
        """
        if not self.is_present:
            return self._download()
        if self.sha256 and (found := sha256_of(self.place)) not in (self.sha256, *self.also):
            raise DamagedFile(
                f"{self.place} has sha256 {found}; expected {self.sha256}. Remove it, then {self.instruction()}"
            )
        return self.place

    def instruction(self) -> str:
        """Say what to place where."""
        known = f"sha256 {self.sha256}" if self.sha256 else "its SHA-256 is not known here"
        source = f", from {self.url}" if self.url else ""
        return (
            f"place the file {self.place.name} ({known}) at {self.place}{source}; ${DATA_VARIABLE} moves the data home."
        )

    def _download(self) -> Path:
        if not self.url:
            raise MissingFile(self.instruction())
        try:
            return fetch_file(self.url, self.place.parent, name=self.place.name, sha256=self.sha256)
        except MissingFile as error:
            raise MissingFile(f"{self.instruction()} It could not be downloaded.") from error
        except OSError as error:
            raise MissingFile(f"{self.instruction()} It could not be written there: {error}.") from error


SourceOptions = Mapping[str, tuple[SourceFile, ...]]
"""Alternatives: each a name and all the files that it needs."""


def choose_source(sources: SourceOptions) -> tuple[str, dict[str, Path]]:
    """Return the first way whose files are all there, or fetch those of the first; with the places by role.

    Raises:
        MissingFile: No way is complete and the first cannot be fetched.
        DamagedFile: A file is not what it should be.
    """
    complete = [name for name, needed in sources.items() if all(file.is_present for file in needed)]
    chosen = complete[0] if complete else next(iter(sources))
    return chosen, {file.role: file.fetch() for file in sources[chosen]}


def presence(sources: SourceOptions) -> str:
    """Say whether a set is ``present``, can be ``download``-ed, or must be placed ``by hand``."""
    if any(all(file.is_present for file in needed) for needed in sources.values()):
        return "present"
    if any(all(file.is_present or file.url for file in needed) for needed in sources.values()):
        return "download"
    return "by hand"


@cache
def read_sources(package: str) -> dict[str, SourceOptions]:
    """Return the ways of every set that ``files.csv`` of the package names."""
    found: dict[str, dict[str, tuple[SourceFile, ...]]] = {}
    text = files(package).joinpath("files.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        sources = found.setdefault(row["name"], {})
        sources[row["way"]] = (*sources.get(row["way"], ()), _file(row))
    return dict(found)


def _file(row: Mapping[str, str]) -> SourceFile:
    also = tuple(row["also"].split())
    return SourceFile(row["role"], row["path"], int(row["bytes"] or 0), row["sha256"], row["url"], also)
