"""The camera of the lane-keeping world: it looks ahead from the car."""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.deterministic_math import sincos
from offnominal.core.philox import uniform_pair
from offnominal.core.types import BoolArray, FloatArray, Frames
from offnominal.worlds.road import highway_scene as parts
from offnominal.worlds.road import traffic, vehicle
from offnominal.worlds.road.highway import LANE_WIDTH, NODE_SPACING, NODES, curvature
from offnominal.worlds.road.kernel import Road
from offnominal.worlds.road.traffic import CARS, ONCOMING, PER_LANE

AHEAD, HEIGHT = 0.5, 1.5
"""Position of the camera in the car, m."""
FIELD_OF_VIEW = 90.0
BEHIND = 2
"""Pieces of road that begin behind the car."""
STEPS_PER_SEGMENT = 4
FARTHEST_PLACE = 1e6
"""Places beyond are not drawn, m."""
BRAKE_LIGHTS = -0.7
"""Acceleration below which the brake lights of a car are on, m/s²."""
TREE_LANE = 1 << 17


@compiled
def heading_at(curvatures: FloatArray, position: float) -> float:
    """Return the direction of the road at a position, relative to that at position 0."""
    turned, node, inside = 0.0, 0, min(max(position, 0.0), (NODES - 1) * NODE_SPACING)
    while (node + 1) * NODE_SPACING < inside:
        turned += 0.5 * (curvatures[node] + curvatures[node + 1]) * NODE_SPACING
        node += 1
    rest = inside - node * NODE_SPACING
    turned += 0.5 * rest * (curvature(curvatures, node * NODE_SPACING) + curvature(curvatures, inside))
    return turned + (position - inside) * curvature(curvatures, position)


@compiled
def trace(curvatures: FloatArray, start: float, first: int, line: FloatArray) -> None:
    """Write position and direction of the lane's centre at the borders of the pieces of road, (pieces + 1, 3).

    The origin is the centre of the lane at `start`; the axes are those of the road's beginning.
    """
    step = parts.SEGMENT / STEPS_PER_SEGMENT
    x, y, turned = 0.0, 0.0, heading_at(curvatures, first * parts.SEGMENT)
    s = first * parts.SEGMENT
    for k in range(line.shape[0]):
        line[k, 0], line[k, 1], line[k, 2] = x, y, turned
        for _ in range(STEPS_PER_SEGMENT):
            middle = turned + 0.5 * step * curvature(curvatures, s + 0.25 * step)
            sine, cosine = sincos(middle)
            x += step * cosine
            y += step * sine
            turned += step * curvature(curvatures, s + 0.5 * step)
            s += step
    place = start / parts.SEGMENT - first
    k = min(max(int(place), 0), line.shape[0] - 2)
    here_x = line[k, 0] + (place - k) * (line[k + 1, 0] - line[k, 0])
    here_y = line[k, 1] + (place - k) * (line[k + 1, 1] - line[k, 1])
    for k in range(line.shape[0]):
        line[k, 0] -= here_x
        line[k, 1] -= here_y


@compiled
def _put(
    line: FloatArray,
    first: int,
    s: float,
    d: float,
    z: float,
    turn: float,
    position: FloatArray,
    angle: FloatArray,
    i: int,
) -> None:
    """Write the pose of an instance at a position along the lane and a distance from it; absent if it is too far."""
    place = s / parts.SEGMENT - first
    if not 0.0 <= place < line.shape[0] - 1:
        position[i, 0] = position[i, 1] = position[i, 2] = math.nan
        angle[i] = 0.0
        return
    k = int(place)
    share = place - k
    direction = line[k, 2] + share * (line[k + 1, 2] - line[k, 2])
    sine, cosine = sincos(direction)
    position[i, 0] = line[k, 0] + share * (line[k + 1, 0] - line[k, 0]) - d * sine
    position[i, 1] = line[k, 1] + share * (line[k + 1, 1] - line[k, 1]) + d * cosine
    position[i, 2] = z
    angle[i] = direction + turn


