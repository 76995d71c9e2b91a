"""How the ego vehicle and everybody else moves at a tick, from one state to the next."""

from __future__ import annotations

import math

import numpy as np

from offnominal.sensing.camera_models import STILL, Motion
from offnominal.worlds.road.rigs import LEVEL, Attitude
from offnominal.worlds.road.town.snapshot import EGO, TICK_SECONDS, Snapshot

# Degrees per m/s², share of the way to the new attitude in a tick, and largest angle in degrees.
PITCH, ROLL, SPRING, MOST = 0.35, 0.45, 0.4, 4.0


class EgoBody:
    """The motion of the ego vehicle and of all actors, tick by tick.

    Velocities are those since the state before, so that they are those of objects that were hit, too. The body of the
    ego vehicle leans backwards when it accelerates and outwards when it turns, with the delay of its springs.

    Example:
        >>> EgoBody().motion.velocity
        (0.0, 0.0, 0.0)
    """

    def __init__(self) -> None:
        self.motion: Motion = STILL
        self.attitude: Attitude = LEVEL
        self._before: Snapshot | None = None

    def update(self, state: Snapshot) -> None:
        """Advance to the next state."""
        before, self._before = self._before, state
        if before is None or not np.array_equal(before.instance, state.instance):
            return
        velocity = (state.position - before.position) / TICK_SECONDS
        turned = float(state.heading[EGO] - before.heading[EGO])
        turned -= 2.0 * math.pi * math.floor(turned / (2.0 * math.pi) + 0.5)
        order = np.argsort(state.instance, kind="stable")
        (x, y), (a, b) = velocity[EGO].tolist(), state.position[EGO].tolist()
        self.motion = Motion(
            (x, y, 0.0),
            turned / TICK_SECONDS,
            (a, b, 0.0),
            state.instance[order],
            np.hstack([velocity, np.zeros((len(velocity), 1))])[order],
        )
        self._lean(float(state.acceleration[EGO]), float(state.speed[EGO]) * turned / TICK_SECONDS)

    def _lean(self, ahead: float, left: float) -> None:
        """Move the body towards the pitch and roll of an acceleration, m/s²."""
        wanted = (PITCH * ahead, ROLL * left)
        pitch, roll = (
            now + SPRING * (min(MOST, max(-MOST, goal)) - now) for now, goal in zip(self.attitude, wanted, strict=True)
        )
        self.attitude = (pitch, roll)
