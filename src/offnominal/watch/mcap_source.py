"""Samples of an MCAP file, also one that another process is still writing."""

from __future__ import annotations

import logging
import math
import os
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from io import BytesIO
from pathlib import Path
from threading import Thread
from time import monotonic, sleep, time
from typing import Any, Literal

from offnominal.core.errors import InvalidLog, MissingDependency, OffnominalError
from offnominal.core.files import file_errors
from offnominal.datasets.logs.boundary import parsing, require_fits
from offnominal.datasets.logs.mcap_log import CHUNK, HEAD_BYTES, unpacked_size
from offnominal.datasets.logs.ros_messages import Decoder, NoDecoder, message_decoder
from offnominal.watch.deployment import Deployment
from offnominal.watch.inbox import Arrived, Inbox
from offnominal.watch.topic_samples import TopicSamples

LOGGER = logging.getLogger("offnominal.watch")
MAGIC = b"\x89MCAP0\r\n"
RECORD = struct.Struct("<BQ")
SCHEMA, CHANNEL, MESSAGE, FOOTER = 3, 4, 5, 2
READ = frozenset((SCHEMA, CHANNEL, MESSAGE, CHUNK))
LONGEST_RECORD = 2**28
"""Bytes of a record that is read; a longer one is damage, whose end would be awaited for ever."""
COMPARED = 4096
"""Bytes at the begin of a file by which another one at its place is recognised."""
POLL = 0.05
SILENT = 5.0
"""Seconds after which it is told that a channel had no message."""
SECOND = 1e9


