"""What is known about one detector on one split."""

from __future__ import annotations

from dataclasses import dataclass

from offnominal.evaluation.discrimination import Discrimination, Ranking
from offnominal.evaluation.equal_cost import EqualCost
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.operating_curve import OperatingCurve
from offnominal.evaluation.time_matched import TimeMatched
from offnominal.evaluation.timing import Timing


@dataclass(frozen=True, slots=True)
class SplitReport:
    """How well and how soon a detector notices the faults of one split.

    Args:
        name: Of the split.
        episodes: How many it has.
        never_faulty: How many of them ended before their fault came.
        discrimination: Discrimination of faulty steps from healthy ones.
        time_baseline: The same for a score that only counts steps. What it reaches needs no detector.
        null: The same for the nominal scores with the onsets of this split; None without nominal scores.
        matched: Faulty steps beside nominal ones of the same age; None without nominal scores.
        timing: With the alarms that were given, from the onset; None without alarms.
        effective_timing: The same from the effective onset; episodes whose fault had no effect count as never struck.
            None without alarms or twins.
        operating: Delay against false alarms for all thresholds; None without nominal scores.
        equal_cost: Timing with the threshold that a budget of false alarms allows; None without nominal scores.
    """

    name: str
    episodes: int
    never_faulty: int
    discrimination: Discrimination
    time_baseline: Discrimination
    null: Discrimination | None = None
    matched: TimeMatched | None = None
    timing: Timing | None = None
    effective_timing: Timing | None = None
    operating: OperatingCurve | None = None
    equal_cost: EqualCost | None = None

    @property
    def excess(self) -> Ranking | None:
        """What the local metrics have over their null."""
        return None if self.null is None else self.discrimination.local - self.null.local

    @property
    def pooled_excess(self) -> Ranking | None:
        """What the pooled metrics have over their null."""
        return None if self.null is None else self.discrimination.pooled - self.null.pooled

    def counts(self) -> dict[str, int | float | None]:
        """Return what is known exactly: sizes, and the share of faulty steps that could be matched."""
        return {
            "episodes": self.episodes,
            "never_faulty": self.never_faulty,
            "one_class": self.discrimination.one_class,
            "steps": self.discrimination.steps,
            "active_steps": self.discrimination.active_steps,
            "matched_steps": None if self.matched is None else self.matched.matched,
        }

    def numbers(self) -> dict[str, Estimate]:
        """Return every estimate by name."""
        rankings = {
            "": self.discrimination.local,
            "pooled_": self.discrimination.pooled,
            "null_": self.null and self.null.local,
            "pooled_null_": self.null and self.null.pooled,
            "excess_": self.excess,
            "pooled_excess_": self.pooled_excess,
        }
        numbers = {
            f"{prefix}{name}": getattr(ranking, name)
            for prefix, ranking in rankings.items()
            if ranking is not None
            for name in ("auroc", "average_precision", "fpr95")
        }
        numbers |= {"time_auroc": self.time_baseline.local.auroc, "pooled_time_auroc": self.time_baseline.pooled.auroc}
        if self.matched is not None:
            numbers["matched_auroc"] = self.matched.auroc
        timings: dict[str, Timing | EqualCost | None] = {
            "": self.timing,
            "effective_": self.effective_timing,
            "equal_cost_": self.equal_cost,
        }
        for prefix, found in timings.items():
            if found is not None:
                numbers |= {f"{prefix}{name}": number for name, number in found.numbers().items()}
        return numbers
