"""Large text files with a header line, read in blocks: a part of the file is in memory at a time."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv

from offnominal.core.errors import InvalidLog
from offnominal.core.files import file_errors
from offnominal.datasets.logs.row_source import BLOCK_ROWS, RowSource

CHUNK = 2**24
"""Bytes that are parsed at once."""
LONGEST_LINE = 2**24
GZIP_ERRORS = (gzip.BadGzipFile, EOFError, zlib.error)


@dataclass(frozen=True, slots=True)
class CsvParser:
    """Parses parts of a text file.

    Args:
        path: The file, for error messages.
        names: Names of the columns.
        separator: Character between two entries.
        explained: Returns an error of the parser with its row, given the number of rows before the part.
        options: Options of the conversion to numbers.
    """

    path: Path
    names: list[str]
    separator: str
    explained: Callable[[str, int], str]
    options: dict[str, Any]

    def __call__(self, part: bytes, before: int, types: dict[str, Any] | None = None) -> Any:
        """Return whole lines without a header as an Arrow table.

        Args:
            part: The lines.
            before: Number of rows before them.
            types: Types of the columns to read; all columns, with the types of this part, if None.
        """
        wanted = None if types is None else list(types)
        try:
            return pa_csv.read_csv(
                io.BytesIO(part),
                read_options=pa_csv.ReadOptions(use_threads=False, column_names=self.names),
                parse_options=pa_csv.ParseOptions(delimiter=self.separator),
                convert_options=pa_csv.ConvertOptions(column_types=types, include_columns=wanted, **self.options),
            )
        except (pa.ArrowException, UnicodeDecodeError) as error:
            raise InvalidLog(f"{self.path}: {self.explained(str(error), before)}") from None


class CsvRows(RowSource):
    """The rows of a text file that is parsed in parts; the first pass finds the types of the columns.

    Args:
        path: The file.
        parse: Parses parts of it.
    """

    def __init__(self, path: Path, parse: CsvParser) -> None:
        self.path, self._parse = path, parse
        self._parts: list[tuple[int, int]] = []
        kinds: dict[str, list[Any]] = {name: [] for name in parse.names}
        rows = 0
        for offset, chunk in self._chunks(0):
            table = parse(chunk, rows)
            self._parts.append((offset, rows))
            rows += table.num_rows
            for name in parse.names:
                kinds[name].append(table.schema.field(name).type)
        schema = pa.schema([(name, common_type(found)) for name, found in kinds.items()])
        super().__init__(str(path), schema, rows)

    def read_blocks(self, columns: Sequence[str], start: int = 0) -> Iterator[Any]:
        """Yield the rows from a row on; earlier parts of the file are skipped."""
        known = [part for part in self._parts if part[1] <= start] or self._parts[:1]
        offset, first = known[-1]
        types = {name: self.schema.field(name).type for name in columns}
        for _, chunk in self._chunks(offset):
            table = self._parse(chunk, first, types)
            for row in range(max(start - first, 0), table.num_rows, BLOCK_ROWS):
                yield table.slice(row, BLOCK_ROWS)
            first += table.num_rows

    def _chunks(self, offset: int) -> Iterator[tuple[int, bytes]]:
        """Yield the offset and the bytes of parts of whole lines; the header is left out."""
        opened: Any = gzip.open if self.path.suffix == ".gz" else open
        try:
            with file_errors(self.path), opened(self.path, "rb") as file:
                if offset:
                    file.seek(offset)
                else:
                    offset = len(self._line(file))
                while chunk := file.read(CHUNK):
                    chunk += self._line(file)
                    if chunk.strip():
                        yield offset, chunk
                    offset += len(chunk)
        except GZIP_ERRORS as error:
            raise InvalidLog(f"{self.path} cannot be read as a gzip file ({error}).") from None

    def _line(self, file: Any) -> bytes:
        """Return the rest of a line."""
        line: bytes = file.readline(LONGEST_LINE)
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            raise InvalidLog(f"{self.path} has a line of more than {LONGEST_LINE} bytes; expected a row per line.")
        return line


def common_type(kinds: Sequence[Any]) -> Any:
    """Return the type that holds the values of all parts of a column.

    Args:
        kinds: Type of each part.

    Example:
        >>> common_type([pa.null(), pa.int64(), pa.float64()])
        DataType(double)
    """
    found = [kind for kind in dict.fromkeys(kinds) if not pa.types.is_null(kind)]
    if len(found) < 2:
        return found[0] if found else pa.null()
    if set(found) == {pa.int64(), pa.float64()}:
        return pa.float64()
    if set(found) == {pa.int64(), pa.bool_()}:
        return pa.bool_()
    if all(pa.types.is_timestamp(kind) or pa.types.is_date(kind) for kind in found):
        return pa.timestamp("ns")
    return pa.string()
