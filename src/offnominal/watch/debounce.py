"""A condition that must hold in k of n samples and for some time before it counts, and be absent before it ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from offnominal.watch.rules import AlarmRule


class Debounce:
    """Whether a condition counts.

    Times are those of the samples; where time goes back, a delay starts again.

    Args:
        rule: The rule.

    Example:
        >>> counts = Debounce(AlarmRule(k=2, n=3, off_delay=1.0))
        >>> [counts.update(hit, time) for time, hit in enumerate([1, 0, 1, 0, 0, 0, 0])]
        [False, False, True, True, False, False, False]
    """

    __slots__ = ("_hits", "_rule", "_since", "raised")

    def __init__(self, rule: AlarmRule) -> None:
        self._rule = rule
        self._hits = 0
        self._since: float | None = None
        self.raised = False

    @property
    def idle(self) -> bool:
        """Whether the condition was absent for long."""
        return not (self.raised or self._hits or self._since is not None)

    def update(self, hit: Any, time: float) -> bool:
        """Return whether the condition counts after one more sample."""
        self._hits = (self._hits << 1 | bool(hit)) & ((1 << self._rule.n) - 1)
        met = self._hits.bit_count() >= self._rule.k
        if met == self.raised:
            self._since = None
            return self.raised
        if self._since is None or self._since > time:
            self._since = time
        delay = self._rule.off_delay if self.raised else self._rule.on_delay
        if time - self._since >= delay:
            self.raised, self._since = met, None
        return self.raised

    def to_list(self) -> list[Any]:
        """Return the state as plain data."""
        return [self._hits, self._since, self.raised]

    def restore(self, data: Sequence[Any]) -> None:
        """Go on from the result of :meth:`to_list`."""
        hits, since, raised = data
        self._hits = int(hits) & ((1 << self._rule.n) - 1)
        self._since = None if since is None else float(since)
        self.raised = bool(raised)
