"""Samples of all sources on their way to the one thread that processes them, and calls of other threads into it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Condition
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")
CAPACITY = 10_000


class Arrived(NamedTuple):
    """A sample that arrived.

    Args:
        data: JSON text, or the data that it describes.
        received: Time of the wall clock in seconds.
    """

    data: Any
    received: float


class Inbox:
    """A bounded queue of samples.

    A source chooses what happens when it is full: :meth:`put` waits, so that a pipe or a socket makes the robot wait;
    :meth:`offer` refuses; :meth:`push` drops the oldest samples and counts them.

    Args:
        capacity: Number of samples that wait at most.

    Example:
        >>> inbox = Inbox(capacity=2)
        >>> inbox.offer([Arrived("{}", 0.0)] * 2), inbox.offer([Arrived("{}", 1.0)])
        (True, False)
        >>> inbox.push([Arrived("[]", 2.0)])
        >>> [arrived.data for arrived in inbox.take(0.0)[0]], inbox.dropped
        (['{}', '[]'], 1)
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self.capacity = capacity
        self.dropped = 0
        self.closed = False
        self._samples: deque[Arrived] = deque()
        self._calls: deque[Callable[[], None]] = deque()
        self._changed = Condition()

    def __len__(self) -> int:
        return len(self._samples)

    def put(self, arrived: Sequence[Arrived]) -> bool:
        """Add samples, and wait while there is no room; return False if the inbox was closed."""
        for start in range(0, len(arrived), self.capacity):
            part = arrived[start : start + self.capacity]
            with self._changed:
                while not (self.closed or self._has_room(len(part))):
                    self._changed.wait()
                if self.closed:
                    return False
                self._add(part)
        return True

    def offer(self, arrived: Sequence[Arrived]) -> bool:
        """Add all samples, or none if there is no room or the inbox was closed; return whether they were added."""
        with self._changed:
            if self.closed or not self._has_room(len(arrived)):
                return False
            self._add(arrived)
            return True

    def push(self, arrived: Sequence[Arrived]) -> None:
        """Add samples, and drop the oldest ones if there is no room."""
        with self._changed:
            if not self.closed:
                self._add(arrived)
                while len(self._samples) > self.capacity:
                    self._samples.popleft()
                    self.dropped += 1

    def _has_room(self, n: int) -> bool:
        return len(self._samples) + n <= self.capacity

    def _add(self, arrived: Sequence[Arrived]) -> None:
        self._samples.extend(arrived)
        self._changed.notify_all()

    def call(self, function: Callable[[], T]) -> Future[T]:
        """Run a function between two batches of samples, in the thread that processes them, and return its future."""
        future: Future[T] = Future()

        def run() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(function())
                except Exception as error:
                    future.set_exception(error)

        with self._changed:
            self._calls.append(run)
            self._changed.notify_all()
        return future

    def take(self, timeout: float, most: int = 256) -> tuple[list[Arrived], list[Callable[[], None]]]:
        """Wait for samples or calls, and return them.

        Args:
            timeout: Seconds to wait at most.
            most: Samples to return at most, so that calls need not wait for all of them.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._samples or self._calls or self.closed, timeout)
            calls = list(self._calls)
            self._calls.clear()
            samples = [self._samples.popleft() for _ in range(min(most, len(self._samples)))]
            if samples:
                self._changed.notify_all()
            return samples, calls

    def close(self) -> None:
        """Take no more samples; those that are there are still processed."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()
