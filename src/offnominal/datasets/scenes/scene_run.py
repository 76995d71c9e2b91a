"""What the writer of driving scenes needs of a scenario that is simulated."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Protocol

from offnominal.core.types import FloatArray, IntArray
from offnominal.worlds.road.rigs import Rig
from offnominal.worlds.road.scenarios import Scenario
from offnominal.worlds.road.scenes import AnomalyTruth, DrivingFrame


class WaypointRoute(Protocol):
    """Route of the ego vehicle."""

    @property
    def waypoints(self) -> tuple[FloatArray, IntArray]:
        """Positions (k, 2) at distances of 1 m, and the lane (k,) of each."""


class SceneRun(Protocol):
    """A scenario that is simulated, such as a :class:`~offnominal.worlds.road.scenes.ScenarioRun`."""

    @property
    def rig(self) -> Rig:
        """Sensors of the ego vehicle."""

    @property
    def route(self) -> WaypointRoute:
        """Route of the ego vehicle."""

    @property
    def discards(self) -> tuple[str, ...]:
        """Why the scenario is discarded; empty if it is not."""

    def anomaly_truth(self) -> AnomalyTruth | None:
        """Return the ground truth of the anomaly, or None if there is none."""

    def frames(self, start: int = 0) -> Iterator[DrivingFrame]:
        """Simulate the scenario, and return its frames from a number on."""


RUN = {"anomaly_truth", "discards", "frames", "rig", "route"}
"""What a run has."""


class RunSource(Protocol):
    """Function or class that simulates scenarios."""

    def __call__(self, scenario: Scenario, *, rig: Rig | None, twin: bool) -> SceneRun:
        """Return the run of a scenario."""


def source_name(source: RunSource) -> str:
    """Return the name of a source and the arguments that are bound to it.

    Example:
        >>> from functools import partial
        >>> from offnominal.worlds.road.scenes import ScenarioRun
        >>> source_name(partial(ScenarioRun, samples=2))
        'ScenarioRun(samples=2)'
    """
    bound: list[str] = []
    while isinstance(source, partial):
        bound += [*map(repr, source.args), *(f"{name}={source.keywords[name]!r}" for name in sorted(source.keywords))]
        source = source.func
    name = getattr(source, "__qualname__", type(source).__qualname__)
    return f"{name}({', '.join(bound)})" if bound else name
