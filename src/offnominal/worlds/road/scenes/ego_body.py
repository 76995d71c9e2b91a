"""How the ego vehicle and everybody else moves at a tick, from one state to the next."""

from __future__ import annotations

import math

import numpy as np

from offnominal.sensing.camera_model import STILL, Motion
from offnominal.worlds.road.town.snapshot import EGO, TICK_SECONDS, Snapshot


class EgoBody:
    """The motion of the ego vehicle and of all actors, tick by tick.

    Velocities are those since the state before, so that they are those of objects that were hit, too.

    Example:
        >>> EgoBody().motion.velocity
        (0.0, 0.0, 0.0)
    """

    def __init__(self) -> None:
        self.motion: Motion = STILL
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
