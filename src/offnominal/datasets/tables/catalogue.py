"""Catalogue of the forty public tables."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.datasets.sources import SourceOptions, presence, read_sources
from offnominal.datasets.tables.table import DIFFICULTIES

PACKAGE = "offnominal.datasets.tables"
USED = ("easy", "medium")
"""Difficulties of the anomalies that the paper uses."""
LICENCE = "CC BY 4.0 since 2023 (UCI); cite the donors"


@dataclass(frozen=True, slots=True)
class TableEntry:
    """One table of the catalogue.

    Attributes:
        name: Name in the paper.
        family: ``prepared`` (rare or confused points with a difficulty) or ``semantic`` (classes).
        dim: Number of columns in the paper, including identifiers.
        normal: Number of normal rows of the split: ``floor(.6 n) + 2 floor(.2 n)``.
        anomalous: Number of anomalous rows of the split: ``2 floor(m / 2)``.
        page: Web page of the data.
        licence: Licence of the data.
        identifiers: Columns that number the rows.
        quirk: Known peculiarity; empty if none.
        sources: Alternative sources of its files, by name.

    Example:
        >>> table_entry("glass").identifiers
        (0,)
    """

    name: str
    family: str
    dim: int
    normal: int
    anomalous: int
    page: str
    sources: SourceOptions
    licence: str = LICENCE
    identifiers: tuple[int, ...] = ()
    quirk: str = ""

    @property
    def presence(self) -> str:
        """``present``, ``download`` or ``by hand``."""
        return presence(self.needed(USED))

    def needed(self, difficulties: Sequence[str]) -> SourceOptions:
        """Return the sources without the files of other difficulties."""
        other = set(DIFFICULTIES) - set(difficulties)
        return {
            source: tuple(file for file in listed if file.role not in other) for source, listed in self.sources.items()
        }


def table_names() -> tuple[str, ...]:
    """Return the names of the forty tables, sorted.

    Example:
        >>> len(table_names())
        40
    """
    return tuple(_entries())


def table_entry(name: str) -> TableEntry:
    """Return the catalogue entry of a table.

    Raises:
        UnknownName: No table has that name.
    """
    entries = _entries()
    if not isinstance(name, str) or name not in entries:
        near = did_you_mean(str(name), entries)
        raise UnknownName(f"no table named {name!r}.{near} `offnominal tables` lists all {len(entries)}.")
    return entries[name]


@cache
def _entries() -> dict[str, TableEntry]:
    text = files(PACKAGE).joinpath("catalogue.toml").read_text(encoding="utf-8")
    sources = read_sources(PACKAGE)
    return {name: _entry(name, facts, sources[name]) for name, facts in sorted(tomllib.loads(text).items())}


def _entry(name: str, facts: dict[str, Any], sources: SourceOptions) -> TableEntry:
    identifiers = tuple(facts.pop("identifiers", ()))
    return TableEntry(name=name, sources=sources, identifiers=identifiers, **facts)
