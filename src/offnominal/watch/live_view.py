"""What the page and other clients see: recent events, recent scores of every robot, and what comes."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from offnominal.watch.event import Event
from offnominal.watch.fleet import Fleet
from offnominal.watch.score_record import ScoreRecord
from offnominal.web.broadcast import Broadcast

RECENT_EVENTS = 1000
RECENT_SCORES = 600


class LiveView:
    """A sink that remembers what is recent, and hands it on to clients; slow clients miss scores, and no events.

    It belongs to the thread of the service, except for :attr:`broadcast`, which is set before the service runs.
    """

    def __init__(self) -> None:
        self.broadcast: Broadcast | None = None
        self.recent: deque[dict[str, Any]] = deque(maxlen=RECENT_EVENTS)
        self._scores: dict[str, deque[list[float]]] = {}

    def events(self, events: Iterable[Event]) -> None:
        """Remember events, and hand them on."""
        found = [event.to_dict() for event in events]
        self.recent.extend(found)
        if self.broadcast is not None:
            self.broadcast.publish(events=[json.dumps(each) for each in found])

    def scores(self, scores: Iterable[Mapping[str, Any]]) -> None:
        """Remember scores, and hand them on."""
        found = list(scores)
        for each in found:
            curve = self._scores.setdefault(each["robot"], deque(maxlen=RECENT_SCORES))
            curve.append([each["time"], each["statistic"]])
        if self.broadcast is not None and self.broadcast.clients:
            self.broadcast.publish(numbers=[json.dumps(each) for each in found])

    def close(self) -> None:
        """Nothing is under way."""

    def snapshot(self, fleet: Fleet) -> dict[str, Any]:
        """Return all that a page shows, as plain data."""
        for name in self._scores.keys() - fleet.robots.keys():
            del self._scores[name]
        manifest = fleet.deployment.manifest
        return {
            "type": "snapshot",
            "name": manifest.name,
            "model": fleet.scorer.digest,
            "detector": manifest.detector,
            "alarm": manifest.alarm,
            "guarantee": fleet.scorer.guarantee,
            "threshold": fleet.scorer.threshold,
            "flood": fleet.flood.active,
            "alarms_in_window": len(fleet.flood),
            "window_minutes": fleet.rules.flood_minutes,
            "counts": dict(fleet.counts),
            "robots": [self._robot(fleet, name) for name in fleet.robots],
            "events": list(self.recent)[-100:],
        }

    def _robot(self, fleet: Fleet, name: str) -> dict[str, Any]:
        robot = fleet.robots[name]
        alarms = [
            {
                "alarm": line.name,
                "state": line.state,
                "priority": fleet.rules.of(line.name).priority,
                "shelved_until": line.shelved_until,
                "chattering": line.chattering,
            }
            for line in robot.lines.values()
            if line.state != "normal" or line.shelved_until is not None
        ]
        return {
            "robot": name,
            "session": robot.order.session,
            "seq": robot.order.last,
            "received": robot.received,
            "ended": robot.ended,
            "score": robot.score,
            "statistic": robot.statistic,
            "threshold": robot.scorer.threshold,
            "score_threshold": robot.score_threshold,
            "waiting": robot.waiting,
            "recalibrated": None if robot.scorer.own_alarm is None else robot.scorer.guarantee,
            "record": None if robot.record is None else _progress(robot.record),
            "alarms": alarms,
            "curve": list(self._scores.get(name, ())),
        }


def _progress(record: ScoreRecord) -> dict[str, Any]:
    return {
        "since": record.since,
        "scores": len(record),
        "episodes": len(record.episodes(whole=True)[0]),
        "full": record.full,
    }
