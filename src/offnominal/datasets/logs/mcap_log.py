"""Logs in MCAP files, such as ROS 2 bags: topics become channels on one clock."""

from __future__ import annotations

import json
import os
import struct
import warnings
from array import array
from collections.abc import Iterable, Iterator, Mapping
from contextlib import redirect_stderr, suppress
from io import StringIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from offnominal.core.checks import positive_number
from offnominal.core.errors import InvalidLog, MissingDependency, MissingFile, UnknownName, did_you_mean
from offnominal.core.files import file_errors
from offnominal.core.types import FloatArray
from offnominal.datasets.logs.boundary import QuestionableLog, parsing, require_fits, unpacked_limit
from offnominal.datasets.logs.row_source import TableRows

LONGEST_ARRAY = 64
STALE_PERIODS = 5.0
MOST_ROWS = 10**8
SKIPPED = ("header", "stamp")
Topics = dict[str, tuple[FloatArray, dict[str, FloatArray]]]
"""Times of the messages, and their channels, by topic."""


def read_mcap(path: Path | str, *, topics: Iterable[str] | None = None, rate: float | None = None) -> TableRows:
    """Return the numeric fields of the messages of an MCAP file as a table with one clock.

    A row has the last value of every channel at its time. Rows begin when every topic has a message. While a topic is
    silent for more than five of its periods, there are no rows, so that a gap in time separates two episodes. Arrays of
    more than 64 entries, such as images, and text are left out. Topics that cannot be decoded, such as events of
    services, and topics whose messages differ in their fields are left out with a warning,
    :class:`~offnominal.datasets.logs.boundary.QuestionableLog`.

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
    with parsing(file, "an MCAP file"):
        found, left_out = _messages(file, None if topics is None else list(topics))
        listed = "; ".join(f"{topic!r}: {reason}" for topic, reason in left_out.items())
        if left_out and topics is not None:
            raise InvalidLog(f"{file} has topics that cannot be read. {listed}.")
        if not found:
            raise InvalidLog(f"{file} has no messages with numbers.{f' Left out: {listed}.' if listed else ''}")
        if left_out:
            warnings.warn(f"topics of {file} are left out. {listed}.", QuestionableLog, stacklevel=3)
        return _on_one_clock(found, file, rate)


def _on_one_clock(found: Topics, file: Path, rate: float | None) -> TableRows:
    """Return the last value of every channel at the times of the rows."""
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


def _messages(path: Path, topics: list[str] | None) -> tuple[Topics, dict[str, str]]:
    """Return times and channels by topic, and why other topics are left out."""
    times: dict[str, array[float]] = {}
    values: dict[str, array[float]] = {}
    names: dict[str, list[str]] = {}
    left_out: dict[str, str] = {}
    held, limit = 0, unpacked_limit()
    for topic, seconds, message in _decoded(path, topics, left_out):
        if topic in left_out:
            continue
        row = dict(_numbers("", message))
        if list(row) != names.setdefault(topic, list(row)):
            left_out[topic] = f"message {len(times[topic])} has other fields than the first one"
            continue
        times.setdefault(topic, array("d")).append(seconds)
        values.setdefault(topic, array("d")).extend(row.values())
        held += 8 * (len(row) + 1)
        if held > limit:
            require_fits(path, held, "its numbers")
    found = {}
    for topic, fields in names.items():
        if fields and topic not in left_out:
            order = np.argsort(np.frombuffer(times[topic]), kind="stable")
            matrix = np.frombuffer(values[topic]).reshape(-1, len(fields))[order]
            channels = {name: matrix[:, column] for column, name in enumerate(fields)}
            found[topic] = (np.frombuffer(times[topic])[order], channels)
    return dict(sorted(found.items(), key=lambda topic: float(topic[1][0][0]))), left_out


def _decoded(path: Path, topics: list[str] | None, left_out: dict[str, str]) -> Iterator[tuple[str, float, Any]]:
    """Yield topic, time in seconds and content of each message, in the order of the file.

    Topics that cannot be decoded are added to `left_out`, with the reason.
    """
    try:
        from mcap.reader import make_reader
    except ImportError:
        raise MissingDependency("MCAP files need mcap; install it with `pip install offnominal[mcap]`.") from None
    with path.open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        begins = check_chunks(file, path)
        summary = reader.get_summary()
        known = sorted({channel.topic for channel in summary.channels.values()}) if summary else []
        require_known(summary.chunk_indexes if summary else (), begins, path)
        for topic in topics or ():
            if known and topic not in known:
                raise UnknownName(f"{path} has no topic {topic!r}.{did_you_mean(topic, known)} It has: {known}.")
        decoders: dict[int, Any] = {}
        # In the order of time, the reader holds all messages of overlapping chunks, images included.
        for schema, channel, message in reader.iter_messages(topics=topics, log_time_order=False):
            topic = channel.topic
            if channel.id not in decoders:
                decoders[channel.id] = _decoder(channel, schema, path, left_out)
            if decoders[channel.id] is None:
                continue
            try:
                yield topic, message.log_time / 1e9, decoders[channel.id](message.data)
            except NotImplementedError as error:
                left_out[topic], decoders[channel.id] = f"it cannot be decoded ({error})", None


def _decoder(channel: Any, schema: Any, path: Path, left_out: dict[str, str]) -> Any:
    """Return the function that decodes the messages of a channel; None if there is none, with the reason."""
    if channel.message_encoding == "json":
        return json.loads
    decoder, reason = None, f"its messages are in {channel.message_encoding!r}; expected CDR or JSON"
    if channel.message_encoding == "cdr" and schema is not None:
        try:
            from mcap_ros2.decoder import DecoderFactory
        except ImportError:
            raise MissingDependency(
                f"{path} has ROS 2 messages; install `pip install offnominal[mcap]` to decode them."
            ) from None
        reason = f"its schema {schema.name!r} cannot be read"
        # The parser of schemas prints to stderr, and raises errors of many classes, not all of its own.
        with suppress(Exception), redirect_stderr(StringIO()):
            decoder = DecoderFactory().decoder_for("cdr", schema)
    if decoder is None:
        left_out[channel.topic] = reason
    return decoder


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


def _clock(found: Topics, path: Path, rate: float | None) -> FloatArray:
    """Return the times of the rows."""
    periods = [_period(times) for times, _ in found.values() if len(times) > 1]
    if not periods:
        raise InvalidLog(f"every topic of {path} has a single message; expected at least two.")
    step = max(periods) if rate is None else 1.0 / positive_number("rate", rate)
    first = max(float(times[0]) for times, _ in found.values())
    last = max(float(times[-1]) for times, _ in found.values())
    if not step > 0.0 or (last - first) / step > MOST_ROWS:
        raise InvalidLog(f"the messages of {path} are {step:g} s apart over {last - first:g} s; choose another `rate`.")
    width = sum(len(channels) for _, channels in found.values())
    require_fits(path, int((last - first) / step + 1) * 8 * (width + 4), f"one row per {step:g} s")
    return np.asarray(first + step * np.arange(int((last - first) / step + 1e-9) + 1), np.float64)


MAGIC_BYTES = 8
RECORD = struct.Struct("<BQ")
CHUNK = 6
SIZES = struct.Struct("<8x8xQ4xI")
"""Start of a chunk: the unpacked size, and the length of the name of the compression."""
HEAD_BYTES = 128
FRAME_BYTES = 18
LZ4_RATIO = 255
"""Largest ratio of compression of the LZ4 format."""


def check_chunks(file: BinaryIO, path: Path) -> set[int]:
    """Return where the chunks of a file begin; raise :class:`InvalidLog` if one would take more memory than allowed.

    Args:
        file: The open file; its position changes.
        path: Its path, for error messages.
    """
    size = os.fstat(file.fileno()).st_size
    begins: set[int] = set()
    begin = MAGIC_BYTES
    while begin + RECORD.size <= size:
        file.seek(begin)
        opcode, length = RECORD.unpack(file.read(RECORD.size))
        end = begin + RECORD.size + length
        if end > size:
            raise InvalidLog(
                f"{path} is truncated or damaged: the record at byte {begin} has {length} bytes, the file {size}."
            )
        if opcode == CHUNK:
            require_fits(path, _unpacked_size(file.read(min(HEAD_BYTES, length)), length), f"the chunk at byte {begin}")
            begins.add(begin)
        begin = end
    return begins


def require_known(indexes: Any, begins: set[int], path: Path) -> None:
    """Raise :class:`InvalidLog` if the index of a file names a chunk that is not there.

    Args:
        indexes: Entries of the index.
        begins: Where the chunks begin.
        path: The file, for the error message.
    """
    for index in indexes:
        if index.chunk_start_offset not in begins:
            raise InvalidLog(f"{path} is damaged: its index names a chunk at byte {index.chunk_start_offset}.")


def _unpacked_size(head: bytes, length: int) -> int:
    """Return the size that a chunk announces, itself or in the header of its compressed data."""
    announced: int
    announced, name_bytes = SIZES.unpack_from(head)
    data = SIZES.size + name_bytes + 8
    compression, frame = head[SIZES.size : SIZES.size + name_bytes], head[data : data + FRAME_BYTES]
    if compression == b"zstd":
        import zstandard

        found: int = zstandard.get_frame_parameters(frame).content_size
        return max(announced, 0 if found == zstandard.CONTENTSIZE_UNKNOWN else found)
    if compression == b"lz4":
        return max(announced, LZ4_RATIO * length)
    return announced
