"""Files from elsewhere: fetched once, checked by their hash, kept."""

from __future__ import annotations

import urllib.error
import urllib.request
from http.client import HTTPException
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from offnominal.core.errors import DamagedFile, MissingFile
from offnominal.core.files import file_errors, sha256_of, write_text
from offnominal.core.progress_bar import progress

CHUNK_SIZE = 1 << 20
TIMEOUT = 30.0


def fetch_file(url: str, folder: Path, *, name: str | None = None, sha256: str = "") -> Path:
    """Return a file in a folder, downloaded if it is not there yet.

    What was downloaded gets its name only when it is whole and has the right hash, so a broken download leaves nothing
    behind that looks like the file. The hash is written beside it and checked every time: where none is known
    beforehand, the first download is trusted and every later use must equal it.

    Args:
        url: Where it is.
        folder: Where it is kept; made if need be.
        name: What it is called there; the last part of the URL if None.
        sha256: Its hash, or the first digits of it.

    Raises:
        MissingFile: It is not there and cannot be downloaded.
        DamagedFile: It has another hash.

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
        with file_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
        _download(url, file, sha256)
    found = sha256_of(file)
    known = record.read_text(encoding="ascii").strip() if record.exists() else ""
    for expected, source in ((sha256, "its authors say"), (known, f"{record.name} says")):
        if not found.startswith(expected):
            raise DamagedFile(
                f"{file} has SHA-256 {found[:12]}…, {source} {expected[:12]}…; delete {file.name} and {record.name} to "
                f"fetch it again from {url}."
            )
    if not known:
        write_text(record, found + "\n")
    return file


def _download(url: str, file: Path, sha256: str) -> None:
    with NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", suffix=".unfinished") as unfinished:
        try:
            _copy(url, file.name, unfinished)
        except (OSError, HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise MissingFile(
                f"{file.name} is not on this machine and could not be downloaded from {url} ({reason}). Connect to the "
                f"network, or download it elsewhere and put it into {file.parent} under the name {file.name}."
            ) from None
        unfinished.flush()
        found = sha256_of(Path(unfinished.name))
        if not found.startswith(sha256):
            raise DamagedFile(
                f"{url} gave a file with SHA-256 {found[:12]}…, its authors say {sha256[:12]}…; it was not kept."
            )
        # A link, unlike a rename, leaves the temporary name to be removed; another process may have been first.
        Path(unfinished.name).chmod(0o644)
        file.unlink(missing_ok=True)
        file.hardlink_to(unfinished.name)


def _copy(url: str, name: str, target: IO[bytes]) -> None:
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
