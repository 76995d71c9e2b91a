"""Messages in MCAP files."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from offnominal.core.errors import InvalidLog, MissingDependency
from offnominal.datasets.logs.boundary import require_fits
from offnominal.datasets.logs.ros_messages import Decoder, NoDecoder, message_decoder

if TYPE_CHECKING:
    from offnominal.datasets.logs.topic_table import Topics


def mcap_messages(path: Path, topics: Topics) -> Iterator[tuple[str, int, Any]]:
    """Yield topic, time in nanoseconds and content of each message, in the order of the file.

    Args:
        path: The file.
        topics: Gets the topics of the file, and those that cannot be decoded as left out.

    Raises:
        MissingDependency: The package ``mcap`` is not installed.
        InvalidLog: The file is damaged, or would take more memory than allowed.
    """
    try:
        from mcap.reader import make_reader
    except ImportError:
        raise MissingDependency("MCAP files need mcap; install it with `pip install offnominal[mcap]`.") from None
    with path.open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        begins = check_chunks(file, path)
        summary = reader.get_summary()
        require_known(summary.chunk_indexes if summary else (), begins, path)
        if summary:
            topics.known |= {channel.topic for channel in summary.channels.values()}
        decoders: dict[int, Decoder] = {}
        # In the order of time, the reader holds all messages of overlapping chunks, images included.
        for schema, channel, message in reader.iter_messages(topics=topics.wanted, log_time_order=False):
            topic = channel.topic
            if not topics.reads(topic):
                continue
            try:
                if channel.id not in decoders:
                    about = (schema.name, schema.encoding, schema.data) if schema else ("", "", b"")
                    decoders[channel.id] = message_decoder(channel.message_encoding, *about)
                yield topic, message.log_time, decoders[channel.id](message.data)
            except NoDecoder as error:
                topics.left_out[topic] = str(error)
            except NotImplementedError as error:
                topics.left_out[topic] = f"it cannot be decoded ({error})"


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
            require_fits(path, unpacked_size(file.read(min(HEAD_BYTES, length)), length), f"the chunk at byte {begin}")
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


def unpacked_size(head: bytes, length: int) -> int:
    """Return the size that a chunk announces, itself or in the header of its compressed data.

    Args:
        head: The first bytes of the chunk.
        length: Its size in the file.
    """
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
