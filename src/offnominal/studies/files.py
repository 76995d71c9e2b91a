"""Files that are there whole or not at all."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from offnominal.core.errors import DamagedFile, MissingFile

MAGIC = b"PAR1"
UNFINISHED = "unfinished"
ABANDONED = 24 * 3600.0
"""Seconds after which nobody is going to finish a file."""


def write_bytes(path: Path, content: bytes | memoryview, *, room: Path, flush: bool = True) -> None:
    """Write a file; a killed writer leaves nothing at its place, and of two at once the last one wins.

    Args:
        path: Where.
        content: What.
        room: Folder on the same disk for what is not finished.
        flush: Whether it has to be on the disk, also if the power fails now, before anything sees it.
    """
    room.mkdir(parents=True, exist_ok=True)
    unfinished = room / uuid4().hex
    with unfinished.open("wb") as file:
        file.write(content)
        if flush:
            file.flush()
            os.fsync(file.fileno())
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished.replace(path)


def write_json(path: Path, data: Any, *, room: Path | None = None) -> None:
    """Write plain data; see :func:`write_bytes`. Without a room, one beside it is made and removed."""
    text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    beside = path.parent / f".{UNFINISHED}"
    write_bytes(path, text.encode(), room=room or beside)
    if room is None:
        with suppress(OSError):
            beside.rmdir()


def read_json(path: Path) -> dict[str, Any]:
    """Read an object, or say what is wrong with its file."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MissingFile(f"{path} does not exist.") from None
    except ValueError as error:
        raise DamagedFile(f"{path} is no JSON ({error}); delete it.") from None
    if not isinstance(data, dict):
        raise DamagedFile(f"{path} holds a {type(data).__name__}; expected an object. Delete it.")
    return data


def write_table(path: Path, table: Any, *, room: Path, split: tuple[str, ...] = (), flush: bool = True) -> None:
    """Write an Arrow table as Parquet with checksums; see :func:`write_bytes`.

    Args:
        path: Where.
        table: What.
        room: Folder on the same disk for what is not finished.
        split: Columns of lists of floats, which compress better byte by byte.
        flush: See :func:`write_bytes`.
    """
    lists = [f"{name}.list.element" for name in split if name in table.column_names]
    sink = pa.BufferOutputStream()
    pq.write_table(
        table,
        sink,
        compression="zstd",
        use_dictionary=[name for name in table.column_names if name not in split],
        use_byte_stream_split=lists,
        write_statistics=False,
        write_page_checksum=True,
    )
    write_bytes(path, memoryview(sink.getvalue()), room=room, flush=flush)


def read_table(path: Path, *, without: tuple[str, ...] = ()) -> Any:
    """Read a Parquet file, or say what is wrong with it.

    Args:
        path: Where.
        without: Columns to leave out.
    """
    try:
        file = pq.ParquetFile(path, page_checksum_verification=True)
        schema = file.schema_arrow
        names = [name for name in schema.names if name not in without]
        return file.read(columns=names, use_threads=False).replace_schema_metadata(schema.metadata)
    except FileNotFoundError:
        raise MissingFile(f"{path} does not exist.") from None
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DamagedFile(f"{path} cannot be read ({reason}).") from None


def is_whole(path: Path) -> bool:
    """Whether a Parquet file is there and has an end: one that was cut off has none."""
    try:
        with path.open("rb") as file:
            if file.read(4) != MAGIC:
                return False
            return file.seek(-4, os.SEEK_END) > 0 and file.read(4) == MAGIC
    except OSError:
        return False


def sweep(room: Path) -> None:
    """Remove what killed writers left long ago."""
    oldest = time.time() - ABANDONED
    for path in room.iterdir() if room.is_dir() else ():
        try:
            if path.stat().st_mtime < oldest:
                path.unlink()
        except OSError:
            continue
