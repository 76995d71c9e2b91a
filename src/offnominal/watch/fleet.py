"""The monitor of many robots: samples in, events out. It knows no files, sockets or threads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from offnominal.alarms.alarm import Alarm
from offnominal.core.checks import number_in
from offnominal.core.errors import DamagedFile, InvalidParameter, InvalidState, UnknownName, did_you_mean
from offnominal.core.printable import shown
from offnominal.watch.alarm_flood import AlarmFlood
from offnominal.watch.deployment import Deployment
from offnominal.watch.event import Event
from offnominal.watch.robot_watch import RobotWatch
from offnominal.watch.rules import Rules
from offnominal.watch.sample import InvalidSample, SampleReader
from offnominal.watch.score_record import MOST_OF_ALL
from offnominal.watch.scorer import Scorer

LONGEST_SHELF = 24 * 3600.0
OF_CHANNELS = ("invalid", "range", "stuck")
OF_ROBOTS = ("score", "gap", "rate", "jitter", "clock", "stale")


class Fleet:
    """Monitors many robots, each at its own rate and in its own state.

    Args:
        deployment: The deployable folder.
        rules: When conditions become alarms.
        threshold: Threshold of the statistic instead of that of the alarm.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from offnominal.agents import expert
        >>> from offnominal.alarms import EpisodeMaximum
        >>> from offnominal.detectors import make_detector
        >>> from offnominal.rollouts import collect
        >>> from offnominal.watch import write_deployment
        >>> episodes = collect("SAP-Goal0-v0", expert("SAP-Goal0-v0"), 40)
        >>> detector = make_detector("Mahalanobis").fit(episodes[:20])
        >>> alarm = EpisodeMaximum(0.1).fit(detector.score(episodes[20:]))
        >>> folder = TemporaryDirectory()
        >>> _ = write_deployment(f"{folder.name}/point", detector, alarm, episodes[20:], rate=10.0)
        >>> fleet = Fleet(Deployment.load(f"{folder.name}/point"))
        >>> for t, (o, a) in enumerate(zip(episodes[0].observations.tolist(), episodes[0].actions.tolist())):
        ...     broken = [9.0, *o[1:]] if t == 5 else o
        ...     sample = {"robot": "r1", "seq": t, "time": t / 10, "observation": broken, "action": a}
        ...     for event in fleet.take(sample, received=100.0 + t / 10):
        ...         print(t, event.kind, event.alarm, list(event.evidence or {})[:1])
        5 raised score ['o0']
    """

    def __init__(self, deployment: Deployment, rules: Rules | None = None, *, threshold: float | None = None) -> None:
        self.rules = rules or Rules()
        self.robots: dict[str, RobotWatch] = {}
        self.counts: Counter[str] = Counter()
        self.alarms: Counter[tuple[str, str]] = Counter()
        self.flood = AlarmFlood(self.rules)
        self.scorer = Scorer(deployment, threshold)
        self._reader = SampleReader(deployment.manifest)

    @property
    def deployment(self) -> Deployment:
        """The deployable folder in use."""
        return self.scorer.deployment

    def take(self, data: Any, received: float) -> list[Event]:
        """Process the sample that a JSON object describes, and return what changes.

        Args:
            data: The object.
            received: Time of the wall clock in seconds.

        Raises:
            InvalidSample: It is no sample of these robots. It is counted, and nothing else changes.
        """
        try:
            sample = self._reader.read(data)
            robot = self.robots.get(sample.robot) or self._added(sample.robot)
        except InvalidSample:
            self.counts["refused"] += 1
            raise
        if robot.record is not None and not self._has_room():
            robot.record.full = True
        return self._noted(robot.take(sample, received), received)

    def _has_room(self) -> bool:
        """Return whether scores for recalibrations may still be remembered."""
        return sum(len(each.record) for each in self.robots.values() if each.record is not None) < MOST_OF_ALL

    def _added(self, name: str) -> RobotWatch:
        if len(self.robots) >= self.rules.most_robots:
            # One with an alarm of its own goes last: nobody would notice that its recalibration is lost.
            all_ended = [each for each in self.robots.values() if each.ended]
            ended = min(all_ended, key=lambda each: each.is_recalibrated, default=None)
            if ended is None:
                raise InvalidSample(
                    f"robot {shown(name)} is one more than {self.rules.most_robots}; allow more by `most_robots`."
                )
            del self.robots[ended.name]
        self.robots[name] = self._new(name)
        return self.robots[name]

    def _new(self, name: str) -> RobotWatch:
        return RobotWatch(name, self.scorer, self.rules, self._count)

    def _count(self, name: str, number: int) -> None:
        if number:
            self.counts[name] += number

    def tick(self, now: float) -> list[Event]:
        """Return what the time alone changes; to be called about once a second."""
        events = [event for robot in self.robots.values() for event in robot.tick(now)]
        return self._noted(events, now, also=self.flood.update(now))

    def standing(self, now: float) -> list[Event]:
        """Return an event for each alarm that is not normal or is shelved; they are not new, so nothing is counted."""
        return [event for robot in self.robots.values() for event in robot.standing(now)]

    def _noted(self, events: list[Event], now: float, also: str = "") -> list[Event]:
        """Count alarms, and return the events with those of floods."""
        if not events and not also:
            return events
        kinds = [also] if also else []
        for event in events:
            if event.kind in ("raised", "chattering"):
                self.alarms[event.alarm.partition(":")[0], event.priority] += 1
                if not event.shelved and (kind := self.flood.add(now)):
                    kinds.append(kind)
        return events + [self._own_event(kind, now, value=float(len(self.flood))) for kind in kinds]

    def _own_event(self, kind: str, now: float, **values: Any) -> Event:
        return Event(f"{kind}/{now:.6f}", kind, now, model=self.scorer.digest, **values)

    def acknowledge(self, robot: str, alarm: str, now: float) -> list[Event]:
        """Acknowledge an alarm of a robot."""
        return self._known(robot, alarm).acknowledge(alarm, now)

    def shelve(self, robot: str, alarm: str, seconds: float, now: float) -> list[Event]:
        """Shelve an alarm of a robot for at most a day."""
        chosen = number_in("the seconds on the shelf", seconds, 0.0, LONGEST_SHELF, open_low=True)
        return self._known(robot, alarm).shelve(alarm, chosen, now)

    def unshelve(self, robot: str, alarm: str, now: float) -> list[Event]:
        """Take an alarm of a robot from the shelf."""
        return self._known(robot, alarm).unshelve(alarm, now)

    def confirm(self, robot: str, nominal: Any, now: float) -> list[Event]:
        """Declare what a robot has done since the last confirmation as nominal or not.

        The units of its adaptive alarm that have ended since then, at most the last `delay` of them, are learned from
        if they are nominal; otherwise they are forgotten. Nothing changes if none has ended.

        Raises:
            InvalidParameter: The alarm does not learn from confirmations.
        """
        if not isinstance(nominal, bool):
            raise InvalidParameter(f"nominal is {shown(nominal)}; expected true or false.")
        return self._robot(robot).confirm(nominal, now)

    def begin_recalibration(self, robot: str, now: float) -> list[Event]:
        """Remember the scores of a robot from now on, such as after maintenance, to fit its alarm again.

        Raises:
            InvalidState: As many scores as allowed are remembered, of all robots.
        """
        found = self._robot(robot)
        if found.record is None and not self._has_room():
            raise InvalidState(
                f"{MOST_OF_ALL:,} scores are remembered for recalibrations, the most of all robots; end some by "
                "`recalibrate` or `undo_recalibration`."
            )
        return found.begin_record(now)

    def recalibration(self, robot: str) -> Callable[[], Alarm]:
        """Return what fits the alarm of a robot to the scores since :meth:`begin_recalibration`, in any thread.

        Raises:
            InvalidState: None was begun.
        """
        return self._robot(robot).recalibration()

    def use_alarm(self, robot: str, alarm: Alarm, now: float) -> list[Event]:
        """Use an alarm of :meth:`recalibration` for a robot from the next sample on.

        A threshold that was set by hand stays; another deployable folder replaces the alarm.
        """
        return self._robot(robot).use_alarm(alarm, now)

    def recalibrate(self, robot: str, now: float) -> list[Event]:
        """Fit the alarm of a robot to all its scores since :meth:`begin_recalibration`, which are to be nominal.

        The guarantee is that of the new calibration, so it needs as many episodes.

        Raises:
            InvalidState: None was begun.
            TooFewEpisodes: There are too few for the guarantee; the robot goes on, and this can be tried again.
        """
        return self.use_alarm(robot, self.recalibration(robot)(), now)

    def undo_recalibration(self, robot: str, now: float) -> list[Event]:
        """Use the alarm of the folder for a robot again, and forget the scores that are remembered."""
        return self._robot(robot).undo_recalibration(now)

    def _robot(self, robot: str) -> RobotWatch:
        if robot not in self.robots:
            raise UnknownName(f"no robot {shown(robot)} has sent a sample.{did_you_mean(str(robot), self.robots)}")
        return self.robots[robot]

    def _known(self, robot: str, alarm: str) -> RobotWatch:
        found = self._robot(robot)
        names = [
            *OF_ROBOTS,
            *(f"{kind}:{each}" for kind in OF_CHANNELS for each in self.deployment.manifest.observations),
        ]
        if alarm not in names:
            raise UnknownName(f"there is no alarm {shown(alarm)}.{did_you_mean(str(alarm), names)}")
        return found

    def set_threshold(self, threshold: float | None, now: float) -> list[Event]:
        """Use another threshold from the next sample on; None for that of the alarm, which has the guarantee."""
        self._use(Scorer(self.deployment, threshold))
        return [self._own_event("threshold_changed", now, threshold=self.scorer.threshold)]

    def change(self, deployment: Deployment, now: float) -> list[Event]:
        """Use another deployable folder from the next sample on.

        Alarms, sequences and times of all robots stay as they are. The state of the detector is kept if the new one has
        arrays of the same shapes, as the same detector after another fit; otherwise it starts anew. A threshold that
        was set by hand is replaced by that of the new alarm, and so are alarms that were recalibrated.

        Raises:
            InvalidParameter: It has other channels.
        """
        old, new = self.deployment.manifest, deployment.manifest
        if (old.observations, old.actions, old.discrete_actions) != (
            new.observations,
            new.actions,
            new.discrete_actions,
        ):
            raise InvalidParameter(
                f"{deployment.folder} has the channels {', '.join(new.observations + new.actions)}; expected those in "
                f"use: {', '.join(old.observations + old.actions)}."
            )
        anew = self._use(Scorer(deployment))
        return [self._own_event("model_changed", now, threshold=self.scorer.threshold, value=float(anew))]

    def _use(self, scorer: Scorer) -> int:
        """Use a scorer for all robots, and return how many detectors start anew."""
        self.scorer = scorer
        return sum(not robot.use(scorer) for robot in self.robots.values())

    def to_dict(self) -> dict[str, Any]:
        """Return the state of all robots as plain data."""
        return {
            "model": self.scorer.digest,
            "threshold": self.scorer.chosen,
            "robots": {name: robot.to_dict() for name, robot in self.robots.items()},
            "counts": dict(self.counts),
            "alarms": [[*key, number] for key, number in self.alarms.items()],
            "flood": self.flood.to_dict(),
        }

    def restore(self, data: Mapping[str, Any], now: float) -> None:
        """Go on from the result of :meth:`to_dict`, with the same deployable folder.

        Args:
            data: The state.
            now: Time of the wall clock.

        Raises:
            DamagedFile: It is no state, or that of another folder.
        """
        if data.get("model") != self.scorer.digest:
            raise DamagedFile(f"the state is that of model {data.get('model')}; the folder has {self.scorer.digest}.")
        try:
            if data["threshold"] is not None:
                self.scorer = Scorer(self.deployment, data["threshold"])
            for name, state in data["robots"].items():
                self.robots[name] = self._new(name)
                self.robots[name].restore(state, now)
            self.counts = Counter({str(name): int(number) for name, number in data["counts"].items()})
            self.alarms = Counter({(str(kind), str(priority)): int(n) for kind, priority, n in data["alarms"]})
            self.flood.restore(data["flood"])
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            if isinstance(error, DamagedFile):
                raise
            raise DamagedFile(f"the state is damaged ({type(error).__name__}: {error}).") from None
