"""Known faults by their distance from an episode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from offnominal.core.rounding import fixed

UNKNOWN = "unknown"


class FaultMatch(NamedTuple):
    """A known fault and its distance from an episode.

    Attributes:
        name: Name of the fault.
        distance: Mean distance to its nearest recorded signatures.
    """

    name: str
    distance: float


@dataclass(frozen=True, slots=True)
class FaultMatches:
    """Known faults, nearest first.

    Args:
        ranked: All faults of the library.
        limit: Largest distance of a fault that is called known.

    Example:
        >>> print(FaultMatches((FaultMatch("stuck sensor", 0.2), FaultMatch("leak", 0.5)), limit=0.3))
        stuck sensor (distance 0.200)
        >>> FaultMatches((FaultMatch("stuck sensor", 0.4),), limit=0.3).name
        'unknown'
    """

    ranked: tuple[FaultMatch, ...]
    limit: float

    @property
    def known(self) -> bool:
        """Whether the nearest fault is as near as recorded episodes of one fault are to each other."""
        return self.ranked[0].distance <= self.limit

    @property
    def name(self) -> str:
        """Name of the nearest fault; ``"unknown"`` if it is far from all."""
        return self.ranked[0].name if self.known else UNKNOWN

    def __str__(self) -> str:
        return f"{self.name} (distance {fixed(self.ranked[0].distance, 3)})"
