"""What the writer of driving scenes needs of a scenario that is simulated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from offnominal.worlds.road.rigs import Rig
from offnominal.worlds.road.scenarios import Scenario
from offnominal.worlds.road.scenes import AnomalyTruth, DrivingFrame
from offnominal.worlds.road.town.routes import Route


class SceneRun(Protocol):
    """A scenario that is simulated, such as a :class:`~offnominal.worlds.road.scenes.ScenarioRun`."""

    rig: Rig

    @property
    def route(self) -> Route:
        """Route of the ego vehicle."""

    @property
    def discards(self) -> tuple[str, ...]:
        """Why the scenario is discarded; empty if it is not."""

    def anomaly_truth(self) -> AnomalyTruth | None:
        """Return the ground truth of the anomaly, or None if there is none."""

    def frames(self, start: int = 0) -> Iterator[DrivingFrame]:
        """Simulate the scenario, and return its frames from a number on."""


class RunSource(Protocol):
    """Function or class that simulates scenarios."""

    def __call__(self, scenario: Scenario, *, rig: Rig | None, twin: bool, samples: int) -> SceneRun:
        """Return the run of a scenario, with the arguments of :class:`~offnominal.worlds.road.scenes.ScenarioRun`."""
