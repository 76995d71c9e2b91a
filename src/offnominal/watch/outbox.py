"""Events that wait until their receiver has confirmed them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from threading import Condition
from typing import Any

MOST = 100_000
"""Events that wait at most; the oldest are dropped and counted."""


class Outbox:
    """A queue of events, in the order of their time; an event leaves it when its receiver has confirmed it.

    Example:
        >>> outbox = Outbox()
        >>> outbox.add([{"id": "a"}, {"id": "b"}])
        >>> outbox.first(timeout=0.0), outbox.confirm("a"), outbox.to_list()
        ({'id': 'a'}, None, [{'id': 'b'}])
    """

    def __init__(self, most: int = MOST) -> None:
        self.dropped = 0
        self._most = most
        self._events: dict[str, dict[str, Any]] = {}
        self._changed = Condition()

    def __len__(self) -> int:
        return len(self._events)

    def add(self, events: Iterable[Mapping[str, Any]]) -> None:
        """Add events; one with the id of another that still waits takes its place."""
        with self._changed:
            for event in events:
                self._events[event["id"]] = dict(event)
            while len(self._events) > self._most:
                del self._events[next(iter(self._events))]
                self.dropped += 1
            self._changed.notify_all()

    def first(self, timeout: float) -> dict[str, Any] | None:
        """Wait for an event, and return the oldest one; None if there is none after so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._events, timeout)
            return next(iter(self._events.values()), None)

    def confirm(self, id: str) -> None:
        """Forget an event that was received."""
        with self._changed:
            self._events.pop(id, None)

    def to_list(self) -> list[dict[str, Any]]:
        """Return the events as plain data."""
        with self._changed:
            return list(self._events.values())

    def restore(self, events: Iterable[Mapping[str, Any]]) -> None:
        """Go on from the result of :meth:`to_list`."""
        self.add(event for event in events if isinstance(event, Mapping) and isinstance(event.get("id"), str))
