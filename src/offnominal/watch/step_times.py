"""How long steps take, as a histogram."""

from __future__ import annotations

from bisect import bisect_left

BOUNDS = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 1.0)
"""Upper bounds in seconds."""


class StepTimes:
    """Counts of durations by upper bound.

    Example:
        >>> times = StepTimes()
        >>> times.add(0.0003)
        >>> times.count, times.cumulative()[:4]
        (1, [(0.0001, 0), (0.0002, 0), (0.0005, 1), (0.001, 1)])
    """

    def __init__(self) -> None:
        self.total = 0.0
        self._counts = [0] * (len(BOUNDS) + 1)

    @property
    def count(self) -> int:
        """Number of steps."""
        return sum(self._counts)

    def add(self, seconds: float) -> None:
        """Count a step."""
        self.total += seconds
        self._counts[bisect_left(BOUNDS, seconds)] += 1

    def cumulative(self) -> list[tuple[float, int]]:
        """Return the number of steps up to each bound."""
        found, total = [], 0
        for bound, count in zip((*BOUNDS, float("inf")), self._counts, strict=True):
            total += count
            found.append((bound, total))
        return found
