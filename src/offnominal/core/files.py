"""Atomic writes, checked reads and SHA-256 of files, with named errors for failures of the file system."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

from offnominal.core.errors import DamagedFile, InaccessibleFile, MissingFile, OffnominalError

_REMEDIES = {
    errno.EACCES: "check its permissions",
    errno.EPERM: "check its permissions",
    errno.EROFS: "choose a folder on a disk that can be written to",
    errno.ENOSPC: "free some space, or choose a folder on another disk",
    errno.EDQUOT: "free some space, or choose a folder on another disk",
    errno.EMFILE: "close some files, or raise the limit with `ulimit -n`",
    errno.ENFILE: "close some files and try again",
    errno.ENAMETOOLONG: "choose a shorter path",
    errno.EISDIR: "name a file, not a folder",
    errno.ENOTDIR: "a part of the path is a file; choose another folder",
    errno.EEXIST: "a file of that name is in the way; choose another name",
}

_IMPOSSIBLE = ("null byte", "has an empty name", "Symlink loop", "home directory")
"""Parts of Python's messages about impossible paths: a NUL byte, "/" as a file, a symlink loop, an unknown "~user"."""


@contextmanager
def file_errors(path: Path | str | None = None) -> Iterator[None]:
    """Turn errors of the operating system about a path into errors of this package.

    Args:
        path: Path that the block reads or writes, for the error message; if None, the path in the system's error.

    Raises:
        MissingFile: There is no such file or folder.
        InaccessibleFile: The operating system refuses to read, write or create it.

    Example:
        >>> with file_errors("notes.txt"):
        ...     raise PermissionError(errno.EACCES, "Permission denied")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InaccessibleFile: notes.txt: permission denied; check its permissions.
    """
    try:
        yield
    except (OffnominalError, BrokenPipeError):
        raise
    except FileNotFoundError as error:
        raise MissingFile(f"{_named(path, error) or 'a file or folder'} does not exist.") from None
    except OSError as error:
        raise InaccessibleFile(_explained(_named(path, error), error)) from None
    except (ValueError, RuntimeError) as error:
        if not isinstance(error, UnicodeEncodeError) and not any(text in str(error) for text in _IMPOSSIBLE):
            raise
        what = "this" if path is None else repr(str(path))
        raise InaccessibleFile(f"{what} is not a possible path ({error}).") from None


def _named(path: Path | str | None, error: OSError) -> str:
    """Return the path for the error message; empty if neither the caller nor the system names one."""
    given = error.filename if path is None else path
    return os.fsdecode(given) if isinstance(given, str | bytes | Path) else ""


def _explained(path: str, error: OSError) -> str:
    reason = error.strerror or str(error) or type(error).__name__
    remedy = _REMEDIES.get(error.errno or 0)
    return f"{f'{path}: ' if path else ''}{reason[:1].lower()}{reason[1:]}{f'; {remedy}' if remedy else ''}."


@contextmanager
def content_errors(path: Path | str, expected: str, *also: type[Exception]) -> Iterator[None]:
    """Turn errors of a parser in the block into :class:`DamagedFile`, and errors of the system into their own classes.

    Args:
        path: File that is parsed, for the error message.
        expected: What the file should contain, for the error message.
        *also: Exception classes of the parsing library, in addition to the built-in ones.

    Raises:
        DamagedFile: The content cannot be parsed.
        InaccessibleFile: The operating system refuses to read the file.

    Example:
        >>> with content_errors("rows.csv", "numbers"):
        ...     float("one")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.DamagedFile: rows.csv cannot be read as numbers (ValueError: could not convert ...).
    """
    builtin = (OSError, ValueError, LookupError, TypeError, AttributeError, EOFError, ArithmeticError)
    try:
        yield
    except OffnominalError:
        raise
    except builtin + also as error:
        if isinstance(error, OSError) and error.errno:
            with file_errors(path):
                raise
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise DamagedFile(f"{path} cannot be read as {expected} ({reason}).") from None


