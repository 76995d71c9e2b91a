"""The report of one detector on one split."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from offnominal.evaluation.alarm_budget import AlarmBudget
from offnominal.evaluation.discrimination import Discrimination, Ranking
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.event_timing import EventTiming
from offnominal.evaluation.net_detection import NetDetection
from offnominal.evaluation.recovery import Recovery
from offnominal.evaluation.time_matched import TimeMatched
from offnominal.evaluation.timing import Timing


@dataclass(frozen=True, slots=True)
class SplitReport:
    """Evaluation of a detector on the faults of one split.

    Args:
        name: Name of the split.
        episodes: Number of episodes.
        never_faulty: Number of episodes that ended before their onset.
        nominal: Number of nominal episodes; None without nominal scores.
        discrimination: Discrimination between faulty and nominal steps.
        time_baseline: The same for the elapsed time as score.
        null: The same for nominal scores with the onsets of this split; None without nominal scores.
        matched: Faulty steps against nominal steps of the same elapsed time; None without nominal scores.
        timing: Delays of the given alarms from the onset; None without alarms.
        effective_timing: The same from the effective onset; faults without an effect count as never faulty. None
            without alarms or twins.
        net: Detection at the budget minus alarms of nominal episodes at the same times; None without nominal scores.
        budget: Detection at a budget of false alarms, and its curve over all budgets; None without nominal scores.
        events: Detection of labelled intervals; None without alarms, or if every fault lasts to the end of its episode.
        recovery: Alarms after the end of faults; None without alarms, or if every fault lasts to the end of its
            episode.
        episode_auroc: AUROC between whole episodes; None unless the labels are constant in each episode.
        notes: Sentences about the intervals, such as the reason why there are none.
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
    net: NetDetection | None = None
    budget: AlarmBudget | None = None
    events: EventTiming | None = None
    recovery: Recovery | None = None
    episode_auroc: Estimate | None = None
    nominal: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def excess(self) -> Ranking | None:
        """Local metrics minus their null."""
        return None if self.null is None else self.discrimination.local - self.null.local

    @property
    def pooled_excess(self) -> Ranking | None:
        """Pooled metrics minus their null."""
        return None if self.null is None else self.discrimination.pooled - self.null.pooled

    def counts(self) -> dict[str, int | float | None]:
        """Return the exact numbers: sizes, steps that are matched, episodes that are not paired; another budget."""
        counts: dict[str, int | float | None] = {
            "episodes": self.episodes,
            "never_faulty": self.never_faulty,
            "nominal_episodes": self.nominal,
            "one_class": self.discrimination.one_class,
            "steps": self.discrimination.steps,
            "active_steps": self.discrimination.active_steps,
            "matched_steps": None if self.matched is None else self.matched.matched,
            "unpaired_episodes": None if self.net is None else self.net.unpaired,
            **({} if self.budget is None else self.budget.given()),
        }
        if self.recovery is not None:
            counts["recovered_episodes"] = self.recovery.episodes
        return counts if self.events is None else {**counts, "events": self.events.events}

    def numbers(self) -> dict[str, Estimate]:
        """Return every estimate by name."""
        return self.score_numbers() | self.alarm_numbers()

    def score_numbers(self) -> dict[str, Estimate]:
        """Return the estimates that need no alarm, by name."""
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
        if self.episode_auroc is not None:
            numbers["episode_auroc"] = self.episode_auroc
        if self.net is not None:
            numbers |= self.net.numbers()
        if self.budget is not None:
            numbers |= self.budget.numbers()
        return numbers

    def alarm_numbers(self) -> dict[str, Estimate]:
        """Return the estimates about the alarm, by name; none without an alarm."""
        numbers = {} if self.timing is None else self.timing.numbers()
        if self.effective_timing is not None:
            numbers |= _prefixed("effective_", self.effective_timing.numbers())
        if self.recovery is not None:
            numbers |= self.recovery.numbers()
        return numbers if self.events is None else numbers | self.events.numbers()


def _prefixed(prefix: str, numbers: Mapping[str, Estimate]) -> dict[str, Estimate]:
    return {f"{prefix}{name}": number for name, number in numbers.items()}
