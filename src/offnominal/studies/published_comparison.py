"""Comparison of a result with a published one: equivalence within a margin that is fixed beforehand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from offnominal.core.errors import InvalidParameter
from offnominal.evaluation.estimate import Estimate

FLOAT = 1e-9
"""Relative difference of equal numbers that are computed in different ways."""

Kind = Literal["measured", "fact", "work"]
KINDS: dict[Kind, str] = {
    "measured": "measured results",
    "fact": "parameters and facts",
    "work": "counts of work done",
}
"""Kinds of published values. They are counted separately, and the counts are never added."""
Flaw = Literal["impossible", "artefact", ""]
Verdict = Literal[
    "reproduced closely", "reproduced", "inconclusive", "differs", "no interval", "impossible", "artefact", ""
]
Outcome = Literal[
    "reproduced closely", "reproduced", "inconclusive", "no interval", "explained", "differs", "flawed", "not run"
]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
MEANINGS: dict[Outcome, str] = {
    "reproduced closely": "the interval of the difference is within the closer margin (±0.02 for shares)",
    "reproduced": "it is within the margin (±0.05 for shares)",
    "inconclusive": "the interval is too wide to say either",
    "no interval": "ours is a single number without an interval, which cannot show that values agree or differ",
    "explained": "differs, and a cause that was fixed before is shown by an experiment and by its control",
    "differs": "the interval of the difference is wholly outside the closer margin",
    "flawed": "the published number contradicts other published ones, or says nothing about the method",
    "not run": "there is no result of ours, or it cannot be computed here",
}
"""What each outcome means."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How values of one metric are compared with published ones; fixed in the protocol of the paper.

    A measured result is an estimate, so that only its interval can show that it agrees. Facts, such as parameters and
    sizes, and counts of work done are known exactly: they are within the margin, or they differ.

    Args:
        kind: What the values are; each kind is counted for itself.
        margin: Largest difference of a reproduced value.
        close: The same of one that is reproduced closely; unused for facts and work.
        rounding: Half a unit of the last published digit.

    Example:
        >>> Rule("measured", margin=0.05, close=0.02).verdict(0.71, (0.70, 0.72), published=0.70)
        'reproduced closely'
        >>> Rule("measured", margin=0.05, close=0.02).verdict(0.5, (0.0, 1.0), published=0.816)
        'inconclusive'
    """

    kind: Kind
    margin: float
    close: float = 0.0
    rounding: float = 0.0

    def scaled(self, factor: float, *, least: float = 0.0) -> Rule:
        """Return the rule with margins that are shares of a number.

        Args:
            factor: The number, such as the published value.
            least: Smallest margin.
        """
        margin, close = (max(abs(factor) * share, least) for share in (self.margin, self.close))
        return Rule(self.kind, margin, close, self.rounding)

    def verdict(
        self, ours: float, interval: tuple[float, float] | None, published: float, reach: float = 0.0
    ) -> Verdict:
        """Return the verdict.

        Args:
            ours: Our value.
            interval: Ends of its 95 % interval; None without one.
            published: The published value.
            reach: Half the width of the 95 % interval of the published value, where one is printed.
        """
        difference, slack = ours - published, FLOAT * max(abs(ours), abs(published))
        if self.kind != "measured":
            return "reproduced" if abs(difference) <= self.margin + self.rounding + slack else "differs"
        if interval is None:
            return "no interval"
        below = math.hypot(ours - interval[0], reach) + self.rounding
        above = math.hypot(interval[1] - ours, reach) + self.rounding
        low, high = difference - below, difference + above
        farthest = max(-low, high)
        if farthest <= self.margin + slack:
            return "reproduced closely" if farthest <= self.close + slack else "reproduced"
        return "differs" if low > self.close or high < -self.close else "inconclusive"


def interval_of(estimate: Estimate) -> tuple[float, float] | None:
    """Return the ends of the interval of a number; None without one."""
    low, high = estimate.low, estimate.high
    return None if low is None or high is None else (low, high)


@dataclass(frozen=True, slots=True, eq=False)
class PublishedComparison:
    """A result and the published one.

    Args:
        labels: Row of the published table, as column names and values.
        ours: Our result.
        published: The published number; None if there is none.
        rule: How they are compared; None if nothing is published.
        note: Remark. It explains nothing.
        flaw: What is wrong with the published number itself: ``"impossible"`` if it contradicts other published
            numbers, ``"artefact"`` if it says nothing about the method. It is then the verdict.
        cause: Name of the cause of a difference that the protocol of the paper accepts; empty if there is none.
        reach: Half the width of the 95 % interval of the published number, where one is printed.
        units: Number of tables, image sets or classes that our result is a mean over.

    Example:
        >>> import numpy as np
        >>> shares = Rule("measured", margin=0.05, close=0.02)
        >>> line = PublishedComparison({"detector": "KNN"}, Estimate(0.71, np.array([0.70, 0.72])), 0.68, shares)
        >>> line.verdict, line.outcome
        ('reproduced', 'reproduced')
        >>> PublishedComparison({"detector": "KNN"}, Estimate(0.68), 0.68, shares).verdict
        'no interval'
    """

    labels: Mapping[str, str]
    ours: Estimate
    published: float | None
    rule: Rule | None = None
    note: str = ""
    flaw: Flaw = ""
    cause: str = ""
    reach: float = 0.0
    units: int = 1

    def __post_init__(self) -> None:
        if self.published is not None and self.rule is None:
            raise InvalidParameter(
                f"{dict(self.labels)} has a published value and no rule to compare it by; give a rule."
            )

    @property
    def kind(self) -> Kind:
        """What the value is."""
        return "measured" if self.rule is None else self.rule.kind

    @property
    def difference(self) -> float | None:
        """Our result minus the published one."""
        return None if self.ours.value is None or self.published is None else self.ours.value - self.published

    @property
    def interval(self) -> tuple[float, float] | None:
        """Ends of the interval of our result; None without one."""
        return interval_of(self.ours)

    @property
    def verdict(self) -> Verdict | Flaw:
        """The verdict of the rule, or the flaw of the published number; empty if there is nothing to compare."""
        return self.verdict_of(self.ours.value, self.interval)

    def verdict_of(self, ours: float | None, interval: tuple[float, float] | None) -> Verdict | Flaw:
        """Return what the verdict would be for another result.

        Args:
            ours: The result; None if there is none.
            interval: Ends of its 95 % interval; None without one.
        """
        if self.flaw:
            return self.flaw
        if ours is None or self.published is None or self.rule is None:
            return ""
        return self.rule.verdict(ours, interval, self.published, self.reach)

    @property
    def outcome(self) -> Outcome | None:
        """The verdict as it is counted over tables; None if nothing is published."""
        if self.published is None:
            return None
        if self.ours.value is None:
            return "not run"
        match self.verdict:
            case "impossible" | "artefact" | "":
                return "flawed"
            case "differs":
                return "explained" if self.cause else "differs"
            case verdict:
                return verdict
