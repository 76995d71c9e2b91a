"""Compiled physics of the particle worlds. `tests/worlds/particles/reference.py` says the same in plain NumPy."""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compiled import compiled
from offnominal.core.exact import arctan2, softplus
from offnominal.core.philox import uniform_pair
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray, KeyArray

DT = 0.1
ACCELERATION = 5.0
MAX_SPEED = 1.0
CONTACT_FORCE = 100.0
CONTACT_MARGIN = 1e-3
AGENT_RADIUS = 0.05
OBJECT_RADIUS = 0.1
GOAL_RADIUS = 0.2
HAZARD_RADIUS = 0.2
LIDAR_BINS = 8
LIDAR_RANGE = 1.0
BIN_WIDTH = math.pi / 4
COLLISION_PENALTY = 10.0
GOAL_REWARD = 5.0
AROUND_GOAL = (0.3, 1.0)
OBJECT_SPACING = 0.3
HAZARD_SPACING = 0.4
GOAL_DISTANCE = 1.0
MAX_TRIES = 1000


@compiled
def _distance(a: FloatArray, b: FloatArray) -> float:
    return math.sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]))


@compiled
def _closer(a: FloatArray, b: FloatArray, reach: float) -> bool:
    """Whether two points are less than `reach` apart, without a square root."""
    dx, dy = a[0] - b[0], a[1] - b[1]
    return bool(dx * dx + dy * dy < reach * reach)


@compiled
def _far_from(point: FloatArray, others: FloatArray, count: int, spacing: float) -> bool:
    for k in range(count):
        if _closer(point, others[k], spacing):
            return False
    return True


