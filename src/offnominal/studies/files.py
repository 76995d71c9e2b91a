"""Arrow tables as Parquet files with checksums, and what killed writers left behind."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from offnominal.core.errors import DamagedFile
from offnominal.core.files import read_bytes, write_bytes

MAGIC = b"PAR1"
UNFINISHED = "unfinished"
ABANDONED = 24 * 3600.0
"""Seconds after which nobody is going to finish a file."""


def write_table(path: Path, table: Any, *, staging: Path, split: tuple[str, ...] = (), flush: bool = True) -> None:
    """Write an Arrow table as Parquet with checksums; see :func:`write_bytes`.

    Args:
        path: Where.
        table: What.
        staging: Folder on the same disk for unfinished files.
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
    write_bytes(path, memoryview(sink.getvalue()), staging=staging, flush=flush)


def read_table(path: Path, *, without: tuple[str, ...] = ()) -> Any:
    """Read a Parquet file, or say what is wrong with it.

    Args:
        path: Where.
        without: Columns to leave out.
    """
    # Read before it is parsed: what fails then is the fault of the content, and not of the system.
    content = pa.py_buffer(read_bytes(path))
    try:
        file = pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True)
        schema = file.schema_arrow
        names = [name for name in schema.names if name not in without]
        return file.read(columns=names, use_threads=False).replace_schema_metadata(schema.metadata)
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


def sweep(staging: Path) -> None:
    """Remove what killed writers left long ago."""
    oldest = time.time() - ABANDONED
    for path in staging.iterdir() if staging.is_dir() else ():
        try:
            if path.stat().st_mtime < oldest:
                path.unlink()
        except OSError:
            continue