@compiled
def _put_landscape(
    key: np.uint64,
    line: FloatArray,
    first: int,
    middle: float,
    rails: FloatArray,
    position: FloatArray,
    angle: FloatArray,
) -> None:
    """Place road, rails, posts and trees; `middle` is the middle of the carriageway, to the left of the lane."""
    for k in range(parts.SEGMENTS):
        cell = first + k
        s = (cell + 0.5) * parts.SEGMENT
        _put(line, first, s, middle, 0.02, 0.0, position, angle, parts.ROAD + k)
        _put(line, first, s, middle + parts.OTHER_SIDE, 0.02, 0.0, position, angle, parts.OTHER_ROAD + k)
        for side in range(rails.shape[0]):
            turn = 0.0 if side == 0 else math.pi
            i = parts.RAIL + side * parts.SEGMENTS + k
            _put(line, first, s, middle + rails[side], 0.0, turn, position, angle, i)
        _put(line, first, s - 5.9, middle - parts.HALF_ROAD - 0.25, 0.0, 0.0, position, angle, parts.POST + k)
        for side in range(2):
            # A place along the road always has the same tree.
            i = parts.TREE + cell % parts.SEGMENTS * 2 + side
            u, v = uniform_pair(key, cell + 1000, TREE_LANE, side)
            away = parts.HALF_ROAD + 4.0 + 22.0 * v * v
            d = middle - away if side == 0 else middle + parts.OTHER_SIDE + away
            _put(line, first, s + 5.0 * (2.0 * u - 1.0), d, 0.0, 6.0 * v, position, angle, i)


