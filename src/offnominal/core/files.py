"""Reading and writing whole files: atomic writes, hashes, and named errors for what a disk can do wrong."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
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
"""What Python says of paths that lead nowhere: with a NUL, "/" as a file, links in a circle, "~" of nobody."""


@contextmanager
def file_errors(path: Path | str | None = None) -> Iterator[None]:
    """Turn errors of the operating system about a path into errors of this package.

    Args:
        path: What is read or written in the block; named in the error. None names the path that the system names.

    Raises:
        MissingFile: There is no such file or folder.
        InaccessibleFile: It is there, or could be made, but the system does not allow it.

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
    """Return the path that is to blame, or nothing if nobody names one."""
    given = error.filename if path is None else path
    return os.fsdecode(given) if isinstance(given, str | bytes | Path) else ""


def _explained(path: str, error: OSError) -> str:
    reason = error.strerror or str(error) or type(error).__name__
    remedy = _REMEDIES.get(error.errno or 0)
    return f"{f'{path}: ' if path else ''}{reason[:1].lower()}{reason[1:]}{f'; {remedy}' if remedy else ''}."


@contextmanager
def content_errors(where: Path | str, what: str, *also: type[Exception]) -> Iterator[None]:
    """Parse a file in the block: what its content gets wrong is a damaged file, what the system refuses is not.

    Args:
        where: What is read; named in the error.
        what: What it should hold.
        *also: Errors of the library that reads it, beside the usual ones.

    Raises:
        DamagedFile: The content is something else.
        InaccessibleFile: The system does not let us read it.

    Example:
        >>> with content_errors("rows.csv", "numbers"):
        ...     float("one")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.DamagedFile: rows.csv cannot be read as numbers (ValueError: could not convert ...).
    """
    usual = (OSError, ValueError, LookupError, TypeError, AttributeError, EOFError, ArithmeticError)
    try:
        yield
    except OffnominalError:
        raise
    except usual + also as error:
        if isinstance(error, OSError) and error.errno:
            with file_errors(where):
                raise
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise DamagedFile(f"{where} cannot be read as {what} ({reason}).") from None


def write_bytes(path: Path, content: bytes | memoryview, *, staging: Path | None = None, flush: bool = True) -> None:
    """Write a file atomically: a killed or failed writer leaves nothing, and of two at once the last one wins.

    Args:
        path: Where; its folder is made if need be.
        content: What.
        staging: Folder on the same disk for the unfinished file; the folder of the file itself if None.
        flush: Whether it has to be on the disk, also if the power fails now, before anything sees it.

    Raises:
        InaccessibleFile: The disk is full or read-only, or the path cannot be written.
    """
    with file_errors(path):
        if path.exists() and not path.is_file() and not path.is_dir():
            # A device or a pipe takes the content; a rename would put a plain file in its place.
            path.write_bytes(content)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f".{uuid4().hex}.unfinished") if staging is None else staging / uuid4().hex
        unfinished.parent.mkdir(parents=True, exist_ok=True)
        try:
            with unfinished.open("wb") as file:
                file.write(content)
                if flush:
                    file.flush()
                    os.fsync(file.fileno())
            unfinished.replace(path)
        except BaseException:
            with suppress(OSError):
                unfinished.unlink()
            raise


@contextmanager
def made_folder(folder: Path) -> Iterator[None]:
    """Make a folder for what the block writes; if the block fails before it wrote anything, remove the folder again.

    Args:
        folder: Made with its parents, if need be.

    Raises:
        InaccessibleFile: It cannot be made.
    """
    with file_errors(folder):
        missing = [each for each in (folder, *folder.parents) if not each.exists()]
        folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        with suppress(OSError):
            for each in missing:
                each.rmdir()
        raise


def write_text(path: Path, text: str, *, staging: Path | None = None) -> None:
    """Write a text in UTF-8; see :func:`write_bytes`."""
    write_bytes(path, text.encode("utf-8", "surrogateescape"), staging=staging)


def write_json(path: Path, data: Any, *, staging: Path | None = None) -> None:
    """Write plain data as JSON; see :func:`write_bytes`."""
    write_text(path, json.dumps(data, indent=2, ensure_ascii=False) + "\n", staging=staging)


def read_bytes(path: Path) -> bytes:
    """Read a file, or raise :class:`MissingFile` or :class:`InaccessibleFile`."""
    with file_errors(path):
        return path.read_bytes()


def read_text(path: Path) -> str:
    """Read a text in UTF-8; :class:`DamagedFile` if it is in another encoding."""
    content = read_bytes(path)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DamagedFile(f"{path} is not text in UTF-8 ({error.reason} at byte {error.start}).") from None


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object; :class:`DamagedFile` if the file holds anything else.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     write_json(Path(folder) / "card.json", {"seed": 3})
        ...     read_json(Path(folder) / "card.json")
        {'seed': 3}
    """
    data = parse_json(read_text(path), path)
    if not isinstance(data, dict):
        raise DamagedFile(f"{path} holds a {type(data).__name__}; expected a JSON object.")
    return data


def parse_json(text: str | bytes, where: Path | str) -> Any:
    """Return the data of a JSON text; :class:`DamagedFile` if it is none, or nested beyond reason.

    Args:
        text: What to parse.
        where: Named in the error.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise DamagedFile(f"{where} is not valid JSON: it is nested too deeply.") from None
    except ValueError as error:
        raise DamagedFile(f"{where} is not valid JSON ({error}).") from None


def sha256_of(content: Path | bytes | memoryview | str) -> str:
    """Return the SHA-256 of a file (given by its path), of bytes, or of a text in UTF-8, in hexadecimal digits.

    Example:
        >>> sha256_of("weights")[:8], sha256_of(b"weights")[:8]
        ('9a129038', '9a129038')
    """
    if isinstance(content, Path):
        with file_errors(content), content.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()
