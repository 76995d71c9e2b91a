"""An experiment that shows the cause of a difference: our number before and after one thing was made as published."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from offnominal.evaluation.estimate import Estimate
from offnominal.studies.published_comparison import NEAR, Cause, PublishedComparison


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """An experiment on one number.

    Args:
        cause: The cause that the experiment shows.
        change: What was changed, in words.
        before: Our number.
        after: Our number with the change.
        span: Whether the change is a setting that is not published, and the interval what its values make of our
            number: all of it is possible.
    """

    cause: Cause
    change: str
    before: float
    after: Estimate
    span: bool = False

    @property
    def note(self) -> str:
        """The experiment in words; with its interval if only that explains the difference.

        Example:
            >>> Evidence("defect", "as in the public code", 0.377, Estimate(0.509)).note
            'as in the public code, 0.38 becomes 0.51'
        """
        if self.span:
            return f"{self.change}, {self.before:.2f} becomes {self.after.low:.2f} to {self.after.high:.2f}"
        interval = f" [{self.after.low:.2f}, {self.after.high:.2f}]" if self.cause == "chance" else ""
        return f"{self.change}, {self.before:.2f} becomes {self.after.value:.2f}{interval}"

    def distance(self, published: float) -> float:
        """Return how far our number with the change is from the published one; zero within a span."""
        assert self.after.value is not None
        if self.span and self.after.low is not None and self.after.high is not None:
            return max(self.after.low - published, published - self.after.high, 0.0)
        return abs(self.after.value - published)

    def explains(self, ours: float, published: float, near: float = NEAR) -> bool:
        """Whether the experiment is about our number, and its change makes that number match or come near.

        Args:
            ours: Our number; of another scale it may be another one than before the experiment.
            published: The published number.
            near: Largest difference that is near.
        """
        changed = PublishedComparison({}, self.after, published, near=near)
        about_ours = abs(self.before - ours) <= near
        return about_ours and changed.verdict != "differs" and self.distance(published) < abs(ours - published)


def nearest_explanation(
    experiments: Iterable[Evidence], ours: float | None, published: float | None, near: float = NEAR
) -> Evidence | None:
    """Return the experiment that comes nearest to a published number, or None if none explains the difference.

    Args:
        experiments: Experiments on the number.
        ours: Our value.
        published: The published value.
        near: Largest difference that is near.
    """
    if ours is None or published is None:
        return None
    found = [each for each in experiments if each.explains(ours, published, near)]
    return min(found, key=lambda each: each.distance(published), default=None)
