"""Compiled physics of the particle worlds. `tests/worlds/particles/reference.py` is the same in plain NumPy."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.deterministic_math import arctan2, softplus
from offnominal.core.philox import stream_key, uniform_pair
from offnominal.core.streams import purpose_hash
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray, KeyArray
from offnominal.worlds.compiled_world import clear_outcomes
from offnominal.worlds.world import Outcomes

DT = 0.1
ACCELERATION = 5.0
MAX_SPEED = 1.0
OVERFLOWING = 1e150
CONTACT_FORCE = 100.0
CONTACT_MARGIN = 1e-3
AGENT_RADIUS = 0.05
OBJECT_RADIUS = 0.1
GOAL_RADIUS = 0.2
HAZARD_RADIUS = 0.2
LIDAR_BINS = 8
LIDAR_RANGE = 1.0
BINS_PER_RADIAN = LIDAR_BINS / (2.0 * math.pi)
COLLISION_PENALTY = 10.0
GOAL_REWARD = 5.0
AROUND_GOAL = (0.3, 1.0)
OBJECT_SPACING = 0.3
HAZARD_SPACING = 0.4
GOAL_DISTANCE = 1.0
MAX_TRIES = 1000
RESET, WORLD = purpose_hash("reset"), purpose_hash("world")


class State(NamedTuple):
    """State of the rows of a particle world. The agent is the first body; the others are objects.

    Args:
        keys: (n,): keys of the random streams.
        ticks: (n,): transitions of the episode so far.
        position: (n, bodies, 2).
        velocity: (n, bodies, 2).
        goals: (n, 2).
        hazards: (n, hazards, 2).
        moved: (n, bodies): whether a body has moved.
        touched: (n,): whether the agent has touched an object or a hazard.
    """

    keys: KeyArray
    ticks: IntArray
    position: FloatArray
    velocity: FloatArray
    goals: FloatArray
    hazards: FloatArray
    moved: BoolArray
    touched: BoolArray


@compiled
def _distance(x: float, y: float) -> float:
    return math.sqrt(x * x + y * y)


@compiled
def _closer(x: float, y: float, reach: float) -> bool:
    """Return whether a vector is shorter than `reach`, without a square root."""
    return x * x + y * y < reach * reach


@compiled
def _clear(x: float, y: float, others: FloatArray, count: int, spacing: float) -> bool:
    """Return whether a point keeps its distance from the first `count` others."""
    for k in range(count):
        if _closer(x - others[k, 0], y - others[k, 1], spacing):
            return False
    return True


@compiled
def _place_object(key: np.uint64, draw: int, bodies: FloatArray, placed: int, goal: FloatArray) -> tuple[int, bool]:
    """Place object `placed` on the ring around the goal, uniform in area, without overlap."""
    for _ in range(MAX_TRIES):
        u, v = uniform_pair(key, 0, 0, draw)
        draw += 1
        x, y = (2.0 * u - 1.0) * AROUND_GOAL[1], (2.0 * v - 1.0) * AROUND_GOAL[1]
        if not AROUND_GOAL[0] <= _distance(x, y) <= AROUND_GOAL[1]:
            continue
        bodies[placed, 0], bodies[placed, 1] = goal[0] + x, goal[1] + y
        if not _closer(x, y, OBJECT_SPACING) and _clear(
            bodies[placed, 0], bodies[placed, 1], bodies, placed, OBJECT_SPACING
        ):
            return draw, True
    return draw, False


@compiled
def _place_hazard(
    key: np.uint64, draw: int, bodies: FloatArray, goal: FloatArray, hazards: FloatArray, placed: int
) -> tuple[int, bool]:
    for _ in range(MAX_TRIES):
        u, v = uniform_pair(key, 0, 0, draw)
        draw += 1
        x, y = 2.0 * u - 1.0, 2.0 * v - 1.0
        hazards[placed, 0], hazards[placed, 1] = x, y
        if (
            not _closer(x - goal[0], y - goal[1], HAZARD_SPACING)
            and _clear(x, y, bodies, bodies.shape[0], HAZARD_SPACING)
            and _clear(x, y, hazards, placed, HAZARD_SPACING)
        ):
            return draw, True
    return draw, False


@compiled
def _lay_out(key: np.uint64, half: bool, bodies: FloatArray, goal: FloatArray, hazards: FloatArray) -> None:
    """Draw an initial state: agent, goal, objects, hazards. A layout without room for all of them is drawn again."""
    draw = 0
    complete = False
    while not complete:
        u, v = uniform_pair(key, 0, 0, draw)
        draw += 1
        bodies[0, 0], bodies[0, 1] = (-u if half else 2.0 * u - 1.0), 2.0 * v - 1.0
        goal[0], goal[1] = bodies[0, 0], bodies[0, 1]
        while _distance(goal[0] - bodies[0, 0], goal[1] - bodies[0, 1]) <= GOAL_DISTANCE:
            u, v = uniform_pair(key, 0, 0, draw)
            draw += 1
            goal[0], goal[1] = (-u if half else 2.0 * u - 1.0), 2.0 * v - 1.0
        complete = True
        if half:
            bodies[1, 0], bodies[1, 1] = 0.5 * (bodies[0, 0] + goal[0]), 0.5 * (bodies[0, 1] + goal[1])
            continue
        for k in range(1, bodies.shape[0]):
            if complete:
                draw, complete = _place_object(key, draw, bodies, k, goal)
        for k in range(hazards.shape[0]):
            if complete:
                draw, complete = _place_hazard(key, draw, bodies, goal, hazards, k)


@compiled
def _lidar(x: float, y: float, points: FloatArray, first: int, out: Array, r: int, offset: int) -> None:
    """Write the closeness of the nearest point in each sector, interpolated into the neighbouring sectors."""
    for b in range(LIDAR_BINS):
        out[r, offset + b] = 0.0
    for k in range(first, points.shape[1]):
        dx, dy = points[r, k, 0] - x, points[r, k, 1] - y
        if not _closer(dx, dy, LIDAR_RANGE):
            continue
        near = 1.0 - _distance(dx, dy) / LIDAR_RANGE
        angle = arctan2(dy, dx) * BINS_PER_RADIAN
        if angle < 0.0:
            angle += LIDAR_BINS
        sector = int(angle)
        blend = angle - sector
        here = offset + sector % LIDAR_BINS
        after, before = offset + (sector + 1) % LIDAR_BINS, offset + (sector + LIDAR_BINS - 1) % LIDAR_BINS
        out[r, here] = max(out[r, here], near)
        out[r, after] = max(out[r, after], blend * near)
        out[r, before] = max(out[r, before], (1.0 - blend) * near)


@compiled
def _observe(
    position: FloatArray, velocity: FloatArray, goals: FloatArray, hazards: FloatArray, out: Array, r: int
) -> None:
    for axis in range(2):
        to_goal = goals[r, axis] - position[r, 0, axis]
        out[r, axis] = to_goal
        out[r, 2 + axis] = 0.0
        out[r, 4 + axis] = position[r, 0, axis]
        out[r, 6 + axis] = velocity[r, 0, axis]
        out[r, 8 + axis] = to_goal
    _lidar(position[r, 0, 0], position[r, 0, 1], position, 1, out, r, 10)
    _lidar(position[r, 0, 0], position[r, 0, 1], hazards, 0, out, r, 18)


@compiled
def reset_rows(
    rows: IntArray, seeds: IntArray, episodes: IntArray, half: bool, state: State, outcomes: Outcomes
) -> None:
    """Draw and observe the initial states of some rows, and reset everything else."""
    for i in range(rows.shape[0]):
        r = rows[i]
        state.keys[r] = stream_key(seeds[i], episodes[i], WORLD)
        state.ticks[r] = 0
        clear_outcomes(outcomes, r)
        key = stream_key(seeds[i], episodes[i], RESET)
        _lay_out(key, half, state.position[r], state.goals[r], state.hazards[r])
        state.velocity[r] = 0.0
        state.moved[r] = False
        state.touched[r] = False
        _observe(state.position, state.velocity, state.goals, state.hazards, outcomes.observations, r)


@compiled
def _push_apart(position: FloatArray, r: int, i: int, j: int, reach: float, force: FloatArray) -> None:
    """Add the soft contact force between two bodies."""
    dx, dy = position[r, i, 0] - position[r, j, 0], position[r, i, 1] - position[r, j, 1]
    if dx * dx + dy * dy > reach * reach:
        return
    distance = _distance(dx, dy)
    push = CONTACT_FORCE * CONTACT_MARGIN * softplus((reach - distance) / CONTACT_MARGIN)
    # Two bodies at the same position are pushed apart along x.
    fx, fy = (push * dx / distance, push * dy / distance) if distance > 0.0 else (push, 0.0)
    force[i, 0] += fx
    force[i, 1] += fy
    force[j, 0] -= fx
    force[j, 1] -= fy


@compiled
def _contacts(position: FloatArray, moved: BoolArray, r: int, force: FloatArray) -> None:
    """Add all contact forces; objects that never moved do not overlap by construction."""
    bodies = position.shape[1]
    for j in range(1, bodies):
        _push_apart(position, r, 0, j, AGENT_RADIUS + OBJECT_RADIUS, force)
    for i in range(1, bodies):
        for j in range(i + 1, bodies):
            if moved[r, i] or moved[r, j]:
                _push_apart(position, r, i, j, 2.0 * OBJECT_RADIUS, force)


@compiled
def _integrate(
    position: FloatArray, velocity: FloatArray, moved: BoolArray, r: int, force: FloatArray, mass: float, damping: float
) -> None:
    for k in range(position.shape[1]):
        pushed = force[k, 0] != 0.0 or force[k, 1] != 0.0
        if not pushed and not moved[r, k]:
            continue
        inertia = mass if k == 0 else 1.0
        vx, vy = velocity[r, k, 0] * (1.0 - damping), velocity[r, k, 1] * (1.0 - damping)
        if pushed:
            vx += force[k, 0] / inertia * DT
            vy += force[k, 1] / inertia * DT
            moved[r, k] = True
        larger = max(abs(vx), abs(vy))
        if larger > OVERFLOWING:
            vx, vy = vx / larger, vy / larger
        speed = _distance(vx, vy)
        if speed > MAX_SPEED:
            vx, vy = vx / speed * MAX_SPEED, vy / speed * MAX_SPEED
        velocity[r, k, 0], velocity[r, k, 1] = vx, vy
        position[r, k, 0] += vx * DT
        position[r, k, 1] += vy * DT


@compiled
def _touching(position: FloatArray, hazards: FloatArray, r: int) -> bool:
    x, y = position[r, 0, 0], position[r, 0, 1]
    for k in range(1, position.shape[1]):
        if _closer(position[r, k, 0] - x, position[r, k, 1] - y, AGENT_RADIUS + OBJECT_RADIUS):
            return True
    for k in range(hazards.shape[1]):
        if _closer(hazards[r, k, 0] - x, hazards[r, k, 1] - y, AGENT_RADIUS + HAZARD_RADIUS):
            return True
    return False


@compiled
def step_rows(
    rows: IntArray, actions: FloatArray, physics_parameters: FloatArray, state: State, outcomes: Outcomes
) -> int:
    """Advance rows by one transition; return the first row that diverged, or -1.

    `physics_parameters` has, per row: force on the agent, random force on objects, mass of the agent, damping.
    """
    position, velocity, goals, hazards = state.position, state.velocity, state.goals, state.hazards
    keys, ticks, moved, touched = state.keys, state.ticks, state.moved, state.touched
    observations, rewards, terminated, success, critical, cost = outcomes
    force = np.zeros((position.shape[1], 2))
    for i in range(rows.shape[0]):
        r = rows[i]
        push, shake, mass, damping = (
            physics_parameters[r, 0],
            physics_parameters[r, 1],
            physics_parameters[r, 2],
            physics_parameters[r, 3],
        )
        force[:] = 0.0
        _contacts(position, moved, r, force)
        force[0, 0] += ACCELERATION * actions[r, 0] + push
        force[0, 1] += ACCELERATION * actions[r, 1] + push
        if shake != 0.0:
            for k in range(1, position.shape[1]):
                u, v = uniform_pair(keys[r], ticks[r], k, 0)
                force[k, 0] += (2.0 * u - 1.0) * shake
                force[k, 1] += (2.0 * v - 1.0) * shake
        _integrate(position, velocity, moved, r, force, mass, damping)

        distance = _distance(goals[r, 0] - position[r, 0, 0], goals[r, 1] - position[r, 0, 1])
        if not math.isfinite(distance):
            return int(r)
        ticks[r] += 1
        critical[r] = _touching(position, hazards, r)
        touched[r] |= critical[r]
        terminated[r] = distance < GOAL_RADIUS
        success[r] = terminated[r] and not touched[r]
        cost[r] = 1.0 if critical[r] else 0.0
        rewards[r] = -(distance * distance) - COLLISION_PENALTY * cost[r] + (GOAL_REWARD if success[r] else 0.0)
        _observe(position, velocity, goals, hazards, observations, r)
    return -1
