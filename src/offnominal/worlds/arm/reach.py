"""URM-Reach: a UR3 arm brings its gripper to one goal after the other."""

from __future__ import annotations

from offnominal.core.types import FloatArray, IntArray
from offnominal.worlds.arm.card import REACH
from offnominal.worlds.arm.kernel import observe_reach, write_reach_outcomes
from offnominal.worlds.arm.world import ArmWorld


class Reach(ArmWorld):
    """N arms that reach for goals; every 50 steps there is a new one.

    The reward is -1 and minus the distance to the goal, or 0 within 2 cm of it, less 0.1 times the length of the
    action. Success: the TCP is within 2 cm of the goal. Critical: the finger tips are below the table top.

    Args:
        n: Number of rows.
        threads: See :class:`ArmWorld`.

    Example:
        >>> import numpy as np
        >>> world = Reach(2)
        >>> world.reset(np.arange(2), seeds=np.array([7, 8]), episodes=np.zeros(2, int))
        >>> world.step(np.zeros((2, 4)))
        >>> world.observations.shape
        (2, 13)
    """

    card = REACH
    task = "reach"
    frame_skip = 8

    def _start(self, rows: IntArray) -> None:
        observe_reach(rows, self._qpos, self._qvel, self._goals, self.observations)

    def _write_outcomes(self, rows: IntArray, actions: FloatArray) -> None:
        write_reach_outcomes(
            rows,
            self._qpos,
            self._qvel,
            actions,
            self._keys,
            self._ticks,
            self._goals,
            self.observations,
            self.rewards,
            self.success,
            self.critical,
            self.cost,
        )