@compiled
def _place_object(key: np.uint64, draw: int, bodies: FloatArray, placed: int, goal: FloatArray) -> tuple[int, bool]:
    """Put object `placed` on the ring around the goal, uniform in area, clear of what is there."""
    for _ in range(MAX_TRIES):
        u, v = uniform_pair(key, 0, 0, draw)
        draw += 1
        x, y = (2.0 * u - 1.0) * AROUND_GOAL[1], (2.0 * v - 1.0) * AROUND_GOAL[1]
        if not AROUND_GOAL[0] <= math.sqrt(x * x + y * y) <= AROUND_GOAL[1]:
            continue
        bodies[placed, 0], bodies[placed, 1] = goal[0] + x, goal[1] + y
        if _distance(bodies[placed], goal) > OBJECT_SPACING and _far_from(
            bodies[placed], bodies, placed, OBJECT_SPACING
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
        hazards[placed, 0], hazards[placed, 1] = 2.0 * u - 1.0, 2.0 * v - 1.0
        point = hazards[placed]
        if (
            _distance(point, goal) > HAZARD_SPACING
            and _far_from(point, bodies, bodies.shape[0], HAZARD_SPACING)
            and _far_from(point, hazards, placed, HAZARD_SPACING)
        ):
            return draw, True
    return draw, False


@compiled
def _lay_out(key: np.uint64, half: bool, bodies: FloatArray, goal: FloatArray, hazards: FloatArray) -> None:
    """Draw a start: agent, goal, objects, hazards. A layout without room for all of them is drawn anew."""
    draw = 0
    complete = False
    while not complete:
        u, v = uniform_pair(key, 0, 0, draw)
        draw += 1
        bodies[0, 0], bodies[0, 1] = (-u if half else 2.0 * u - 1.0), 2.0 * v - 1.0
        goal[0], goal[1] = bodies[0, 0], bodies[0, 1]
        while _distance(bodies[0], goal) <= GOAL_DISTANCE:
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
def _lidar(origin: FloatArray, points: FloatArray, first: int, out: Array, offset: int) -> None:
    """Write how near the nearest point of each sector is, blended into the neighbouring sectors."""
    for b in range(LIDAR_BINS):
        out[offset + b] = 0.0
    for k in range(first, points.shape[0]):
        if not _closer(points[k], origin, LIDAR_RANGE):
            continue
        near = 1.0 - _distance(points[k], origin) / LIDAR_RANGE
        angle = arctan2(points[k, 1] - origin[1], points[k, 0] - origin[0]) / BIN_WIDTH
        if angle < 0.0:
            angle += LIDAR_BINS
        sector = int(angle)
        blend = angle - sector
        sector %= LIDAR_BINS
        after, before = offset + (sector + 1) % LIDAR_BINS, offset + (sector - 1) % LIDAR_BINS
        out[offset + sector] = max(out[offset + sector], near)
        out[after] = max(out[after], blend * near)
        out[before] = max(out[before], (1.0 - blend) * near)


@compiled
def _observe(bodies: FloatArray, velocity: FloatArray, goal: FloatArray, hazards: FloatArray, out: Array) -> None:
    for axis in range(2):
        to_goal = goal[axis] - bodies[0, axis]
        out[axis] = to_goal
        out[2 + axis] = 0.0
        out[4 + axis] = bodies[0, axis]
        out[6 + axis] = velocity[0, axis]
        out[8 + axis] = to_goal
    _lidar(bodies[0], bodies, 1, out, 10)
    _lidar(bodies[0], hazards, 0, out, 18)


@compiled
def reset_rows(
    rows: IntArray,
    keys: KeyArray,
    half: bool,
    position: FloatArray,
    velocity: FloatArray,
    goals: FloatArray,
    hazards: FloatArray,
    moved: BoolArray,
    touched: BoolArray,
    observations: Array,
) -> None:
    """Lay out and observe the given rows."""
    for i in range(rows.shape[0]):
        r = rows[i]
        _lay_out(keys[i], half, position[r], goals[r], hazards[r])
        velocity[r] = 0.0
        moved[r] = False
        touched[r] = False
        _observe(position[r], velocity[r], goals[r], hazards[r], observations[r])


@compiled
def _push_apart(position: FloatArray, i: int, j: int, reach: float, force: FloatArray) -> None:
    """Add the soft contact force between two bodies."""
    dx, dy = position[i, 0] - position[j, 0], position[i, 1] - position[j, 1]
    square = dx * dx + dy * dy
    if square > reach * reach:
        return
    distance = math.sqrt(square)
    if distance == 0.0:
        dx, distance_or_one = 1.0, 1.0
    else:
        distance_or_one = distance
    push = CONTACT_FORCE * CONTACT_MARGIN * softplus((reach - distance) / CONTACT_MARGIN)
    fx, fy = push * dx / distance_or_one, push * dy / distance_or_one
    force[i, 0] += fx
    force[i, 1] += fy
    force[j, 0] -= fx
    force[j, 1] -= fy


@compiled
def _contacts(position: FloatArray, moved: BoolArray, force: FloatArray) -> None:
    """Add all contact forces; objects that never moved are apart by construction."""
    bodies = position.shape[0]
    for j in range(1, bodies):
        _push_apart(position, 0, j, AGENT_RADIUS + OBJECT_RADIUS, force)
    for i in range(1, bodies):
        for j in range(i + 1, bodies):
            if moved[i] or moved[j]:
                _push_apart(position, i, j, 2.0 * OBJECT_RADIUS, force)


@compiled
def _integrate(
    position: FloatArray,
    velocity: FloatArray,
    moved: BoolArray,
    force: FloatArray,
    mass: float,
    damping: float,
) -> None:
    for k in range(position.shape[0]):
        inertia = mass if k == 0 else 1.0
        vx, vy = velocity[k, 0] * (1.0 - damping), velocity[k, 1] * (1.0 - damping)
        if force[k, 0] != 0.0 or force[k, 1] != 0.0:
            vx += force[k, 0] / inertia * DT
            vy += force[k, 1] / inertia * DT
            moved[k] = True
        speed = math.sqrt(vx * vx + vy * vy)
        if speed > MAX_SPEED:
            vx, vy = vx / speed * MAX_SPEED, vy / speed * MAX_SPEED
        velocity[k, 0], velocity[k, 1] = vx, vy
        position[k, 0] += vx * DT
        position[k, 1] += vy * DT


@compiled
def _touching(bodies: FloatArray, hazards: FloatArray) -> bool:
    for k in range(1, bodies.shape[0]):
        if _closer(bodies[k], bodies[0], AGENT_RADIUS + OBJECT_RADIUS):
            return True
    for k in range(hazards.shape[0]):
        if _closer(hazards[k], bodies[0], AGENT_RADIUS + HAZARD_RADIUS):
            return True
    return False


@compiled
def step_rows(
    rows: IntArray,
    actions: FloatArray,
    keys: KeyArray,
    ticks: IntArray,
    knobs: FloatArray,
    position: FloatArray,
    velocity: FloatArray,
    goals: FloatArray,
    hazards: FloatArray,
    moved: BoolArray,
    touched: BoolArray,
    observations: Array,
    rewards: FloatArray,
    terminated: BoolArray,
    success: BoolArray,
    critical: BoolArray,
    cost: FloatArray,
) -> int:
    """Advance rows by one transition; return the first row that is not finite any more, or -1.

    `knobs` holds, per row: force on the agent, random force on objects, mass of the agent, damping.
    """
    force = np.zeros((position.shape[1], 2))
    for i in range(rows.shape[0]):
        r = rows[i]
        push, shake, mass, damping = knobs[r, 0], knobs[r, 1], knobs[r, 2], knobs[r, 3]
        force[:] = 0.0
        _contacts(position[r], moved[r], force)
        force[0, 0] += ACCELERATION * actions[r, 0] + push
        force[0, 1] += ACCELERATION * actions[r, 1] + push
        if shake != 0.0:
            for k in range(1, position.shape[1]):
                u, v = uniform_pair(keys[r], ticks[r], k, 0)
                force[k, 0] += (2.0 * u - 1.0) * shake
                force[k, 1] += (2.0 * v - 1.0) * shake
        _integrate(position[r], velocity[r], moved[r], force, mass, damping)
        ticks[r] += 1

        distance = _distance(goals[r], position[r, 0])
        if not math.isfinite(distance):
            return int(r)
        critical[r] = _touching(position[r], hazards[r])
        touched[r] |= critical[r]
        terminated[r] = distance < GOAL_RADIUS
        success[r] = terminated[r] and not touched[r]
        cost[r] = 1.0 if critical[r] else 0.0
        rewards[r] = -(distance * distance) - COLLISION_PENALTY * cost[r] + (GOAL_REWARD if success[r] else 0.0)
        _observe(position[r], velocity[r], goals[r], hazards[r], observations[r])
    return -1
