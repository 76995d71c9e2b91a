"""Logs in text files with a header line: CSV with commas, semicolons, tabs or bars."""

from __future__ import annotations

import gzip
import re
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv

from offnominal.core.errors import InvalidLog
from offnominal.core.files import file_errors
from offnominal.core.printable import shown
from offnominal.datasets.logs.boundary import parsing
from offnominal.datasets.logs.csv_blocks import GZIP_ERRORS, CsvParser, CsvRows
from offnominal.datasets.logs.row_source import RowSource, TableRows, require_distinct

SEPARATORS = (",", ";", "\t", "|")
MISSING = ["", "NA", "N/A", "NaN", "nan", "NULL", "null", "#N/A", "-nan"]
CONVERSION = {"null_values": MISSING, "strings_can_be_null": True}
LARGE = 2**26
"""Bytes above which a file is read in blocks."""
PLOTJUGGLER_TIME = "__time"
LONGEST_HEADER = 2**20
_ROW = re.compile(r"Row #(\d+)")
_WRONG_COUNT = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)")
_WRONG_VALUE = re.compile(r"In CSV column #(\d+): (?:Row #(\d+): )?CSV conversion error to ([^:]+): (.*)")


def read_csv(path: Path) -> RowSource:
    """Return the rows of a text file with a header line. The separator is the most frequent one in the header.

    A file of more than 64 MiB of text is read in blocks.

    Raises:
        InvalidLog: A row has too few or too many entries, or text among numbers.
    """
    source = _rows(path)
    if PLOTJUGGLER_TIME in source.columns:
        source.suggested = {"time": PLOTJUGGLER_TIME, "missing": "previous"}
    return source


def _rows(path: Path) -> RowSource:
    with file_errors(path):
        header = _header(path)
    separator = max(SEPARATORS, key=header.count)
    names = [name.strip().strip('"') for name in header.split(separator)]
    if "" in names:
        raise InvalidLog(f"{path}: column {names.index('')} has no name in the header {shown(header)}.")
    require_distinct(str(path), names)
    if all(_is_number(name) for name in names):
        raise InvalidLog(f"{path} has no header: its first line is {header[:60]!r}. Add a line with the column names.")
    if _is_large(path):
        explained = partial(_explained_part, names=names)
        return CsvRows(path, CsvParser(path, names, separator, explained, CONVERSION))
    try:
        with file_errors(path):
            table = pa_csv.read_csv(
                path,
                read_options=pa_csv.ReadOptions(use_threads=False),
                parse_options=pa_csv.ParseOptions(delimiter=separator),
                convert_options=pa_csv.ConvertOptions(**CONVERSION),
            )
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise InvalidLog(f"{path}: {_explained(str(error), names)}") from None
    return TableRows(str(path), table.rename_columns([name.strip() for name in table.column_names]))


def _explained_part(error: str, before: int, names: list[str]) -> str:
    """Return an error in a part of a file, which has no header, with the row in the whole file."""
    return _explained(_ROW.sub(lambda found: f"Row #{int(found[1]) + before + 1}", error), names)


def _is_large(path: Path) -> bool:
    """Whether a file has more than 64 MiB of text; a compressed one is unpacked up to there."""
    with parsing(path, "a gzip file"):
        if path.suffix != ".gz":
            return path.stat().st_size > LARGE
        with gzip.open(path, "rb") as file:
            return bool(file.seek(LARGE) == LARGE and file.read(1))


def _header(path: Path) -> str:
    """Return the first line of a file."""
    opened: Any = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
            line: str = file.readline(LONGEST_HEADER)
    except UnicodeDecodeError:
        raise InvalidLog(f"{path} is not text in UTF-8; convert it first.") from None
    except GZIP_ERRORS as error:
        raise InvalidLog(f"{path} cannot be read as a gzip file ({error}).") from None
    if len(line) == LONGEST_HEADER and not line.endswith(("\r", "\n")):
        raise InvalidLog(
            f"{path} has a first line of more than {LONGEST_HEADER} characters; expected the names of the columns. It "
            f"begins with {line[:60]!r}."
        )
    if "\0" in line or not line.strip():
        raise InvalidLog(f"{path} has no header in its first line; expected the names of the columns.")
    return line.rstrip("\r\n")


def _explained(error: str, names: list[str]) -> str:
    """Return an error of the parser with the row and the name of the column."""
    if found := _WRONG_COUNT.search(error):
        row, expected, given = (int(number) for number in found.groups())
        return f"row {row - 2} (line {row}) has {given} entries; expected {expected}, as in the header."
    if found := _WRONG_VALUE.search(error):
        column, row_text, kind, reason = found.groups()
        where = f"row {int(row_text) - 2} (line {row_text})" if row_text else "a row"
        name = names[int(column)] if int(column) < len(names) else column
        return f"column {name!r}, {where} cannot be read as {kind} ({reason.splitlines()[0]})."
    return f"it cannot be read as a table ({error.splitlines()[0]})."


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
