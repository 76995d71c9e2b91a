"""Catalogue of public recordings."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from offnominal.core.directories import DATA_VARIABLE, data_home, find_data_home
from offnominal.core.errors import MissingFile, UnknownName, did_you_mean
from offnominal.core.files import file_errors
from offnominal.datasets.logs.file_order import natural
from offnominal.datasets.sources import SourceOptions, choose_source, presence, read_sources

PACKAGE = "offnominal.datasets.public_logs"
MEBIBYTE = 2**20


@dataclass(frozen=True, slots=True)
class PublicLog:
    """One set of recordings of the catalogue.

    Attributes:
        name: Name of the set.
        summary: What was recorded.
        page: Web page of the data.
        licence: Licence of the data.
        note: What is read, and how a file must be prepared.
        size: Size as its authors state it, if the files are not listed.
        place: Folder in the data home for files that are placed by hand.
        patterns: Names of such files.
        sources: Files with their hashes, if they are known.

    Example:
        >>> public_log_entry("voraus-ad").licence
        'CC BY-NC-SA 4.0'
    """

    name: str
    summary: str
    page: str
    licence: str
    note: str
    size: str = ""
    place: str = ""
    patterns: tuple[str, ...] = ()
    sources: SourceOptions = field(default_factory=dict)

    @property
    def presence(self) -> str:
        """``present``, ``download`` or ``by hand``."""
        if self.sources:
            return presence(self.sources)
        return "present" if self._placed() else "by hand"

    @property
    def stated_size(self) -> str:
        """Size of the files: that of the listed ones, or as the authors state it."""
        listed = [file for option in self.sources.values() for file in option]
        if listed:
            return f"{sum(file.size for file in listed) / MEBIBYTE:.2g} MiB"
        return self.size or "not known"

    @property
    def sha256(self) -> str:
        """The hash of the first listed file, and the number of others; ``not known`` without any."""
        listed = [file for option in self.sources.values() for file in option]
        if not listed:
            return "not known"
        more = f" and {len(listed) - 1} more" if len(listed) > 1 else ""
        return f"{listed[0].sha256[:12]}…{more}"

    def paths(self) -> dict[str, Path]:
        """Return the files by role; missing ones are downloaded if possible. Hashes are checked if they are known.

        Raises:
            MissingFile: A file must be placed by hand; the message says where.
            DamagedFile: A file has another hash.
        """
        if self.sources:
            return choose_source(self.sources)[1]
        found = self._placed()
        if not found:
            raise MissingFile(
                f"place {' or '.join(self.patterns)} in {data_home() / self.place}, from {self.page} ({self.note}); "
                f"${DATA_VARIABLE} sets the data home."
            )
        return {path.stem: path for path in found}

    def _placed(self) -> list[Path]:
        """Return the files that were placed by hand: those of the first pattern with any."""
        home = find_data_home()
        if home is None or not self.place:
            return []
        with file_errors(home):
            for pattern in self.patterns:
                if found := sorted((home / self.place).glob(pattern), key=lambda path: natural(path.name)):
                    return found
        return []


def public_log_names() -> tuple[str, ...]:
    """Return the names of the public recordings.

    Example:
        >>> public_log_names()[:3]
        ('aursad', 'c-mapss', 'nab')
    """
    return tuple(_entries())


def public_log_entry(name: str) -> PublicLog:
    """Return the catalogue entry of public recordings.

    Args:
        name: Name of the set.

    Raises:
        UnknownName: No set has that name.
    """
    entries = _entries()
    if not isinstance(name, str) or name not in entries:
        near = did_you_mean(str(name), entries)
        raise UnknownName(f"no public recordings named {name!r}.{near} There are {', '.join(entries)}.")
    return entries[name]


@cache
def _entries() -> dict[str, PublicLog]:
    text = files(PACKAGE).joinpath("catalogue.toml").read_text(encoding="utf-8")
    sources = read_sources(PACKAGE)
    return {name: _entry(name, facts, sources.get(name, {})) for name, facts in sorted(tomllib.loads(text).items())}


def _entry(name: str, facts: dict[str, Any], sources: SourceOptions) -> PublicLog:
    patterns = tuple(facts.pop("patterns", ()))
    return PublicLog(name=name, patterns=patterns, sources=sources, **facts)
