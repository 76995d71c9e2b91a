"""What a client that joins a live run later must know of what happened before."""

from __future__ import annotations

import json
from collections import deque
from typing import Any

MOST_ALARMS = 60
"""Number of alarms that are told again; the page lists as many."""


class LiveMemory:
    """The episode, the faults that are on, the last alarms and the last evidence of a live run.

    Example:
        >>> memory = LiveMemory()
        >>> memory.add('{"type":"fault","state":"on","id":1}')
        >>> memory.add('{"type":"alarm","delay":3}')
        >>> memory.events()
        ['{"type":"fault","state":"on","id":1,"recalled":true}', '{"type":"alarm","delay":3,"recalled":true}']
        >>> memory.add('{"type":"fault","state":"off","id":1}')
        >>> memory.events()
        ['{"type":"alarm","delay":3,"recalled":true}']
    """

    def __init__(self) -> None:
        self._latest: dict[str, dict[str, Any]] = {}
        self._faults: dict[int, dict[str, Any]] = {}
        self._alarms: deque[dict[str, Any]] = deque(maxlen=MOST_ALARMS)

    def add(self, event: str) -> None:
        """Remember a message that is sent to all clients."""
        message = json.loads(event)
        kind = message["type"]
        if kind == "fault":
            self._faults.pop(message["id"], None)
            if message["state"] == "on":
                self._faults[message["id"]] = message
        elif kind == "alarm":
            self._alarms.append(message)
        elif kind in ("episode", "evidence"):
            self._latest[kind] = message

    def events(self) -> list[str]:
        """Return the messages for a client that joins; each says that it is recalled."""
        episode, evidence = ([self._latest[kind]] if kind in self._latest else [] for kind in ("episode", "evidence"))
        told = [*episode, *self._faults.values(), *self._alarms, *evidence]
        return [json.dumps({**each, "recalled": True}, separators=(",", ":")) for each in told]
