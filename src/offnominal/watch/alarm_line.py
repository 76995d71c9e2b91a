"""The life of one alarm of one robot: active, acknowledged, cleared, shelved, chattering."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from offnominal.watch.debounce import Debounce
from offnominal.watch.rules import Rules

State = Literal["normal", "active", "acknowledged", "cleared"]
Change = Literal["raised", "cleared", "acknowledged", "shelved", "unshelved", "chattering", "settled"]


class AlarmLine:
    """One alarm of one robot.

    The states are those of alarm management (ISA-18.2, IEC 62682): an alarm that is raised is *active* until an
    operator acknowledges it; one that ends before is *cleared*, and still waits for that. A shelved alarm goes on
    changing its state, and its events say that it is shelved.

    Args:
        name: Name, such as ``"range:speed"``.
        rules: Rules of all alarms.

    Example:
        >>> line = AlarmLine("gap", Rules())
        >>> line.update(True, 0.0), line.state
        (['raised'], 'active')
        >>> line.update(False, 0.1), line.update(False, 1.1), line.state
        ([], ['cleared'], 'cleared')
        >>> line.acknowledge(), line.state
        (True, 'normal')
    """

    __slots__ = ("_debounce", "_rules", "_turns", "chattering", "name", "shelved_until", "state", "suppressed")

    def __init__(self, name: str, rules: Rules) -> None:
        self.name = name
        self.state: State = "normal"
        self.chattering = False
        self.suppressed = 0
        self.shelved_until: float | None = None
        self._rules = rules
        self._debounce = Debounce(rules.of(name))
        self._turns: list[tuple[float, bool]] = []

    @property
    def raised(self) -> bool:
        """Whether the condition counts now."""
        return self._debounce.raised

    @property
    def idle(self) -> bool:
        """Whether there is nothing to remember."""
        calm = self.state == "normal" and not self.chattering and self.shelved_until is None
        return calm and not self._turns and self._debounce.idle

    @property
    def still(self) -> bool:
        """Whether a sample without the condition changes nothing, as long after an alarm that nobody acknowledged."""
        return not self._turns and self._debounce.idle

    def update(self, hit: Any, time: float) -> list[Change]:
        """Return what one more sample changes, as far as it is to be told."""
        before = self._debounce.raised
        now = self._debounce.update(hit, time)
        quiet = self._quiet(time)
        if now == before:
            return quiet
        self._turns.append((time, now))
        if now:
            self.state = "active"
        else:
            self.state = "normal" if self.state == "acknowledged" else "cleared"
        if self.chattering:
            self.suppressed += 1
            return quiet
        if now and sum(up for _, up in self._turns) >= self._rules.chattering_raises:
            self.chattering = True
            return [*quiet, "chattering"]
        return [*quiet, "raised" if now else "cleared"]

    def _quiet(self, time: float) -> list[Change]:
        """Forget changes of long ago; an alarm without any has settled."""
        if not self._turns:
            return []
        oldest = time - self._rules.chattering_seconds
        # A time that went back makes the later changes of before the jump old, too.
        self._turns = [turn for turn in self._turns if oldest <= turn[0] <= time]
        if self._turns or not self.chattering:
            return []
        self.chattering = False
        return ["settled"]

    def acknowledge(self) -> bool:
        """Acknowledge the alarm, and return whether there was something to acknowledge."""
        following: dict[State, State] = {"active": "acknowledged", "cleared": "normal"}
        if self.state not in following:
            return False
        self.state = following[self.state]
        return True

    def shelve(self, until: float) -> None:
        """Shelve the alarm until a time of the wall clock."""
        self.shelved_until = until

    def unshelve(self) -> bool:
        """Take the alarm from the shelf, and return whether it was there."""
        was = self.shelved_until is not None
        self.shelved_until = None
        return was

    def to_dict(self) -> dict[str, Any]:
        """Return the state as plain data."""
        return {
            "state": self.state,
            "chattering": self.chattering,
            "suppressed": self.suppressed,
            "shelved_until": self.shelved_until,
            "debounce": self._debounce.to_list(),
            "turns": [[time, up] for time, up in self._turns],
        }

    def restore(self, data: Mapping[str, Any]) -> None:
        """Go on from the result of :meth:`to_dict`."""
        self.state, self.chattering = data["state"], bool(data["chattering"])
        self.suppressed, self.shelved_until = int(data["suppressed"]), data["shelved_until"]
        self._debounce.restore(data["debounce"])
        self._turns = [(float(time), bool(up)) for time, up in data["turns"]]
