"""Labels as intervals of time, in a file of their own: JSON, as NAB's, or a table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from offnominal.core.errors import InvalidLog, InvalidParameter, did_you_mean
from offnominal.core.files import parse_json, read_text
from offnominal.core.printable import shown
from offnominal.core.types import BoolArray, FloatArray
from offnominal.datasets.logs.csv_log import read_csv
from offnominal.datasets.logs.time_column import TimeColumn

BEGIN = ("begin", "start", "from", "onset", "t0")
END = ("end", "stop", "to", "until", "t1")
FILE = ("file", "log", "name", "path", "source")
"""Names of the entries of an interval, or of the columns of a table of intervals."""


@dataclass(frozen=True, slots=True)
class SecondsWindows:
    """Intervals on the time axis of one log.

    Args:
        spans: Begin and end of each, in seconds, by its number; both belong to it.
        hits: Number of rows in each, counted by :meth:`rows`.
    """

    spans: dict[int, tuple[float, float]]
    hits: dict[int, int]

    def rows(self, seconds: FloatArray) -> BoolArray:
        """Return which rows are in an interval."""
        found = np.zeros(len(seconds), np.bool_)
        for number, (begin, end) in self.spans.items():
            inside = (seconds >= begin) & (seconds <= end)
            self.hits[number] += int(inside.sum())
            found |= inside
        return found


@dataclass(frozen=True, slots=True)
class LabelWindows:
    """Intervals of time in which a log is faulty.

    Args:
        name: Name of the file in error messages.
        entries: Log, begin and end of each; the log is None if it is not named.
        logs: Names of the logs that have intervals, or an empty list of them; None if logs are not named.
    """

    name: str
    entries: tuple[tuple[str | None, Any, Any], ...]
    logs: tuple[str, ...] | None

    @classmethod
    def of(cls, source: Any) -> LabelWindows:
        """Return the intervals of a file, or pairs of begin and end.

        Args:
            source: A JSON file with pairs of begin and end, or with such a list for each log; a CSV file with columns
                ``begin``, ``end`` and, for several logs, ``file``; a sequence of pairs; or a mapping from names of logs
                to them.

        Raises:
            InvalidLog: The content is no list of intervals, or an interval ends before it begins.

        Example:
            >>> LabelWindows.of({"pump.csv": [[12.0, 15.5]]}).entries
            (('pump.csv', 12.0, 15.5),)
        """
        if isinstance(source, str | Path):
            path = Path(source)
            if path.suffix.lower() == ".json":
                return cls._parsed(parse_json(read_text(path), path), str(path))
            return cls._table(path)
        if not isinstance(source, Mapping | Sequence):
            raise InvalidParameter(f"label_windows is {shown(source)}; expected a file, or pairs of begin and end.")
        return cls._parsed(source, "label_windows")

    @classmethod
    def _parsed(cls, content: Any, name: str) -> LabelWindows:
        logs: tuple[str, ...] | None = None
        entries: list[tuple[str | None, Any, Any]]
        if isinstance(content, Mapping):
            logs = tuple(map(str, content))
            entries = [(str(log), *pair) for log, each in content.items() for pair in _pairs(each, f"{name}: {log!r}")]
        else:
            entries = [(None, *pair) for pair in _pairs(content, name)]
        return cls(name, tuple(entries), logs)

    @classmethod
    def _table(cls, path: Path) -> LabelWindows:
        """Return the intervals of a table with a header line."""
        source = read_csv(path)
        columns = {name.lower(): name for name in source.columns}
        found = [next((columns[name] for name in names if name in columns), None) for names in (BEGIN, END, FILE)]
        if found[0] is None or found[1] is None:
            raise InvalidLog(f"{path} has the columns {source.columns}; expected 'begin' and 'end', and maybe 'file'.")
        entries: list[tuple[str | None, Any, Any]] = []
        for block in source.blocks([name for name in found if name is not None]):
            for row in block.to_pylist():
                values = [None if name is None else row[name] for name in found]
                where = f"{path}, row {len(entries)}"
                entries.append((None if found[2] is None else str(values[2]), *_pair(values[:2], where)))
        logs = None if found[2] is None else tuple(dict.fromkeys(str(log) for log, _, _ in entries))
        return cls(str(path), tuple(entries), logs)

    def on(self, log: str, time: TimeColumn, begins: float | None) -> SecondsWindows:
        """Return the intervals of a log on its time axis.

        Args:
            log: Name of the log, such as its path.
            time: Its time column.
            begins: Time of its second zero since 1970, if known.
        """
        chosen = self._of_log(log)
        spans: dict[int, tuple[float, float]] = {}
        for number, (begin, end) in chosen:
            where = f"{self.name}: interval {number}"
            low, high = (time.instant(value, where, begins) for value in (begin, end))
            if not low <= high:
                raise InvalidLog(f"{where} ends at {end}, before it begins at {begin}.")
            spans[number] = low, high
        return SecondsWindows(spans, dict.fromkeys(spans, 0))

    def _of_log(self, log: str) -> list[tuple[int, tuple[Any, Any]]]:
        """Return the numbered intervals of a log; the one whose name has the most parts of its path in common."""
        entries = list(enumerate(self.entries))
        if self.logs is None:
            return [(number, (begin, end)) for number, (_, begin, end) in entries]
        parts = PurePath(log).parts
        matching = [name for name in self.logs if parts[-len(PurePath(name).parts) :] == PurePath(name).parts]
        matching = matching or [name for name in self.logs if PurePath(name).name == PurePath(log).name]
        matching = matching or [name for name in self.logs if PurePath(name).name == PurePath(log).stem]
        if len(matching) != 1:
            near = did_you_mean(PurePath(log).name, self.logs)
            found = f"{len(matching)} entries" if matching else "no entry"
            raise InvalidLog(f"{self.name} has {found} for {log}; expected one, which is empty without faults.{near}")
        return [(number, (begin, end)) for number, (name, begin, end) in entries if name == matching[0]]


def _pairs(content: Any, where: str) -> list[tuple[Any, Any]]:
    if not isinstance(content, Iterable) or isinstance(content, str | bytes | Mapping):
        raise InvalidLog(f"{where} is {shown(content)}; expected a list of intervals.")
    return [_pair(each, f"{where}, interval {number}") for number, each in enumerate(content)]


def _pair(content: Any, where: str) -> tuple[Any, Any]:
    """Return begin and end of an interval."""
    if isinstance(content, Mapping):
        content = [next((content[name] for name in names if name in content), None) for names in (BEGIN, END)]
    if isinstance(content, Sequence) and not isinstance(content, str) and len(content) == 2:
        begin, end = content
        if _is_time(begin) and _is_time(end):
            return begin, end
    raise InvalidLog(f"{where} is {shown(content)}; expected begin and end.")


def _is_time(value: Any) -> bool:
    if isinstance(value, bool) or value is None or isinstance(value, bytes | Mapping):
        return False
    return isinstance(value, str) or (
        not isinstance(value, Iterable) and not (isinstance(value, float) and not math.isfinite(value))
    )
