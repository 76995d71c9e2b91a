"""Whether an alarm kept its promise in streams without faults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.alarms.adaptive import ANY_DATA, AdaptiveAlarm
from offnominal.alarms.alarm import Alarm
from offnominal.alarms.guarantee_check import BROKEN, KEPT, NO_GUARANTEE, outcome_of
from offnominal.alarms.share_interval import effective_interval
from offnominal.core.types import BoolArray, FloatArray

ARITHMETIC = "arithmetic"
"""Verdict on a promise about any data: no stream can break it, so that it is neither kept nor broken."""


@dataclass(frozen=True, slots=True)
class PromiseCheck:
    """What an alarm promised in streams, and whether it was kept.

    Args:
        text: The promise in words.
        promised: Largest promised share of units with a false alarm; for a share in the long run, the share itself;
            None without a promise.
        verdict: ``"kept"``, ``"broken"``, ``"undecided"``, ``"arithmetic"`` or ``"no guarantee"``.
        interval: 95 % interval of the share of units that the verdict is about; None if no interval is judged.
    """

    text: str
    promised: float | None
    verdict: str
    interval: tuple[float, float] | None = None


def promised_share(alarm: Alarm, unit: int) -> float | None:
    """Return the promised share of units with a false alarm; None without a promise.

    A mean run length of L steps to a false alarm is a share of unit / L, because the alarm begins anew after each one.
    """
    guarantee = alarm.guarantee
    if guarantee.run_length is not None:
        return unit / guarantee.run_length
    return guarantee.level if guarantee.share is None else guarantee.share


def check_promise(
    alarms: Sequence[Alarm], raised: Sequence[BoolArray], scores: Sequence[FloatArray], unit: int
) -> PromiseCheck:
    """Return whether the alarms of all streams, each with a calibration of its own, kept their promise.

    A promise about a share of units, or about the mean run length, is judged by the rule of evaluations
    (:func:`~offnominal.alarms.guarantee_check.outcome_of`). The interval is that of the mean over streams, so that it
    has the variance over calibrations, and units of one stream may depend on each other. A share in the long run has
    a stated error for each stream: it is kept if all streams are within it. A promise about any data is an identity of
    the alarm, which no stream can contradict: its verdict is ``"arithmetic"``.

    A promise with a confidence, about most calibrations, is judged by the mean over calibrations, which is weaker.

    Args:
        alarms: The alarm of each stream, as fitted first.
        raised: (units,) whether there was an alarm in each unit, of each stream without faults.
        scores: (steps,) scores of the same streams.
        unit: Steps of a unit.

    Example:
        >>> from offnominal.alarms import EpisodeMaximum, simulate_scores
        >>> alarms = [EpisodeMaximum(0.05).fit(simulate_scores(100, seed=seed)) for seed in range(4)]
        >>> check_promise(alarms, [np.arange(1000) % 50 == 0] * 4, [np.zeros(1)] * 4, 200).verdict
        'kept'
        >>> check_promise(alarms, [np.arange(1000) % 5 == 0] * 4, [np.zeros(1)] * 4, 200).verdict
        'broken'
    """
    alarm = alarms[0]
    text, promised = str(alarm.guarantee), promised_share(alarm, unit)
    if promised is None:
        return PromiseCheck(text, None, NO_GUARANTEE)
    if alarm.guarantee.assumption == ANY_DATA:
        return PromiseCheck(text, promised, ARITHMETIC)
    if isinstance(alarm, AdaptiveAlarm) and alarm.guarantee.share is not None:
        return PromiseCheck(text, promised, KEPT if _within(alarms, scores) else BROKEN)
    shares = np.array([each.mean() for each in raised])
    interval = share_interval(shares, len(raised[0]))
    return PromiseCheck(text, promised, outcome_of(promised, interval, explained=False), interval)


def share_interval(shares: FloatArray, units: int) -> tuple[float, float]:
    """Return the 95 % interval of a share from its values in several streams with as many units each.

    Example:
        >>> low, high = share_interval(np.array([0.04, 0.06, 0.05, 0.05]), 1000)
        >>> round(low, 3), round(high, 3)
        (0.038, 0.065)
    """
    n = len(shares)
    error = float(np.std(shares, ddof=1)) / n**0.5 if n > 1 else 0.0
    return effective_interval(float(np.mean(shares)), error, n * units, max(n - 1, 1))


def _within(alarms: Sequence[Alarm], scores: Sequence[FloatArray]) -> bool:
    """Return whether the share of alarms is within the stated error in every stream."""
    for alarm, stream in zip(alarms, scores, strict=True):
        assert isinstance(alarm, AdaptiveAlarm)
        found = alarm.history([stream])
        counted = int(found.learned.sum())
        if counted and abs(found.share - alarm.alpha) > alarm.deviation(counted):
            return False
    return True
