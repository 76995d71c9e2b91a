"""Computations that a request starts: one at a time, and only a few may wait."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock

from starlette.exceptions import HTTPException

MOST_WAITING = 8


class Jobs:
    """Lets one computation run at a time, and refuses a request when too many are waiting.

    Args:
        most_waiting: Largest number of computations that run or wait.

    Example:
        >>> jobs = Jobs(most_waiting=1)
        >>> with jobs.turn():
        ...     with jobs.turn():
        ...         pass
        Traceback (most recent call last):
            ...
        starlette.exceptions.HTTPException: 503: The server is busy with other requests; try again in a minute.
    """

    def __init__(self, most_waiting: int = MOST_WAITING) -> None:
        self._places = BoundedSemaphore(most_waiting)
        self._running = Lock()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait until no other computation is running.

        Raises:
            HTTPException: Too many are waiting.
        """
        if not self._places.acquire(blocking=False):
            raise HTTPException(503, "The server is busy with other requests; try again in a minute.")
        try:
            with self._running:
                yield
        finally:
            self._places.release()
