"""One passage through a scenario, tick by tick."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from offnominal.core.types import FloatArray
from offnominal.worlds.road.scenes.object_motion import ObjectMotion, ObjectPose
from offnominal.worlds.road.town.simulation import TownSimulation
from offnominal.worlds.road.town.snapshot import EGO, Snapshot


class Session:
    """A simulation with the object of a content anomaly.

    Args:
        simulation: Simulation at its first state.
        motion: Motion of the object; None without one.
    """

    def __init__(self, simulation: TownSimulation, motion: ObjectMotion | None) -> None:
        self.simulation = simulation
        self.motion = motion
        self.pose: ObjectPose | None = None
        self._toppling = 0

    def step(self, controls: Sequence[float] | FloatArray | None = None) -> Snapshot:
        """Advance by one tick and return the state.

        Args:
            controls: Throttle, steering and brake of the ego vehicle; None leaves it to its behaviour agent.
        """
        state = self.simulation.step(controls)
        if self.motion is None:
            return state
        if self._toppling > 0 or self.motion.is_near(float(state.position[EGO, 0]), float(state.position[EGO, 1])):
            self._toppling += 1
        self.pose = self.motion.pose(state.tick, self._toppling)
        return _with_object(state, self.pose)


def _with_object(state: Snapshot, pose: ObjectPose) -> Snapshot:
    """Return a state whose object, the last actor, has the place and size of its pose."""
    position, heading, size = state.position.copy(), state.heading.copy(), state.size.copy()
    position[-1], heading[-1], size[-1] = pose.centre, pose.heading, pose.size
    return replace(state, position=position, heading=heading, size=size)
