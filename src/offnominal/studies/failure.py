"""The stored error of a cell that failed."""

from __future__ import annotations

import errno
import re
import traceback
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from offnominal.core.checks import instances_of
from offnominal.core.config import Config
from offnominal.studies.base import BaseCell
from offnominal.studies.resource_meter import peak_mb

KILLED = "WorkerKilled"
OUT_OF_MEMORY = "OutOfMemory"
PASSING = (KILLED, OUT_OF_MEMORY, "InaccessibleFile")
"""Errors caused by the state of the machine and not by the cell."""


@dataclass(frozen=True)
class Failure(Config):
    """Why a cell has no result.

    Args:
        key: Key that its result would have.
        label: Label of the cell.
        error: Type of the error.
        message: Its message.
        traceback: Its traceback.
        cell: The cell, as plain data.
        time: Time in UTC.
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
        """Whether the cell would fail again; if not, the next run retries it."""
        return self.error not in PASSING

    @classmethod
    def of(cls, key: str, cell: BaseCell, error_info: ErrorInfo) -> Failure:
        """Return the failure of a cell."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return cls(key, cell.label, error_info.error, error_info.message, error_info.traceback, cell.to_dict(), now)

    @staticmethod
    def table(failures: Iterable[Failure]) -> Any:
        """Return failures as an Arrow table."""
        names = [each.name for each in fields(Failure) if each.name != "cell"]
        rows = list(instances_of("failures", failures, Failure))
        return pa.table({name: pa.array([getattr(row, name) for row in rows], pa.string()) for name in names})


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Failures with the same cause: the same error, raised by the same line of code or with the same message.

    Args:
        first: The first failure.
        labels: Labels of all cells.
        messages: Number of different messages.
    """

    first: Failure
    labels: tuple[str, ...]
    messages: int


def group_failures(failures: Iterable[Failure]) -> list[FailureGroup]:
    """Return failures grouped by their cause, the largest group first.

    Example:
        >>> line = 'File "knn.py", line 7, in fit'
        >>> failures = [Failure(key, f"cell {key}", "ValueError", f"{key} rows", line) for key in "123"]
        >>> [(group.labels, group.messages) for group in group_failures(failures)]
        [(('cell 1', 'cell 2', 'cell 3'), 3)]
    """
    groups: dict[tuple[str, str], list[Failure]] = {}
    for failure in failures:
        places = [line.strip() for line in failure.traceback.splitlines() if line.lstrip().startswith("File ")]
        groups.setdefault((failure.error, places[-1] if places else failure.message), []).append(failure)
    found = [
        FailureGroup(group[0], tuple(each.label for each in group), len({each.message for each in group}))
        for group in groups.values()
    ]
    return sorted(found, key=lambda group: -len(group.labels))


def is_expected(failure: Failure) -> bool:
    """Whether the message alone says what to do: an error of this package, or one of the machine.

    Example:
        >>> named = Failure("", "", "InvalidParameter", "n is 0", "offnominal.core.errors.InvalidParameter: n is 0")
        >>> is_expected(named), is_expected(Failure("", "", "ValueError", "n is 0", "ValueError: n is 0"))
        (True, False)
    """
    of_package = re.search(rf"^offnominal\.[\w.]+\.{re.escape(failure.error)}\b", failure.traceback, re.MULTILINE)
    return not failure.final or of_package is not None


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """An error of another process as text.

    Args:
        error: Its type.
        message: Its message.
        traceback: Its traceback.
        killed: Whether the process was killed from outside, so that the task can be tried again.
    """

    error: str
    message: str
    traceback: str = ""
    killed: bool = False

    @classmethod
    def of(cls, error: BaseException) -> ErrorInfo:
        """Return an error as text; one about memory includes the peak memory.

        Example:
            >>> ErrorInfo.of(ValueError("no")).error
            'ValueError'
        """
        lines = "".join(traceback.format_exception(error))
        if _is_about_memory(error):
            return cls(OUT_OF_MEMORY, out_of_memory(f"{type(error).__name__}: {error}", peak_mb()), lines)
        return cls(type(error).__name__, str(error), lines)


def out_of_memory(cause: str, peak_mb: float) -> str:
    """Return the message for a task that ran out of memory.

    Example:
        >>> out_of_memory("MemoryError", 1234.5)
        'out of memory (MemoryError); the process held 1,234 MiB at most. Run it with fewer workers, such as ...'
    """
    held = f"the process held {peak_mb:,.0f} MiB at most"
    return f"out of memory ({cause}); {held}. Run it with fewer workers, such as --workers 1."


def _is_about_memory(error: BaseException) -> bool:
    """Whether an error of NumPy, Python, torch or the system means that no memory was left."""
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    named = isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"
    return named or (isinstance(error, RuntimeError) and "can't allocate memory" in str(error))
