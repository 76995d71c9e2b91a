"""Messages in the SQLite files of ROS 2 bags."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from offnominal.core.errors import InvalidLog, MissingDependency
from offnominal.datasets.logs.boundary import require_fits, unpacked_limit
from offnominal.datasets.logs.ros_messages import Decoder, NoDecoder, message_decoder
from offnominal.datasets.logs.topic_table import Topics

COLUMNS = {"topics": {"id", "name", "type", "serialization_format"}, "messages": {"topic_id", "timestamp", "data"}}
DEFINITIONS = "message_definitions"
ZSTD_FRAME = b"\x28\xb5\x2f\xfd"


def sqlite_messages(path: Path, topics: Topics) -> Iterator[tuple[str, int, Any]]:
    """Yield topic, time in nanoseconds and content of each message, in the order of the file.

    Args:
        path: The file.
        topics: Gets the topics of the file, and those that cannot be decoded as left out.

    Raises:
        InvalidLog: The file is damaged, or is no ROS 2 bag.
    """
    with closing(sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1", uri=True)) as bag:
        bag.execute("PRAGMA trusted_schema = OFF")
        bag.execute("PRAGMA cell_size_check = ON")
        _require_tables(bag, path)
        definitions = _definitions(bag)
        kinds: dict[int, tuple[str, str, str]] = {}
        for number, name, kind, encoding in bag.execute("SELECT id, name, type, serialization_format FROM topics"):
            kinds[number] = str(name), str(kind), str(encoding)
            topics.known.add(str(name))
        decoders: dict[int, Decoder] = {}
        rows = enumerate(bag.execute("SELECT topic_id, timestamp, data FROM messages"))
        for row, (number, stamp, data) in rows:
            if number not in kinds or not isinstance(stamp, int) or not isinstance(data, bytes):
                raise InvalidLog(f"{path}: message {row} has no known topic, no time or no content; it is damaged.")
            topic, kind, encoding = kinds[number]
            if not topics.reads(topic):
                continue
            try:
                if number not in decoders:
                    decoders[number] = message_decoder(encoding, kind, *definitions.get(_plain(kind), ("", b"")))
                yield topic, stamp, decoders[number](unpacked(data, path))
            except NoDecoder as error:
                topics.left_out[topic] = str(error)
            except NotImplementedError as error:
                topics.left_out[topic] = f"it cannot be decoded ({error})"


def _require_tables(bag: sqlite3.Connection, path: Path) -> None:
    """Raise :class:`InvalidLog` unless the tables of a bag are there; a view could compute forever."""
    for table, expected in COLUMNS.items():
        found = bag.execute("SELECT type, sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        if found is None or found[0] != "table" or "virtual" in str(found[1])[:40].lower():
            raise InvalidLog(f"{path} has no table {table!r}; expected a ROS 2 bag.")
        columns = {name for _, name, *_ in bag.execute(f"PRAGMA table_info({table})")}
        if expected - columns:
            raise InvalidLog(f"{path}: table {table!r} has no column {sorted(expected - columns)[0]!r}.")


def _definitions(bag: sqlite3.Connection) -> dict[str, tuple[str, bytes]]:
    """Return language and text of the definitions in a bag by type; bags from before ROS 2 Iron have none."""
    found = bag.execute("SELECT type FROM sqlite_master WHERE name = ?", (DEFINITIONS,)).fetchone()
    if found != ("table",):
        return {}
    rows = bag.execute(f"SELECT topic_type, encoding, encoded_message_definition FROM {DEFINITIONS}")
    return {_plain(str(kind)): (str(language), str(text).encode()) for kind, language, text in rows}


def _plain(kind: str) -> str:
    """Return the name of a type as definitions of services have it: without the suffix of their events."""
    return kind.removesuffix("_Event")


def unpacked(data: bytes, path: Path) -> bytes:
    """Return a message, which may be compressed with zstd on its own.

    Args:
        data: The stored message. One in CDR begins with two bytes of which the first is zero.
        path: The bag, for error messages.
    """
    if data[:4] != ZSTD_FRAME:
        return data
    try:
        import zstandard
    except ImportError:
        raise MissingDependency(
            'compressed messages need zstandard; install it with `pip install "offnominal[mcap]"`.'
        ) from None
    announced: int = zstandard.get_frame_parameters(data).content_size
    known = announced != zstandard.CONTENTSIZE_UNKNOWN
    if known:
        require_fits(path, announced, "a message")
    limit = 0 if known else int(min(unpacked_limit(), 2**31 - 1))
    content: bytes = zstandard.ZstdDecompressor().decompress(data, max_output_size=limit)
    return content
