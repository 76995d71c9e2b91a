"""What receives events: JSON lines on standard output or in a file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from offnominal.core.files import file_errors
from offnominal.watch.event import Event

STANDARD_OUTPUT = 1


class Sink(Protocol):
    """Receives events and scores in the thread of the service; it must not wait."""

    def events(self, events: Iterable[Event]) -> None:
        """Take events."""

    def scores(self, scores: Iterable[Mapping[str, Any]]) -> None:
        """Take scores, as plain data."""

    def close(self) -> None:
        """Finish what is under way, within some seconds."""


class LineSink:
    """Writes JSON lines, each in one call of the system, so that no line is half written after a kill.

    Args:
        path: File to append to; None for standard output.
        scores: Whether to write scores, too.
    """

    def __init__(self, path: Path | None = None, *, scores: bool = False) -> None:
        self._path = path
        self._with_scores = scores
        with file_errors(path):
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
            self._file = STANDARD_OUTPUT if path is None else os.open(path, flags, 0o644)

    def events(self, events: Iterable[Event]) -> None:
        """Write events."""
        self._write(event.to_dict() for event in events)

    def scores(self, scores: Iterable[Mapping[str, Any]]) -> None:
        """Write scores, if they are wanted."""
        if self._with_scores:
            self._write(scores)

    def note(self, data: Mapping[str, Any]) -> None:
        """Write another line."""
        self._write([data])

    def _write(self, found: Iterable[Mapping[str, Any]]) -> None:
        content = "".join(json.dumps(each, allow_nan=False) + "\n" for each in found).encode()
        with file_errors(self._path or "standard output"):
            while content:
                content = content[os.write(self._file, content) :]

    def close(self) -> None:
        """Close the file."""
        if self._path is not None:
            os.close(self._file)
