"""Downloads: fetched once, checked by SHA-256, kept in a folder."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from typing import BinaryIO

from offnominal.core.errors import DamagedFile, MissingFile
from offnominal.core.files import atomic_write, sha256_of, write_text
from offnominal.core.progress_bar import progress

CHUNK_SIZE = 1 << 20
TIMEOUT = 30.0


def fetch_file(url: str, folder: Path, *, name: str | None = None, sha256: str = "") -> Path:
    """Return a file in a folder; download it first if it is missing.

    A download gets its name only when it is complete and has the expected hash, so an interrupted download leaves no
    file. The hash is stored beside the file and checked on every call. If no hash is given, the first download is
    trusted and every later call must find the same content.

    Args:
        url: URL of the file.
        folder: Folder that keeps the file; created if missing.
        name: Name of the file in the folder; the last part of the URL if None.
        sha256: Expected SHA-256, or its first digits.

    Raises:
        MissingFile: The file is missing and cannot be downloaded.
        DamagedFile: The file has another hash.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     source = Path(folder) / "source.bin"
        ...     _ = source.write_bytes(b"weights")
        ...     fetch_file(source.as_uri(), Path(folder) / "kept", sha256="9a129038").name
        'source.bin'
    """
    file = folder / (name or url.rsplit("/", 1)[-1])
    record = file.with_name(file.name + ".sha256")
    if not file.exists():
        with _without_empty_folders(folder):
            _download(url, file, sha256)
    found = sha256_of(file)
    recorded = record.read_text(encoding="ascii").strip() if record.exists() else ""
    for expected, source in ((sha256, "the published hash is"), (recorded, f"{record.name} says")):
        if not found.startswith(expected):
            raise DamagedFile(
                f"{file} has SHA-256 {found[:12]}…, {source} {expected[:12]}…; delete {file.name} and {record.name} to "
                f"download it again from {url}."
            )
    if not recorded:
        write_text(record, found + "\n")
    return file


@contextmanager
def _without_empty_folders(folder: Path) -> Iterator[None]:
    """Remove the folders that an action has created if it fails and leaves them empty."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        yield
    except BaseException:
        with suppress(OSError):  # Another download has put its file there.
            for each in missing:
                each.rmdir()
        raise


def _download(url: str, file: Path, sha256: str) -> None:
    with atomic_write(file, flush=False) as unfinished:
        try:
            _copy(url, file.name, unfinished)
        except (OSError, HTTPException, ValueError) as error:
            reason = getattr(error, "reason", None) or error
            raise MissingFile(
                f"{file.name} is not on this machine and could not be downloaded from {url} ({reason}). Connect to the "
                f"network, or download it elsewhere and put it into {file.parent} under the name {file.name}."
            ) from None
        unfinished.flush()
        found = sha256_of(Path(unfinished.name))
        if not found.startswith(sha256):
            raise DamagedFile(
                f"{url} gave a file with SHA-256 {found[:12]}…, the published hash is {sha256[:12]}…; it was not kept."
            )


def _copy(url: str, name: str, target: BinaryIO) -> None:
    with urllib.request.urlopen(url, timeout=TIMEOUT) as source:
        length = source.headers.get("Content-Length")
        expected = int(length) if length else None
        copied = 0
        total = expected / CHUNK_SIZE if expected is not None else None
        with progress(f"Downloading {name} (MiB)", total=total) as tick:
            while piece := source.read(CHUNK_SIZE):
                target.write(piece)
                copied += len(piece)
                tick(len(piece) / CHUNK_SIZE)
    if expected is not None and copied != expected:
        raise ConnectionError(f"the connection ended after {copied:,} of {expected:,} bytes")
