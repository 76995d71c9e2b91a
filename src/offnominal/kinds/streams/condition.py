"""How nominal behaviour changes over a stream: drift, cycles, wear with maintenance, updates of the policy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from offnominal.core.checks import file_name, number_in, one_of, positive_integer, require_shape
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray, IntArray

Course = Literal["none", "linear", "cycle", "wear"]
Change = Literal["none", "maintenance", "update"]


@dataclass(frozen=True)
class StreamCondition(Config):
    """How the nominal behaviour changes over a stream.

    What changes is the parameter of an anomaly, between its neutral value and a full one. It is part of nominal
    operation here, and no fault. It is constant within a segment of the stream.

    Args:
        name: Name in tables.
        summary: What happens, in one line.
        course: How the parameter moves: not at all; in a straight line to the full value at the end of the stream;
            as a sine around the neutral value; or, as wear, to the full value at the first event and with the
            same slope after it.
        anomalies: Id of the anomaly by world; empty if nothing drifts.
        parameters: Its full value by world.
        event: What happens at the events of the stream, whose times are known: nothing, maintenance, which undoes all
            wear, or an update, which changes the policy to the other one and back.

    Example:
        >>> worn = StreamCondition("wear", course="wear", event="maintenance")
        >>> worn.shares(8, events=np.array([4]), period=4).round(2).tolist()
        [0.0, 0.25, 0.5, 0.75, 0.0, 0.25, 0.5, 0.75]
    """

    name: str
    summary: str = ""
    course: Course = "none"
    anomalies: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, float] = field(default_factory=dict)
    event: Change = "none"

    def __post_init__(self) -> None:
        file_name("the name of a condition", self.name)
        one_of("course", self.course, get_args(Course))
        one_of("event", self.event, get_args(Change))
        for world, parameter in self.parameters.items():
            number_in(f"the parameter of {self.name} in {world}", parameter)
        if set(self.anomalies) != set(self.parameters):
            raise InvalidParameter(f"condition {self.name!r} needs an anomaly and a parameter in the same worlds.")
        if self.course == "none" and self.anomalies:
            raise InvalidParameter(f"condition {self.name!r} has anomalies, but no course; name one.")
        if self.course == "wear" and self.event != "maintenance":
            raise InvalidParameter(f"condition {self.name!r} has wear without maintenance; set event = 'maintenance'.")

    def in_world(self, world: str) -> StreamCondition:
        """Return the condition without what is about other worlds."""
        own = {name: {world: given[world]} if world in given else {} for name, given in self._by_world().items()}
        return self.replace(**own)

    def _by_world(self) -> dict[str, dict[str, Any]]:
        return {"anomalies": self.anomalies, "parameters": self.parameters}

    def shares(self, segments: int, events: IntArray, period: int) -> FloatArray:
        """Return how far the parameter is from neutral (0) to full (1) in each segment.

        Args:
            segments: Number of segments of the stream.
            events: Segments that begin with an event, ascending.
            period: Segments of a cycle.
        """
        require_shape("events", np.asarray(events), "events")
        number = np.arange(positive_integer("segments", segments), dtype=np.float64)
        if self.course == "linear":
            number /= max(segments - 1, 1)
        elif self.course == "cycle":
            number = np.sin(2.0 * np.pi * number / positive_integer("period", period))
        elif self.course == "wear":
            begins = np.concatenate([[0], events])
            number -= begins[np.searchsorted(begins, number, side="right") - 1]
            number /= max(int(begins[1]) if len(begins) > 1 else segments, 1)
        else:
            number[:] = 0.0
        return number

    def updated(self, segments: int, events: IntArray) -> IntArray:
        """Return which policy acts in each segment: 0, or 1 between an update and the next one."""
        require_shape("events", np.asarray(events), "events")
        number = np.arange(positive_integer("segments", segments))
        if self.event != "update":
            return np.zeros_like(number)
        return np.searchsorted(events, number, side="right") % 2
