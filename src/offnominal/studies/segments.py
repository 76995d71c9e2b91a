"""Segments: copies of many cells in few files, which questions are answered from.

The cell files are the truth. A segment can be deleted at any time and is made again from them. It leaves out the
columns of lists, such as bootstrap replicates: they take most of the space, and no question in SQL is about them.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from offnominal.core.errors import DamagedFile, MissingFile
from offnominal.core.files import file_errors, parse_json
from offnominal.studies.files import hash_in, is_whole, parse_table, read_content, read_table, write_table
from offnominal.studies.generation import Generation, LostResult, lost_results, read_generation
from offnominal.studies.result_rows import COST, FACTS, LISTS, TEXTS, type_of

ROWS, CELLS = "rows.parquet", "cells.parquet"
LARGE = 200_000
"""Rows from which on a segment is not merged with others any more."""
ATTEMPTS = 3
"""Number of attempts to write segments, beyond the existing ones, before a disk error is raised."""
COUNT, ROWS_HASH = b"rows", b"hash_of_rows"
"""Where a file of cells says how many rows its segment has, and which SHA-256 their file has.

The name must not end in ``sha256``: the hash that a file carries of itself is found by that name.
"""
FEW = 8
"""Small segments that may lie beside each other before they are merged."""
ABOUT = ("key", "world", "policy", "name", "detector", "parameters", "seed", *COST, "steps_scored")


class DamagedResult(UserWarning):
    """A result was damaged, and its file was moved away."""


class _Segment(NamedTuple):
    """What the cells of a segment say of it: keys, number of rows, SHA-256 of their file, and all metadata."""

    keys: frozenset[str]
    n_rows: int
    rows_sha256: str
    facts: Mapping[bytes, bytes]


class Segments:
    """The segments of a store.

    Args:
        folder: Where they lie.
        cells: Where the cell files lie.
        aside: Where damaged cell files are moved to, so that their cells are done again.
    """

    def __init__(self, folder: Path, cells: Path, aside: Path) -> None:
        self.folder = folder
        self.cells = cells
        self.aside = aside
        self._known: dict[str, _Segment] = {}
        self._generation = Generation()

    def contents(self, *files: str) -> list[list[bytes]]:
        """Bring the segments up to date and return the content of some of their files.

        A segment whose file does not have the hash that it carries is made again from the cells, and so is one whose
        two files were not written together.

        Args:
            *files: Each :data:`ROWS`, the rows of all cells, or :data:`CELLS`, one row per cell.
        """
        with file_errors(self.folder):
            if not self.folder.exists() and not self.cells.exists() and not self.folder.parent.is_file():
                return [[] for _ in files]
        with self._locked():
            # Each attempt that fails removes a segment.
            for _ in range(ATTEMPTS + len(_entries(self.folder))):
                with suppress(_Lost):
                    self._refresh()
                    names = sorted(self._read())
                    return [[self._content(name, file) for name in names] for file in files]
        raise DamagedFile(f"the disk of {self.folder} does not return what was written there; check the disk.")

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other processes from changing segments within the block."""
        with file_errors(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = (self.folder / "lock").open("a", encoding="utf-8")
        with lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _refresh(self) -> None:
        self._clear_away()
        present, known = dict(cell_files(self.cells)), self._read()
        held = set().union(*(each.keys for each in known.values()))
        new = [path for key, file in present.items() if key not in held and is_whole(path := Path(file))]
        self._advance(held, set(present), len(new))
        for name, each in known.items():
            if not each.keys <= present.keys():
                self._rewrite([name], keep=set(present))
        self._add(new)
        small = [name for name, each in self._read().items() if each.n_rows < LARGE]
        if len(small) > FEW:
            self._rewrite(small, keep=set(present))

    def _advance(self, held: set[str], present: set[str], new: int) -> None:
        """Write the next generation if the results have changed, and warn of those that are gone.

        Args:
            held: Keys in the segments.
            present: Keys of the cell files.
            new: Number of cells that no segment has.
        """
        store, damage = self.folder.parent, ""
        try:
            recorded = read_generation(store)
        except DamagedFile as error:
            recorded, damage = None, f"{error} A new one is written; whether results were lost is not known."
        self._generation = recorded or self._generation
        newest = max((self._generation.number_in(each.facts) for each in self._known.values()), default=0)
        if recorded is not None:
            damaged = {path.stem for path in self.aside.glob("*.parquet")}
            damage = lost_results(store, recorded, newest, listed=held, present=present, damaged=damaged)
        cells = len(held & present) + new
        if recorded is None or damage or new or held - present or cells != recorded.cells:
            self._generation = self._generation.following(cells, after=newest)
            self._generation.write(store)
        if damage:
            warnings.warn(damage, LostResult, stacklevel=2)

    def _clear_away(self) -> None:
        """Remove what killed processes left, and segments with a cell of another: they were merged or copied here."""
        for path in self.folder.glob(".*"):
            shutil.rmtree(path, ignore_errors=True)
        seen: set[str] = set()
        for name, each in sorted(self._read().items(), key=lambda item: -len(item[1].keys)):
            if seen.isdisjoint(each.keys):
                seen |= each.keys
            else:
                self._remove(name)

    def _read(self) -> dict[str, _Segment]:
        """Return what is known of each segment; one that cannot be read, or is of version 0.2, is removed."""
        with file_errors(self.folder):
            names = [path.name for path in self.folder.iterdir() if path.is_dir()]
        for name in names:
            if name not in self._known:
                try:
                    table = self._table(name, CELLS, without=(*ABOUT[1:], *FACTS))
                    facts = table.schema.metadata
                    keys, written = frozenset(table["key"].to_pylist()), facts[ROWS_HASH].decode()
                    self._generation.number_in(facts)
                    self._known[name] = _Segment(keys, int(facts[COUNT]), written, facts)
                except (_Lost, DamagedFile, KeyError, TypeError, ValueError):
                    self._remove(name)
        self._known = {name: each for name, each in self._known.items() if name in names}
        return dict(self._known)

    def _content(self, name: str, file: str) -> bytes:
        """Return the content of a file of a segment.

        If it is damaged, or if the rows are not those that the cells were written with, the segment is removed and
        `_Lost` is raised.
        """
        path = self.folder / name / file
        try:
            content = read_content(path)
            carried = hash_in(content)
            if carried is not None and (file != ROWS or carried == self._known[name].rows_sha256):
                return content
        except (DamagedFile, MissingFile):
            pass
        self._remove(name)
        raise _Lost

    def _table(self, name: str, file: str, *, without: tuple[str, ...] = ()) -> Any:
        return parse_table(self._content(name, file), self.folder / name / file, without=without)

    def _add(self, paths: Iterable[Path]) -> None:
        """Make segments of cell files."""
        rows: list[Any] = []
        about: list[Any] = []
        count = 0
        for path in filter(is_whole, paths):
            try:
                table = read_cell(path, without=LISTS)
            except MissingFile:
                continue
            except DamagedFile as error:
                quarantine(path, self.aside)
                warnings.warn(
                    f"{error} It was moved to {self.aside}; run its study again.", DamagedResult, stacklevel=2
                )
                continue
            rows.append(table.replace_schema_metadata(None))
            about.append(_about(table))
            count += table.num_rows
            if count >= LARGE:
                self._write(rows, about)
                rows, about, count = [], [], 0
        if rows:
            self._write(rows, about)

    def _rewrite(self, names: list[str], keep: set[str]) -> None:
        """Make one segment of several, of those cells that are still there."""
        tables = [[self._table(name, file).replace_schema_metadata(None) for name in names] for file in (ROWS, CELLS)]
        wanted = pa.array(sorted(keep), pa.string())
        kept = [[each.filter(pc.is_in(each["key"], wanted)) for each in group] for group in tables]
        if any(each.num_rows for each in kept[1]):
            self._write(*kept)
        for name in names:
            self._remove(name)

    def _write(self, rows: list[Any], about: list[Any]) -> None:
        joined, cells = (pa.concat_tables(tables, promote_options="default") for tables in (rows, about))
        name = hashlib.sha256("".join(sorted(cells["key"].to_pylist())).encode()).hexdigest()[:16]
        made = self.folder / f".{name}"
        write_table(made / ROWS, joined.combine_chunks(), staging=made, flush=False)
        facts = {COUNT: str(joined.num_rows), ROWS_HASH: hash_in(read_content(made / ROWS)) or ""}
        cells = cells.combine_chunks().replace_schema_metadata(facts | self._generation.stamp())
        write_table(made / CELLS, cells, staging=made, flush=False)
        self._remove(name)
        with file_errors(self.folder / name):
            made.rename(self.folder / name)

    def _remove(self, name: str) -> None:
        """Rename a segment before its files are removed, so that no process reads half of it."""
        place, hidden = self.folder / name, self.folder / f".{name}.old"
        shutil.rmtree(hidden, ignore_errors=True)
        with suppress(FileNotFoundError), file_errors(place):
            place.rename(hidden)
        shutil.rmtree(hidden, ignore_errors=True)
        self._known.pop(name, None)


class _Lost(Exception):
    """A segment was damaged and is removed."""


def cell_files(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the key and the file of each cell below a folder; other files are ignored.

    A hundred thousand objects of :class:`~pathlib.Path` would take longer than everything else.
    """
    for place in _entries(folder):
        for entry in _entries(place.path) if place.is_dir() else ():
            key, _, ending = entry.name.partition(".")
            if ending == "parquet" and is_key(key) and key[:2] == place.name:
                yield key, entry.path


def _entries(folder: Path | str) -> list[os.DirEntry[str]]:
    try:
        with file_errors(folder), os.scandir(folder) as found:
            return list(found)
    except MissingFile:
        return []


def is_key(text: str) -> bool:
    """Whether a text can be the key of a result: a hash of 64 hexadecimal digits."""
    return len(text) == 64 and set(text) <= set("0123456789abcdef")


def read_cell(path: Path, *, without: tuple[str, ...] = ()) -> Any:
    """Read the result of a cell, or raise an error if the file is invalid.

    Args:
        path: Its file.
        without: Columns to leave out.
    """
    table = read_table(path, without=without)
    found = table.schema.metadata or {}
    if found.get(b"key") != path.stem.encode() or any(name.encode() not in found for name in FACTS):
        raise DamagedFile(f"{path} is not the result of the cell that its name says.")
    for column in table.schema:
        if column.type != type_of(column.name):
            raise DamagedFile(f"{path} holds {column.name!r} as {column.type}; expected {type_of(column.name)}.")
    return table


def quarantine(path: Path, aside: Path) -> None:
    """Move a damaged file away, so that it does not stand for a result."""
    with suppress(FileNotFoundError), file_errors(aside):
        aside.mkdir(parents=True, exist_ok=True)
        path.replace(aside / path.name)


def _about(table: Any) -> Any:
    """Return the one row that says which cell a table belongs to."""
    facts = table.schema.metadata
    names = set(table.column_names)
    first = table.slice(0, 1).select([name for name in ABOUT if name in names])
    first = first.replace_schema_metadata(None)
    for name in FACTS:
        first = first.append_column(
            name, pa.array([facts[name.encode()].decode(errors="replace")][: first.num_rows], pa.string())
        )
    return first


def empty_table(names: Iterable[str]) -> Any:
    """Return an empty table with some columns."""
    return pa.schema([(name, type_of(name)) for name in names]).empty_table()


def provenance_of(table: Any) -> dict[str, Any]:
    """Return the provenance in the file of a cell: the cell, the hashes of data and code, and versions."""
    found = {name: table.schema.metadata[name.encode()].decode(errors="replace") for name in FACTS}
    read = {name: parse_json(found[name], f"the {name} of a result") for name in ("cell", "versions")}
    for name, data in read.items():
        if not isinstance(data, dict):
            raise DamagedFile(f"the {name} of a result is a {type(data).__name__}; expected a JSON object.")
    return found | read


EMPTY_ROWS, EMPTY_CELLS = (*TEXTS, "seed", *COST), (*ABOUT, *FACTS)
