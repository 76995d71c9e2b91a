"""URM-PnP: a UR3 arm picks a block up and carries it to a goal."""

from __future__ import annotations

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.philox import uniform
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray, KeyArray
from offnominal.worlds.arm.card import (
    BASE_HEIGHT,
    BLOCK_HALF,
    BLOCK_HIGH,
    BLOCK_LOW,
    CLOSED_TRAVEL,
    PICK_AND_PLACE,
    SUCCESS_DISTANCE,
)
from offnominal.worlds.arm.kernel import joints_of_reports, length, observe_goal, observe_tcp
from offnominal.worlds.arm.world import ArmWorld
from offnominal.worlds.world import Outcomes

SWITCH = 0.2
"""Gripper action beyond which the gripper opens, or closes below its negative."""
GRIP_BONUS, GRIP_FORCE = 0.1, 10.0
"""Reward of a grip, and the force on each pad, N, that makes one."""
PRESS_COST, PRESS_FORCE = 1.0, 0.5
"""Cost of pressing on the block's top, and the force, N, from which on it is charged."""
FINGERS = slice(6, 8)
BLOCK = 8
"""First position of the block's free joint."""


class PickAndPlace(ArmWorld):
    """N arms that carry a block to a goal.

    The reward is minus the distance between block and TCP and minus that between block and goal, plus 0.1 while both
    finger pads press on its sides with more than 10 N, less 1 while something presses on its top. Success: the block is
    within 2 cm of the goal. Critical: something presses on the block's top, or the block lies beside the table.

    Args:
        n: Number of rows.
        threads: See :class:`ArmWorld`.

    Example:
        >>> world = PickAndPlace(2)
        >>> world.reset(np.arange(2), seeds=np.array([7, 8]), episodes=np.zeros(2, int))
        >>> world.step(np.zeros((2, 4)))
        >>> world.observations.shape
        (2, 21)
    """

    card = PICK_AND_PLACE
    task = "pick_and_place"
    frame_skip = 16

    def __init__(self, n: int, *, threads: int | None = None) -> None:
        super().__init__(n, threads=threads)
        self._touch = self._batch.bind("sensordata")
        self._open = np.ones(n, np.bool_)

    def _start(self, rows: IntArray) -> None:
        self._qpos[rows, FINGERS] = 0.0
        self._open[rows] = True
        _place_blocks(rows, self._keys, self._qpos)
        _observe(rows, self._qpos, self._qvel, self._goals, self.observations)

    def _command_gripper(self, rows: IntArray, actions: FloatArray) -> None:
        _switch_grippers(rows, actions, self._open, self._ctrl)

    def _write_outcomes(self, rows: IntArray, actions: FloatArray) -> None:
        _observe(rows, self._qpos, self._qvel, self._goals, self.observations)
        _write_outcomes(
            rows,
            self._qpos,
            self._touch,
            self._goals,
            self._outcomes,
        )

    def _apply(self, name: str, rows: IntArray, values: FloatArray) -> None:
        if name == "grip_loss":
            left = np.clip(1.0 - values, 0.0, 1.0)[:, None, None]
            self._batch.expand("actuator_forcerange")[rows, FINGERS] = self.model.actuator_forcerange[FINGERS] * left
        super()._apply(name, rows, values)

    def _apply_reported(self, observations: FloatArray, qpos: FloatArray, goals: FloatArray) -> None:
        joints_of_reports(observations[:, 7:], qpos)
        qpos[:, FINGERS] = 0.5 * CLOSED_TRAVEL * (1.0 - observations[:, 20:])
        qpos[:, BLOCK:] = observations[:, :7]
        goals[:] = observations[:, 13:16]


@compiled
def _place_blocks(rows: IntArray, keys: KeyArray, qpos: FloatArray) -> None:
    """Put the blocks of new episodes on their tables."""
    for i in range(rows.shape[0]):
        r = rows[i]
        for c in range(7):
            qpos[r, BLOCK + c] = 0.0
        for c in range(2):
            qpos[r, BLOCK + c] = BLOCK_LOW[c] + (BLOCK_HIGH[c] - BLOCK_LOW[c]) * uniform(keys[r], 0, 1, c)
        qpos[r, BLOCK + 2] = BASE_HEIGHT + BLOCK_HALF
        qpos[r, BLOCK + 3] = 1.0


@compiled
def _switch_grippers(rows: IntArray, actions: FloatArray, opened: BoolArray, ctrl: FloatArray) -> None:
    """Open or close grippers. An action between the two thresholds leaves a gripper as it is."""
    for i in range(rows.shape[0]):
        r = rows[i]
        if opened[r]:
            opened[r] = actions[r, 3] >= -SWITCH
        else:
            opened[r] = actions[r, 3] > SWITCH
        ctrl[r, 6] = ctrl[r, 7] = 0.0 if opened[r] else CLOSED_TRAVEL


@compiled
def _observe(rows: IntArray, qpos: FloatArray, qvel: FloatArray, goals: FloatArray, observations: Array) -> None:
    """Write observations."""
    pose, matrix, tcp = np.empty((4, 4)), np.empty((6, 6)), np.empty(3)
    for i in range(rows.shape[0]):
        r = rows[i]
        for c in range(7):
            observations[r, c] = qpos[r, BLOCK + c]
        observe_tcp(qpos[r], qvel[r], pose, matrix, observations[r, 7:], tcp)
        observe_goal(goals[r], observations[r, 13:])
        observations[r, 20] = 1.0 - (qpos[r, 6] + qpos[r, 7]) / CLOSED_TRAVEL


@compiled
def _write_outcomes(
    rows: IntArray,
    qpos: FloatArray,
    touch: FloatArray,
    goals: FloatArray,
    outcomes: Outcomes,
) -> None:
    """Write rewards and outcomes of a step; observations are written already."""
    for i in range(rows.shape[0]):
        r = rows[i]
        x, y, z = qpos[r, BLOCK], qpos[r, BLOCK + 1], qpos[r, BLOCK + 2]
        seen = outcomes.observations[r]
        to_tcp = length(x - seen[7], y - seen[8], z - seen[9])
        to_goal = length(x - goals[r, 0], y - goals[r, 1], z - goals[r, 2])
        pressed = touch[r, 2] > PRESS_FORCE
        # Finger tips on the block's top press on the pads too.
        gripped = touch[r, 0] > GRIP_FORCE and touch[r, 1] > GRIP_FORCE and not pressed
        outcomes.rewards[r] = -to_tcp - to_goal + (GRIP_BONUS if gripped else 0.0) - (PRESS_COST if pressed else 0.0)
        outcomes.success[r] = to_goal < SUCCESS_DISTANCE
        outcomes.critical[r] = pressed or z < BASE_HEIGHT + 0.5 * BLOCK_HALF
        outcomes.cost[r] = 1.0 if outcomes.critical[r] else 0.0
