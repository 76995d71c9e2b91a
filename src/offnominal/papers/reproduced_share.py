"""The share of published values that is reproduced, with an interval that counts values of one row as one sample."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from scipy.special import stdtrit

from offnominal.alarms.share_interval import clopper_pearson
from offnominal.core.rounding import fixed

REPRODUCED = ("reproduced closely", "reproduced")
JUDGED = (*REPRODUCED, "inconclusive", "explained", "differs")
"""Outcomes of values that can be judged; those without an interval and flawed ones cannot."""
TAIL = 0.975


@dataclass(frozen=True, slots=True)
class ReproducedShare:
    """A share with its 95 % interval.

    Args:
        share: Share of the judged values that is reproduced.
        low: Lower end of its interval.
        high: Upper end.
        judged: Number of values.
        groups: Number of groups of values that depend on each other: those of one method in one table, and equal ones.

    Example:
        >>> print(ReproducedShare(0.25, 0.1, 0.4, judged=40, groups=8))
        25 % [10 %, 40 %]
    """

    share: float
    low: float
    high: float
    judged: int
    groups: int

    def __str__(self) -> str:
        share, low, high = (fixed(100.0 * value, 0) for value in (self.share, self.low, self.high))
        return f"{share} % [{low} %, {high} %]"

    def to_dict(self) -> dict[str, float]:
        """Return plain data."""
        return {"share": self.share, "low": self.low, "high": self.high, "judged": self.judged, "groups": self.groups}


class JudgedValue(NamedTuple):
    """A published value beside ours.

    Args:
        table: The table.
        method: The method.
        outcome: Outcome of the comparison.
        numbers: Our number, its interval and the published number, as text; a value that a paper prints in two tables
            has the same ones in both.
    """

    table: str
    method: str
    outcome: str | None
    numbers: tuple[str, ...] = ()


def reproduced_share(values: Iterable[tuple[str, str, str | None] | JudgedValue]) -> ReproducedShare | None:
    """Return the share of the judged values that is reproduced; None if there are none.

    Values of one method in one table come from the same run, and agree or differ together; so does a value that is
    printed in another table again. The interval is that of
    Clopper and Pearson for as many independent values as have the variance of a mean over these groups, at most as many
    as there are values; where all values agree, for as many as there are groups.

    Args:
        values: Table, method and outcome of each published value, and its numbers where they are known.

    Example:
        >>> together = [
        ...     ("1", method, outcome) for method, outcome in (("A", "reproduced"), ("B", "differs")) for _ in "123"
        ... ]
        >>> found = reproduced_share(together)
        >>> found.judged, found.groups, found.share, round(found.low, 2), round(found.high, 2)
        (6, 2, 0.5, 0.0, 1.0)
    """
    groups: defaultdict[tuple[str, str], list[bool]] = defaultdict(list)
    first: dict[tuple[str, tuple[str, ...]], str] = {}
    for value in values:
        table, method, outcome, numbers = JudgedValue(*value)
        if outcome in JUDGED:
            if numbers:
                table = first.setdefault((method, numbers), table)
            groups[table, method].append(outcome in REPRODUCED)
    count, judged = len(groups), sum(map(len, groups.values()))
    if not judged:
        return None
    share = sum(map(sum, groups.values())) / judged
    effective = float(count)
    apart = sum((sum(found) - share * len(found)) ** 2 for found in groups.values())
    if count > 1 and apart > 0.0:
        variance = count / (count - 1) * apart / judged**2
        # Few groups make the variance itself uncertain.
        widened = (float(stdtrit(judged - 1, TAIL)) / float(stdtrit(count - 1, TAIL))) ** 2
        effective = min(float(judged), share * (1.0 - share) / variance * widened)
    if math.isclose(share, round(share)):
        effective = float(count)
    low, high = clopper_pearson(share * effective, effective)
    return ReproducedShare(share, low, high, judged, count)
