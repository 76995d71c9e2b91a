"""URM-Reach: a UR3 arm brings its gripper to one goal after the other."""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.types import Array, FloatArray, IntArray, KeyArray
from offnominal.worlds.arm.card import BASE_HEIGHT, FINGER_TIP, GOAL_PERIOD, REACH, SUCCESS_DISTANCE
from offnominal.worlds.arm.kernel import draw_goal, length, observe_goal, observe_tcp
from offnominal.worlds.arm.world import ArmWorld
from offnominal.worlds.world import Outcomes

ACTION_COST = 0.1


class Reach(ArmWorld):
    """N arms that reach for goals; every 50 steps there is a new one.

    The reward is -1 and minus the distance to the goal, or 0 within 2 cm of it, less 0.1 times the length of the
    action. Success: the TCP is within 2 cm of the goal. Critical: the finger tips are below the table top.

    Args:
        n: Number of rows.
        threads: See :class:`ArmWorld`.

    Example:
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
        _observe(rows, self._qpos, self._qvel, self._goals, self.observations)

    def _write_outcomes(self, rows: IntArray, actions: FloatArray) -> None:
        _write_outcomes(
            rows,
            self._qpos,
            self._qvel,
            actions,
            self._keys,
            self._ticks,
            self._goals,
            self._outcomes,
        )


@compiled
def _observe(rows: IntArray, qpos: FloatArray, qvel: FloatArray, goals: FloatArray, observations: Array) -> None:
    """Write the observations of new episodes."""
    pose, matrix, tcp = np.empty((4, 4)), np.empty((6, 6)), np.empty(3)
    for i in range(rows.shape[0]):
        r = rows[i]
        observe_tcp(qpos[r], qvel[r], pose, matrix, observations[r], tcp)
        observe_goal(goals[r], observations[r, 6:])


@compiled
def _write_outcomes(
    rows: IntArray,
    qpos: FloatArray,
    qvel: FloatArray,
    actions: FloatArray,
    keys: KeyArray,
    ticks: IntArray,
    goals: FloatArray,
    outcomes: Outcomes,
) -> None:
    """Write rewards and outcomes of a step for the goal it was made for, then draw due goals and write observations."""
    pose, matrix, tcp = np.empty((4, 4)), np.empty((6, 6)), np.empty(3)
    for i in range(rows.shape[0]):
        r = rows[i]
        observe_tcp(qpos[r], qvel[r], pose, matrix, outcomes.observations[r], tcp)
        distance = length(tcp[0] - goals[r, 0], tcp[1] - goals[r, 1], tcp[2] - goals[r, 2])
        effort = 0.0
        for c in range(4):
            effort += actions[r, c] * actions[r, c]
        outcomes.success[r] = distance < SUCCESS_DISTANCE
        outcomes.rewards[r] = (0.0 if outcomes.success[r] else -distance - 1.0) - ACTION_COST * math.sqrt(effort)
        outcomes.critical[r] = tcp[2] - FINGER_TIP < BASE_HEIGHT
        outcomes.cost[r] = 1.0 if outcomes.critical[r] else 0.0
        if (ticks[r] + 1) % GOAL_PERIOD == 0:
            draw_goal(keys[r], ticks[r] + 1, goals[r])
        observe_goal(goals[r], outcomes.observations[r, 6:])
