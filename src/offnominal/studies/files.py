"""Arrow tables as Parquet files that carry a hash of their content, and the removal of unfinished files."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from offnominal.core.errors import DamagedFile, MissingFile
from offnominal.core.files import file_errors, read_bytes, write_bytes

MAGIC = b"PAR1"
HASH = "sha256"
MARK = HASH.encode() + b"\x18\x40"
"""Bytes before the hash in the footer of a Parquet file: its name, then a text (0x18) of 64 (0x40) bytes."""
BLANK = b"?" * 64
"""Placeholder of the hash while it is computed."""
UNFINISHED = "unfinished"
ABANDONED = 24 * 3600.0
"""Seconds after which an unfinished file is removed."""


def write_table(path: Path, table: Any, *, staging: Path, split: tuple[str, ...] = (), flush: bool = True) -> None:
    """Write an Arrow table as Parquet with the SHA-256 of the file in its footer; see :func:`write_bytes`.

    Args:
        path: Where.
        table: The table.
        staging: Folder on the same disk for unfinished files.
        split: Columns of lists of floats, which compress better byte by byte.
        flush: See :func:`write_bytes`.
    """
    lists = [f"{name}.list.element" for name in split if name in table.column_names]
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(
        sink,
        table.schema,
        compression="zstd",
        use_dictionary=[name for name in table.column_names if name not in split],
        use_byte_stream_split=lists,
        write_statistics=False,
        write_page_checksum=True,
    ) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({HASH: BLANK.decode()})
    content = bytearray(sink.getvalue())
    place = content.rindex(MARK) + len(MARK)
    content[place : place + len(BLANK)] = hashlib.sha256(content).hexdigest().encode()
    write_bytes(path, memoryview(content), staging=staging, flush=flush)


def read_table(path: Path, *, without: tuple[str, ...] = ()) -> Any:
    """Read a Parquet file, or raise an error if it is missing or damaged.

    Args:
        path: Where.
        without: Columns to leave out.

    Raises:
        DamagedFile: Its content does not match its hash.
        InaccessibleFile: The system does not let us read it; the content may be all right.
    """
    return parse_table(read_content(path), path, without=without)


def read_content(path: Path) -> bytes:
    """Return the content of a file if it has the hash that it carries; a file without one is believed."""
    content = read_bytes(path)
    said = hash_in(content)
    if said is not None and said != _hash_of(content):
        raise DamagedFile(f"{path} cannot be read (its content does not have the SHA-256 that it carries).")
    return content


def hash_in(content: bytes) -> str | None:
    """Return the SHA-256 that the content of a file carries, as it is written there; None if there is none."""
    place = content.rfind(MARK) + len(MARK)
    return content[place : place + len(BLANK)].decode("latin-1") if place >= len(MARK) else None


def _hash_of(content: bytes) -> str:
    view, place = memoryview(content), content.rfind(MARK) + len(MARK)
    digest = hashlib.sha256(view[:place])
    digest.update(BLANK)
    digest.update(view[place + len(BLANK) :])
    return digest.hexdigest()


def parse_table(content: bytes, path: Path, *, without: tuple[str, ...] = ()) -> Any:
    """Return the table that the content of a file holds.

    Args:
        content: Content of the file.
        path: Named in the error.
        without: Columns to leave out.
    """
    try:
        file = pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True)
        schema = file.schema_arrow
        names = [name for name in schema.names if name not in without]
        return file.read(columns=names, use_threads=False).replace_schema_metadata(schema.metadata)
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DamagedFile(f"{path} cannot be read ({reason}).") from None


def dataset_of(contents: Sequence[bytes]) -> Any:
    """Return the tables in some files as one that is read column by column when it is asked.

    Args:
        contents: Contents of the files, at least one; columns that a file lacks are null.
    """
    import pyarrow.dataset as ds  # it imports pandas, which takes a worker a third of a second

    kind = ds.ParquetFileFormat()
    schemas = [pq.read_schema(pa.BufferReader(content)).remove_metadata() for content in contents]
    fragments = [kind.make_fragment(pa.BufferReader(content)) for content in contents]
    return ds.FileSystemDataset(fragments, pa.unify_schemas(schemas, promote_options="default"), kind)


def is_whole(path: Path) -> bool:
    """Whether a Parquet file is there and has an end: one that was cut off has none.

    Raises:
        InaccessibleFile: The system does not let us look.
    """
    try:
        with file_errors(path), path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            if size < 2 * len(MAGIC):
                return False
            file.seek(0)
            begins = file.read(len(MAGIC)) == MAGIC
            file.seek(-len(MAGIC), os.SEEK_END)
            return begins and file.read(len(MAGIC)) == MAGIC
    except MissingFile:
        return False


def sweep(staging: Path) -> None:
    """Remove unfinished files of killed processes."""
    oldest = time.time() - ABANDONED
    for path in staging.iterdir() if staging.is_dir() else ():
        try:
            if path.stat().st_mtime < oldest:
                path.unlink()
        except OSError:
            continue
