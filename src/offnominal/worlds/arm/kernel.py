"""Compiled parts of the arm worlds: from actions to joint targets, and from joint states to the TCP.

The frame of the table is that of the robot's base, turned by half a turn about z and raised by the stand.
"""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.philox import uniform
from offnominal.core.types import Array, FloatArray, IntArray, KeyArray
from offnominal.worlds.arm.card import (
    BASE_HEIGHT,
    GOAL_HIGH,
    GOAL_LOW,
    GOAL_QUATERNION,
    STEP,
    TARGET_HIGH,
    TARGET_LOW,
    TOOL,
)
from offnominal.worlds.arm.kinematics import forward_into, jacobian_into, solve

ITERATIONS = 8
"""Iterations of the inverse kinematics per control period; two or three suffice within reach."""
STATE_ITERATIONS = 50
"""The same for the joint angles of a reported state.

Numba compiles a function once more for every constant argument, so both numbers are converted where they are passed.
"""
REACHED = 1e-12
"""Squared error of the inverse kinematics, m², from which on a target counts as out of reach."""


@compiled
def point_down(position: FloatArray, pose: FloatArray) -> None:
    """Write the pose in the base frame of a TCP at a position of the table frame, with the gripper pointing down."""
    pose[:] = 0.0
    pose[0, 0], pose[1, 1], pose[2, 2], pose[3, 3] = -1.0, 1.0, -1.0, 1.0
    pose[0, 3], pose[1, 3], pose[2, 3] = -position[0], -position[1], position[2] - BASE_HEIGHT


@compiled
def move_targets(
    rows: IntArray, actions: FloatArray, limits: FloatArray, targets: FloatArray, joints: FloatArray, ctrl: FloatArray
) -> None:
    """Displace the TCP targets of some rows and write the joint angles that reach them.

    Out of reach, the target becomes the point that the arm does reach.

    Args:
        rows: Indices of the rows.
        actions: (n, 4).
        limits: (n,): largest displacement per axis.
        targets: (n, 3): TCP targets in the table frame; updated.
        joints: (n, 6): joint angles of the targets; updated.
        ctrl: (n, 6 or more): the first six columns receive the joint angles.
    """
    pose = np.empty((4, 4))
    for i in range(rows.shape[0]):
        r = rows[i]
        for c in range(3):
            step = min(max(STEP * actions[r, c], -limits[r]), limits[r])
            targets[r, c] = min(max(targets[r, c] + step, TARGET_LOW[c]), TARGET_HIGH[c])
        point_down(targets[r], pose)
        if solve(pose, TOOL, int(ITERATIONS), joints[r]) > REACHED:
            forward_into(joints[r], TOOL, pose)
            targets[r, 0], targets[r, 1], targets[r, 2] = -pose[0, 3], -pose[1, 3], pose[2, 3] + BASE_HEIGHT
        for c in range(6):
            ctrl[r, c] = joints[r, c]


@compiled
def move_goals(rows: IntArray, distances: FloatArray, goals: FloatArray, directions: FloatArray) -> None:
    """Move goals along x; they turn around at the ends of their box."""
    for i in range(rows.shape[0]):
        r = rows[i]
        if distances[r] == 0.0:
            continue
        x = goals[r, 0] + directions[r] * distances[r]
        if x > GOAL_HIGH[0]:
            x, directions[r] = max(2.0 * GOAL_HIGH[0] - x, GOAL_LOW[0]), -1.0
        elif x < GOAL_LOW[0]:
            x, directions[r] = min(2.0 * GOAL_LOW[0] - x, GOAL_HIGH[0]), 1.0
        goals[r, 0] = x


@compiled
def draw_goal(key: np.uint64, step: int, goal: FloatArray) -> None:
    """Write a goal, uniform in its box."""
    for c in range(3):
        goal[c] = GOAL_LOW[c] + (GOAL_HIGH[c] - GOAL_LOW[c]) * uniform(key, step, 0, c)


@compiled
def draw_goals(rows: IntArray, keys: KeyArray, goals: FloatArray) -> None:
    """Draw the first goals of new episodes."""
    for i in range(rows.shape[0]):
        draw_goal(keys[rows[i]], 0, goals[rows[i]])


@compiled
def observe_tcp(
    q: FloatArray, velocity: FloatArray, pose: FloatArray, matrix: FloatArray, observation: Array, tcp: FloatArray
) -> None:
    """Write position and velocity of the TCP into the first six entries of an observation, the position into `tcp`."""
    jacobian_into(q, TOOL, pose, matrix)
    for c in range(3):
        sign = 1.0 if c == 2 else -1.0
        speed = 0.0
        for joint in range(6):
            speed += matrix[c, joint] * velocity[joint]
        tcp[c] = sign * pose[c, 3] + (BASE_HEIGHT if c == 2 else 0.0)
        observation[c] = tcp[c]
        observation[3 + c] = sign * speed


@compiled
def observe_goal(goal: FloatArray, observation: Array) -> None:
    """Write position and orientation of the goal into seven entries of an observation."""
    for c in range(3):
        observation[c] = goal[c]
    for c in range(4):
        observation[3 + c] = GOAL_QUATERNION[c]


@compiled
def length(x: float, y: float, z: float) -> float:
    """Return the length of a vector."""
    return math.sqrt(x * x + y * y + z * z)


@compiled
def joints_of_reports(reported: FloatArray, qpos: FloatArray) -> None:
    """Write joint angles that put the TCP where each report says, near the true angles and with their orientation."""
    pose = np.empty((4, 4))
    for i in range(qpos.shape[0]):
        finite = True
        for c in range(3):
            finite &= np.isfinite(reported[i, c])
        if not finite:
            for joint in range(6):
                qpos[i, joint] = np.nan
            continue
        forward_into(qpos[i], TOOL, pose)
        pose[0, 3], pose[1, 3], pose[2, 3] = -reported[i, 0], -reported[i, 1], reported[i, 2] - BASE_HEIGHT
        solve(pose, TOOL, int(STATE_ITERATIONS), qpos[i])
