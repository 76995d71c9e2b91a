"""The store of results: one immutable file per finished cell, and SQL queries over all of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from offnominal.core.checksum import read_checked_json, write_checked_json
from offnominal.core.errors import DamagedFile, InvalidParameter, MissingDependency, MissingFile
from offnominal.core.files import file_errors
from offnominal.studies import example_episodes as examples
from offnominal.studies.failure import Failure
from offnominal.studies.files import UNFINISHED, dataset_of, is_whole, parse_table, read_table, sweep, write_table
from offnominal.studies.result_rows import DRAWS
from offnominal.studies.segments import (
    CELLS,
    EMPTY_CELLS,
    EMPTY_ROWS,
    ROWS,
    Segments,
    cell_files,
    empty_table,
    is_key,
    quarantine,
    read_cell,
)
from offnominal.studies.sql import TIMEOUT, answer, check_question


class LostExamples(UserWarning):
    """Examples of results are missing or damaged."""


class Store:
    """Results by key.

    Several processes may write at once, also the same key. Two stores are merged by copying the files of one into the
    other. A file that was cut off counts as not there. Every file carries the SHA-256 of its content; one whose content
    has another is moved to ``damaged/`` when it is read. A file that the system does not let us read stays where it is.

    Args:
        folder: Folder of the store; created on the first write.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from offnominal.kinds import Cell, DataEntry
        >>> from offnominal.studies import run_cell
        >>> folder = TemporaryDirectory()
        >>> data = DataEntry(episodes=6, anomalies=("action/offset",), levels=("strong",))
        >>> result = run_cell(Cell("SAP-Goal0-v0", "Time", "Time", data=data, replicates=0))
        >>> store = Store(folder.name)
        >>> store.write(result.key, result.rows, result.examples)
        >>> store.rows([result.key]).select(["name", "split", "matched_auroc"]).to_pylist()
        [{'name': 'Time', 'split': 'action/offset@strong', 'matched_auroc': 0.5}]
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self._staging = self.folder / UNFINISHED
        self._aside = self.folder / "damaged"
        self._segments = Segments(self.folder / "segments", self.folder / "cells", self._aside)

    def path(self, key: str) -> Path:
        """Return the path of the result of a cell."""
        return self.folder / "cells" / _checked(key)[:2] / f"{key}.parquet"

    def has(self, key: str) -> bool:
        """Whether there is a result."""
        return is_whole(self.path(key))

    def keys(self) -> set[str]:
        """Return the keys of all results."""
        return {key for key, _ in cell_files(self.folder / "cells") if self.has(key)}

    def write(self, key: str, rows: Any, shown: Any = None) -> None:
        """Store the result of a cell; an existing one is kept, and so are intact examples.

        Args:
            key: Key of the result.
            rows: A table; see :class:`~offnominal.studies.cell_result.CellResult`.
            shown: Examples; see :mod:`~offnominal.studies.example_episodes`.
        """
        if shown is not None and not self.has_examples(key):
            write_table(self._example(key), shown, staging=self._staging, flush=False)
        if not self.has(key):
            write_table(self.path(key), rows, staging=self._staging, split=DRAWS)
        self.forget_failure(key)

    def rows(self, keys: Iterable[str]) -> Any:
        """Return the rows of some results, bootstrap replicates included.

        Raises:
            MissingFile: If there is no result of a key.
            DamagedFile: If one cannot be read; its cell will be computed again.
        """
        tables = [self._read(key).replace_schema_metadata(None) for key in keys]
        return pa.concat_tables(tables, promote_options="default") if tables else empty_table(EMPTY_ROWS)

    def _read(self, key: str) -> Any:
        path = self.path(key)
        try:
            return read_cell(path)
        except DamagedFile as error:
            quarantine(path, self._aside)
            raise DamagedFile(f"{error} It was moved to {self._aside}; run its study again.") from None

    def has_examples(self, key: str) -> bool:
        """Whether the examples of a result are there and intact; their file is read and compared with its hash."""
        try:
            self._read_examples(key)
        except (MissingFile, DamagedFile):
            return False
        return True

    def examples(self, keys: Iterable[str], schema: pa.Schema = examples.SCHEMA) -> Any:
        """Return the examples of some results.

        Files that are missing or damaged are left out, with the warning :class:`LostExamples`; the next run of their
        study computes them again.

        Args:
            keys: Keys of the results.
            schema: Schema of the examples; see :attr:`~offnominal.studies.kind.StudyKind.example_schema`.
        """
        tables, lost = [], 0
        for key in keys:
            try:
                found = self._read_examples(key).replace_schema_metadata(None)
                tables += [found.cast(schema)] if found.num_rows else []
            except (MissingFile, DamagedFile, ValueError):
                lost += 1
        if lost:
            warnings.warn(
                f"the examples of {lost} {'result' if lost == 1 else 'results'} in {self.folder} are missing or "
                "damaged, and left out; run the study again, which computes them again.",
                LostExamples,
                stacklevel=4,
            )
        return pa.concat_tables(tables) if tables else schema.empty_table()

    def _read_examples(self, key: str) -> Any:
        path = self._example(key)
        table = read_table(path)
        if table.column_names[:1] != ["key"] or set(table["key"].to_pylist()) - {key}:
            raise DamagedFile(f"{path} does not have the examples of the result that its name says.")
        return table

    def _example(self, key: str) -> Path:
        return self.folder / "examples" / _checked(key)[:2] / f"{key}.parquet"

    def fail(self, failure: Failure) -> None:
        """Store the failure of a cell."""
        write_checked_json(self._failure(failure.key), failure.to_dict(), staging=self._staging)

    def failure(self, key: str) -> Failure | None:
        """Return the last failure of a cell, or None."""
        path = self._failure(key)
        try:
            return Failure.from_dict(read_checked_json(path))
        except (MissingFile, DamagedFile, InvalidParameter):
            return None

    def failures(self) -> list[Failure]:
        """Return all failures of cells without a result."""
        listed = sorted(path.stem for path in (self.folder / "failures").glob("*.json"))
        found = (self.failure(key) for key in listed if is_key(key))
        return [failure for failure in found if failure is not None]

    def forget_failure(self, key: str) -> None:
        """Remove a failure."""
        path = self._failure(key)
        with file_errors(path):
            path.unlink(missing_ok=True)

    def _failure(self, key: str) -> Path:
        return self.folder / "failures" / f"{_checked(key)}.json"

    def cells(self) -> Any:
        """Return one row per result: the cell, the hashes of its data and code, versions and cost."""
        (contents,) = self._segments.contents(CELLS)
        tables = [parse_table(content, self.folder).replace_schema_metadata(None) for content in contents]
        return pa.concat_tables(tables, promote_options="default") if tables else empty_table(EMPTY_CELLS)

    def sql(self, query: str, *, timeout: float = TIMEOUT) -> Any:
        """Return the result of a query as an Arrow table.

        The tables are ``results`` (one row per cell, split and alarm; without bootstrap replicates), ``cells`` (one row
        per cell) and ``failures``.

        Args:
            query: One SELECT, in the language of DuckDB; it can read these tables and nothing else.
            timeout: Seconds that it may take.

        Raises:
            InvalidParameter: It is no question, or cannot be answered.
            QueryTimeout: It takes longer.
        """
        check_question(query)
        sweep(self._staging)
        rows, cells = self._segments.contents(ROWS, CELLS)
        tables = {
            "results": dataset_of(rows) if rows else empty_table(EMPTY_ROWS),
            "cells": dataset_of(cells) if cells else empty_table(EMPTY_CELLS),
            "failures": Failure.table(self.failures()),
        }
        return answer(query, tables, timeout=timeout)

    def to_pandas(self, query: str, *, timeout: float = TIMEOUT) -> Any:
        """Return the result of a query as a data frame; see :meth:`sql`."""
        try:
            return self.sql(query, timeout=timeout).to_pandas()
        except ModuleNotFoundError as error:
            if error.name != "pandas":
                raise
            raise MissingDependency(
                'to_pandas needs pandas; install it with `pip install "offnominal[pandas]"`.'
            ) from None

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.keys()))

    def __repr__(self) -> str:
        return f"Store({str(self.folder)!r})"


def _checked(key: str) -> str:
    """Return a key that can name files; keys are read from manifests, too."""
    if not isinstance(key, str) or not is_key(key):
        raise InvalidParameter(f"{key!r} is not the key of a result; expected 64 hexadecimal digits.")
    return key
