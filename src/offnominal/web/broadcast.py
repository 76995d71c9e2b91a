"""Messages from one thread to many clients: slow clients get the newest, and never hold the others up."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable

PENDING = 32
"""Number messages that wait for a slow client at most; the oldest are dropped."""
EVENTS = 128


class Client:
    """What waits to be sent to one client: a picture, number messages, and rare events.

    Example:
        >>> client = Client(pending=2)
        >>> for number in "123":
        ...     client.offer(numbers=[number])
        >>> asyncio.run(client.next()), client.dropped
        (['2', '3'], 1)
    """

    def __init__(self, pending: int = PENDING) -> None:
        self.dropped = 0
        self._numbers: deque[str] = deque(maxlen=pending)
        self._events: deque[str] = deque(maxlen=EVENTS)
        self._picture: bytes | None = None
        self._ready = asyncio.Event()

    def offer(self, *, numbers: Iterable[str] = (), events: Iterable[str] = (), picture: bytes | None = None) -> None:
        """Add messages; the oldest make room for new ones, and a picture replaces the previous one."""
        for number in numbers:
            self.dropped += len(self._numbers) == self._numbers.maxlen
            self._numbers.append(number)
        self._events.extend(events)
        self._picture = picture or self._picture
        self._ready.set()

    async def next(self) -> list[str | bytes]:
        """Wait for messages, and return all of them."""
        await self._ready.wait()
        self._ready.clear()
        found: list[str | bytes] = [*self._events, *self._numbers]
        if self._picture is not None:
            found.append(self._picture)
        self._events.clear()
        self._numbers.clear()
        self._picture = None
        return found


class Broadcast:
    """Hands messages of a thread to clients in an event loop.

    The thread calls :meth:`publish`; all other methods belong to the loop.

    Args:
        loop: The event loop.
        on_event: Called in the loop with each event, before the clients get it.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, on_event: Callable[[str], object] = lambda _: None) -> None:
        self.clients: set[Client] = set()
        self._on_event = on_event
        self._loop = loop
        self._outbox: deque[tuple[list[str], list[str], bytes | None]] = deque(maxlen=4 * PENDING)
        self._scheduled = False

    def publish(self, *, numbers: Iterable[str] = (), events: Iterable[str] = (), picture: bytes | None = None) -> None:
        """Hand messages to all clients; called in any thread, and never waits."""
        self._outbox.append((list(numbers), list(events), picture))
        if not self._scheduled and not self._loop.is_closed():
            self._scheduled = True
            self._loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        self._scheduled = False
        while self._outbox:
            numbers, events, picture = self._outbox.popleft()
            for event in events:
                self._on_event(event)
            for client in self.clients:
                client.offer(numbers=numbers, events=events, picture=picture)
