"""Alarms on streams: how each is calibrated, runs without an end, and what it promises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from offnominal.alarms.adaptive import AdaptiveAlarm
from offnominal.alarms.alarm import Alarm
from offnominal.alarms.catalogue import UNLISTED
from offnominal.alarms.catalogue import alarms as alarm_registry
from offnominal.alarms.e_detector import EDetector
from offnominal.alarms.mode_thresholds import ModeThresholds
from offnominal.alarms.window_maximum import WindowMaximum
from offnominal.core.types import BoolArray, FloatArray, IntArray
from offnominal.detectors.observation_limits import MAX_SCORE
from offnominal.kinds.streams.cell import StreamAlarm
from offnominal.kinds.streams.plan import StreamPlan

QUARTERS = 4
"""Modes of a cycle."""


def alarm_target(entry: StreamAlarm) -> str:
    """Return the registered id of an alarm, or the path of its class if it is not listed."""
    return UNLISTED[entry.alarm].target if entry.alarm in UNLISTED else entry.alarm


def build_stream_alarm(entry: StreamAlarm, plan: StreamPlan) -> Alarm:
    """Return the alarm of an entry, not fitted: its promise, its unit and its run length are those of the plan.

    Example:
        >>> plan = StreamPlan(unit=100, promise=0.01)
        >>> build_stream_alarm(StreamAlarm("maximum", "EpisodeMaximum"), plan)
        EpisodeMaximum(alpha=0.01, confidence=None)
        >>> build_stream_alarm(StreamAlarm("evidence", "EDetector"), plan)
        EDetector(run_length=10000, window=100, confidence=0.95)
    """
    alarm: Alarm = alarm_registry.build(alarm_target(entry), entry.parameters)
    names = {each.name for each in fields(alarm) if each.init}
    given: dict[str, float | int] = {"run_length": round(plan.unit / plan.promise), "alpha": plan.promise}
    if isinstance(alarm, AdaptiveAlarm | WindowMaximum | EDetector):
        given["window"] = plan.unit
    for name, value in given.items():
        if name in names and name not in entry.parameters:
            setattr(alarm, name, value)
    return alarm


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """Nominal scores of one stream before the test, and where the units are in the cycle.

    Args:
        scores: (steps,) scores.
        first_unit: Number of the first unit since the stream began.
    """

    scores: FloatArray
    first_unit: int


def modes_of(plan: StreamPlan, first_unit: int, units: int) -> IntArray:
    """Return the quarter of the cycle of each unit.

    Example:
        >>> modes_of(StreamPlan(segment=2, fault=1, cycle=4), 6, 4).tolist()
        [3, 3, 0, 0]
    """
    whole = plan.cycle * plan.segment
    modes: IntArray = (np.arange(first_unit, first_unit + units) % whole) * QUARTERS // whole
    return modes


def fit_alarm(entry: StreamAlarm, plan: StreamPlan, calibration: Calibration) -> Alarm:
    """Return the alarm of an entry, fitted on the calibration hours of a stream."""
    alarm = build_stream_alarm(entry, plan)
    units = _units(calibration.scores, plan.unit)
    if isinstance(alarm, ModeThresholds) and entry.by_cycle:
        return alarm.fit(units, modes=modes_of(plan, calibration.first_unit, len(units)))
    return alarm.fit(units if _forgets(alarm) else [calibration.scores])


def run_alarm(
    alarm: Alarm, entry: StreamAlarm, plan: StreamPlan, scores: FloatArray, nominal: BoolArray, first_unit: int
) -> BoolArray:
    """Return whether a fitted alarm is raised at each step of a stretch of a stream.

    An alarm with a promise about episodes begins anew in each unit, and one with a promised run length after the
    unit in which it was raised. An adaptive alarm keeps what it has learned. All others run on.

    Args:
        alarm: The alarm.
        entry: Its entry.
        plan: Parts of the stream.
        scores: (steps,) scores of whole units.
        nominal: (units,) which units someone confirms as nominal, as soon as they are over.
        first_unit: Number of the first unit since the stream began.
    """
    units = _units(scores, plan.unit)
    if isinstance(alarm, AdaptiveAlarm):
        limits = alarm.history([scores], nominal if alarm.feedback == "confirmed" else None).thresholds
        rows = scores.reshape(-1, plan.unit)
        return ((rows > limits[:, None]) | (rows >= MAX_SCORE)).ravel()
    if isinstance(alarm, ModeThresholds) and entry.by_cycle:
        return np.concatenate(alarm.alarm(units, modes=modes_of(plan, first_unit, len(units))))
    if alarm.guarantee.run_length is not None:
        return run_with_restarts(alarm, scores, plan.unit)
    return np.concatenate(alarm.alarm(units if _forgets(alarm) else [scores]))


def run_with_restarts(alarm: Alarm, scores: FloatArray, unit: int) -> BoolArray:
    """Return where an alarm is raised if it begins anew after each unit with an alarm.

    Example:
        >>> alarm = EDetector(1000, window=10).fit([np.arange(300) % 7])
        >>> raised = run_with_restarts(alarm, np.full(40, 9.0), 10)
        >>> raised.reshape(-1, 10).any(axis=1).tolist()
        [False, False, False, True]
    """
    raised = np.zeros(len(scores), np.bool_)
    first, ahead = 0, 1
    while first < len(scores):
        last = min(first + ahead * unit, len(scores))
        (found,) = alarm.alarm([scores[first:last]])
        if not found.any():
            # Longer pieces from the same start, so that a quiet stream is computed twice at most.
            first, ahead = (len(scores), ahead) if last == len(scores) else (first, 2 * ahead)
            continue
        end = first + (int(np.argmax(found)) // unit + 1) * unit
        raised[first:end] = found[: end - first]
        first, ahead = end, 1
    return raised


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the test that has one calibration.

    Args:
        alarm: The alarm.
        begin: Its first step of the test.
        end: The first step after it.
    """

    alarm: Alarm
    begin: int
    end: int


def stretches(
    entry: StreamAlarm, plan: StreamPlan, calibration: Calibration, scores: FloatArray, events: bool
) -> list[Stretch]:
    """Return the calibrations of an alarm in a stream, one after the other.

    An alarm that is calibrated again uses the segments without faults that follow an event, and replaces the former
    one after them.

    Args:
        entry: The alarm.
        plan: Parts of the stream.
        calibration: Scores before the test.
        scores: (steps,) scores of the test.
        events: Whether there are events.
    """
    alarm = fit_alarm(entry, plan, calibration)
    found, begin = [], 0
    for segment in plan.event_segments - plan.first_test if entry.recalibrated and events else ():
        event, again = int(segment) * plan.steps, (int(segment) + plan.recalibration) * plan.steps
        found.append(Stretch(alarm, begin, again))
        known = [*_units(calibration.scores, plan.unit), *_units(scores[event:again], plan.unit)]
        before = len(calibration.scores) // plan.unit
        alarm, begin = alarm.recalibrate(known, np.arange(len(known)), since=before), again
    return [*found, Stretch(alarm, begin, len(scores))]


def _forgets(alarm: Alarm) -> bool:
    """Whether an alarm begins anew in each unit, because its promise is about episodes."""
    return alarm_unit(alarm) == "episode"


def alarm_unit(alarm: Alarm) -> str:
    """Return the unit of what an alarm promises."""
    return alarm.guarantee.unit


def _units(scores: FloatArray, unit: int) -> Sequence[FloatArray]:
    return list(scores.reshape(-1, unit))
