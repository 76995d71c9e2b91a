"""The three verdicts about the detectors of a run, as sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow.compute as pc

from offnominal.core.rounding import fixed
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.false_alarm_budget import DEFAULT, FalseAlarmBudget, budget_of
from offnominal.evaluation.verdicts import LEAST_DETECTED, Verdicts, detector_verdicts
from offnominal.reports.default_alarm import default_alarm
from offnominal.studies.guarantees import guarantees, over_all_worlds
from offnominal.studies.leaderboards import leaderboard

MATCHED, NET = "matched_auroc", "net_detection"
MANY = 2
"""Detectors that a comparison needs."""
NAMED = 5
"""Detectors that a sentence names."""


@dataclass(frozen=True, slots=True)
class RunVerdicts:
    """The verdicts about the detectors of a run, with their numbers.

    Args:
        found: The verdicts.
        matched: Time-matched AUROC of each detector with results for every fault.
        net: Net detection at the budget.
        alarm: The alarm whose guarantee was checked; None if no alarm has one.
        budget: Budget of false alarms of the net detection.
    """

    found: Verdicts
    matched: dict[str, Estimate]
    net: dict[str, Estimate]
    alarm: str | None
    budget: FalseAlarmBudget = DEFAULT

    @property
    def judged(self) -> bool:
        """Whether any detector is said to separate best or to detect most."""
        return bool(self.found.separates_best or self.found.detects_most)

    def parts(self) -> list[tuple[tuple[str, ...], str]]:
        """Return the names and the rest of one sentence per verdict that is given, and of one about too few detections.

        A verdict that no detector is given has no sentence, except for the guarantee.
        """
        found = self.found
        best, most, kept, little = (
            found.separates_best,
            found.detects_most,
            found.keeps_promise,
            found.detects_too_little,
        )
        parts = []
        if best:
            value = _span(self.matched[name] for name in best)
            parts.append((best, f"{_verb('separate', best)} best: time-matched AUROC {value}."))
        if most:
            value = _span(self.net[name] for name in most)
            parts.append((most, f"{_verb('detect', most)} most at {self.budget}: net detection {value}."))
        if self.alarm is not None:
            does = "keep their" if len(kept) > 1 else "keeps its" if kept else "is shown to keep its"
            rest = f"{does} promise of false alarms, with the alarm {self.alarm}."
            parts.append((kept or ("No detector",), rest))
        if little:
            share = f"a net detection of less than {fixed(LEAST_DETECTED, 3)} at {self.budget}"
            parts.append((little, f"{'have' if len(little) > 1 else 'has'} {share}."))
        return parts

    def sentences(self) -> list[str]:
        """Return the verdicts as text."""
        return [f"{listed(shortened(names))} {rest}" for names, rest in self.parts()]


def run_verdicts(table: Any) -> RunVerdicts | None:
    """Return the verdicts about the detectors of a run; None without a net detection or a second detector.

    Args:
        table: Rows of a run.
    """
    if any(not _has(table, name) for name in (MATCHED, NET)):
        return None
    matched, net = (
        {each.name: each.estimate for each in leaderboard(table, metric) if each.rank is not None}
        for metric in (MATCHED, NET)
    )
    if len(matched) < MANY:
        return None
    alarm = default_alarm(table)
    checks = {name: check for (one, name), check in over_all_worlds(guarantees(table)).items() if one == alarm}
    guaranteed = any(check.level is not None for check in checks.values())
    outcomes = {name: checks[name].outcome for name in net if name in checks}
    found = detector_verdicts(matched, net, outcomes)
    return RunVerdicts(found, matched, net, alarm if guaranteed else None, budget_of(table))


def shortened(names: Sequence[str]) -> list[str]:
    """Return the first names and how many more there are.

    Example:
        >>> shortened(["A", "B", "C", "D", "E", "F"])
        ['A', 'B', 'C', 'D', '2 more']
    """
    return list(names) if len(names) <= NAMED else [*names[: NAMED - 1], f"{len(names) - NAMED + 1} more"]


def listed(names: Sequence[str]) -> str:
    """Return names in one text.

    Example:
        >>> listed(["KNN", "LOF", "ABOD"])
        'KNN, LOF and ABOD'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _verb(verb: str, names: Sequence[str]) -> str:
    return verb if len(names) > 1 else f"{verb}s"


def _span(numbers: Iterable[Estimate]) -> str:
    """Return the number of one detector with its interval, or the range of several."""
    found = list(numbers)
    if len(found) == 1:
        return str(found[0])
    values = [each.value or 0.0 for each in found]
    return f"{fixed(min(values), 3)} to {fixed(max(values), 3)}"


def _has(table: Any, name: str) -> bool:
    if name not in table.column_names:
        return False
    plain = table.filter(pc.is_null(table["alarm"]))
    return bool(plain[name].null_count < plain.num_rows)
