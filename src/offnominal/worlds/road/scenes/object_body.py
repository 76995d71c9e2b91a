"""The object of a content anomaly as a body that vehicles push and throw."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from itertools import product

import numpy as np

from offnominal.core.deterministic_math import arctan2
from offnominal.core.types import FloatArray, IntArray
from offnominal.sensing.shapes import Mesh
from offnominal.sensing.vectors import rotated
from offnominal.worlds.road.scenes import contact_kernel as ck
from offnominal.worlds.road.scenes.contact_kernel import move_object
from offnominal.worlds.road.scenes.hit import Hit
from offnominal.worlds.road.scenes.object_motion import ObjectMotion, ObjectPose, pose_of
from offnominal.worlds.road.town.snapshot import TICK_SECONDS
from offnominal.worlds.road.town.traffic_state import Vehicles
from offnominal.worlds.road.town.vehicle_kinds import KINDS

# Sum of the half diagonals and this distance: vehicles farther away do not touch the object in this tick, m.
AROUND = 4.0
AT_REST, TURNING_AT_REST = 0.05, 0.15
UPRIGHT = 1e-3
THIN = 0.01
# A vehicle that touches an object again within these ticks is still in the same hit.
SAME_HIT = 10


class ObjectBody:
    """The object of a content anomaly, which stays where it is put until a vehicle touches it.

    Args:
        motion: Motion of the object until then.
        height_at: Height of the ground at a position, m.
    """

    def __init__(self, motion: ObjectMotion, height_at: Callable[[float, float], float]) -> None:
        self.motion = motion
        self.hits: list[Hit] = []
        self.pose: ObjectPose | None = None
        self._height_at = height_at
        self._body: FloatArray | None = None
        self._touching: dict[int, int] = {}
        self._rests = False

    @property
    def is_free(self) -> bool:
        """Whether a vehicle has touched the object, so that it moves on its own."""
        return self._body is not None

    @property
    def speed(self) -> float:
        """Speed over ground, m/s; 0 until the object is touched."""
        if self._body is None:
            return 0.0
        vx, vy = self._body[ck.VELOCITY : ck.VELOCITY + 2].tolist()
        return math.sqrt(vx * vx + vy * vy)

    def step(self, tick: int, toppling: int, before: FloatArray, cars: Vehicles) -> ObjectPose:
        """Move the object by one tick, slow down the vehicles that touch it, and return its pose.

        Args:
            tick: Ticks since the object appeared.
            toppling: Ticks since it began to topple over.
            before: (n, 4): poses of the vehicles at the beginning of the tick.
            cars: Vehicles at its end; speed, acceleration and place of those that touch the object are changed.
        """
        shown = self.pose
        if self._body is None:
            shown = self.motion.pose(tick, toppling)
        assert shown is not None
        near = self._near(shown, cars)
        if len(near) or (self._body is not None and not self._rests):
            shown = self._among(near, shown, tick, toppling, before, cars)
        self.pose = shown
        return shown

    def _among(
        self, near: IntArray, shown: ObjectPose, tick: int, toppling: int, before: FloatArray, cars: Vehicles
    ) -> ObjectPose:
        """Move the object among the vehicles near it."""
        body = self._standing(tick, toppling) if self._body is None else self._body.copy()
        vehicles = _rows(near, before, cars)
        lost, lag, touched = np.zeros(len(near)), np.zeros(len(near)), np.zeros(len(near), np.int64)
        corners = rotated(self._corners, body[ck.AXES :].reshape(3, 3)) + body[:3]
        ground = np.array([self._height_at(x, y) for x, y in corners[:, :2].tolist()])
        shape = (self._corners, self._box, self._mass, self._inertia, self._area)
        move_object(body, *shape, ground, vehicles, lost, lag, touched)
        if self._body is None and not touched.any():
            return shown
        if self._rests and not touched.any():
            return shown
        self._body = body
        for row in np.flatnonzero(touched):
            self._slow_down(int(near[row]), float(lost[row]), float(lag[row]), tick, cars)
        self._rests = not touched.any() and _is_still(body)
        rotation = body[ck.AXES :].reshape(3, 3).copy()
        x, y, z = (body[:3] - rotated(self._centre, rotation)).tolist()
        return pose_of(self.motion.vertices, (x, y, z), _heading(rotation, shown.heading), rotation)

    def _slow_down(self, v: int, lost: float, lag: float, tick: int, cars: Vehicles) -> None:
        speed = float(cars.speed[v])
        kept = max(0.0, speed - lost)
        if tick - self._touching.get(v, -SAME_HIT - 1) > SAME_HIT:
            self.hits.append(Hit(tick, v + 1, speed, speed - kept, self.speed))
        self._touching[v] = tick
        cars.speed[v] = kept
        cars.acceleration[v] -= (speed - kept) / TICK_SECONDS
        cars.pose[v, :2] -= lag * cars.pose[v, 2:]
        cars.s[v] -= lag

    def _near(self, shown: ObjectPose, cars: Vehicles) -> IntArray:
        """Return the vehicles that may touch the object in this tick."""
        if shown.bottom > float(cars.size[:, 2].max()) + 1.0:
            return np.zeros(0, np.int64)
        reach = 0.5 * np.sqrt((cars.size[:, :2] ** 2).sum(axis=1)) + 0.5 * math.sqrt(
            sum(side * side for side in shown.size)
        )
        gap = cars.pose[:, :2] - np.array(shown.centre)
        found: IntArray = np.flatnonzero((gap**2).sum(axis=1) < (reach + AROUND) ** 2)
        return found

    def _standing(self, tick: int, toppling: int) -> FloatArray:
        """Return the state of an object that no vehicle has touched so far, at the beginning of the tick."""
        now = self.motion.pose(max(tick - 1, 0), max(toppling - 1, 0))
        earlier = self.motion.pose(max(tick - 2, 0), max(toppling - 2, 0))
        body = np.zeros(ck.BODY)
        for pose, where in ((earlier, ck.VELOCITY), (now, ck.POSITION)):
            body[where : where + 3] = np.array(pose.position) + rotated(self._centre, pose.rotation)
        body[ck.VELOCITY : ck.VELOCITY + 3] = (body[:3] - body[ck.VELOCITY : ck.VELOCITY + 3]) / TICK_SECONDS
        # The spin of a small turn is its skew-symmetric part.
        turn = rotated(earlier.rotation, now.rotation).T
        skew = 0.5 * (turn - turn.T) / TICK_SECONDS
        body[ck.SPIN : ck.SPIN + 3] = skew[2, 1], skew[0, 2], skew[1, 0]
        body[ck.AXES :] = now.rotation.reshape(-1)
        return body

    @cached_property
    def _surface(self) -> tuple[FloatArray, FloatArray]:
        """Points on the surface of the standing object, and the area around each."""
        shapes = [part.shape for part in self.motion.anomaly.entry.asset().parts]
        corners = np.concatenate(
            [np.asarray(shape.vertices)[np.asarray(shape.faces)] for shape in shapes if isinstance(shape, Mesh)]
        )
        across = _cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        areas = np.sqrt((across**2).sum(axis=1)) / 6.0
        # A triangle has the same moments as three points in the middles of its sides.
        middles = 0.5 * (corners + corners[:, (1, 2, 0)])
        return middles.reshape(-1, 3), np.repeat(areas, 3)

    @cached_property
    def _centre(self) -> FloatArray:
        """Centre of mass; the mass is on the surface."""
        points, areas = self._surface
        return _mean(points, areas)

    @cached_property
    def _box(self) -> FloatArray:
        """Lowest and highest corner of the bounding box, from the centre of mass."""
        vertices = self.motion.vertices - self._centre
        return np.stack([np.minimum(vertices.min(axis=0), -THIN), np.maximum(vertices.max(axis=0), THIN)])

    @cached_property
    def _corners(self) -> FloatArray:
        """The corners that are farthest in 98 directions, from the centre of mass."""
        vertices = self.motion.vertices
        chosen = set()
        for x, y, z in product((-1.0, -0.5, 0.0, 0.5, 1.0), repeat=3):
            if max(abs(x), abs(y), abs(z)) == 1.0:
                chosen.add(int((x * vertices[:, 0] + y * vertices[:, 1] + z * vertices[:, 2]).argmax()))
        corners: FloatArray = vertices[sorted(chosen)] - self._centre
        return np.ascontiguousarray(corners)

    @cached_property
    def _mass(self) -> float:
        return float(self.motion.anomaly.entry.mass)

    @cached_property
    def _inertia(self) -> FloatArray:
        """Moments of inertia about the object's own axes; those of a point are at least those of a small ball."""
        points, areas = self._surface
        x, y, z = _mean((points - self._centre) ** 2, areas).tolist()
        return self._mass * (np.array((y + z, x + z, x + y)) + THIN**2)

    @cached_property
    def _area(self) -> float:
        x, y, z = (self._box[1] - self._box[0]).tolist()
        return float((x * y + y * z + z * x) / 3.0)


