"""Timing of alarms: delays, misses, early and false alarms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.core.checks import integer_in, positive_integer, positive_number
from offnominal.core.compilation import compiled
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.evaluation.bootstrap import REPLICATES, Resamples
from offnominal.evaluation.cumulative_incidence import CumulativeIncidence, estimate_cumulative_incidence
from offnominal.evaluation.errors import InvalidLabels
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.failure import FailureTiming, time_failures
from offnominal.evaluation.false_alarm_rate import HOUR, PER_STEPS, false_alarm_rate
from offnominal.evaluation.step_scores import flags, onset_steps

WITHIN = (5, 10, 20)
HORIZON = 20


@dataclass(frozen=True, slots=True)
class FalseAlarms:
    """Rate of false alarms in nominal episodes.

    Args:
        per_1000_steps: False alarms per 1,000 steps: only the first alarm of an episode counts, and the steps up to it.
        episodes: Fraction of nominal episodes with an alarm at any step.
        steps_in_alarm: Steps in alarm per 1,000 steps; an alarm of ten steps counts ten times.
        per_hour: False alarms per hour; None if the time step is unknown.
    """

    per_1000_steps: Estimate
    episodes: Estimate
    steps_in_alarm: Estimate
    per_hour: Estimate | None = None


@dataclass(frozen=True, slots=True)
class Timing:
    """Delays of the alarms of faulty episodes.

    The alarm of an episode is the first one at or after its onset, even if the fault has ended; its delay is 0 at the
    onset. Alarms before the onset do not count as detection, but an alarm that is always raised has a delay of 0: read
    `early_rate` first.

    Args:
        episodes: Number of episodes.
        faulty: Number of episodes that reached their onset. All other fields are about these.
        median_delay: Steps within which at least half of the faults are detected; infinite if more than half are
            missed. See :func:`~offnominal.evaluation.delays.median_delay`.
        mean_delay: Mean of min(delay, horizon) in steps; a miss costs the horizon.
        horizon: Horizon of that mean, in steps.
        within: Fraction detected at most j steps after the onset, by j. Misses of short episodes count as not detected.
        within_without_early_alarm: The same among episodes without an alarm before the onset.
        miss_rate: Fraction without an alarm from the onset on.
        early_rate: Fraction with an alarm before the onset.
        curve: Probability of detection, of failure and of another end, whichever comes first, by delay.
        failures: Alarms before failures; None if it is unknown which episodes failed.
        false_alarms: False alarms in nominal episodes; None without nominal episodes.
    """

    episodes: int
    faulty: int
    median_delay: Estimate
    mean_delay: Estimate
    horizon: int
    within: Mapping[int, Estimate]
    within_without_early_alarm: Mapping[int, Estimate]
    miss_rate: Estimate
    early_rate: Estimate
    curve: CumulativeIncidence
    failures: FailureTiming | None = None
    false_alarms: FalseAlarms | None = None

    @property
    def never_faulty(self) -> int:
        """Number of episodes that ended before their onset or had no fault."""
        return self.episodes - self.faulty

    def numbers(self) -> dict[str, Estimate]:
        """Return every number by name."""
        numbers = {"median_delay": self.median_delay, "mean_delay": self.mean_delay}
        numbers |= {f"within_{steps}": fraction for steps, fraction in self.within.items()}
        numbers |= {f"quiet_within_{steps}": fraction for steps, fraction in self.within_without_early_alarm.items()}
        numbers |= {"miss_rate": self.miss_rate, "early_rate": self.early_rate}
        if self.failures is not None:
            numbers |= self.failures.numbers()
        if self.false_alarms is not None:
            numbers["false_alarms"] = self.false_alarms.per_1000_steps
            numbers["steps_in_alarm"] = self.false_alarms.steps_in_alarm
            numbers["false_alarm_episodes"] = self.false_alarms.episodes
            if self.false_alarms.per_hour is not None:
                numbers["false_alarms_per_hour"] = self.false_alarms.per_hour
        return numbers


def measure_timing(
    alarms: Sequence[Array],
    onsets: Sequence[int | None],
    *,
    nominal: Sequence[Array] | None = None,
    failed: Sequence[bool] | None = None,
    within: Sequence[int] = WITHIN,
    horizon: int = HORIZON,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> Timing:
    """Measure the delays of alarms.

    Args:
        alarms: One boolean array per episode.
        onsets: First faulty transition of each episode; None, or a step after its end, if it was never faulty.
        nominal: Alarms of nominal episodes, for the false-alarm rate.
        failed: Whether each episode ended by a failure; None if this is unknown.
        within: Delays in steps for which the detected fraction is computed.
        horizon: Horizon of the restricted mean delay, in steps.
        replicates: Bootstrap replicates.
        seed: Seed of the bootstrap.

    Example:
        >>> alarms = [np.arange(30) >= first for first in (12, 17, 40)]
        >>> found = measure_timing(alarms, [10, 10, 10], replicates=0)
        >>> found.median_delay, found.within[5], found.miss_rate
        (Estimate(7.000), Estimate(0.333), Estimate(0.333))
    """
    raised, lengths = _joined(alarms, "alarms")
    false = None if nominal is None else measure_false_alarms(nominal, replicates=replicates, seed=seed)
    resamples = Resamples.draw(len(lengths), replicates, seed=seed)
    outcomes = AlarmOutcomes.of(raised, lengths, onsets, failed)
    return timing_of_outcomes(outcomes, resamples, within=within, horizon=horizon, false_alarms=false)


def checked_delays(within: Sequence[int]) -> tuple[int, ...]:
    """Return delays in steps, or raise :class:`InvalidParameter` if one is not a number of steps.

    Example:
        >>> checked_delays([-3])
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: within is -3; expected an integer of at least 0.
    """
    if not isinstance(within, Iterable):
        raise InvalidParameter(f"within is {within!r}; expected a list of delays in steps, such as [5, 10].")
    return tuple(integer_in("within", steps, 0) for steps in within)


def measure_false_alarms(
    alarms: Sequence[Array],
    *,
    period: float | None = None,
    units: IntArray | None = None,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> FalseAlarms:
    """Measure the rate of false alarms in nominal episodes.

    Args:
        alarms: One boolean array per nominal episode.
        period: Seconds per step, for the rate per hour.
        units: Bounds of the units that the bootstrap draws for rates, among the joined steps; the episodes if None.
        replicates: Bootstrap replicates.
        seed: Seed of the bootstrap.

    Example:
        >>> found = measure_false_alarms([np.arange(50) == 7, np.arange(50) > 50], replicates=0)
        >>> found.per_1000_steps, found.episodes, found.steps_in_alarm
        (Estimate(17.241), Estimate(0.500), Estimate(10.000))
    """
    raised, lengths = _joined(alarms, "nominal alarms")
    bounds = np.concatenate([[0], np.cumsum(lengths)])
    units = bounds if units is None else units
    drawn = Resamples.draw_nominal(len(lengths), replicates, seed=seed)
    rates = Resamples.draw_nominal(len(units) - 1, replicates, seed=seed) if len(units) != len(bounds) else drawn
    owner = np.repeat(np.arange(len(units) - 1), np.diff(units))
    in_alarm: FloatArray = np.bincount(owner[raised], minlength=len(units) - 1).astype(np.float64)
    any_alarm = np.array([row.any() for row in np.split(raised, bounds[1:-1])], np.float64)
    steps = np.diff(units).astype(np.float64)
    rate = false_alarm_rate(raised, units, rates)
    return FalseAlarms(
        per_1000_steps=rate,
        episodes=drawn.shares(any_alarm[:, None])[0],
        steps_in_alarm=rates.ratio(PER_STEPS * in_alarm, steps),
        per_hour=None if period is None else rate.times(HOUR / (PER_STEPS * positive_number("period", period))),
    )


def _joined(alarms: Sequence[Array], what: str) -> tuple[BoolArray, IntArray]:
    lengths = np.array([len(row) for row in alarms], np.int64)
    if not len(lengths):
        raise InvalidLabels(f"there are no {what}; give one array per episode.")
    return flags(alarms, lengths, what), lengths


@dataclass(frozen=True, slots=True, eq=False)
class AlarmOutcomes:
    """Outcome of the alarm in each episode.

    Args:
        faulty: (n,): whether the episode reached its onset.
        delays: (n,): steps from onset to alarm; -1 for a miss or without a fault.
        exposures: (n,): steps from onset to end.
        early: (n,): whether there was an alarm before the onset.
        failed: (n,): whether the episode ended by a failure; None if this is unknown.
    """

    faulty: BoolArray
    delays: IntArray
    exposures: IntArray
    early: BoolArray
    failed: BoolArray | None = None

    @classmethod
    def of(
        cls,
        alarms: BoolArray,
        lengths: IntArray,
        onsets: Sequence[int | None],
        failed: Sequence[bool] | None = None,
    ) -> AlarmOutcomes:
        """Find the first alarm of each episode at or after its onset."""
        first = onset_steps(onsets, lengths)
        delays, early = np.full(len(lengths), -1), np.zeros(len(lengths), np.bool_)
        _first_alarms(alarms, np.concatenate([[0], np.cumsum(lengths)]), first, delays, early)
        ends = None if failed is None else np.array(failed, np.bool_)
        if ends is not None and ends.shape != lengths.shape:
            raise InvalidLabels(f"there are {len(failed or ())} values of `failed`; expected {len(lengths)}.")
        return cls(first >= 0, delays, lengths - first, early, ends)


@compiled
def _first_alarms(alarms: BoolArray, bounds: IntArray, onsets: IntArray, delays: IntArray, early: BoolArray) -> None:
    for e in range(len(onsets)):
        if onsets[e] < 0:
            continue
        start = bounds[e] + onsets[e]
        early[e] = alarms[bounds[e] : start].any()
        for i in range(start, bounds[e + 1]):
            if alarms[i]:
                delays[e] = i - start
                break


def timing_of_outcomes(
    outcomes: AlarmOutcomes,
    resamples: Resamples,
    *,
    within: Sequence[int] = WITHIN,
    horizon: int = HORIZON,
    false_alarms: FalseAlarms | None = None,
) -> Timing:
    """Return the timing of alarm outcomes; see :func:`measure_timing`."""
    chosen = np.flatnonzero(outcomes.faulty)
    delays, exposures = outcomes.delays[chosen], outcomes.exposures[chosen]
    missed, early = delays < 0, outcomes.early[chosen]
    drawn = resamples.take(chosen)
    within = checked_delays(within)
    soon = [(~missed & (delays <= steps)).astype(np.float64) for steps in within]
    quiet = [np.where(early, np.nan, share) for share in soon]
    columns = np.stack([missed.astype(np.float64), early.astype(np.float64), *soon, *quiet], axis=1)
    miss_rate, early_rate, *shares = drawn.shares(columns)
    positive_integer("horizon", horizon)
    failed = None if outcomes.failed is None else outcomes.failed[chosen]
    return Timing(
        episodes=len(outcomes.faulty),
        faulty=len(chosen),
        median_delay=drawn.median(np.where(missed, np.inf, delays)),
        mean_delay=drawn.mean(np.where(missed, horizon, np.minimum(delays, horizon)).astype(np.float64)),
        horizon=horizon,
        within=dict(zip(within, shares[: len(soon)], strict=True)),
        within_without_early_alarm=dict(zip(within, shares[len(soon) :], strict=True)),
        miss_rate=miss_rate,
        early_rate=early_rate,
        curve=estimate_cumulative_incidence(
            delays, exposures, np.zeros(len(chosen), np.bool_) if failed is None else failed
        ),
        failures=None if failed is None else time_failures(delays, exposures, failed, drawn),
        false_alarms=false_alarms,
    )
