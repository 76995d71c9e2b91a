"""The rate of alarms of all robots, and floods of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from offnominal.watch.rules import Rules

SECONDS = 60.0


class AlarmFlood:
    """Counts alarms in a window of time. A flood begins above one number and ends below another one.

    Args:
        rules: The rules.

    Example:
        >>> flood = AlarmFlood(Rules(flood_starts=2, flood_ends=1, flood_minutes=1.0))
        >>> [flood.add(time) for time in (0.0, 1.0, 2.0)], flood.update(30.0), flood.update(62.5)
        (['', '', 'flood_started'], '', 'flood_ended')
    """

    def __init__(self, rules: Rules) -> None:
        self.active = False
        self._rules = rules
        self._raised: deque[float] = deque()

    def __len__(self) -> int:
        return len(self._raised)

    def add(self, now: float) -> str:
        """Count an alarm, and return the kind of the event if a flood begins or ends."""
        self._raised.append(now)
        return self.update(now)

    def update(self, now: float) -> str:
        """Forget alarms of before the window, and return the kind of the event if a flood begins or ends."""
        while self._raised and now - self._raised[0] > SECONDS * self._rules.flood_minutes:
            self._raised.popleft()
        if not self.active and len(self._raised) > self._rules.flood_starts:
            self.active = True
            return "flood_started"
        if self.active and len(self._raised) < self._rules.flood_ends:
            self.active = False
            return "flood_ended"
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Return the state as plain data."""
        return {"active": self.active, "raised": list(self._raised)}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Go on from the result of :meth:`to_dict`."""
        self.active, self._raised = bool(data["active"]), deque(map(float, data["raised"]))