def _mean(rows: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weighted mean of rows; the bits are the same on every machine."""
    total = math.fsum(weights.tolist())
    return np.array([math.fsum((column * weights).tolist()) / total for column in rows.T])


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the vector products of rows."""
    columns = [a[:, j] * b[:, k] - a[:, k] * b[:, j] for j, k in ((1, 2), (2, 0), (0, 1))]
    return np.stack(columns, axis=1)


def _rows(near: IntArray, before: FloatArray, cars: Vehicles) -> FloatArray:
    """Return vehicles as rows for the kernel."""
    rows = np.zeros((len(near), ck.VEHICLE))
    for row, v in zip(rows, near.tolist(), strict=True):
        row[ck.X0], row[ck.Y0] = before[v, :2]
        row[ck.X1], row[ck.Y1], row[ck.COS], row[ck.SIN] = cars.pose[v]
        row[ck.LENGTH], row[ck.WIDTH], row[ck.HEIGHT] = cars.size[v]
        row[ck.MASS] = KINDS[int(cars.kind[v])].mass
    return rows


def _is_still(body: FloatArray) -> bool:
    moves, turns = body[ck.VELOCITY : ck.VELOCITY + 3], body[ck.SPIN : ck.SPIN + 3]
    return bool((moves**2).sum() < AT_REST**2 and (turns**2).sum() < TURNING_AT_REST**2)


def _heading(rotation: FloatArray, before: float) -> float:
    """Return the direction of the first axis seen from above, or the one before if that axis is upright."""
    x, y = float(rotation[0, 0]), float(rotation[1, 0])
    return before if x * x + y * y < UPRIGHT else arctan2(y, x)
