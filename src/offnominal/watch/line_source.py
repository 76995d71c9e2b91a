"""Samples as JSON lines from standard input, a pipe or a file that grows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from time import sleep, time

from offnominal.core.files import file_errors
from offnominal.watch.inbox import Arrived, Inbox

CHUNK = 65_536
LONGEST_LINE = 2**20
POLL = 0.05
"""Seconds between two looks at a file that may grow."""


class LineSource:
    """Reads lines in a thread and puts them into an inbox; it waits where the inbox is full.

    A file that is followed may be replaced by another one of its name, as by a rotation of logs, or be cut.

    Args:
        inbox: The inbox.
        path: The file; None for standard input.
        follow: Whether to wait for more at the end of the file.
        on_end: Called at the end of the input.
    """

    def __init__(
        self,
        inbox: Inbox,
        path: Path | None = None,
        *,
        follow: bool = False,
        on_end: Callable[[], object] | None = None,
    ) -> None:
        self._inbox = inbox
        self._path = path
        self._follow = follow
        self._on_end = on_end
        with file_errors(path):
            # Not through sys.stdin, whose lock a thread that waits would hold at the end of the process.
            self._file = 0 if path is None else os.open(path, os.O_RDONLY)
        self._thread = Thread(target=self._run, name="lines", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def _run(self) -> None:
        rest, skipping = b"", False
        for chunk in self._chunks():
            *lines, rest = (rest + chunk).split(b"\n")
            if lines and skipping:
                # The end of a line whose beginning was given away.
                lines, skipping = lines[1:], False
            now = time()
            arrived = [Arrived(line, now) for line in lines if line.strip()]
            if arrived and not self._inbox.put(arrived):
                return
            if len(rest) > LONGEST_LINE:
                # Its beginning is refused as no JSON, and counted.
                self._inbox.put([] if skipping else [Arrived(rest[:100], now)])
                rest, skipping = b"", True
        if rest.strip() and not skipping:
            self._inbox.put([Arrived(rest, time())])
        if self._on_end is not None:
            self._on_end()

    def _chunks(self) -> Iterator[bytes]:
        while not self._inbox.closed:
            try:
                chunk = os.read(self._file, CHUNK)
            except OSError:
                return
            if chunk:
                yield chunk
            elif not self._follow:
                return
            else:
                sleep(POLL)
                self._reopen_if_replaced()

    def _reopen_if_replaced(self) -> None:
        if self._path is None:
            return
        try:
            found, ours = self._path.stat(), os.fstat(self._file)
            if (found.st_dev, found.st_ino) != (ours.st_dev, ours.st_ino):
                fresh = os.open(self._path, os.O_RDONLY)
                os.close(self._file)
                self._file = fresh
            elif found.st_size < os.lseek(self._file, 0, os.SEEK_CUR):
                os.lseek(self._file, 0, os.SEEK_SET)
        except OSError:
            # Between the two names of a rotation there is no file.
            return
