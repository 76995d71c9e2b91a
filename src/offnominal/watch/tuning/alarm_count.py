"""Counts false alarms as `watch` would tell them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from offnominal.core.types import BoolArray
from offnominal.watch.alarm_line import AlarmLine
from offnominal.watch.rules import Rules
from offnominal.watch.tuning.allowed_rate import SECONDS
from offnominal.watch.tuning.measured_rate import MeasuredRate

TOLD = ("raised", "chattering")


def count_false_alarms(raised: Sequence[BoolArray], period: float, rules: Rules | None = None) -> MeasuredRate:
    """Return how many alarms an operator would have been told in nominal episodes, and in how many hours.

    An alarm that is raised counts once, however long it lasts, and so does one that chatters. While it is raised, no
    other one can be: that time is not among the hours, so that an alarm that never clears has a high rate.

    Args:
        raised: For each episode, whether the condition of the alarm holds at each step.
        period: Seconds per step.
        rules: Rules of `watch`; those of a folder without other ones if None.

    Example:
        >>> condition = np.zeros(7200, bool)
        >>> condition[[100, 101, 5000]] = True
        >>> count_false_alarms([condition], period=1.0)
        MeasuredRate(alarms=2, hours=1.998...)
    """
    chosen = rules or Rules()
    counts = [_count(np.asarray(each, np.bool_), period, chosen) for each in raised]
    return MeasuredRate(sum(alarms for alarms, _ in counts), sum(steps for _, steps in counts) * period / SECONDS)


def _count(condition: BoolArray, period: float, rules: Rules) -> tuple[int, int]:
    """Return alarms, and the steps at which none was raised."""
    line, step, alarms, held = AlarmLine("score", rules), 0, 0, 0
    hits = np.flatnonzero(condition)
    while step < len(condition):
        if line.idle:
            # Nothing changes before the next step at which the condition holds.
            following = int(np.searchsorted(hits, step))
            if following == len(hits):
                break
            step = int(hits[following])
        alarms += sum(change in TOLD for change in line.update(condition[step], step * period))
        line.acknowledge()
        held += line.raised
        step += 1
    return alarms, len(condition) - held
