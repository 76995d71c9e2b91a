"""A metric: a line of the table of metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

About = Literal["scores", "alarms", "events", "scenes", "novelty"]
Place = Literal["leaderboard", "log leaderboard", "replicates", "summary", "timing", "fault"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric: a line of the table.

    Args:
        name: Column of the results.
        about: What it is about.
        label: Name in tables and figures.
        meaning: The definition in one or two sentences.
        formula: The definition as a formula.
        use: When to read it, and what to read beside it.
        higher: Whether higher is better.
        random_value: Expected value of random scores; None if it depends on the data.
        low: Smallest possible value.
        high: Largest possible value; None if there is none.
        unit: Empty for rates.
        centre: Value in the middle of a diverging colour scale; None for a scale from worst to best.
        places: Where it is shown: on every leaderboard, on those of logs whose AUROC has no interval, in summaries of
            an evaluation, in tables of the timing of alarms, beside a single fault. Bootstrap replicates are stored of
            the metrics of leaderboards and of those with ``"replicates"`` among the places.
        share: Whether it is a share of the episodes of a split, or one minus another: its interval is at least that of
            Clopper and Pearson.

    Example:
        >>> Metric("auc", "scores", "AUC", "Area.", "∫ f", "Always.", unit="m").range
        '0 to 1 m'
    """

    name: str
    about: About
    label: str
    meaning: str
    formula: str
    use: str
    higher: bool = True
    random_value: float | None = None
    low: float = 0.0
    high: float | None = 1.0
    unit: str = ""
    centre: float | None = None
    places: tuple[Place, ...] = ()
    share: bool = False

    @property
    def heading(self) -> str:
        """Label with its unit, for columns and axes.

        Example:
            >>> Metric("delay", "alarms", "Delay", "Steps.", "t", "Always.", unit="steps").heading
            'Delay (steps)'
        """
        return f"{self.label} ({self.unit})" if self.unit else self.label

    @property
    def range(self) -> str:
        """Possible values as text, with the unit."""
        values = f"{self.low:g} to {self.high:g}" if self.high is not None else f"{self.low:g} or more"
        return f"{values} {self.unit}".rstrip()
