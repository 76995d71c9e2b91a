"""Comparison of a result with a published one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from offnominal.evaluation.estimate import Estimate

MATCH = 0.02
NEAR = 0.05

Agreement = Literal["match", "near", "differs", "impossible", "artefact", ""]
Flaw = Literal["impossible", "artefact", ""]
Cause = Literal["scale", "defect", "setting", "chance", ""]
Outcome = Literal["match", "near", "explained", "unexplained", "not run"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
CAUSES: dict[Cause, str] = {
    "scale": "our run is smaller; a larger one is nearer",
    "defect": "an error of the original; with the same error ours is nearer",
    "setting": "another policy, strength, world, network or data set; if unpublished, one that is possible",
    "chance": "within the spread over training runs or trials",
}
"""What each cause of a difference means."""


@dataclass(frozen=True, slots=True, eq=False)
class PublishedComparison:
    """A result and the published one.

    Args:
        labels: Row of the published table, as column names and values.
        ours: Our result.
        published: The published number; None if there is none.
        span: Ends of the published range, if a range is published; `published` is its middle.
        note: Remark, such as the reason of a difference.
        flaw: What is wrong with the published number itself: ``"impossible"`` if it contradicts other published
            numbers, ``"artefact"`` if it says nothing about the method. It is then the verdict.
        cause: Kind of the reason of a difference, if evidence for it was measured; see :data:`CAUSES`.
        match: Largest difference of a match; larger for ranks, delays and counts than for shares.
        near: Largest difference that is near.
        rounding: Half a unit of the last published digit. It counts where our interval is compared with the number.
        units: Number of tables, image sets or classes that our result is a mean over.

    Example:
        >>> line = PublishedComparison({"detector": "KNN"}, Estimate(0.71), 0.68)
        >>> line.verdict, line.outcome
        ('near', 'near')
    """

    labels: Mapping[str, str]
    ours: Estimate
    published: float | None
    span: tuple[float, float] | None = None
    note: str = ""
    flaw: Flaw = ""
    cause: Cause = ""
    match: float = MATCH
    near: float = NEAR
    rounding: float = 0.0
    units: int = 1

    @property
    def difference(self) -> float | None:
        """Our result minus the published one."""
        return None if self.ours.value is None or self.published is None else self.ours.value - self.published

    @property
    def verdict(self) -> Agreement:
        """``match`` within `match`, or published within our interval; ``near`` within `near`; otherwise ``differs``.

        A flawed published number has its flaw as verdict.
        """
        if self.flaw:
            return self.flaw
        if self.ours.value is None or self.published is None:
            return ""
        low, high = self.span or (self.published, self.published)
        away = max(low - self.ours.value, self.ours.value - high, 0.0)
        if away <= self.match or self._overlaps(low - self.rounding, high + self.rounding):
            return "match"
        return "near" if away <= self.near else "differs"

    def _overlaps(self, low: float, high: float) -> bool:
        """Whether our interval, if there is one, has numbers between `low` and `high`."""
        ours = self.ours
        return ours.low is not None and ours.high is not None and ours.low <= high and low <= ours.high

    @property
    def outcome(self) -> Outcome | None:
        """The verdict as it is counted over tables; None if nothing is published.

        A difference is ``explained`` if it has a cause, or if the published number is flawed.
        """
        if self.published is None:
            return None
        if self.ours.value is None:
            return "not run"
        match self.verdict:
            case "match" | "near" as agreement:
                return agreement
            case _:
                return "explained" if self.flaw or self.cause else "unexplained"
