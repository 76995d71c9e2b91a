"""The boundary around the parsers of logs: what they raise becomes a named error, what they unpack has a limit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from offnominal.core.checks import positive_number
from offnominal.core.errors import InvalidLog, InvalidParameter, OffnominalError
from offnominal.core.files import file_errors

LIMIT = "OFFNOMINAL_MAX_UNPACKED_GIB"
"""Environment variable: GiB that a log may take in memory at a time beyond the size of its file."""
DEFAULT_LIMIT = 4.0
GIB = 2**30


class QuestionableLog(UserWarning):
    """A log can be read, but a part of it was left out or is probably not what the caller means."""


@contextmanager
def parsing(path: Path | str, expected: str) -> Iterator[None]:
    """Turn everything that a parser raises in the block into a named error.

    The parsers are libraries of others that read bytes of others. What they raise for damaged bytes is not documented,
    so every exception counts as damage; that of the parser stays its cause.

    Args:
        path: The log, for the error message.
        expected: What it should contain, for the error message.

    Raises:
        InvalidLog: The content cannot be parsed, or does not fit into the memory.
        InaccessibleFile: The operating system refuses to read the file.

    Example:
        >>> with parsing("log.npy", "arrays"):
        ...     raise SyntaxError("unterminated header")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidLog: log.npy cannot be read as arrays (SyntaxError: unterminated header).
    """
    try:
        yield
    except OffnominalError:
        raise
    except MemoryError as error:
        raise InvalidLog(f"{path} does not fit into the memory; read a part of it, or free some memory.") from error
    except Exception as error:
        if isinstance(error, OSError) and error.errno:
            with file_errors(path):
                raise
        lines = f"{type(error).__name__}: {error}".splitlines()
        raise InvalidLog(f"{path} cannot be read as {expected} ({lines[0].rstrip()}).") from error


def unpacked_limit() -> float:
    """Return how many bytes a log may take in memory at a time beyond the size of its file.

    Raises:
        InvalidParameter: ``$OFFNOMINAL_MAX_UNPACKED_GIB`` is no positive number.
    """
    text = os.environ.get(LIMIT, "")
    try:
        return GIB * positive_number(LIMIT, float(text or DEFAULT_LIMIT))
    except ValueError:
        raise InvalidParameter(f"${LIMIT} is {text!r}; expected a positive number of GiB.") from None


def require_fits(path: Path, n_bytes: int, what: str = "it") -> None:
    """Raise :class:`InvalidLog` if something takes more than the limit and more than the whole file holds.

    It is called with sizes from headers, before memory is allocated.

    Args:
        path: The log.
        n_bytes: Bytes that would be allocated.
        what: What is unpacked, for the error message.
    """
    limit = unpacked_limit()
    if n_bytes <= limit:
        return
    with file_errors(path):
        stored = path.stat().st_size
    if n_bytes > stored:
        raise InvalidLog(
            f"{path} has {stored / GIB:.2g} GiB, and {what} would take {n_bytes / GIB:.3g} GiB of memory; the limit is "
            f"{limit / GIB:g} GiB. If you trust the file, set ${LIMIT} to a larger number."
        )
