"""The monitor of one robot: order, time, readings, score, and its alarms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from offnominal.alarms.alarm import Alarm
from offnominal.alarms.files import alarm_from_dict
from offnominal.core.array_text import array_from_plain, array_to_plain
from offnominal.core.errors import DamagedFile, InvalidState, UnknownName
from offnominal.core.types import Array
from offnominal.watch.alarm_line import AlarmLine, Change
from offnominal.watch.event import Event
from offnominal.watch.readings import Readings
from offnominal.watch.rules import Rules
from offnominal.watch.sample import Sample
from offnominal.watch.sample_times import SampleTimes
from offnominal.watch.score_record import ScoreRecord
from offnominal.watch.scorer import Scorer, Transition, fits
from offnominal.watch.sequence_order import SequenceOrder

RECENT = 20
STALE_PERIODS, LEAST_STALE, UNKNOWN_STALE = 5.0, 1.0, 5.0
"""A robot is stale after so many nominal periods, and at least so many seconds; or so many if no period is known."""


class RobotWatch:
    """Takes the samples of one robot and tells what changes.

    Args:
        name: Name of the robot.
        scorer: Detector and alarm.
        rules: The rules.
        count: Called with the name of what is counted, and how many.
    """

    def __init__(self, name: str, scorer: Scorer, rules: Rules, count: Callable[[str, int], None]) -> None:
        self.name = name
        self.rules = rules
        self.lines: dict[str, AlarmLine] = {}
        self.order = SequenceOrder()
        self.ended = False
        self.received = 0.0
        self.time = 0.0
        self.score: float | None = None
        self.statistic: float | None = None
        self.episode, self.step = -1, 0
        self.record: ScoreRecord | None = None
        self._count = count
        self._previous: tuple[Array, Array] | None = None
        self._recent: list[float] = []
        self.scorer = scorer
        checks = scorer.deployment.checks
        self._times = SampleTimes(checks.timing)
        self._readings = Readings(checks.observation, rules)
        self._state = scorer.start()

    @property
    def stale_after(self) -> float:
        """Seconds without a sample after which the robot is stale."""
        period = self.scorer.deployment.checks.timing.period
        return self.rules.stale_after or (max(STALE_PERIODS * period, LEAST_STALE) if period else UNKNOWN_STALE)

    def take(self, sample: Sample, received: float) -> list[Event]:
        """Process a sample and return what changes.

        Args:
            sample: The sample.
            received: Time of the wall clock in seconds.
        """
        placed = self.order.place(sample.session, sample.sequence)
        if placed.place != "new":
            self._count(placed.place, 1)
            return []
        self._count("lost", placed.lost)
        # After the end of its stream, a robot that goes on begins an episode.
        begins = placed.restarted or sample.start or self.ended
        self.received, self.ended = received, sample.end
        if placed.restarted:
            self._times.restart()
        elif begins:
            self._times.pause()
        events = self._update("stale", None, received, sample)
        if sample.observation is None or sample.action is None:
            self._end_episode()
            return events
        self._count("samples", 1)
        self.time = received if sample.time is None else sample.time
        held = {name: value for name, value in self._times.update(self.time).items() if value is not None}
        if placed.lost:
            held["gap"] = float(placed.lost)
        filled, found = self._readings.take(sample.observation)
        held.update(found)
        raised = self._scored(sample, filled, begins=begins, lost=placed.lost)
        for name in [name for name in held if name not in self.lines]:
            self._add(name)
        for name, line in list(self.lines.items()):
            if name not in ("score", "stale") and (name in held or not line.still or line.idle):
                events += self._update(name, held.get(name), self.time, sample)
        if sample.end:
            self._end_episode()
        return events + raised

    def _end_episode(self) -> None:
        """End the episode for detector and alarm; a second time changes nothing."""
        self._state = self.scorer.next_episode(self._state)
        if self.record is not None:
            self.record.next_episode()

    def _add(self, name: str) -> None:
        if self.rules.of(name).enabled:
            self.lines[name] = AlarmLine(name, self.rules)

    def _scored(self, sample: Sample, filled: Array, *, begins: bool, lost: int) -> list[Event]:
        """Score the transition to a sample, and return the changes of the alarm of the score."""
        assert sample.action is not None
        previous, self._previous = self._previous, (filled, sample.action)
        self.score = self.statistic = None
        if previous is None or begins:
            self.episode, self.step, self._recent = self.episode + 1, 0, []
            self._end_episode()
            self._readings.restart()
            return []
        if lost:
            # No transition of one step leads here; the detector sees nothing of it.
            self._count("unscored", lost + 1)
            self._state, self.step = self.scorer.skip(self._state, lost + 1), self.step + lost + 1
            return []
        before, step = self._state, Transition(*previous, filled)
        self._state, self.score, self.statistic = self.scorer.score(before, step)
        self._count("scored", 1)
        if self.record is not None:
            self.record.add(self.score, self.received)
        self._recent = [*self._recent[1 - RECENT :], self.score]
        events = self._update("score", self.statistic if self._is_above(self.statistic) else None, self.time, sample)
        if any(event.kind in ("raised", "chattering") for event in events):
            evidence = self.scorer.evidence(before, step, self.score)
            events = [replace(event, evidence=evidence, recent=tuple(self._recent)) for event in events]
        self.step += 1
        return events

    def _is_above(self, statistic: float) -> bool:
        threshold, line = self.scorer.threshold, self.lines.get("score")
        if line is not None and line.raised:
            threshold -= self.rules.score.hysteresis * abs(threshold)
        return statistic > threshold

    def _update(self, name: str, value: float | None, time: float, sample: Sample | None) -> list[Event]:
        """Update an alarm whose condition holds if there is a value; an alarm without anything to remember goes."""
        line = self.lines.get(name)
        if line is None:
            if value is None or not self.rules.of(name).enabled:
                return []
            line = self.lines[name] = AlarmLine(name, self.rules)
        events = [self._event(line, change, value, sample) for change in line.update(value is not None, time)]
        if line.idle:
            del self.lines[name]
        return events

    def tick(self, now: float) -> list[Event]:
        """Return what the time alone changes: stale robots, and alarms whose time on the shelf is over."""
        silent = not self.ended and now - self.received > self.stale_after
        events = [
            replace(event, received=now)
            for event in self._update("stale", now - self.received if silent else None, now, None)
        ]
        for line in list(self.lines.values()):
            if line.shelved_until is not None and now >= line.shelved_until:
                events += self.unshelve(line.name, now)
        return events

    def standing(self, now: float) -> list[Event]:
        """Return an event for each alarm that is not normal or is shelved, as for a display that was just opened."""
        lines = [line for line in self.lines.values() if line.state != "normal" or line.shelved_until is not None]
        return [self._told(line, "raised", now) for line in lines]

    def acknowledge(self, alarm: str, now: float) -> list[Event]:
        """Acknowledge an alarm; nothing changes if it needs no acknowledgement."""
        line = self.lines.get(alarm)
        return [] if line is None or not line.acknowledge() else [self._told(line, "acknowledged", now)]

    def shelve(self, alarm: str, seconds: float, now: float) -> list[Event]:
        """Shelve an alarm for some time, also one that is not active."""
        if alarm not in self.lines:
            self._add(alarm)
        line = self.lines.get(alarm)
        if line is None:
            return []
        line.shelve(now + seconds)
        return [self._told(line, "shelved", now)]

    def unshelve(self, alarm: str, now: float) -> list[Event]:
        """Take an alarm from the shelf."""
        line = self.lines.get(alarm)
        return [] if line is None or not line.unshelve() else [self._told(line, "unshelved", now)]

    @property
    def waiting(self) -> int | None:
        """Units of the alarm that wait for a confirmation; None if it learns from none."""
        return self.scorer.waiting(self._state)

    @property
    def is_recalibrated(self) -> bool:
        """Whether it has an alarm of its own, or scores are remembered for one."""
        return self.scorer.own_alarm is not None or self.record is not None

    @property
    def score_threshold(self) -> float | None:
        """Present threshold of the score, if the alarm is adaptive and the threshold finite."""
        return self.scorer.score_threshold(self._state)

    def confirm(self, nominal: bool, now: float) -> list[Event]:
        """Declare what has ended since the last time as nominal or not; nothing changes if nothing has.

        Raises:
            InvalidParameter: The alarm does not learn from confirmations.
        """
        state, units = self.scorer.confirm(self._state, nominal)
        if not units:
            return []
        self._state = state
        self._count("confirmed", units)
        return [self._own("confirmed_nominal" if nominal else "confirmed_faulty", now, units=units)]

    def begin_record(self, now: float) -> list[Event]:
        """Remember scores from now on, such as after maintenance; those of before are forgotten."""
        self.record = ScoreRecord(now)
        return [self._own("recalibration_begun", now)]

    def recalibration(self) -> Callable[[], Alarm]:
        """Return what fits the alarm to the scores since :meth:`begin_record`, in any thread.

        Raises:
            InvalidState: No scores are remembered.
        """
        if self.record is None:
            raise InvalidState(f"no recalibration of {self.name} was begun; begin one, and let the robot work.")
        record, alarm = ScoreRecord.from_dict(self.record.to_dict()), self.scorer.deployment.alarm
        return lambda: record.fitted(alarm)

    def use_alarm(self, alarm: Alarm, now: float) -> list[Event]:
        """Use an alarm of its own from the next sample on; scores are no longer remembered.

        Raises:
            InvalidState: It is fitted to other scores than those that are remembered, such as those of another model.
        """
        if self.record is None or [each.since for each in alarm.recalibrations[-1:]] != [self.record.since]:
            raise InvalidState(
                f"the recalibration of {self.name} was undone or begun anew meanwhile; begin another one."
            )
        self.record = None
        self._use_alarm(alarm)
        return [self._own("recalibrated", now, units=alarm.recalibrations[-1].episodes)]

    def undo_recalibration(self, now: float) -> list[Event]:
        """Remember no scores, and use the alarm of the folder; nothing changes if neither was otherwise."""
        if self.record is None and self.scorer.own_alarm is None:
            return []
        self.record = None
        if self.scorer.own_alarm is not None:
            self._use_alarm(None)
        return [self._own("recalibration_undone", now)]

    def _use_alarm(self, alarm: Alarm | None) -> None:
        self.scorer = self.scorer.with_alarm(alarm)
        self._state = self.scorer.recalibrated(self._state)

    def _own(self, kind: str, now: float, **values: Any) -> Event:
        """Return an event of the alarm of the score that no sample caused."""
        return Event(
            f"{self.name}/score/{kind}/{now:.6f}",
            kind,
            now,
            robot=self.name,
            alarm="score",
            state=self.lines["score"].state if "score" in self.lines else "normal",
            priority=self.rules.score.priority,
            session=self.order.session or "",
            sequence=self.order.last,
            threshold=self.scorer.threshold,
            score_threshold=self.score_threshold,
            model=self.scorer.digest,
            **values,
        )

    def _told(self, line: AlarmLine, change: Change, now: float) -> Event:
        event = self._event(line, change, None, None)
        return replace(event, received=now, id=f"{self.name}/{line.name}/{change}/{now:.6f}")

    def _event(self, line: AlarmLine, change: Change, value: float | None, sample: Sample | None) -> Event:
        if sample is None:
            mark = f"{self.received:.6f}"
        elif sample.sequence is None:
            mark = f"{self.episode}/{self.step}"
        else:
            mark = f"{sample.session}/{sample.sequence}"
        is_score = line.name == "score"
        suppressed = line.suppressed if change == "settled" else None
        if change == "settled":
            line.suppressed = 0
        return Event(
            id=f"{self.name}/{mark}/{line.name}/{change}",
            kind=change,
            received=self.received,
            robot=self.name,
            alarm=line.name,
            state=line.state,
            priority=self.rules.of(line.name).priority,
            shelved=line.shelved_until is not None,
            session=self.order.session or "",
            sequence=self.order.last,
            time=None if sample is None else sample.time,
            episode=max(self.episode, 0),
            step=self.step,
            score=self.score if is_score else None,
            statistic=self.statistic if is_score else None,
            threshold=self.scorer.threshold if is_score else None,
            value=None if is_score or value is None or not np.isfinite(value) else value,
            suppressed=suppressed,
            model=self.scorer.digest,
        )

    def use(self, scorer: Scorer) -> bool:
        """Go on with another detector or threshold, and return whether the state of the detector was kept.

        Another folder also replaces an alarm of its own and the scores that are remembered: they are of a detector that
        is no longer used.
        """
        if scorer.deployment.manifest.model_digest == self.scorer.deployment.manifest.model_digest:
            scorer = scorer.with_alarm(self.scorer.own_alarm)
        else:
            self.record = None
        kept = fits(self._state, scorer.start())
        if kept:
            self._state = scorer.continued(self._state, self.scorer)
        else:
            self._state, self._recent = scorer.start(), []
        self.scorer = scorer
        if scorer.deployment.checks.timing != self._times.nominal:
            last, self._times = self._times.last, SampleTimes(scorer.deployment.checks.timing)
            self._times.last = last
        readings = Readings(scorer.deployment.checks.observation, self.rules)
        readings.restore(self._readings.to_dict())
        self._readings = readings
        return kept

    def to_dict(self) -> dict[str, Any]:
        """Return the state as plain data."""
        previous = None if self._previous is None else [array_to_plain(each) for each in self._previous]
        return {
            "order": self.order.to_dict(),
            "times": self._times.to_dict(),
            "readings": self._readings.to_dict(),
            "lines": {name: line.to_dict() for name, line in self.lines.items()},
            "scorer": self._state.to_dict(),
            "alarm": None if self.scorer.own_alarm is None else self.scorer.own_alarm.to_dict(),
            "record": None if self.record is None else self.record.to_dict(),
            "previous": previous,
            "recent": self._recent,
            "numbers": [self.episode, self.step, self.time, self.score, self.statistic, self.ended],
        }

    def restore(self, data: Mapping[str, Any], now: float) -> None:
        """Go on from the result of :meth:`to_dict`.

        Args:
            data: The state.
            now: Time of the wall clock; a robot has this long to send its next sample.

        Raises:
            DamagedFile: It is not the state of a robot.
        """
        try:
            self.order.restore(data["order"])
            self._times.restore(data["times"])
            self._readings.restore(data["readings"])
            if data.get("alarm") is not None:
                self.scorer = self.scorer.with_alarm(alarm_from_dict(data["alarm"]))
            if data.get("record") is not None:
                self.record = ScoreRecord.from_dict(data["record"])
            self._state = self.scorer.restored(data["scorer"])
            for name, line in data["lines"].items():
                self.lines[name] = AlarmLine(name, self.rules)
                self.lines[name].restore(line)
            previous = data["previous"]
            self._previous = None if previous is None else _pair(previous)
            self._recent = [float(score) for score in data["recent"]]
            self.episode, self.step, self.time, self.score, self.statistic, self.ended = data["numbers"]
        except (AttributeError, KeyError, TypeError, UnknownName, ValueError) as error:
            raise DamagedFile(f"the state of robot {self.name} is damaged ({type(error).__name__}: {error}).") from None
        self.received = now


def _pair(previous: Iterable[Any]) -> tuple[Array, Array]:
    observation, action = (array_from_plain(each) for each in previous)
    return observation, action
