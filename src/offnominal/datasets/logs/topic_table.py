"""Messages of topics as a table: numeric fields become channels, and topics of different rates get one clock."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from offnominal.core.checks import positive_number
from offnominal.core.errors import InvalidLog
from offnominal.core.types import FloatArray, IntArray
from offnominal.datasets.logs.boundary import require_fits, unpacked_limit
from offnominal.datasets.logs.message_numbers import numbers_of
from offnominal.datasets.logs.row_source import TableRows

STALE_PERIODS = 5.0
MOST_ROWS = 10**8
SECOND = 10**9
Messages = Iterable[tuple[str, int, Any]]
"""Topic, time in nanoseconds and content of each message."""
Channels = dict[str, tuple[IntArray, dict[str, FloatArray]]]
"""Times of the messages in nanoseconds, and their channels, by topic."""


@dataclass(slots=True)
class Topics:
    """What is known about the topics of a bag while its messages are read.

    Args:
        wanted: Topics to read; all if None.
        known: Topics that were found.
        left_out: Topics that cannot be read, with the reason.
    """

    wanted: list[str] | None = None
    known: set[str] = field(default_factory=set)
    left_out: dict[str, str] = field(default_factory=dict)

    def reads(self, topic: str) -> bool:
        """Whether messages of a topic are wanted and can be decoded."""
        self.known.add(topic)
        return topic not in self.left_out and (self.wanted is None or topic in self.wanted)


def channels_of(messages: Messages, topics: Topics, path: Path) -> Channels:
    """Return times and channels by topic, in the order of their first messages.

    Args:
        messages: The messages, in any order.
        topics: Gets topics whose messages differ in their fields as left out.
        path: The bag, for error messages.
    """
    times: dict[str, array[int]] = {}
    values: dict[str, array[float]] = {}
    names: dict[str, list[str]] = {}
    held, limit = 0, unpacked_limit()
    for topic, stamp, message in messages:
        if topic in topics.left_out:
            continue
        if not 0 <= stamp < 2**63:
            raise InvalidLog(f"{path}: a message of topic {topic!r} has the time {stamp} ns; expected one since 1970.")
        row = dict(numbers_of(message))
        if list(row) != names.setdefault(topic, list(row)):
            topics.left_out[topic] = f"message {len(times[topic])} has other fields than the first one"
            continue
        times.setdefault(topic, array("q")).append(stamp)
        values.setdefault(topic, array("d")).extend(row.values())
        held += 8 * (len(row) + 1)
        if held > limit:
            require_fits(path, held, "its numbers")
    found = {}
    for topic, columns in names.items():
        if columns and topic not in topics.left_out:
            stamps = np.frombuffer(times[topic], np.int64)
            order = np.argsort(stamps, kind="stable")
            matrix = np.frombuffer(values[topic]).reshape(-1, len(columns))[order]
            channels = {name: matrix[:, column] for column, name in enumerate(columns)}
            found[topic] = (stamps[order], channels)
    return dict(sorted(found.items(), key=lambda topic: int(topic[1][0][0])))


def on_one_clock(found: Channels, path: Path, rate: float | None) -> TableRows:
    """Return the last value of every channel at the times of the rows.

    Rows are at the times of the slowest topic, or at equal steps. They begin when every topic has a message. There are
    none while a topic is silent for more than five of its periods.

    Args:
        found: Times and channels by topic.
        path: The bag, for error messages.
        rate: Rows per second; those of the slowest topic if None.
    """
    clock = _clock(found, path, rate)
    columns: dict[str, Any] = {"time": (clock - clock[0]) / SECOND}
    fresh = np.ones(len(clock), np.bool_)
    for topic, (times, channels) in found.items():
        last = np.searchsorted(times, clock, side="right") - 1
        fresh &= clock - times[last] <= STALE_PERIODS * _period(times)
        columns |= {f"{topic}.{name}": values[last] for name, values in channels.items()}
    source = TableRows(str(path), pa.table({name: values[fresh] for name, values in columns.items()}))
    source.suggested, source.begins = {"time": "time"}, float(clock[0]) / SECOND
    return source


def _period(times: IntArray) -> float:
    """Return the median time between messages in nanoseconds; infinite for a single one."""
    return float(np.median(np.diff(times))) if len(times) > 1 else np.inf


def _clock(found: Channels, path: Path, rate: float | None) -> IntArray:
    """Return the times of the rows in nanoseconds."""
    several = [times for times, _ in found.values() if len(times) > 1]
    if not several:
        raise InvalidLog(f"every topic of {path} has a single message; expected at least two.")
    first = max(int(times[0]) for times, _ in found.values())
    if rate is None:
        slowest = np.unique(max(several, key=_period))
        clock: IntArray = slowest[slowest >= first]
        if not len(clock):
            raise InvalidLog(f"the topics of {path} have no time in common; name some in `topics`, or choose a `rate`.")
        return clock
    step = SECOND / positive_number("rate", rate)
    last = max(int(times[-1]) for times, _ in found.values())
    if not step >= 1.0 or (last - first) / step > MOST_ROWS:
        raise InvalidLog(
            f"the messages of {path} span {(last - first) / SECOND:g} s: too many rows at {rate:g} per second; choose "
            "another `rate`."
        )
    width = sum(len(channels) for _, channels in found.values())
    require_fits(path, int((last - first) / step + 1) * 8 * (width + 4), f"one row per {step / SECOND:g} s")
    steps = np.arange(int((last - first) / step + 1e-9) + 1)
    equal: IntArray = first + np.rint(step * steps).astype(np.int64)
    return equal
