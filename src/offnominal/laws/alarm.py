"""The laws of alarms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import fields, replace
from functools import partial
from typing import Any

import numpy as np

from offnominal.alarms.adaptive import AdaptiveAlarm
from offnominal.alarms.alarm import Alarm, AlarmState
from offnominal.alarms.catalogue import UNLISTED, alarms, make_alarm
from offnominal.alarms.files import alarm_from_dict
from offnominal.alarms.guarantee import Guarantee
from offnominal.alarms.guarantee_audit import GuaranteeAudit, audit_rates
from offnominal.alarms.guarantee_check import BROKEN, UNDECIDED
from offnominal.alarms.simulation import simulate_scores
from offnominal.core.checks import positive_integer
from offnominal.core.errors import InvalidParameter, InvalidState
from offnominal.core.rounding import significant
from offnominal.core.streams import Stream
from offnominal.core.types import BoolArray, FloatArray
from offnominal.detectors.observation_limits import MAX_SCORE
from offnominal.laws.code import executed, named_target, require_covered
from offnominal.laws.named_errors import require_named_error
from offnominal.laws.report import LawReport, SkipLaw, check_laws
from offnominal.laws.require import require

CALIBRATIONS = 100
FRESH = {"marginal": 200, "pac": 600}
LENGTHS = (15, 35)
ANOMALOUS_SHIFT = 4.0
LONG_RUN_UNITS, LONGEST_STREAM = 20_000, 2_000_000
"""Units that a promise in the long run is judged after, and the most steps of their stream."""
MEAN = 20.0
"""Mean score of these streams, in standard deviations: some alarms need positive scores."""
LONGEST_RUN, RUN_CALIBRATIONS, RUN_STREAMS = 10_000, 72, 25
"""Longest run length that is judged, and the calibrations and streams; 72 decide about a confidence of 95 %."""


def check_alarm(alarm: str | Alarm, *, calibration: int = 79, seed: int = 0) -> LawReport:
    """Check the laws of alarms for an alarm, with simulated scores of a known distribution.

    1. Its guarantee is kept on new nominal episodes, over many calibrations, by the verdict of
       :class:`~offnominal.alarms.guarantee_audit.GuaranteeAudit`: *broken* breaks the law, and *undecided* skips it and
       says what would decide. A guaranteed run length is judged by the same rule, in streams of independent scores. A
       guaranteed share in the long run has a stated error, which no stream may exceed: neither a steady one nor
       one that drifts, jumps or wanders by up to five standard deviations.
    2. It is causal and pure: scores after a step do not change alarms up to that step, the alarms of an episode do not
       depend on other episodes, and using the alarm does not change its fitted values.
    3. Online equals batch: :meth:`start` and :meth:`update` raise the alarms of :meth:`alarm`.
    4. A saved and loaded alarm raises the same alarms.
    5. The score of an invalid reading raises it, and its statistic stays finite.
    6. Invalid input is a named error: scores that are missing, empty, not finite or of the wrong shape, and use before
       the alarm is fitted.
    7. An argument that is changed after the fit is refused until the next fit: the alarm is neither used nor saved, and
       states no other guarantee than that of its fit.
    8. Its code version, part of the key of stored results, covers all code that it runs.

    An alarm whose false-alarm rate is exactly its level does not break the first law with 99 % of the seeds, and keeps
    it with about 80 %; a guarantee for most calibrations that is not conservative is often undecided.

    Args:
        alarm: Id or object; an object is copied before it is fitted.
        calibration: Number of nominal episodes of each calibration; a low level needs more.
        seed: Seed of the simulated scores.

    Example:
        >>> check_alarm("EpisodeMaximum").ok
        True
    """
    case = _Case(make_alarm(alarm), positive_integer("calibration", calibration), seed)
    return check_laws(
        case.alarm.id,
        {
            "its guarantee holds": case.guarantee_holds,
            "later scores do not change earlier alarms": case.causal,
            "episodes are independent": case.separate,
            "using it changes nothing": case.pure,
            "online equals batch": case.online_equals_batch,
            "a saved alarm is loaded unchanged": case.survives_saving,
            "an invalid reading raises it": case.invalid_reading,
            "invalid input is a named error": case.invalid_input,
            "a changed argument is refused": case.changed_argument,
            "its code version covers its code": case.code_is_covered,
        },
    )


class _Case:
    """An alarm with the scores of its laws."""

    def __init__(self, alarm: Alarm, calibration: int, seed: int) -> None:
        self.alarm = alarm
        self.calibration = calibration
        self.seed = seed
        self.fresh = [
            np.where(np.arange(len(episode)) < len(episode) // 2, episode, ANOMALOUS_SHIFT * episode)
            for episode in simulate_scores(12, steps=LENGTHS, seed=seed + 1)
        ]

    def fitted(self) -> Alarm:
        return deepcopy(self.alarm).fit(simulate_scores(self.calibration, steps=LENGTHS, seed=self.seed))

    def guarantee_holds(self) -> None:
        guarantee = self.alarm.guarantee
        if guarantee.run_length is not None:
            self._run_length_holds(guarantee, guarantee.run_length)
            return
        if guarantee.share is not None and isinstance(self.alarm, AdaptiveAlarm):
            self._long_run_holds(self.alarm, guarantee.share)
            return
        if guarantee.level is None:
            raise SkipLaw("it has no guarantee")
        fresh = FRESH["marginal" if guarantee.confidence is None else "pac"]
        rates = self._rates(guarantee.unit, fresh)
        audit = audit_rates(guarantee, rates, calibration=self.calibration, episodes=fresh)
        _require_kept(audit, f"more than {guarantee.level:g} false alarms per {guarantee.unit}", f"{guarantee.unit}s")

    def _run_length_holds(self, guarantee: Guarantee, promised: int) -> None:
        """Judge false alarms per step, in streams of independent scores that begin anew after each alarm."""
        if promised > LONGEST_RUN:
            raise SkipLaw(
                f"streams for a run length of {promised:,} steps take too long; choose {LONGEST_RUN:,} or less"
            )
        raised, steps = np.zeros(RUN_CALIBRATIONS), np.zeros(RUN_CALIBRATIONS)
        for number in range(RUN_CALIBRATIONS):
            random = Stream.named(self.seed, number, "streams").generator()
            alarm = deepcopy(self.alarm).fit([random.standard_normal(LENGTHS[1]) for _ in range(self.calibration)])
            firsts = alarm.first_alarms(list(random.standard_normal((RUN_STREAMS, 4 * promised))))
            steps[number] = sum(4 * promised if first is None else first + 1 for first in firsts)
            raised[number] = sum(first is not None for first in firsts)
        per_step = replace(guarantee, level=1.0 / promised, run_length=None, window=None)
        audit = audit_rates(per_step, raised / steps, calibration=self.calibration, episodes=int(steps.min()))
        _require_kept(audit, f"less than {promised:,} steps to a false alarm", "steps")

    def _long_run_holds(self, alarm: AdaptiveAlarm, promised: float) -> None:
        """Compare the share of alarms in streams of windows with the stated error; confirmations follow at once."""
        size = 1 if alarm.window is None else alarm.window
        units = min(LONG_RUN_UNITS, LONGEST_STREAM // size)
        random = Stream.named(self.seed, 0, "long run").generator()
        fitted = deepcopy(alarm).fit([MEAN + random.standard_normal(size) for _ in range(self.calibration)])
        for name, levels in nominal_changes(units, random).items():
            scores = MEAN + random.standard_normal((units, size)) + levels[:, None]
            found = fitted.history(list(scores))
            counted = int(found.learned.sum())
            error = fitted.deviation(max(counted, 1))
            measured = f"{significant(found.share)} of {counted:,} {name} units have an alarm"
            require(
                abs(found.share - promised) <= error + 1e-9,
                f"{measured}; promised were {promised:g} within {significant(error)}",
            )

    def _rates(self, unit: str, fresh: int) -> FloatArray:
        """Return the fraction of new nominal units with a false alarm, per calibration."""
        size = self.calibration + fresh
        scores = simulate_scores(CALIBRATIONS * size, steps=LENGTHS, seed=self.seed)
        rates = []
        for number in range(CALIBRATIONS):
            part = scores[number * size : (number + 1) * size]
            raised = deepcopy(self.alarm).fit(part[: self.calibration]).alarm(part[self.calibration :])
            affected = np.concatenate(raised) if unit == "step" else [episode.any() for episode in raised]
            rates.append(np.mean(affected))
        return np.array(rates)

    def causal(self) -> None:
        alarm = self.fitted()
        for number, episode in enumerate(self.fresh):
            (before,) = alarm.alarm([episode])
            for end in (1, len(episode) // 2, len(episode) - 1):
                other = np.concatenate([episode[:end], 100.0 - episode[end:]])
                (cut,), (changed,) = alarm.alarm([episode[:end]]), alarm.alarm([other])
                same = np.array_equal(before[:end], cut) and np.array_equal(before[:end], changed[:end])
                require(same, f"scores from step {end} of episode {number} on change alarms before")

    def separate(self) -> None:
        alarm = self.fitted()
        together, backwards = alarm.alarm(self.fresh), alarm.alarm(self.fresh[::-1])[::-1]
        require(
            any(raised.any() for raised in together), f"no alarm although scores are {ANOMALOUS_SHIFT:g} times too high"
        )
        for number, episode in enumerate(self.fresh):
            (alone,) = alarm.alarm([episode])
            same = np.array_equal(together[number], alone) and np.array_equal(backwards[number], alone)
            require(same, f"alarms of episode {number} depend on the other episodes of the call")

    def pure(self) -> None:
        alarm = self.fitted()
        fitted, given = deepcopy(alarm.to_dict()), deepcopy(self.fresh)
        first = alarm.alarm(self.fresh)
        state = alarm.start(len(self.fresh))
        scores = np.array([episode[-1] for episode in self.fresh])
        for step in range(3):
            once = deepcopy(alarm.update(state, scores))
            again = alarm.update(state, scores)
            require(_same_step(once, again), f"a repeated update gives another result at step {step}")
            state = again[0]
        require(alarm.to_dict() == fitted, "using it changed its fitted values")
        require(_same(alarm.alarm(self.fresh), first), "the same scores give other alarms the second time")
        unchanged = all(np.array_equal(before, after) for before, after in zip(given, self.fresh, strict=True))
        require(unchanged, "the given scores were changed")

    def online_equals_batch(self) -> None:
        alarm = self.fitted()
        batch = alarm.alarm(self.fresh)
        first = alarm.first_alarms(self.fresh)
        for number, (episode, raised) in enumerate(zip(self.fresh, batch, strict=True)):
            state, online = alarm.start(), []
            for score in episode:
                state, now = alarm.update(state, np.array([score]))
                online.append(bool(now[0]))
            require(online == raised.tolist(), f"alarms of episode {number} differ between update and alarm")
            expected = online.index(True) if any(online) else None
            require(
                first[number] == expected, f"first_alarms gives {first[number]} for episode {number}, update {expected}"
            )

    def survives_saving(self) -> None:
        if self.alarm.id not in alarms and self.alarm.id not in UNLISTED:
            raise SkipLaw("it is not registered, so it cannot be loaded")
        alarm = self.fitted()
        loaded = alarm_from_dict(alarm.to_dict())
        require(_same(alarm.alarm(self.fresh), loaded.alarm(self.fresh)), "the loaded alarm raises other alarms")

    def invalid_reading(self) -> None:
        alarm, scores = self.fitted(), self.fresh[0].copy()
        step = len(scores) // 2
        scores[step : step + 2] = MAX_SCORE
        (statistic,), (raised,) = alarm.statistic([scores]), alarm.alarm([scores])
        require(bool(raised[step]), f"the score {MAX_SCORE:g} of an invalid reading raises no alarm")
        require(bool(np.isfinite(statistic).all()), "its statistic is not finite after an invalid reading")

    def invalid_input(self) -> None:
        alarm, good = self.fitted(), list(self.fresh[0])
        for name, bad in {
            "NaN": [[*good, np.nan]],
            "an infinite score": [[*good, np.inf]],
            "an episode without steps": [good, []],
            "one episode that is not in a list": good,
            "a score of two numbers": [np.ones((3, 2))],
        }.items():
            require_named_error(f"fit to {name}", deepcopy(self.alarm).fit, bad)
            require_named_error(f"alarm for {name}", alarm.alarm, bad)
        require_named_error("fit to no episode", deepcopy(self.alarm).fit, [])
        for row in ([np.nan, 1.0], [1.0], [], [[1.0, 1.0]]):
            require_named_error(f"update with {row}", alarm.update, alarm.start(2), row)
        unfitted = type(alarm)(**alarm.to_dict()["options"])
        require_named_error("alarm before fit", unfitted.alarm, [good])
        require_named_error("update before fit", unfitted.update, alarm.start(), [1.0])

    def changed_argument(self) -> None:
        for name, value in _changes(self.alarm):
            alarm = self.fitted()
            stated = alarm.guarantee
            setattr(alarm, name, value)
            calls: dict[str, Callable[[], object]] = {
                "alarm": partial(alarm.alarm, self.fresh),
                "update": partial(_first_update, alarm),
                "to_dict": alarm.to_dict,
            }
            for use, call in calls.items():
                require(_is_refused(call), f"{use} is not refused after {name} was set to {value} after the fit")
            unchanged = _is_refused(partial(getattr, alarm, "guarantee")) or alarm.guarantee == stated
            require(unchanged, f"it states another guarantee after {name} was set to {value} after the fit")

    def code_is_covered(self) -> None:
        kind = type(self.alarm)
        listed = alarms.spec(kind.id) if kind.id in alarms else UNLISTED.get(kind.id)
        target = named_target(kind) if listed is None else listed.target
        calibration = simulate_scores(self.calibration, steps=LENGTHS, seed=self.seed)
        alarm = deepcopy(self.alarm)
        with executed(kind.__module__.partition(".")[0]) as found:
            alarm.fit(calibration).alarm(self.fresh)
        require_covered([target], found)


def nominal_changes(units: int, random: np.random.Generator) -> dict[str, FloatArray]:
    """Return how the mean of nominal scores changes over units, in standard deviations; all stay within five.

    Args:
        units: Number of units.
        random: Where the jumps and the walk come from.

    Example:
        >>> changes = nominal_changes(1000, np.random.default_rng(0))
        >>> [name for name, levels in changes.items() if abs(levels).max() <= 5.0]
        ['steady', 'drifting', 'jumping', 'wandering']
    """
    time = np.arange(units)
    jumps = random.uniform(-5.0, 5.0, units // 500 + 1)
    walk = np.cumsum(random.normal(0.0, 0.05, units))
    return {
        "steady": np.zeros(units),
        "drifting": 5.0 * time / units,
        "jumping": jumps[time // 500],
        "wandering": np.abs((walk + 5.0) % 20.0 - 10.0) - 5.0,
    }


def _require_kept(audit: GuaranteeAudit, problem: str, units: str) -> None:
    """Raise if a guarantee is broken, and skip the law if that is undecided.

    Args:
        audit: The measured rates.
        problem: What a calibration that breaks the guarantee has.
        units: What the rates count.
    """
    level, confidence = audit.guarantee.level, audit.guarantee.confidence
    if confidence is None:
        rate, low, high = (significant(value) for value in (audit.rate, *audit.interval))
        measured = f"{problem} on average: {rate} [{low}, {high}] of {units}, level {level:g}"
    else:
        allowed = f"level {significant(1.0 - confidence)}"
        measured = f"clearly {problem} in {audit.clearly_above} of {len(audit.rates)} calibrations, {allowed}"
    require(audit.outcome != BROKEN, measured)
    if audit.outcome == UNDECIDED:
        raise SkipLaw(f"{audit.verdict}; {measured}")


def _changes(alarm: Alarm) -> Iterator[tuple[str, Any]]:
    """Yield other valid values of each argument of an alarm."""
    for each in fields(alarm):
        value = getattr(alarm, each.name) if each.init else ""
        others: tuple[Any, ...] = ()
        if value is None:
            others = (0.5, 1)
        elif isinstance(value, bool):
            others = (not value,)
        elif isinstance(value, int | float):
            others = (2 * value, value // 2 if isinstance(value, int) else value / 2)
        for other in others:
            if other == value:
                continue
            changed = deepcopy(alarm)
            setattr(changed, each.name, other)
            try:
                changed.check()
            except InvalidParameter:
                continue
            yield each.name, other


def _first_update(alarm: Alarm) -> object:
    return alarm.update(alarm.start(), [1.0])


def _is_refused(call: Callable[[], object]) -> bool:
    try:
        call()
    except InvalidState:
        return True
    return False


def _same(first: list[BoolArray], second: list[BoolArray]) -> bool:
    return all(np.array_equal(one, other) for one, other in zip(first, second, strict=True))


def _same_step(once: tuple[AlarmState, BoolArray], again: tuple[AlarmState, BoolArray]) -> bool:
    """Whether two updates raised the same alarms and left the same state."""
    (state, raised), (other, raised_again) = once, again
    return (
        np.array_equal(raised, raised_again)
        and np.array_equal(state.steps, other.steps)
        and np.array_equal(state.memory, other.memory)
    )
