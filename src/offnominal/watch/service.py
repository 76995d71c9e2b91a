"""The service: one thread takes samples from the inbox, and tells sinks what changes."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from offnominal.core.errors import OffnominalError
from offnominal.watch.checkpoint import read_checkpoint, write_checkpoint
from offnominal.watch.deployment import Deployment
from offnominal.watch.event import Event
from offnominal.watch.fleet import Fleet
from offnominal.watch.inbox import Arrived, Inbox
from offnominal.watch.outbox import Outbox
from offnominal.watch.robot_watch import RobotWatch
from offnominal.watch.sample import InvalidSample
from offnominal.watch.sink import Sink
from offnominal.watch.step_times import StepTimes
from offnominal.watch.system_manager import tell_manager, watchdog_period

LOGGER = logging.getLogger("offnominal.watch")
TICK = 1.0
"""Seconds between two looks at the time alone."""
WAIT = 0.25
COMPLAINTS = 10.0
"""Seconds between two messages about samples that were refused; all are counted."""


class Service:
    """Runs a fleet.

    Events are given to the sinks before the checkpoint that has their state is written. After a kill the samples since
    the last checkpoint are to be sent again; their events are told again, with the same ids.

    Args:
        fleet: The fleet.
        inbox: Where the sources put samples.
        sinks: What receives events and scores.
        outbox: Events that wait for a receiver; part of the checkpoint.
        checkpoint: File of the checkpoint; None for none.
        every: Seconds between two checkpoints.
        clock: The wall clock.
    """

    def __init__(
        self,
        fleet: Fleet,
        inbox: Inbox,
        sinks: Sequence[Sink] = (),
        *,
        outbox: Outbox | None = None,
        checkpoint: Path | None = None,
        every: float = 1.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.fleet = fleet
        self.inbox = inbox
        self.outbox = Outbox() if outbox is None else outbox
        self.steps = StepTimes()
        self.started = clock()
        self.turned = time.monotonic()
        self.checkpointed: float | None = None
        self.ready = False
        self._sinks = list(sinks)
        self._checkpoint, self._every, self._clock = checkpoint, every, clock
        self._complained = self._told_manager = float("-inf")

    def add(self, sink: Sink) -> None:
        """Add a sink, before the service runs."""
        self._sinks.append(sink)

    def resume(self) -> bool:
        """Go on from the checkpoint; return False if there is none.

        Raises:
            DamagedFile: It is damaged, or that of another deployable folder.
        """
        if self._checkpoint is None or not self._checkpoint.exists():
            return False
        state, waiting = read_checkpoint(self._checkpoint)
        self.fleet.restore(state, self._clock())
        self.outbox.restore(waiting)
        return True

    def _alive(self, now: float) -> None:
        """Note that the loop turns, and tell the system manager if it wants to know."""
        self.turned = now
        period = watchdog_period()
        if period is not None and now - self._told_manager >= period:
            self._told_manager = now
            tell_manager("WATCHDOG=1")

    def run(self) -> None:
        """Process samples until the inbox is closed and empty; then write the checkpoint and close the sinks."""
        self.ready = True
        ticked = saved = time.monotonic()
        try:
            while not (self.inbox.closed and not len(self.inbox)):
                samples, calls = self.inbox.take(WAIT)
                for call in calls:
                    call()
                self.process(samples)
                now = time.monotonic()
                self._alive(now)
                if now - ticked >= TICK:
                    ticked = now
                    self.tell(self.fleet.tick(self._clock()))
                if now - saved >= self._every:
                    self.save()
                    saved = time.monotonic()
            for call in self.inbox.take(0.0)[1]:
                call()
        finally:
            self.ready = False
            for sink in self._sinks:
                sink.close()
            self.save()

    def process(self, samples: Sequence[Arrived]) -> None:
        """Process samples, and tell the sinks their scores and events."""
        events: list[Event] = []
        scores: list[Mapping[str, Any]] = []
        for arrived in samples:
            begun, scored = time.perf_counter(), self.fleet.counts["scored"]
            try:
                data = self._data(arrived.data)
                found = self.fleet.take(data, arrived.received)
            except InvalidSample as error:
                self._complain(error)
                continue
            events += found
            if self.fleet.counts["scored"] > scored:
                scores.append(self._score(self.fleet.robots[data.get("robot", "robot")]))
            self.steps.add(time.perf_counter() - begun)
        if scores:
            for sink in self._sinks:
                sink.scores(scores)
        self.tell(events)

    def _score(self, robot: RobotWatch) -> Mapping[str, Any]:
        return {
            "type": "score",
            "robot": robot.name,
            "seq": robot.order.last,
            "time": robot.time,
            "score": robot.score,
            "statistic": robot.statistic,
            "threshold": robot.scorer.threshold,
        }

    def _data(self, given: Any) -> Any:
        if not isinstance(given, bytes | str):
            return given
        try:
            return json.loads(given)
        except (ValueError, RecursionError) as error:
            self.fleet.counts["refused"] += 1
            reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
            raise InvalidSample(f"a line is not valid JSON ({reason}).") from None

    def _complain(self, error: InvalidSample) -> None:
        now = time.monotonic()
        if now - self._complained >= COMPLAINTS:
            self._complained = now
            LOGGER.warning("refused a sample: %s (%d so far)", error, self.fleet.counts["refused"])

    def tell(self, events: Sequence[Event]) -> None:
        """Give events to the sinks."""
        if events:
            for sink in self._sinks:
                sink.events(events)

    def do(self, action: Callable[[Fleet, float], list[Event]]) -> list[Event]:
        """Let a function change the fleet, tell what it changes, and write the checkpoint; to be called by the inbox.

        An order is not sent again after a kill, as samples are: it is kept before it is answered.
        """
        events = action(self.fleet, self._clock())
        self.tell(events)
        if events:
            self.save()
        return events

    def reload(self) -> list[Event]:
        """Read the deployable folder anew and use it; if it cannot be read, the one in use stays."""
        try:
            deployment = Deployment.load(self.fleet.deployment.folder)
            return self.do(lambda fleet, now: fleet.change(deployment, now))
        except OffnominalError as error:
            LOGGER.error("the folder was not changed: %s", error)
            raise

    def save(self) -> None:
        """Write the checkpoint, if there is to be one; a full disk is told and does not end the service."""
        if self._checkpoint is None:
            return
        try:
            write_checkpoint(self._checkpoint, self.fleet.to_dict(), self.outbox.to_list())
            self.checkpointed = self._clock()
        except OffnominalError as error:
            LOGGER.error("the checkpoint was not written: %s", error)