@contextmanager
def atomic_write(path: Path, *, staging: Path | None = None, flush: bool = True) -> Iterator[BinaryIO]:
    """Open a file for writing that appears under its name only when the block ends without an error.

    An interrupted or failed writer leaves no file under the name. Of two concurrent writers the last one wins.

    Args:
        path: File to write; its folder is created if it is missing.
        staging: Folder on the same disk for the unfinished file; the folder of the file itself if None.
        flush: Whether to force the content to disk before the file gets its name.

    Yields:
        The unfinished file, open for writing bytes.

    Raises:
        InaccessibleFile: The disk is full or read-only, or the path cannot be written.
    """
    with file_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f".{uuid4().hex}.unfinished") if staging is None else staging / uuid4().hex
        unfinished.parent.mkdir(parents=True, exist_ok=True)
        try:
            with unfinished.open("wb") as file:
                yield file
                if flush:
                    file.flush()
                    os.fsync(file.fileno())
            unfinished.replace(path)
        except BaseException:
            with suppress(OSError):
                unfinished.unlink()
            raise


def write_bytes(path: Path, content: bytes | memoryview, *, staging: Path | None = None, flush: bool = True) -> None:
    """Write a file atomically; see :func:`atomic_write`.

    A device or a named pipe is written to directly: a rename would replace it by a regular file.

    Args:
        path: File to write.
        content: Its content.
        staging: As for :func:`atomic_write`.
        flush: As for :func:`atomic_write`.

    Raises:
        InaccessibleFile: The disk is full or read-only, or the path cannot be written.
    """
    with file_errors(path):
        if path.exists() and not path.is_file() and not path.is_dir():
            path.write_bytes(content)
            return
    with atomic_write(path, staging=staging, flush=flush) as file:
        file.write(content)


@contextmanager
def made_folder(folder: Path) -> Iterator[None]:
    """Create a folder for the block, and remove it again if the block fails before it wrote anything.

    Args:
        folder: Folder to create, with its parents.

    Raises:
        InaccessibleFile: It cannot be created.
    """
    with file_errors(folder):
        missing = [path for path in (folder, *folder.parents) if not path.exists()]
        folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        with suppress(OSError):
            for path in missing:
                path.rmdir()
        raise


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Let one process at a time compute a file; the others wait.

    The lock is a file beside the path, which stays. The operating system releases the lock when its process ends,
    however it ends.

    Args:
        path: File that the block computes.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder, locked(Path(folder) / "scores.npz"):
        ...     print(os.listdir(folder))
        ['scores.npz.lock']
    """
    with file_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.with_name(f"{path.name}.lock").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def write_text(path: Path, text: str, *, staging: Path | None = None) -> None:
    """Write text in UTF-8; see :func:`write_bytes`."""
    write_bytes(path, text.encode("utf-8", "surrogateescape"), staging=staging)


def write_json(path: Path, data: Any, *, staging: Path | None = None) -> None:
    """Write plain data as JSON; see :func:`write_bytes`."""
    write_text(path, json.dumps(data, indent=2, ensure_ascii=False) + "\n", staging=staging)


def read_bytes(path: Path) -> bytes:
    """Read a file, or raise :class:`MissingFile` or :class:`InaccessibleFile`."""
    with file_errors(path):
        return path.read_bytes()


def read_text(path: Path) -> str:
    """Read text in UTF-8; raise :class:`DamagedFile` if it has another encoding."""
    content = read_bytes(path)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DamagedFile(f"{path} is not text in UTF-8 ({error.reason} at byte {error.start}).") from None


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object; raise :class:`DamagedFile` if the file contains anything else.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     write_json(Path(folder) / "card.json", {"seed": 3})
        ...     read_json(Path(folder) / "card.json")
        {'seed': 3}
    """
    data = parse_json(read_text(path), path)
    if not isinstance(data, dict):
        raise DamagedFile(f"{path} contains a {type(data).__name__}; expected a JSON object.")
    return data


def parse_json(text: str | bytes, where: Path | str) -> Any:
    """Return the data of a JSON text; raise :class:`DamagedFile` if it is invalid or nested too deeply.

    Args:
        text: JSON text.
        where: Its source, for the error message.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise DamagedFile(f"{where} is not valid JSON: it is nested too deeply.") from None
    except ValueError as error:
        raise DamagedFile(f"{where} is not valid JSON ({error}).") from None


def sha256_of(content: Path | bytes | memoryview | str) -> str:
    """Return the SHA-256 of a file (given by its path), of bytes, or of a text (in UTF-8), as hexadecimal digits.

    Example:
        >>> sha256_of("weights")[:8], sha256_of(b"weights")[:8]
        ('9a129038', '9a129038')
    """
    if isinstance(content, Path):
        with file_errors(content), content.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()
