"""The time of the rows of a log, in seconds, and the gaps in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from offnominal.core.checks import one_of, positive_number
from offnominal.core.errors import InvalidLog
from offnominal.core.types import FloatArray
from offnominal.datasets.logs.roles import first_row, require_numbers
from offnominal.datasets.logs.row_source import RowSource, as_numbers

UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
GAP_PERIODS = 5.0
MOST_GAPS = 0.05
RATE_RATIO = 2.0
FEWEST = 5
ClockJumps = Literal["error", "split"]
"""What to do where the time goes back: raise an error, or begin a new episode."""


@dataclass(frozen=True, slots=True)
class TimeColumn:
    """Time stamps of a log, converted to seconds.

    Args:
        column: Name of the column: numbers, dates with times, or text in ISO 8601.
        unit: Unit of numbers.
        origin: Time stamp in nanoseconds that is second zero of dates; numbers are not shifted.
        gap: Smallest time step in seconds that separates two episodes; five times the median step if None.
        jumps: What to do where the time goes back.
    """

    column: str
    unit: str = "s"
    origin: int | None = None
    gap: float | None = None
    jumps: ClockJumps = "error"

    @classmethod
    def of(
        cls,
        source: RowSource,
        column: str,
        *,
        unit: str = "s",
        gap: float | None = None,
        jumps: ClockJumps = "error",
    ) -> TimeColumn:
        """Return the time column of a log; dates begin at zero."""
        one_of("time_unit", unit, tuple(UNITS))
        one_of("clock_jumps", jumps, get_args(ClockJumps))
        if gap is not None:
            positive_number("gap", gap)
        kind = source.kind(column)
        if not is_date(kind):
            require_numbers(source, column)
            return cls(column, unit, None, gap, jumps)
        head = next(iter(source.blocks([column])))
        stamps = _nanoseconds(head[column], f"column {column!r} of {source.name}", 0)
        return cls(column, unit, int(stamps[0]), gap, jumps)

    def seconds(self, table: Any, name: str = "the log", first: int = 0) -> FloatArray:
        """Return the time of the rows of an Arrow table."""
        values = table[self.column]
        where = f"column {self.column!r} of {name}"
        if values.null_count:
            row = first + (first_row(pc.is_null(values)) or 0)
            raise InvalidLog(f"{where} has no time in row {row}.")
        if self.origin is not None:
            return np.asarray((_nanoseconds(values, where, first) - self.origin) / 1e9)
        seconds: FloatArray = as_numbers(values) * UNITS[self.unit]
        if not np.isfinite(seconds).all():
            row = int(np.argmin(np.isfinite(seconds)))
            raise InvalidLog(f"{where} is {seconds[row]} in row {first + row}; expected a time.")
        return seconds

    def instant(self, value: Any, what: str, begins: float | None = None) -> float:
        """Return a time that is written as those of the column, in seconds on its axis.

        Args:
            value: A number, or a date and time.
            what: What it is, for the error message.
            begins: Time of second zero since 1970, if the column has numbers and the log has a date.
        """
        if isinstance(value, int | float) and not isinstance(value, bool):
            if self.origin is not None:
                raise InvalidLog(f"{what} is {value!r}; column {self.column!r} has dates, so expected one.")
            return float(value) * UNITS[self.unit]
        try:
            stamp = pa.scalar(str(value)).cast(pa.timestamp("ns")).value
        except pa.ArrowException:
            raise InvalidLog(f"{what} is {value!r}; expected a time such as 12.5 or 2020-03-09 10:14:33.") from None
        if self.origin is None and begins is None:
            raise InvalidLog(f"{what} is {value!r}; column {self.column!r} has numbers, so expected one.")
        return float((stamp - self.origin) / 1e9 if self.origin is not None else stamp / 1e9 - (begins or 0.0))


def is_date(kind: Any) -> bool:
    """Whether a column of an Arrow type has times that are no numbers."""
    types = pa.types
    return bool(
        types.is_timestamp(kind)
        or types.is_date(kind)
        or types.is_duration(kind)
        or types.is_time(kind)
        or types.is_string(kind)
        or types.is_large_string(kind)
    )


def _nanoseconds(column: Any, where: str, first: int) -> Any:
    """Return dates, durations or text in ISO 8601 as integers in nanoseconds."""
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        try:
            column = column.cast(pa.timestamp("ns"))
        except pa.ArrowException:
            row, text = _first_not_a_date(column)
            raise InvalidLog(
                f"{where} has the text {text!r} in row {first + row}; expected seconds, or a date and time such as "
                "2020-03-09 10:14:33."
            ) from None
        return column.cast(pa.int64()).to_numpy()
    if pa.types.is_timestamp(kind):
        target = pa.timestamp("ns", kind.tz)
    elif pa.types.is_date(kind):
        target = pa.timestamp("ns")
    else:
        target = pa.time64("ns") if pa.types.is_time(kind) else pa.duration("ns")
    try:
        return column.cast(target).cast(pa.int64()).to_numpy()
    except pa.ArrowException:
        raise InvalidLog(
            f"{where} has a time that nanoseconds of 64 bits cannot hold; expected dates from 1678 to 2261."
        ) from None


def _first_not_a_date(column: Any) -> tuple[int, str]:
    for row, text in enumerate(column.to_pylist()):
        try:
            pa.scalar(text).cast(pa.timestamp("ns"))
        except pa.ArrowException:
            return row, text
    return 0, column[0].as_py()


class Clock:
    """Time steps of a log: their median, and the rows at which a gap ends.

    Args:
        name: Name of the log in error messages.
        time: The time column.

    Attributes:
        period: Median time step in seconds; None before the first one.
        gaps: Rows after a gap.
        jumps: Rows at which the time goes back, if that begins a new episode.
    """

    def __init__(self, name: str, time: TimeColumn) -> None:
        self._name, self._time = name, time
        self._last: float | None = None
        self._steps = 0
        self._ends: list[tuple[int, float, float]] = []
        self.period: float | None = None
        self.gaps: list[int] = []
        self.jumps: list[int] = []

    @property
    def rate(self) -> float | None:
        """Rows per second."""
        return None if self.period is None else 1.0 / self.period

    def add(self, block: Any, first: int, changes: Sequence[int]) -> FloatArray:
        """Add a block of rows, and return its times; `changes` are the rows at which the episode column changes."""
        seconds = self._time.seconds(block, self._name, first)
        steps = np.diff(seconds, prepend=np.nan if self._last is None else self._last)
        steps[list(changes)] = np.nan
        jumps = np.flatnonzero(steps < 0.0) if self._time.jumps == "split" else np.zeros(0, np.int64)
        steps[jumps] = np.nan
        self.jumps += (jumps + first).tolist()
        self._require_increase(steps, seconds, first)
        known = steps[~np.isnan(steps)]
        if self.period is None and known.size:
            self.period = float(np.median(known))
        self._steps += len(known)
        limit = self._time.gap or (np.inf if self.period is None else GAP_PERIODS * self.period)
        gaps = np.flatnonzero(steps > limit)
        self.gaps += (gaps + first).tolist()
        previous = np.concatenate([[np.nan if self._last is None else self._last], seconds[:-1]])
        begun = np.union1d(np.union1d(gaps, jumps), np.asarray(changes, np.int64)).astype(np.int64)
        self._ends += [(first + row, float(previous[row]), float(seconds[row])) for row in begun]
        self._last = float(seconds[-1])
        self._end = first + len(seconds)
        return seconds

    def _require_increase(self, steps: FloatArray, seconds: FloatArray, first: int) -> None:
        wrong = steps <= 0.0
        if wrong.any():
            row = int(np.argmax(wrong))
            what = "the same time as the row before" if steps[row] == 0.0 else "an earlier time than the row before"
            raise InvalidLog(
                f"column {self._time.column!r} of {self._name}: row {first + row} has {what}; sort the log by time, "
                "remove duplicate rows, or name the column of the episode. If the clock was set back, pass "
                "clock_jumps='split'."
            )

    def finish(self) -> list[int]:
        """Return the rows at which an episode begins: after a gap, or where the time goes back.

        Raises:
            InvalidLog: The log has more than one sampling rate, or is not sorted by time.
        """
        if len(self.jumps) >= FEWEST and len(self.jumps) > MOST_GAPS * self._steps:
            raise InvalidLog(
                f"column {self._time.column!r} of {self._name} goes back {len(self.jumps)} times, first in row "
                f"{self.jumps[0]}; sort the log by time, or name the column of the episode."
            )
        if self._time.gap is None and len(self.gaps) >= FEWEST and len(self.gaps) > MOST_GAPS * self._steps:
            raise InvalidLog(
                f"{self._name} has mixed rates: the median time step is {self.period:.4g} s, and {len(self.gaps)} of "
                f"{self._steps} steps are more than {GAP_PERIODS:g} times longer, first at row {self.gaps[0]}. "
                "Resample the log, or set `gap`, the time step in seconds that separates episodes."
            )
        ends = [*self._ends[1:], (self._end, self._last or 0.0, 0.0)]
        for (row, _, begin), (stop, end, _) in zip(self._ends, ends, strict=True):
            if stop - row >= FEWEST and self.period is not None:
                ratio = (end - begin) / (stop - row - 1) / self.period
                if not 1.0 / RATE_RATIO <= ratio <= RATE_RATIO:
                    raise InvalidLog(
                        f"{self._name} has mixed rates: rows {row} to {stop - 1} are {ratio * self.period:.4g} s "
                        f"apart, the median is {self.period:.4g} s. Resample the log, or read its parts separately."
                    )
        return sorted({*self.gaps, *self.jumps})
