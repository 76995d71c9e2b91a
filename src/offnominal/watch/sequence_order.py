"""Samples that are new, late or seen before, by the numbers that their robot gives them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

REMEMBERED = 1024
"""Lost numbers of a session that are remembered, to tell a late sample from a duplicate."""
SESSIONS = 8
"""Earlier sessions that are remembered."""
Place = Literal["new", "late", "duplicate"]


class Placed(NamedTuple):
    """Where a sample is in its stream.

    Args:
        place: Whether it is to be used (``"new"``), or comes after a later one, for the first time or again.
        restarted: Whether it is the first one of a session.
        lost: Numbers between the sample before and this one.
    """

    place: Place
    restarted: bool = False
    lost: int = 0


class SequenceOrder:
    """The order of the samples of one robot.

    A number above the last one is new, and what is between is lost. A sample with another number is not used: nothing
    that was told is changed later. A robot that counts from the start again says so by another session.

    Example:
        >>> order = SequenceOrder()
        >>> [order.place("", number).place for number in (0, 1, 4, 1, 3, 3)]
        ['new', 'new', 'new', 'duplicate', 'late', 'duplicate']
        >>> order.place("b", 0), order.place("", 7).place
        (Placed(place='new', restarted=True, lost=0), 'late')
    """

    __slots__ = ("_earlier", "_lost", "last", "session")

    def __init__(self) -> None:
        self.session: str | None = None
        self.last: int | None = None
        self._lost: dict[int, None] = {}
        self._earlier: list[str] = []

    def place(self, session: str, number: int | None) -> Placed:
        """Return where a sample is, and remember it."""
        if session != self.session:
            if session in self._earlier:
                return Placed("late")
            if self.session is not None:
                self._earlier = [*self._earlier, self.session][-SESSIONS:]
            self.session, self.last, self._lost = session, number, {}
            return Placed("new", restarted=True)
        if number is None:
            return Placed("new")
        if self.last is None or number > self.last:
            lost = 0 if self.last is None else number - self.last - 1
            for each in range(max(number - lost, number - REMEMBERED), number):
                self._lost[each] = None
            while len(self._lost) > REMEMBERED:
                del self._lost[next(iter(self._lost))]
            self.last = number
            return Placed("new", lost=lost)
        if number in self._lost:
            del self._lost[number]
            return Placed("late")
        return Placed("duplicate")

    def to_dict(self) -> dict[str, Any]:
        """Return the state as plain data."""
        return {"session": self.session, "last": self.last, "lost": list(self._lost), "earlier": self._earlier}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Go on from the result of :meth:`to_dict`."""
        self.session, self.last = data["session"], data["last"]
        self._lost, self._earlier = dict.fromkeys(map(int, data["lost"])), list(data["earlier"])
