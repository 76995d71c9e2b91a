"""Bags of robots: MCAP files, ROS 2 bags of SQLite or MCAP, and ROS 1 bags; topics become channels on one clock."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from offnominal.core.errors import InvalidLog, MissingFile, UnknownName, did_you_mean
from offnominal.core.files import file_errors
from offnominal.datasets.logs.boundary import QuestionableLog, parsing
from offnominal.datasets.logs.file_order import natural
from offnominal.datasets.logs.mcap_log import mcap_messages
from offnominal.datasets.logs.ros1_bag import ros1_messages
from offnominal.datasets.logs.row_source import TableRows
from offnominal.datasets.logs.sqlite_bag import sqlite_messages
from offnominal.datasets.logs.topic_table import Topics, channels_of, on_one_clock

METADATA = "metadata.yaml"
Reader = Callable[[Path, Topics], Iterator[tuple[str, int, Any]]]
MESSAGE_READERS: dict[str, tuple[str, Reader]] = {
    ".mcap": ("an MCAP file", mcap_messages),
    ".db3": ("a ROS 2 bag", sqlite_messages),
    ".bag": ("a ROS 1 bag", ros1_messages),
}
"""What a file is expected to be, and the function that reads its messages, by suffix."""
IN_FOLDERS = (".mcap", ".db3")
COMPRESSED = ".zstd"
_PATHS = re.compile(r"^(\s*)relative_file_paths:[ \t]*\n((?:\1\s*- .*(?:\n|\Z))+)", re.MULTILINE)
_ITEM = re.compile(r"^\s*- (.*?)\s*$", re.MULTILINE)


def read_bag(path: Path | str, *, topics: Iterable[str] | None = None, rate: float | None = None) -> TableRows:
    """Return the numeric fields of the messages of a bag as a table with one clock.

    A row has the last value of every channel at a time of the slowest topic. Rows begin when every topic has a message.
    While a topic is silent for more than five of its periods, there are no rows, so that a gap in time separates two
    episodes. Arrays of more than 64 entries, such as images, and text are left out. Topics that cannot be decoded, such
    as events of services, and topics whose messages differ in their fields are left out with a warning,
    :class:`~offnominal.datasets.logs.boundary.QuestionableLog`.

    Args:
        path: An MCAP file with messages in ROS 2's CDR, in ROS 1's encoding or in JSON; the folder of a ROS 2 bag, or
            one of its ``.db3`` files; a ``.bag`` of ROS 1.
        topics: Topics to read; all with numeric fields if None.
        rate: Rows per second, at equal steps; the times of the slowest topic if None.

    Raises:
        MissingDependency: A package that reads the format is not installed.
        InvalidLog: No topic has numbers, or the messages cannot be decoded.
        UnknownName: There is no such topic.
    """
    path = Path(path)
    files = bag_files(path)
    reading = Topics(None if topics is None else list(topics))
    found = channels_of(chain.from_iterable(_messages(file, reading) for file in files), reading, path)
    for topic in reading.wanted or ():
        if topic not in reading.known:
            known = sorted(reading.known)
            raise UnknownName(f"{path} has no topic {topic!r}.{did_you_mean(topic, known)} It has: {known}.")
    listed = _listed(reading.left_out)
    if listed and topics is not None:
        raise InvalidLog(f"{path} has topics that cannot be read. {listed}.")
    if not found:
        raise InvalidLog(f"{path} has no messages with numbers.{f' Left out: {listed}.' if listed else ''}")
    if listed:
        warnings.warn(f"topics of {path} are left out. {listed}.", QuestionableLog, stacklevel=3)
    with parsing(path, "a bag"):
        return on_one_clock(found, path, rate)


def read_mcap(path: Path | str, *, topics: Iterable[str] | None = None, rate: float | None = None) -> TableRows:
    """Return the numeric fields of the messages of an MCAP file as a table; see :func:`read_bag`.

    Args:
        path: An MCAP file, or the folder of a ROS 2 bag.
        topics: Topics to read; all with numeric fields if None.
        rate: Rows per second, at equal steps; the times of the slowest topic if None.
    """
    return read_bag(path, topics=topics, rate=rate)


def is_bag(folder: Path) -> bool:
    """Whether a folder is a ROS 2 bag."""
    return any(each.suffix in IN_FOLDERS or each.name == METADATA for each in folder.iterdir() if each.is_file())


def bag_files(path: Path) -> list[Path]:
    """Return the files of a bag, in their order: those that its ``metadata.yaml`` names.

    Args:
        path: A file, or a folder.

    Raises:
        MissingFile: The path, or a file of the bag, does not exist.
        InvalidLog: A folder has no files of messages, or they are compressed as a whole.
    """
    with file_errors(path):
        if not path.exists():
            raise MissingFile(f"{path} does not exist.")
        if not path.is_dir():
            return [path]
        files = _named_files(path) or sorted(
            (each for each in path.iterdir() if each.suffix in IN_FOLDERS), key=lambda each: natural(each.name)
        )
        packed = [each.name for each in (files or path.iterdir()) if each.suffix == COMPRESSED]
    if packed:
        raise InvalidLog(f"{path / packed[0]} is compressed as a whole; unpack it with `zstd -d --rm {packed[0]}`.")
    if not files:
        raise InvalidLog(f"{path} has 0 MCAP files and 0 SQLite files (.db3); expected a ROS 2 bag.")
    return files


def _named_files(folder: Path) -> list[Path]:
    """Return the files that the description of a bag names; none without a description."""
    description = folder / METADATA
    if not description.is_file():
        return []
    try:
        text = description.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InvalidLog(f"{description} is not text in UTF-8; remove it to read all files of the folder.") from None
    found = _PATHS.search(text)
    names = [name.strip("'\"") for name in _ITEM.findall(found[2])] if found else []
    files = []
    for name in names:
        file = folder / Path(name).name if (folder / Path(name).name).is_file() else folder / name
        packed = file.with_name(file.name + COMPRESSED)
        if not file.resolve().is_relative_to(folder.resolve()):
            raise InvalidLog(f"{description} names the file {name!r}; expected files in the folder.")
        if not file.is_file() and not packed.is_file():
            raise MissingFile(f"{file} does not exist; {METADATA} names it. Copy all files of the bag.")
        files.append(file if file.is_file() else packed)
    return files


def _listed(left_out: dict[str, str]) -> str:
    """Return topics by the reason why they are left out."""
    topics: dict[str, list[str]] = {}
    for topic, reason in left_out.items():
        topics.setdefault(reason, []).append(repr(topic))
    return "; ".join(f"{', '.join(each)}: {reason}" for reason, each in topics.items())


def _messages(file: Path, topics: Topics) -> Iterator[tuple[str, int, Any]]:
    """Yield the messages of a file; an exception of a parser is a named error."""
    expected, reader = MESSAGE_READERS.get(file.suffix.lower(), MESSAGE_READERS[".mcap"])
    with parsing(file, expected):
        yield from reader(file, topics)
