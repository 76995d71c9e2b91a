"""Logs in MCAP files, such as ROS 2 bags: topics become channels on one clock."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from offnominal.core.checks import positive_number
from offnominal.core.errors import (
    InvalidLog,
    MissingDependency,
    MissingFile,
    OffnominalError,
    UnknownName,
    did_you_mean,
)
from offnominal.core.files import content_errors, file_errors
from offnominal.core.types import FloatArray
from offnominal.datasets.logs.row_source import TableRows

LONGEST_ARRAY = 64
STALE_PERIODS = 5.0
MOST_ROWS = 10**8
SKIPPED = ("header", "stamp")


def read_mcap(path: Path | str, *, topics: Iterable[str] | None = None, rate: float | None = None) -> TableRows:
    """Return the numeric fields of the messages of an MCAP file as a table with one clock.

    A row has the last value of every channel at its time. Rows begin when every topic has a message. While a topic is
    silent for more than five of its periods, there are no rows, so that a gap in time separates two episodes. Arrays of
    more than 64 entries, such as images, and text are left out.

    Args:
        path: An MCAP file with messages in ROS 2's CDR or in JSON, or the folder of a ROS 2 bag.
        topics: Topics to read; all with numeric fields if None.
        rate: Rows per second; the rate of the slowest topic if None.

    Raises:
        MissingDependency: The package ``mcap`` is not installed.
        InvalidLog: No topic has numbers, or the messages cannot be decoded.
        UnknownName: There is no such topic.
    """
    file = _file(Path(path))
    with file_errors(file):
        found = _messages(file, None if topics is None else list(topics))
    if not found:
        raise InvalidLog(f"{file} has no messages with numbers.")
    clock = _clock(found, file, rate)
    columns: dict[str, Any] = {"time": clock - clock[0]}
    fresh = np.ones(len(clock), np.bool_)
    for topic, (times, channels) in found.items():
        last = np.searchsorted(times, clock, side="right") - 1
        fresh &= clock - times[last] <= STALE_PERIODS * _period(times)
        columns |= {f"{topic}.{name}": values[last] for name, values in channels.items()}
    source = TableRows(str(file), pa.table({name: values[fresh] for name, values in columns.items()}))
    source.suggested = {"time": "time"}
    return source


def _file(path: Path) -> Path:
    """Return the MCAP file of a path; a ROS 2 bag is a folder with one."""
    with file_errors(path):
        if not path.exists():
            raise MissingFile(f"{path} does not exist.")
        if not path.is_dir():
            return path
        files = sorted(path.glob("*.mcap"))
    if len(files) != 1:
        raise InvalidLog(f"{path} has {len(files)} MCAP files; expected one. Name the file.")
    return files[0]


def _messages(path: Path, topics: list[str] | None) -> dict[str, tuple[FloatArray, dict[str, FloatArray]]]:
    """Return times and channels by topic."""
    times: dict[str, array[float]] = {}
    values: dict[str, array[float]] = {}
    names: dict[str, list[str]] = {}
    for topic, seconds, message in _decoded(path, topics):
        row = dict(_numbers("", message))
        if list(row) != names.setdefault(topic, list(row)):
            raise InvalidLog(
                f"message {len(times[topic])} of topic {topic!r} in {path} has other fields than the first one; leave "
                "the topic out."
            )
        times.setdefault(topic, array("d")).append(seconds)
        values.setdefault(topic, array("d")).extend(row.values())
    found = {}
    for topic, fields in names.items():
        if fields:
            matrix = np.frombuffer(values[topic]).reshape(-1, len(fields))
            channels = {name: matrix[:, column] for column, name in enumerate(fields)}
            found[topic] = (np.frombuffer(times[topic]), channels)
    return found


def _decoded(path: Path, topics: list[str] | None) -> Iterator[tuple[str, float, Any]]:
    """Yield topic, time in seconds and content of each message."""
    try:
        from mcap.exceptions import McapError
        from mcap.reader import make_reader
    except ImportError:
        raise MissingDependency("MCAP files need mcap; install it with `pip install offnominal[mcap]`.") from None
    try:
        with path.open("rb") as file, content_errors(path, "an MCAP file", McapError):
            reader = make_reader(file)
            summary = reader.get_summary()
            known = sorted({channel.topic for channel in summary.channels.values()}) if summary else []
            for topic in topics or ():
                if known and topic not in known:
                    raise UnknownName(f"{path} has no topic {topic!r}.{did_you_mean(topic, known)} It has: {known}.")
            decoders: dict[int, Any] = {}
            for schema, channel, message in reader.iter_messages(topics=topics):
                if channel.id not in decoders:
                    decoders[channel.id] = _decoder(channel, schema, path)
                if decoders[channel.id] is not None:
                    yield channel.topic, message.log_time / 1e9, decoders[channel.id](message.data)
    except OffnominalError as error:
        raise (
            error if isinstance(error, InvalidLog | MissingDependency | UnknownName) else InvalidLog(str(error))
        ) from None


def _decoder(channel: Any, schema: Any, path: Path) -> Any:
    """Return the function that decodes the messages of a channel; None if the encoding is unknown."""
    if channel.message_encoding == "json":
        return json.loads
    if channel.message_encoding == "cdr":
        try:
            from mcap_ros2.decoder import DecoderFactory
        except ImportError:
            raise MissingDependency(
                f"{path} has ROS 2 messages; install `pip install offnominal[mcap]` to decode them."
            ) from None
        return DecoderFactory().decoder_for("cdr", schema)
    return None


def _numbers(name: str, value: Any) -> Iterator[tuple[str, float]]:
    """Yield the numeric fields of a message by their path."""
    if isinstance(value, bool | int | float | np.number):
        yield name or "value", float(value)
    elif isinstance(value, Mapping):
        for key, part in value.items():
            if key not in SKIPPED:
                yield from _numbers(f"{name}.{key}" if name else str(key), part)
    elif isinstance(value, list | tuple | np.ndarray):
        if len(value) <= LONGEST_ARRAY:
            for index, part in enumerate(value):
                yield from _numbers(f"{name}.{index}" if name else str(index), part)
    elif not isinstance(value, str | bytes | bytearray | memoryview) and hasattr(value, "__slots__"):
        for key in value.__slots__:
            if key not in SKIPPED:
                yield from _numbers(f"{name}.{key}" if name else key, getattr(value, key))


def _period(times: FloatArray) -> float:
    """Return the median time between messages; infinite for a single one."""
    return float(np.median(np.diff(times))) if len(times) > 1 else np.inf


def _clock(found: dict[str, tuple[FloatArray, dict[str, FloatArray]]], path: Path, rate: float | None) -> FloatArray:
    """Return the times of the rows."""
    for topic, (times, _) in found.items():
        if (np.diff(times) < 0).any():
            raise InvalidLog(f"topic {topic!r} of {path} has decreasing times.")
    periods = [_period(times) for times, _ in found.values() if len(times) > 1]
    if not periods:
        raise InvalidLog(f"every topic of {path} has a single message; expected at least two.")
    step = max(periods) if rate is None else 1.0 / positive_number("rate", rate)
    first = max(float(times[0]) for times, _ in found.values())
    last = max(float(times[-1]) for times, _ in found.values())
    if not step > 0.0 or (last - first) / step > MOST_ROWS:
        raise InvalidLog(f"the messages of {path} are {step:g} s apart over {last - first:g} s; choose another `rate`.")
    return np.asarray(first + step * np.arange(int((last - first) / step + 1e-9) + 1), np.float64)
