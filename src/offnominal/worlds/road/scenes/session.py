"""One passage through a scenario, tick by tick."""

from __future__ import annotations

from collections.abc import Sequence

from offnominal.core.types import FloatArray
from offnominal.worlds.road.scenes.hit import Hit
from offnominal.worlds.road.scenes.object_body import ObjectBody
from offnominal.worlds.road.scenes.object_motion import ObjectMotion, ObjectPose
from offnominal.worlds.road.scenes.town_scene import ground_height
from offnominal.worlds.road.town.simulation import TownSimulation
from offnominal.worlds.road.town.snapshot import EGO, Snapshot


class Session:
    """A simulation with the object of a content anomaly.

    Args:
        simulation: Simulation at its first state.
        motion: Motion of the object until a vehicle hits it; None without one.
    """

    def __init__(self, simulation: TownSimulation, motion: ObjectMotion | None) -> None:
        self.simulation = simulation
        self.motion = motion
        self.pose: ObjectPose | None = None
        self._body = None if motion is None else ObjectBody(motion, ground_height(simulation.town))
        self._toppling = 0

    @property
    def hits(self) -> tuple[Hit, ...]:
        """Hits of the object by vehicles so far."""
        return () if self._body is None else tuple(self._body.hits)

    def step(self, controls: Sequence[float] | FloatArray | None = None) -> Snapshot:
        """Advance by one tick and return the state.

        Args:
            controls: Throttle, steering and brake of the ego vehicle; None leaves it to its behaviour agent.
        """
        self.advance(controls)
        return self.simulation.snapshot()

    def advance(self, controls: Sequence[float] | FloatArray | None = None) -> None:
        """Advance by one tick; see :meth:`step`."""
        simulation, body = self.simulation, self._body
        if body is None:
            simulation.advance(controls)
            return
        before = simulation.cars.pose.copy()
        simulation.advance(controls)
        x, y = simulation.cars.pose[EGO, :2].tolist()
        if self._toppling > 0 or body.motion.is_near(x, y):
            self._toppling += 1
        self.pose = body.step(simulation.tick, self._toppling, before, simulation.cars)
        simulation.move_obstacle(self.pose.centre, self.pose.heading, self.pose.size, body.speed, blocks=body.is_free)