@compiled
def _put_traffic(
    line: FloatArray,
    first: int,
    lane: int,
    cars: FloatArray,
    oncoming: FloatArray,
    wrong_way: float,
    position: FloatArray,
    angle: FloatArray,
) -> None:
    """Place the cars and their brake lights."""
    for k in range(CARS):
        d = (k // PER_LANE - lane) * LANE_WIDTH + cars[k, traffic.ASIDE]
        _put(line, first, cars[k, traffic.POSITION], d, 0.02, 0.0, position, angle, parts.BODY + k)
    middle = (1.0 - lane) * LANE_WIDTH
    for k in range(ONCOMING):
        d = middle + parts.OTHER_SIDE + (k % 3 - 1) * LANE_WIDTH
        _put(line, first, oncoming[k, 0], d, 0.02, math.pi, position, angle, parts.BODY + CARS + k)
    _put(line, first, wrong_way, 0.0, 0.02, math.pi, position, angle, parts.WRONG_WAY)
    for k in range(CARS):
        braking = cars[k, traffic.ACCELERATION] < BRAKE_LIGHTS
        for c in range(3):
            position[parts.BRAKE_LAMPS + k, c] = position[parts.BODY + k, c] if braking else math.nan
        angle[parts.BRAKE_LAMPS + k] = angle[parts.BODY + k]


@compiled
def place_rows(
    road: Road,
    rails: FloatArray,
    hills: FloatArray,
    positions: FloatArray,
    rotations: FloatArray,
    cameras: FloatArray,
) -> None:
    """Write the poses of all instances and the position and direction of the camera of each row."""
    states, curvatures, cars, lanes = road.states, road.curvatures, road.cars, road.lanes
    line = np.empty((parts.SEGMENTS + 1, 3))
    angle = np.zeros(parts.COUNT)
    for r in range(states.shape[0]):
        s, position = states[r, vehicle.POSITION], positions[r]
        first = int(np.floor(s / parts.SEGMENT)) - BEHIND + 1
        trace(curvatures[r], s, first, line)
        for c in range(3):
            position[parts.GRASS, c] = 0.0
        middle = (1.0 - lanes[r]) * LANE_WIDTH
        _put_landscape(road.keys[r], line, first, middle, rails, position, angle)
        for k in range(hills.shape[0]):
            sine, cosine = sincos(hills[k, 0])
            i = parts.HILL + k
            position[i, 0], position[i, 1], position[i, 2] = hills[k, 1] * cosine, hills[k, 1] * sine, -8.0
        _put_traffic(line, first, lanes[r], cars[r], road.oncoming[r], road.wrong_way[r], position, angle)
        for i in range(parts.COUNT):
            sine, cosine = sincos(angle[i])
            rotations[r, i, 0, 0], rotations[r, i, 0, 1], rotations[r, i, 0, 2] = cosine, -sine, 0.0
            rotations[r, i, 1, 0], rotations[r, i, 1, 1], rotations[r, i, 1, 2] = sine, cosine, 0.0
            rotations[r, i, 2, 0], rotations[r, i, 2, 1], rotations[r, i, 2, 2] = 0.0, 0.0, 1.0
        along = heading_at(curvatures[r], s)
        sine, cosine = sincos(along)
        d = states[r, vehicle.LATERAL]
        ahead_sine, ahead_cosine = sincos(along + states[r, vehicle.HEADING])
        cameras[r, 0], cameras[r, 1] = AHEAD * ahead_cosine - d * sine, AHEAD * ahead_sine + d * cosine
        cameras[r, 2], cameras[r, 3] = ahead_cosine, ahead_sine


def draw(road: Road, rain: FloatArray, *, size: int = 128) -> Frames:
    """Return images of some rows.

    Args:
        road: State of the rows. A row whose car has no place shows the empty ground.
        rain: Rain of each row, mm/h.
        size: Pixels per side.

    Returns:
        (rows, size, size, 3).
    """
    from offnominal.worlds.road.rain import add_streaks

    states, columns = road.states, (vehicle.POSITION, vehicle.LATERAL, vehicle.HEADING)
    farthest = np.maximum.reduce([np.abs(states[:, column]) for column in columns])
    # False for NaN.
    known: BoolArray = farthest < FARTHEST_PLACE
    n, rows = len(states), np.flatnonzero(known)
    positions, rotations = np.full((n, parts.COUNT, 3), np.nan), np.zeros((n, parts.COUNT, 3, 3))
    rotations[:], positions[:, parts.GRASS] = np.eye(3), 0.0
    cameras = np.tile(np.array((AHEAD, 0.0, 1.0, 0.0)), (n, 1))
    placed = positions[rows], rotations[rows], cameras[rows]
    place_rows(Road._make(each[rows] for each in road), np.array(parts.RAILS), np.array(parts.HILLS), *placed)
    positions[rows], rotations[rows], cameras[rows] = placed
    frames = _render(positions, rotations, cameras, rain, size)
    for r in np.flatnonzero(rain > 0.0):
        # The streaks depend on the state alone: they change whenever the car has moved.
        moment = int(abs(float(states[r, vehicle.POSITION])) * 1e6) if known[r] else 0
        add_streaks(frames[r], parts.rainy_weather(float(rain[r])), seed=int(road.keys[r]) >> 1, step=moment)
    return frames


def _render(positions: FloatArray, rotations: FloatArray, cameras: FloatArray, rain: FloatArray, size: int) -> Frames:
    """Return images of placed instances; rows with equal rain share a scene."""
    from offnominal.sensing import Camera, Poses, render_batch

    frames = np.empty((len(positions), size, size, 3), np.uint8)
    for amount in np.unique(rain):
        group = np.flatnonzero(rain == amount)
        views = [
            Camera((x, y, HEIGHT), (x + dx, y + dy, HEIGHT), size, size, fov=FIELD_OF_VIEW)
            for x, y, dx, dy in cameras[group].tolist()
        ]
        poses = Poses(positions[group], rotations[group])
        drawn = render_batch(parts.highway_scene(float(amount)), views, poses).rgb
        assert drawn is not None
        frames[group] = drawn
    return frames
