"""Messages in the bags of ROS 1."""

from __future__ import annotations

import bz2
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from offnominal.core.errors import InvalidLog
from offnominal.datasets.logs.boundary import require_fits
from offnominal.datasets.logs.ros_messages import ROS1, ROS1_DEFINITION, Decoder, NoDecoder, message_decoder
from offnominal.datasets.logs.topic_table import SECOND, Topics

MAGIC = b"#ROSBAG V2.0\n"
MESSAGE, CHUNK, CONNECTION = 2, 5, 7
LENGTH = struct.Struct("<I")
STAMP = struct.Struct("<II")
LONGEST_HEADER = 2**24


def ros1_messages(path: Path, topics: Topics) -> Iterator[tuple[str, int, Any]]:
    """Yield topic, time in nanoseconds and content of each message, in the order of the file; no index is needed.

    Args:
        path: The bag.
        topics: Gets the topics of the bag, and those that cannot be decoded as left out.

    Raises:
        MissingDependency: The package ``rosbags`` is not installed.
        InvalidLog: The bag is damaged, or would take more memory than allowed.
    """
    connections: dict[int, tuple[str, str, bytes]] = {}
    decoders: dict[int, Decoder] = {}
    for header, data in _records(path):
        kind = header["op"][0]
        if kind == CONNECTION:
            about = _fields(data, path)
            topic = header["topic"].decode()
            connections[_number(header["conn"])] = topic, about["type"].decode(), about["message_definition"]
            topics.known.add(topic)
        elif kind == MESSAGE:
            number = _number(header["conn"])
            topic, type_name, definition = connections[number]
            if not topics.reads(topic):
                continue
            try:
                if number not in decoders:
                    decoders[number] = message_decoder(ROS1, type_name, ROS1_DEFINITION, definition)
            except NoDecoder as error:
                topics.left_out[topic] = str(error)
                continue
            seconds, nanoseconds = STAMP.unpack(header["time"])
            yield topic, seconds * SECOND + nanoseconds, decoders[number](data)


def _records(path: Path) -> Iterator[tuple[dict[str, bytes], bytes]]:
    """Yield header and data of each record, with those in chunks in place of the chunks."""
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise InvalidLog(f"{path} does not begin with {MAGIC.decode().strip()!r}; expected a bag of ROS 1.")
        size = path.stat().st_size
        while file.tell() < size:
            header = _fields(_part(file, size, path), path)
            begin = file.tell()
            if "op" not in header or len(header["op"]) != 1:
                raise InvalidLog(f"{path} is damaged: the record before byte {begin} has no kind.")
            data = _part(file, size, path)
            if header["op"][0] == CHUNK:
                yield from _in_chunk(_unpacked(header, data, begin, path), path)
            else:
                yield header, data


def _in_chunk(chunk: bytes, path: Path) -> Iterator[tuple[dict[str, bytes], bytes]]:
    place = 0
    while place < len(chunk):
        parts = []
        for _ in range(2):
            (length,) = LENGTH.unpack_from(chunk, place)
            place += LENGTH.size + length
            if place > len(chunk):
                raise InvalidLog(f"{path} is damaged: a record of {length} bytes is longer than its chunk.")
            parts.append(chunk[place - length : place])
        header = _fields(parts[0], path)
        if len(header.get("op", b"")) == 1:
            yield header, parts[1]


def _part(file: BinaryIO, size: int, path: Path) -> bytes:
    """Return the bytes after their length."""
    begin = file.tell()
    found = file.read(LENGTH.size)
    length = LENGTH.unpack(found)[0] if len(found) == LENGTH.size else size
    if begin + LENGTH.size + length > size:
        raise InvalidLog(
            f"{path} is truncated or damaged: the record at byte {begin} has {length} bytes, the file {size}."
        )
    return file.read(length)


def _fields(header: bytes, path: Path) -> dict[str, bytes]:
    """Return the fields of a header."""
    found: dict[str, bytes] = {}
    place = 0
    while place < len(header):
        (length,) = LENGTH.unpack_from(header, place)
        name, equals, value = header[place + LENGTH.size : place + LENGTH.size + length].partition(b"=")
        if not equals or length > len(header) - place - LENGTH.size:
            raise InvalidLog(f"{path} is damaged: a header of {len(header)} bytes has a field of {length} bytes.")
        found[name.decode()] = value
        place += LENGTH.size + length
    return found


def _unpacked(header: dict[str, bytes], data: bytes, begin: int, path: Path) -> bytes:
    """Return the content of a chunk, which has at most the announced size."""
    size, compression = _number(header["size"]), header["compression"].decode()
    require_fits(path, size, f"the chunk at byte {begin}")
    content = data
    if compression == "bz2":
        content = bz2.BZ2Decompressor().decompress(data, size + 1)
    elif compression == "lz4":
        import lz4.frame

        content = lz4.frame.LZ4FrameDecompressor().decompress(data, size + 1)
    elif compression != "none":
        raise InvalidLog(f"{path} is compressed with {compression!r}; expected none, bz2 or lz4.")
    if len(content) != size:
        raise InvalidLog(f"{path} is damaged: the chunk at byte {begin} announces {size} bytes and has other ones.")
    return content


def _number(value: bytes) -> int:
    return int(LENGTH.unpack(value)[0])
