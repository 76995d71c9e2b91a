"""What is kept of a cell that failed."""

from __future__ import annotations

import errno
import traceback
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from offnominal.core.config import Config
from offnominal.studies.base import BaseCell
from offnominal.studies.resource_meter import peak_mb

KILLED = "WorkerKilled"
OUT_OF_MEMORY = "OutOfMemory"
PASSING = (KILLED, OUT_OF_MEMORY, "InaccessibleFile")
"""Errors that say something of the machine at that time, and nothing of the cell."""


@dataclass(frozen=True)
class Failure(Config):
    """Why a cell has no result.

    Args:
        key: Name its result would have.
        label: World, policy, detector and seed.
        error: Type of the error.
        message: What it said.
        traceback: Where it came from.
        cell: The cell, as plain data.
        time: When, in UTC.
    """

    key: str
    label: str
    error: str
    message: str
    traceback: str
    cell: dict[str, Any] = field(default_factory=dict)
    time: str = ""

    @property
    def final(self) -> bool:
        """Whether the cell would fail again; if not, the next run tries it again without being asked."""
        return self.error not in PASSING

    @classmethod
    def of(cls, key: str, cell: BaseCell, error_info: ErrorInfo) -> Failure:
        """Return what is to be kept of trouble with a cell."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return cls(key, cell.label, error_info.error, error_info.message, error_info.traceback, cell.to_dict(), now)

    @staticmethod
    def table(failures: Iterable[Failure]) -> Any:
        """Return failures as an Arrow table."""
        names = [each.name for each in fields(Failure) if each.name != "cell"]
        rows = list(failures)
        return pa.table({name: pa.array([getattr(row, name) for row in rows], pa.string()) for name in names})


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """An error that crossed from one process to another as text.

    Args:
        error: Its type.
        message: What it said.
        traceback: Where it came from.
        killed: Whether the process was killed from outside, so that the task can be tried again.
    """

    error: str
    message: str
    traceback: str = ""
    killed: bool = False

    @classmethod
    def of(cls, error: BaseException) -> ErrorInfo:
        """Return an error as text; one about memory says how much was held.

        Example:
            >>> ErrorInfo.of(ValueError("no")).error
            'ValueError'
        """
        lines = "".join(traceback.format_exception(error))
        if _is_about_memory(error):
            return cls(OUT_OF_MEMORY, out_of_memory(f"{type(error).__name__}: {error}", peak_mb()), lines)
        return cls(type(error).__name__, str(error), lines)


def out_of_memory(cause: str, peak_mb: float) -> str:
    """Return what to tell people about a task that memory was too short for.

    Example:
        >>> out_of_memory("MemoryError", 1234.5)
        'out of memory (MemoryError); the process held 1,234 MiB at most. Run it with fewer workers, such as ...'
    """
    held = f"the process held {peak_mb:,.0f} MiB at most"
    return f"out of memory ({cause}); {held}. Run it with fewer workers, such as --workers 1."


def _is_about_memory(error: BaseException) -> bool:
    """Whether NumPy, Python, torch (on a GPU or not) or the system had no memory left."""
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    named = isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"
    return named or (isinstance(error, RuntimeError) and "can't allocate memory" in str(error))
