"""Connections of the server: how many there are, and how long they may take to send a request."""

from __future__ import annotations

import asyncio
import logging
import resource
import time
from typing import ClassVar, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_DEADLINE = 10.0
"""Seconds from the start of a connection, or the first byte of a later request, to the end of its headers."""
OTHER_FILES = 100
"""Files that the server opens besides connections."""
MOST_CONNECTIONS = 512
BACKLOG = 32
"""Connections that wait to be accepted; all of them are accepted at once, before any is closed."""
ONCE_IN = 60.0
"""Seconds between two messages that the process has too many open files."""


def most_connections() -> int:
    """Return how many connections this process can have, by its largest number of open files."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return min(max(files - OTHER_FILES - BACKLOG, files // 4, 1), MOST_CONNECTIONS)


class BoundedProtocol(H11Protocol):
    """A connection that must send a request in time.

    A new connection above the largest number takes the place of the one that has waited longest without a request;
    if all are answering requests, it is closed.
    """

    most: ClassVar[int] = MOST_CONNECTIONS
    deadline: ClassVar[float] = REQUEST_DEADLINE

    _expiry: asyncio.TimerHandle | None = None
    _idle_since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the deadline, and make room."""
        super().connection_made(transport)
        self._idle_since = time.monotonic()
        self._expiry = self.loop.call_later(self.deadline, self._end)
        if len(self.connections) > self.most:
            idle = [each for each in self.connections if isinstance(each, BoundedProtocol) and not each.is_busy]
            others = [each for each in idle if each is not self]
            min(others, key=lambda each: each._idle_since, default=self)._end()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request; the deadline ends with its headers."""
        super().data_received(data)
        if self.is_busy or self not in self.connections:
            self._stop_deadline()
        elif self._expiry is None:
            self._expiry = self.loop.call_later(self.deadline, self._end)

    def on_response_complete(self) -> None:
        """Wait for the next request; the time to its first byte is that of the kept connection."""
        self._idle_since = time.monotonic()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_deadline()
        super().connection_lost(exc)

    @property
    def is_busy(self) -> bool:
        """Whether a request is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def _end(self) -> None:
        self._stop_deadline()
        self.connections.discard(self)
        self.transport.abort()

    def _stop_deadline(self) -> None:
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None


def bounded(most: int, deadline: float = REQUEST_DEADLINE) -> type[asyncio.Protocol]:
    """Return the protocol of connections with a largest number and a deadline in seconds."""
    made = type("Bounded", (BoundedProtocol,), {"most": most, "deadline": deadline})
    return cast("type[asyncio.Protocol]", made)


class OpenFiles(logging.Filter):
    """Says in one line, and not at every attempt, that a connection cannot be accepted for a lack of files."""

    def __init__(self) -> None:
        super().__init__()
        self._said = float("-inf")

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the message of asyncio, which has a traceback and comes every second."""
        if "out of system resource" not in record.getMessage():
            return True
        now = time.monotonic()
        if now - self._said < ONCE_IN:
            return False
        self._said = now
        record.msg = "Too many open files: new connections wait. Allow more by `ulimit -n` before the start."
        record.args, record.exc_info, record.exc_text = (), None, None
        return True
