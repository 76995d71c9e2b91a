"""What the writer of driving scenes needs of a scenario that is simulated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from offnominal.sensing.shapes import Triple
from offnominal.worlds.road.rig_frame import RigFrame
from offnominal.worlds.road.rigs import Rig
from offnominal.worlds.road.scenarios import Scenario
from offnominal.worlds.road.town.snapshot import Snapshot


@dataclass(frozen=True, eq=False)
class DrivingFrame:
    """All sensors and all road users at one time."""

    number: int
    tick: int
    sensors: RigFrame
    state: Snapshot
    position: Triple
    yaw: float


class SceneRun(Protocol):
    """A scenario that is simulated."""

    @property
    def rig(self) -> Rig:
        """Sensors of the ego vehicle."""

    @property
    def route(self) -> Any:
        """Route of the ego vehicle."""

    @property
    def discards(self) -> tuple[str, ...]:
        """Why the scenario is discarded, as far as it is simulated; empty if it is not."""

    def anomaly_truth(self) -> dict[str, Any]:
        """Return the truth about the anomaly of the whole scenario, as plain data."""

    def frames(self, start: int = 0) -> Iterator[DrivingFrame]:
        """Simulate the scenario, and return its frames from a number on."""


RunSource: TypeAlias = Callable[[Scenario, bool], SceneRun]
"""Function that returns the run of a scenario, or of its nominal twin."""
