"""Comparison of a result with a published one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from offnominal.evaluation.estimate import Estimate

MATCH = 0.02
NEAR = 0.05

Agreement = Literal["match", "near", "differs", "impossible", "artefact", ""]
Flaw = Literal["impossible", "artefact", ""]


@dataclass(frozen=True, slots=True, eq=False)
class PublishedComparison:
    """A result and the published one.

    Args:
        labels: Row of the published table, as column names and values.
        ours: Our result.
        published: The published number; None if there is none.
        span: Ends of the published range, if a range is published; `published` is its middle.
        note: Known reason of a difference.
        flaw: What is wrong with the published number itself: ``"impossible"`` if it contradicts other published
            numbers, ``"artefact"`` if it says nothing about the method. It is then the verdict.

    Example:
        >>> PublishedComparison({"detector": "KNN"}, Estimate(0.71), 0.68).verdict
        'near'
    """

    labels: Mapping[str, str]
    ours: Estimate
    published: float | None
    span: tuple[float, float] | None = None
    note: str = ""
    flaw: Flaw = ""

    @property
    def difference(self) -> float | None:
        """Our result minus the published one."""
        return None if self.ours.value is None or self.published is None else self.ours.value - self.published

    @property
    def verdict(self) -> Agreement:
        """``match`` within 0.02, or published within our interval; ``near`` within 0.05; otherwise ``differs``.

        A flawed published number has its flaw as verdict.
        """
        if self.flaw:
            return self.flaw
        if self.ours.value is None or self.published is None:
            return ""
        low, high = self.span or (self.published, self.published)
        away = max(low - self.ours.value, self.ours.value - high, 0.0)
        inside = (
            self.ours.low is not None and self.ours.high is not None and self.ours.low <= high and low <= self.ours.high
        )
        if away <= MATCH or inside:
            return "match"
        return "near" if away <= NEAR else "differs"
