"""Events: what the monitor tells about alarms, for people and for other programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any

TYPE = "io.offnominal.alarm"


@dataclass(frozen=True, slots=True)
class Event:
    """One change of an alarm, or of the service.

    Args:
        id: The same change has the same id if it is told again after a restart.
        kind: What happened: raised, cleared, acknowledged, shelved, unshelved, chattering, settled,
            confirmed_nominal, confirmed_faulty, recalibration_begun, recalibrated, recalibration_undone; of the service
            flood_started, flood_ended, model_changed, threshold_changed.
        received: Time of the wall clock at which it was noticed, in seconds.
        robot: Name of the robot; empty for events of the service.
        alarm: Name of the alarm, such as ``"range:speed"``.
        state: State of the alarm afterwards.
        priority: Its priority.
        shelved: Whether it is shelved, so that no operator is to be called.
        session: Session of the robot.
        sequence: Number of the sample.
        time: Time of the sample on the clock of the robot.
        episode: Number of the episode since the start of the monitor.
        step: Transition of the episode.
        score: Anomaly score.
        statistic: Statistic of the alarm.
        threshold: Its threshold.
        score_threshold: Present threshold of the score, if the alarm is adaptive.
        units: Units that were confirmed, or episodes that a recalibration has used.
        value: Value that is out of its limit, such as a reading, a time step in seconds or a rate in Hz.
        suppressed: Changes that were not told while the alarm was chattering.
        evidence: By channel, what it adds to the score, largest first.
        recent: The last scores including this one.
        model: Digest of the deployable folder.
    """

    id: str
    kind: str
    received: float
    robot: str = ""
    alarm: str = ""
    state: str = ""
    priority: str = ""
    shelved: bool = False
    session: str = ""
    sequence: int | None = None
    time: float | None = None
    episode: int | None = None
    step: int | None = None
    score: float | None = None
    statistic: float | None = None
    threshold: float | None = None
    score_threshold: float | None = None
    units: int | None = None
    value: float | None = None
    suppressed: int | None = None
    evidence: Mapping[str, float] | None = None
    recent: tuple[float, ...] = ()
    model: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return what is known as plain data for JSON.

        Example:
            >>> Event("a", "flood_ended", 0.0).to_dict()
            {'type': 'event', 'id': 'a', 'kind': 'flood_ended', 'received': 0.0, 'wall': '1970-01-01T00:00:00.000...'}
        """
        found: dict[str, Any] = {"type": "event"}
        for each in fields(self):
            value = getattr(self, each.name)
            if value is not None and value not in ("", ()) and value is not False:
                found[each.name] = list(value) if isinstance(value, tuple) else value
            if each.name == "received":
                found["wall"] = wall_clock(self.received)
        return found

    def to_cloud_event(self, source: str) -> dict[str, Any]:
        """Return the event in the form of CloudEvents 1.0; `source` and the id together identify it.

        Example:
            >>> Event("a", "raised", 0.0, robot="r1", alarm="score").to_cloud_event("/monitor")["type"]
            'io.offnominal.alarm.raised'
        """
        return {
            "specversion": "1.0",
            "id": self.id,
            "source": source,
            "type": f"{TYPE}.{self.kind}",
            "time": wall_clock(self.received),
            **({"subject": f"{self.robot}/{self.alarm}"} if self.robot else {}),
            "datacontenttype": "application/json",
            "data": self.to_dict(),
        }


def wall_clock(seconds: float) -> str:
    """Return a time of the wall clock in the form of RFC 3339."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
