"""What is kept of a cell that failed."""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from offnominal.core.config import Config
from offnominal.studies.cell import Doable


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

    @classmethod
    def of(cls, key: str, cell: Doable, trouble: Trouble) -> Failure:
        """Return what is to be kept of trouble with a cell."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return cls(key, cell.label, trouble.error, trouble.message, trouble.traceback, cell.to_dict(), now)

    @staticmethod
    def table(failures: Iterable[Failure]) -> Any:
        """Return failures as an Arrow table."""
        names = [each.name for each in fields(Failure) if each.name != "cell"]
        rows = list(failures)
        return pa.table({name: pa.array([getattr(row, name) for row in rows], pa.string()) for name in names})


@dataclass(frozen=True, slots=True)
class Trouble:
    """An error that crossed from one process to another as text.

    Args:
        error: Its type.
        message: What it said.
        traceback: Where it came from.
    """

    error: str
    message: str
    traceback: str = ""

    @classmethod
    def of(cls, error: BaseException) -> Trouble:
        """Return an error as text.

        Example:
            >>> Trouble.of(ValueError("no")).error
            'ValueError'
        """
        return cls(type(error).__name__, str(error), "".join(traceback.format_exception(error)))
