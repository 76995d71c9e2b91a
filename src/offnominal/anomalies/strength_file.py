"""Files of named strengths: a line per world, anomaly, direction and level, with a checksum."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable
from dataclasses import fields
from io import StringIO
from pathlib import Path
from typing import Any, Protocol, TypeVar

from offnominal.core.checksum import read_checked_text, write_checked_text
from offnominal.core.errors import DamagedFile


class NamedStrength(Protocol):
    """What lines of all tables have."""

    @property
    def anomaly(self) -> str:
        """Id of the anomaly."""

    @property
    def direction(self) -> str:
        """``"up"``, ``"down"`` or empty."""

    @property
    def level(self) -> str:
        """Name of the level."""

    @property
    def name(self) -> str:
        """Name of the strength: the level, with its direction if there are two."""

    @property
    def attainable(self) -> bool:
        """Whether some parameter has the level."""

    @property
    def parameter(self) -> float:
        """The fault parameter."""

    @property
    def target(self) -> float:
        """Number of the level."""


Line = TypeVar("Line", bound=NamedStrength)

_READERS: dict[str, Callable[[str], Any]] = {
    "float": lambda text: float(text) if text else math.nan,
    "int": int,
    "bool": {"true": True, "false": False}.__getitem__,
    "str": str,
}


def read_lines(path: Path, kind: type[Line]) -> list[Line]:
    """Read a table.

    Args:
        path: The file.
        kind: Class of its lines; its fields are the columns.

    Raises:
        DamagedFile: The file is not such a table, or was changed.
        MissingFile: There is no such file.
    """
    return read_checked_text(path, lambda text: _parse(text, str(path), kind))


def write_lines(path: Path, kind: type[Line], lines: Iterable[Line]) -> None:
    """Write a table with a checksum, atomically."""
    text = StringIO()
    names = _columns(kind)
    writer = csv.DictWriter(text, list(names), lineterminator="\n")
    writer.writeheader()
    for line in lines:
        writer.writerow({name: _cell(getattr(line, name)) for name in names})
    write_checked_text(path, text.getvalue())


def by_anomaly(lines: Iterable[Line]) -> dict[str, dict[str, Line]]:
    """Return the lines of each anomaly by name. A bare level means the direction with more attainable levels."""
    table: dict[str, dict[str, Line]] = {}
    for line in lines:
        table.setdefault(line.anomaly, {})[line.name] = line
    for named in table.values():
        two = [line for line in named.values() if line.direction]
        attained = {way: sum(line.attainable for line in two if line.direction == way) for way in ("up", "down")}
        usual = "down" if attained["down"] > attained["up"] else "up"
        named.update({line.level: line for line in two if line.direction == usual})
    return table


def _columns(kind: type[Any]) -> dict[str, Callable[[str], Any]]:
    """Return the reader of each column."""
    return {field.name: _READERS[str(field.type)] for field in fields(kind)}


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.6g}"
    return value


def _parse(text: str, source: str, kind: type[Line]) -> list[Line]:
    readers = _columns(kind)
    try:
        rows = csv.DictReader(text.splitlines(), restkey="")
        if sorted(rows.fieldnames or ()) != sorted(readers):
            raise DamagedFile(f"{source} is not a table of strengths; its columns are {rows.fieldnames}.")
        return [_line(row, readers, kind) for row in rows]
    except DamagedFile:
        raise
    except (ValueError, KeyError, TypeError, csv.Error) as error:
        raise DamagedFile(f"{source} has an invalid line ({error}); calibrate it again.") from None


def _line(row: dict[str, Any], readers: dict[str, Callable[[str], Any]], kind: type[Line]) -> Line:
    if None in row.values():
        raise ValueError("it has too few cells")
    line = kind(**{name: readers[name](value) for name, value in row.items()})
    if line.attainable and not (math.isfinite(line.parameter) and math.isfinite(line.target)):
        raise ValueError(f"an attainable level of {line.anomaly} with parameter {line.parameter}, target {line.target}")
    return line
