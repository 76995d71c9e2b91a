"""Sources of rows: an Arrow table in memory, or Parquet files that are read forward."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from offnominal.core.errors import InvalidLog, UnknownName, did_you_mean
from offnominal.datasets.logs.boundary import parsing

BLOCK_ROWS = 2**16
SHOWN = 12


class RowSource(ABC):
    """A table of a log, whose rows are read in order.

    Args:
        name: Name of the source in error messages.
        schema: Arrow schema.
        n_rows: Number of rows.

    Attributes:
        suggested: Columns by role that :func:`episodes_from` uses where the caller names none.
        begins: Time of the first row in seconds since 1970, if the file has it.
    """

    def __init__(self, name: str, schema: Any, n_rows: int) -> None:
        self.suggested: dict[str, Any] = {}
        self.begins: float | None = None
        self.name = name
        self.schema = schema
        self.n_rows = n_rows
        if not n_rows:
            raise InvalidLog(f"{name} has no rows; expected at least two, one per observation.")
        require_distinct(name, schema.names)

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self.schema.names)

    def kind(self, column: str) -> Any:
        """Return the Arrow type of a column; raise :class:`UnknownName` with the nearest name if there is none."""
        index = self.schema.get_field_index(column)
        if index < 0:
            listed = ", ".join(self.columns[:SHOWN]) + ", …" * (len(self.columns) > SHOWN)
            raise UnknownName(
                f"{self.name} has no column {column!r}.{did_you_mean(str(column), self.columns)} It has: {listed}."
            )
        return self.schema.field(index).type

    def blocks(self, columns: Sequence[str], start: int = 0) -> Iterator[Any]:
        """Yield Arrow tables of consecutive rows from a row on, each of some ten thousand rows.

        Raises:
            InvalidLog: The source cannot be parsed.
        """
        with parsing(self.name, "a table"):
            yield from (block for block in self.read_blocks(columns, start) if block.num_rows)

    @abstractmethod
    def read_blocks(self, columns: Sequence[str], start: int = 0) -> Iterator[Any]:
        """Yield what :meth:`blocks` does; any exception means that the source cannot be parsed."""


class TableRows(RowSource):
    """The rows of an Arrow table in memory.

    Args:
        name: Name of the table in error messages.
        table: The table.
    """

    def __init__(self, name: str, table: Any) -> None:
        super().__init__(name, table.schema, table.num_rows)
        self.table = table

    def read_blocks(self, columns: Sequence[str], start: int = 0) -> Iterator[Any]:
        """Yield slices of the table."""
        chosen = self.table.select(list(columns))
        for first in range(start, self.n_rows, BLOCK_ROWS):
            yield chosen.slice(first, BLOCK_ROWS)


class ParquetRows(RowSource):
    """The rows of Parquet files with the same columns, one after the other; a block is in memory at a time.

    Args:
        name: Name of the files in error messages.
        paths: The files, in order.
    """

    def __init__(self, name: str, paths: Sequence[Path]) -> None:
        self.paths = list(paths)
        if not self.paths:
            raise InvalidLog(f"{name} has no Parquet files; expected at least one.")
        sizes, schema = [], None
        for path in self.paths:
            with parsing(path, "a table"):
                metadata = pq.read_metadata(path)
                found = metadata.schema.to_arrow_schema().remove_metadata()
            if schema is not None and found != schema:
                raise InvalidLog(f"{path} has other columns or types than {self.paths[0]}; read the files separately.")
            schema = found
            sizes.append([metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)])
        super().__init__(name, schema, sum(map(sum, sizes)))
        self._groups = [
            (path, group, rows)
            for path, counts in zip(self.paths, sizes, strict=True)
            for group, rows in enumerate(counts)
        ]

    def read_blocks(self, columns: Sequence[str], start: int = 0) -> Iterator[Any]:
        """Yield the rows from a row on; earlier row groups are skipped."""
        first = 0
        for path, group, rows in self._groups:
            if first + rows > start:
                yield from self._read(path, group, columns, start - first)
            first += rows

    def _read(self, path: Path, group: int, columns: Sequence[str], skipped: int) -> Iterator[Any]:
        """Yield the rows of a row group, without the first `skipped` ones."""
        with parsing(path, "a table"), pq.ParquetFile(path, pre_buffer=False) as file:
            for batch in file.iter_batches(BLOCK_ROWS, row_groups=[group], columns=list(columns), use_threads=False):
                if skipped < batch.num_rows:
                    yield pa.Table.from_batches([batch.slice(max(skipped, 0))])
                skipped -= batch.num_rows


def require_distinct(name: str, columns: Sequence[str]) -> None:
    """Raise :class:`InvalidLog` if two columns have one name.

    Args:
        name: Name of the log in the error message.
        columns: Names of its columns.
    """
    counts = Counter(columns)
    if len(counts) < len(columns):
        raise InvalidLog(f"{name} has two columns {counts.most_common(1)[0][0]!r}; rename one of them.")


class ForwardReader:
    """Reads ranges of rows that move forward, so that each block of the source is read once.

    Args:
        source: The rows.
        columns: Columns to read.
    """

    def __init__(self, source: RowSource, columns: Sequence[str]) -> None:
        self._source = source
        self._columns = list(dict.fromkeys(columns))
        self._restart(0)

    def _restart(self, row: int) -> None:
        self._blocks = self._source.blocks(self._columns, row)
        self._held: list[tuple[int, Any]] = []
        self._next = row

    def rows(self, start: int, stop: int) -> Any:
        """Return the rows from `start` to before `stop` as an Arrow table."""
        if start < (self._held[0][0] if self._held else self._next):
            self._restart(start)
        self._held = [(first, block) for first, block in self._held if first + block.num_rows > start]
        while self._next < stop:
            block = next(self._blocks, None)
            if block is None:
                raise InvalidLog(f"{self._source.name} ends in row {self._next}; it was changed while it was used.")
            if self._next + block.num_rows > start:
                self._held.append((self._next, block))
            self._next += block.num_rows
        parts = [block.slice(max(start - first, 0), stop - max(start, first)) for first, block in self._held]
        return pa.concat_tables(parts)


def as_numbers(column: Any, dtype: Any = np.float64) -> Any:
    """Return a numeric or boolean Arrow column as an array of floats; null becomes NaN."""
    kind = pa.uint8() if pa.types.is_boolean(column.type) else None
    values = column.cast(kind) if kind is not None else column
    return np.asarray(values.cast(pa.from_numpy_dtype(dtype), safe=False).to_numpy(), dtype)