class McapSource:
    """Reads the messages of an MCAP file in a thread, and puts samples into an inbox; it waits where that is full.

    Records are read as soon as they are complete: single messages, and chunks when the writer has ended them. A record
    that is cut, as by a writer that was killed, is waited for. A file that is followed may be replaced by another one
    at its path, as by a rotation or by a writer that starts again: then its samples are those of another session.
    Samples are numbered from the begin of the file, so that after a restart of the monitor those that it has seen are
    duplicates.

    Args:
        inbox: The inbox.
        path: The file.
        deployment: The folder whose channels are read.
        robot: Name of the robot.
        follow: Whether to wait for more at the end of the file.
        on_end: Called at the end of the input.

    Raises:
        MissingDependency: The package ``mcap`` is not installed.
        MissingFile: There is no such file.
    """

    def __init__(
        self,
        inbox: Inbox,
        path: Path,
        deployment: Deployment,
        *,
        robot: str = "robot",
        follow: bool = False,
        on_end: Callable[[], object] | None = None,
    ) -> None:
        try:
            import mcap.stream_reader as _  # noqa: F401
        except ImportError:
            raise MissingDependency("MCAP files need mcap; install it with `pip install offnominal[mcap]`.") from None
        self._inbox, self._path, self._deployment, self._robot = inbox, path, deployment, robot
        self._follow, self._on_end = follow, on_end
        self._session, self._again = "", 0
        self._samples: TopicSamples | None = None
        self._told_at = math.inf
        with file_errors(path):
            self._file = os.open(path, os.O_RDONLY)
        self._thread = Thread(target=self._run, name="mcap", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def _run(self) -> None:
        try:
            while not self._inbox.closed:
                again = self._read_file()
                if not (self._follow and again):
                    break
        finally:
            os.close(self._file)
            if self._on_end is not None:
                self._on_end()

    def _read_file(self) -> bool:
        """Read one file to its end; return whether there is another one at its path."""
        reading = _File(self._file, self._path)
        self._samples = None
        try:
            for topic, stamp, message in self._messages(reading):
                samples = self._samples or self._begin(stamp)
                if not samples.wants(topic):
                    continue
                with parsing(self._path, f"messages of {topic}"):
                    sample = samples.take(topic, stamp / SECOND, message())
                if sample is not None and not self._inbox.put([Arrived(sample, time())]):
                    return False
        except (OffnominalError, OSError) as error:
            LOGGER.error("%s; the samples of this file end here", str(error).rstrip("."))
        if self._samples is not None:
            self._tell_missing(self._samples)
        elif not self._inbox.closed:
            LOGGER.warning("%s had no messages", self._path)
        return self._follow and self._await_another(reading)

    def _begin(self, stamp: int) -> TopicSamples:
        """Begin the session of a file; the time of its first message is not enough, as simulated time begins at 0."""
        session = f"mcap-{stamp}-{os.fstat(self._file).st_ino}"
        # Only a file that was written over with the same first time; all others have the same name after a restart.
        self._again = self._again + 1 if session == self._session else 0
        self._session = session
        session += f"-{self._again}" if self._again else ""
        self._samples, self._told_at = TopicSamples(self._deployment, self._robot, session), monotonic() + SILENT
        return self._samples

    def _tell_missing(self, samples: TopicSamples) -> None:
        """Tell once for each file if a channel had no message."""
        if self._told_at < math.inf and (missing := samples.missing()):
            LOGGER.warning("%s had no message with the channel %s", self._path, missing[0])
        self._told_at = math.inf

    def _messages(self, reading: _File) -> Iterator[tuple[str, int, Callable[[], Any]]]:
        """Yield topic, time in nanoseconds and a function that decodes each message; wait for more if it is wanted."""
        contents = _Contents(self._path)
        while not self._inbox.closed:
            # Asked before: what was written until then is still read.
            change = reading.change()
            if change == "rewritten":
                return
            for record in reading.records():
                yield from contents.messages(record)
            if reading.finished or not self._follow or change:
                return
            if self._samples is not None and monotonic() >= self._told_at:
                self._tell_missing(self._samples)
            sleep(POLL)

    def _await_another(self, reading: _File) -> bool:
        """Wait until there is another file at the path, and open it; return False if the inbox was closed before."""
        while not self._inbox.closed:
            if reading.change():
                with suppress(OSError):
                    fresh = os.open(self._path, os.O_RDONLY)
                    os.close(self._file)
                    self._file = fresh
                    return True
            sleep(POLL)
        return False


class _File:
    """The complete records of a file that may grow."""

    def __init__(self, file: int, path: Path) -> None:
        self.finished = False
        self._file, self._path = file, path
        self._place = 0
        self._begin = b""
        self._cut = False

    def records(self) -> Iterator[tuple[int, bytes]]:
        """Yield the kind and the bytes of each record that has become complete.

        Raises:
            InvalidLog: It is no MCAP file, or damaged.
        """
        if not self._place:
            magic = os.pread(self._file, len(MAGIC), 0)
            if not MAGIC.startswith(magic):
                raise InvalidLog(f"{self._path} is no MCAP file; expected one that begins with {MAGIC!r}")
            if len(magic) < len(MAGIC):
                return
            self._place = len(MAGIC)
        while not self.finished:
            head = os.pread(self._file, RECORD.size, self._place)
            if len(head) < RECORD.size:
                break
            kind, length = RECORD.unpack(head)
            if not kind or (kind in READ and length > LONGEST_RECORD):
                raise InvalidLog(f"{self._path} is damaged: the record at byte {self._place} has {length} bytes")
            if os.fstat(self._file).st_size < self._place + RECORD.size + length:
                break
            if kind in READ:
                yield kind, os.pread(self._file, length, self._place + RECORD.size)
            self._place += RECORD.size + length
            self.finished = kind == FOOTER

    def change(self) -> Literal["", "moved", "rewritten"]:
        """Return whether there is another file at the path, or this one was written anew."""
        begin = os.pread(self._file, COMPARED, 0)
        # Remembered, because the new content soon is as long as the old one.
        self._cut = self._cut or os.fstat(self._file).st_size < self._place
        if self._cut or not begin.startswith(self._begin):
            return "rewritten"
        self._begin = begin
        try:
            found, ours = self._path.stat(), os.fstat(self._file)
        except OSError:
            # Between the two names of a rotation there is no file.
            return ""
        return "" if (found.st_dev, found.st_ino) == (ours.st_dev, ours.st_ino) else "moved"


class _Contents:
    """Schemas and channels of a file, and the messages of its records."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._schemas: dict[int, Any] = {}
        self._channels: dict[int, Any] = {}
        self._decoders: dict[int, Decoder] = {}

    def messages(self, record: tuple[int, bytes]) -> Iterator[tuple[str, int, Callable[[], Any]]]:
        """Yield topic, time in nanoseconds and a function that decodes each message of a record.

        Raises:
            InvalidLog: It is damaged, or would take more memory than allowed.
        """
        for part in self._parts(*record):
            kind = type(part).__name__
            if kind == "Schema":
                self._schemas[part.id] = part
            elif kind == "Channel":
                self._channels[part.id] = part
            elif part.channel_id not in self._channels:
                raise InvalidLog(f"{self._path} is damaged: a message has the unknown channel {part.channel_id}")
            else:
                yield self._channels[part.channel_id].topic, part.log_time, partial(self._decoded, part)

    def _parts(self, kind: int, content: bytes) -> list[Any]:
        from mcap.data_stream import ReadDataStream
        from mcap.records import Channel, Chunk, Message, Schema
        from mcap.stream_reader import breakup_chunk

        stream = ReadDataStream(BytesIO(content))
        with parsing(self._path, "MCAP"):
            if kind == CHUNK:
                require_fits(self._path, unpacked_size(content[:HEAD_BYTES], len(content)), "a chunk")
                wanted = (Schema, Channel, Message)
                return [
                    part for part in breakup_chunk(Chunk.read(stream), validate_crc=True) if isinstance(part, wanted)
                ]
            if kind == MESSAGE:
                return [Message.read(stream, len(content))]
            return [Schema.read(stream) if kind == SCHEMA else Channel.read(stream)]

    def _decoded(self, message: Any) -> Any:
        channel = self._channels[message.channel_id]
        with parsing(self._path, f"messages of {channel.topic}"):
            if channel.id not in self._decoders:
                schema = self._schemas.get(channel.schema_id)
                about = (schema.name, schema.encoding, schema.data) if schema else ("", "", b"")
                try:
                    self._decoders[channel.id] = message_decoder(channel.message_encoding, *about)
                except NoDecoder as error:
                    raise InvalidLog(f"topic {channel.topic} of {self._path} cannot be read: {error}") from None
            return self._decoders[channel.id](message.data)
