"""Detection of labelled intervals: several events in one episode, and false alarms between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.core.checks import positive_number
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.evaluation.bootstrap import REPLICATES, Resamples
from offnominal.evaluation.errors import InvalidLabels
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.false_alarm_rate import HOUR
from offnominal.evaluation.resampling_units import block_bounds, without_intervals
from offnominal.evaluation.step_scores import flags, intervals
from offnominal.evaluation.timing import WITHIN, checked_delays


@dataclass(frozen=True, slots=True)
class EventTiming:
    """Detection of events: uninterrupted intervals of faulty steps.

    An event is detected by an alarm at one of its steps; the delay is counted from its first step. A false alarm begins
    at a nominal step, also between two events. An alarm that goes on after the end of its event is no false alarm.

    Args:
        events: Number of events.
        detected: Fraction of the events that are detected.
        median_delay: Steps within which at least half of the events are detected; infinite if more than half are
            missed.
        within: Fraction of the events detected at most j steps after their start, by j.
        per_1000_steps: False alarms per 1,000 nominal steps; an alarm of ten steps counts once.
        per_hour: False alarms per hour of nominal operation; None if the time step is unknown.
    """

    events: int
    detected: Estimate
    median_delay: Estimate
    within: Mapping[int, Estimate]
    per_1000_steps: Estimate
    per_hour: Estimate | None = None

    def numbers(self) -> dict[str, Estimate]:
        """Return every number by name."""
        numbers = {"event_detected": self.detected, "event_median_delay": self.median_delay}
        numbers |= {f"event_within_{steps}": fraction for steps, fraction in self.within.items()}
        numbers["event_false_alarms"] = self.per_1000_steps
        if self.per_hour is not None:
            numbers["event_false_alarms_per_hour"] = self.per_hour
        return numbers


def measure_events(
    alarms: Sequence[Array],
    labels: Sequence[Array],
    *,
    within: Sequence[int] = WITHIN,
    period: float | None = None,
    block: int | None = None,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> EventTiming:
    """Measure the detection of labelled intervals.

    Args:
        alarms: One boolean array per episode.
        labels: One boolean array per episode: faulty steps.
        within: Delays in steps for which the detected fraction is computed.
        period: Seconds per step, for false alarms per hour.
        block: Steps of the blocks that the bootstrap draws; whole episodes if None.
        replicates: Bootstrap replicates.
        seed: Seed of the bootstrap.

    Example:
        >>> labels = np.isin(np.arange(40), [10, 11, 12, 30, 31, 32])
        >>> alarms = np.isin(np.arange(40), [11, 12, 13, 20])
        >>> found = measure_events([alarms], [labels], replicates=0, period=1.0)
        >>> found.events, found.detected, found.median_delay, found.per_1000_steps
        (2, Estimate(0.500), Estimate(1.000), Estimate(29.412))
    """
    lengths = np.array([len(row) for row in labels], np.int64)
    if not len(lengths):
        raise InvalidLabels("there are no labels; give one array per episode.")
    bounds = np.concatenate([[0], np.cumsum(lengths)])
    units = bounds if block is None else block_bounds(bounds, block)
    active, raised = flags(labels, lengths), flags(alarms, lengths, "alarms")
    found = events_of_flags(
        raised, active, bounds, units, Resamples.draw(len(units) - 1, replicates, seed=seed), within, period
    )
    return found if len(units) > 2 else without_intervals(found)


def events_of_flags(
    alarms: BoolArray,
    active: BoolArray,
    bounds: IntArray,
    units: IntArray,
    resamples: Resamples,
    within: Sequence[int] = WITHIN,
    period: float | None = None,
) -> EventTiming:
    """Return the detection of events in joined alarms and labels; see :func:`measure_events`.

    Args:
        alarms: (S,): alarms of all steps.
        active: (S,): labels.
        bounds: (n + 1,): start of each episode, and the end of the last.
        units: The same for the units that the bootstrap draws.
        resamples: Draws of the units.
        within: Delays in steps.
        period: Seconds per step.
    """
    onsets, ends = intervals(active, bounds)
    delays = np.full(len(onsets), np.inf)
    for number, (onset, end) in enumerate(zip(onsets.tolist(), ends.tolist(), strict=True)):
        if alarms[onset:end].any():
            delays[number] = np.argmax(alarms[onset:end])
    starts, _ = intervals(alarms, bounds)
    false, count = starts[~active[starts]], len(units) - 1
    owner = np.searchsorted(units, onsets, side="right") - 1
    events, nominal = np.bincount(owner, minlength=count), _sums(~active, units)
    wrong = np.bincount(np.searchsorted(units, false, side="right") - 1, minlength=count).astype(np.float64)

    def share(holds: BoolArray) -> Estimate:
        return resamples.ratio(np.bincount(owner[holds], minlength=count).astype(np.float64), events.astype(np.float64))

    return EventTiming(
        events=len(onsets),
        detected=share(np.isfinite(delays)),
        median_delay=resamples.take(owner).median(delays),
        within={steps: share(delays <= steps) for steps in checked_delays(within)},
        per_1000_steps=resamples.ratio(1000.0 * wrong, nominal),
        per_hour=None if period is None else resamples.ratio(HOUR * wrong, nominal * positive_number("period", period)),
    )


def _sums(values: BoolArray, units: IntArray) -> FloatArray:
    """Return the number of True values in each unit."""
    total = np.concatenate([[0], np.cumsum(values)])
    sums: FloatArray = np.diff(total[units]).astype(np.float64)
    return sums
