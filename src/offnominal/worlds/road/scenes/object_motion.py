"""How an anomaly object moves until a vehicle hits it: it drops on the lane, topples over, or hangs in the air."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from offnominal.core.deterministic_math import sincos
from offnominal.core.types import FloatArray
from offnominal.sensing.shapes import Mesh, Triple
from offnominal.sensing.vectors import rotated, rotation_about_z
from offnominal.worlds.road.scenarios.anomaly import ContentAnomaly
from offnominal.worlds.road.town.obstacle import Obstacle
from offnominal.worlds.road.town.routes import Route
from offnominal.worlds.road.town.snapshot import TICK_SECONDS

GRAVITY = 9.81
# An unstable object begins to topple when the ego vehicle is this near, m, with this lean, degrees.
TRIGGER = 38.0
FIRST_LEAN, LYING = 1.5, 90.0
STEPS_PER_TICK = 10


@dataclass(frozen=True, eq=False)
class ObjectPose:
    """Pose of an object at one tick.

    Args:
        position: Position of its origin, m.
        rotation: (3, 3): rotation from its own axes to the world.
        centre: Centre of its bounding box on the ground, (x, y) in m.
        heading: Direction of that box, radians.
        size: Sides of that box along the heading, across and upwards, m.
        bottom: Height of its lowest point, m.
    """

    position: Triple
    rotation: FloatArray
    centre: tuple[float, float]
    heading: float
    size: Triple
    bottom: float = 0.0


@dataclass(frozen=True, eq=False)
class ObjectMotion:
    """Motion of the object of a content anomaly on a route.

    Args:
        anomaly: The anomaly.
        route: Route of the ego vehicle.
    """

    anomaly: ContentAnomaly
    route: Route

    @cached_property
    def vertices(self) -> FloatArray:
        """Corners of the standing object in its own frame."""
        shapes = [part.shape for part in self.anomaly.entry.asset().parts]
        return np.concatenate([np.asarray(shape.vertices) for shape in shapes if isinstance(shape, Mesh)])

    @cached_property
    def lane_heading(self) -> float:
        """Direction of the lane at the object, radians."""
        return self.standing.heading - math.radians(self.anomaly.yaw)

    @cached_property
    def standing(self) -> ObjectPose:
        """Pose of the object on the ground, before it topples."""
        anomaly = self.anomaly
        at = self.route.position_at(anomaly.distance)
        pose = self.route.graph.to_cartesian(at.lane, at.s, anomaly.lateral_offset)
        heading = pose.heading + math.radians(anomaly.yaw)
        return self._posed((pose.x, pose.y), heading, rotation_about_z(math.degrees(heading)))

    @property
    def is_unstable(self) -> bool:
        """Whether the object topples over."""
        return self.anomaly.placement == "unstable"

    def obstacle(self) -> Obstacle:
        """Return the object as the traffic meets it; an unstable one blocks the ground on which it falls."""
        pose, anomaly = self.pose(0, 10**6) if self.is_unstable else self.standing, self.anomaly
        sine, cosine = sincos(self.lane_heading)
        dx, dy = (a - b for a, b in zip(pose.centre, self.standing.centre, strict=True))
        offset = anomaly.lateral_offset + cosine * dy - sine * dx
        yaw = pose.heading - self.lane_heading
        return Obstacle(anomaly.name, int(anomaly.label), anomaly.distance, pose.size, offset, yaw)

    def pose(self, tick: int, toppling: int) -> ObjectPose:
        """Return the pose at a tick.

        Args:
            tick: Ticks since the object appeared.
            toppling: Ticks since it began to topple.
        """
        anomaly, standing = self.anomaly, self.standing
        height = float(anomaly.height or 0.0)
        if anomaly.placement == "lane":
            seconds = tick * TICK_SECONDS
            height = max(0.0, height - 0.5 * GRAVITY * seconds * seconds)
        if not self.is_unstable or toppling <= 0:
            x, y, _ = standing.position
            return replace(standing, position=(x, y, height), bottom=height)
        lean = self._lean(toppling)
        return self._posed(standing.position[:2], self.lane_heading, self._leaning(lean))

    def is_near(self, x: float, y: float) -> bool:
        """Return whether the ego vehicle is so near that an unstable object begins to topple."""
        px, py, _ = self.standing.position
        return (x - px) ** 2 + (y - py) ** 2 < TRIGGER**2

    def _lean(self, ticks: int) -> float:
        """Return the angle of a falling rod after some ticks, degrees."""
        rate = 1.5 * GRAVITY / max(0.3, self.standing.size[2])
        dt = TICK_SECONDS / STEPS_PER_TICK
        angle, speed, lying = math.radians(FIRST_LEAN), 0.0, math.radians(LYING)
        for _ in range(ticks * STEPS_PER_TICK):
            speed += dt * rate * sincos(angle)[0]
            angle += dt * speed
            if angle >= lying:
                return LYING
        return math.degrees(angle)

    def _leaning(self, lean: float) -> FloatArray:
        """Return the rotation of the object that leans towards the lane."""
        side = -1.0 if self.anomaly.lateral_offset > 0.0 else 1.0
        sine, cosine = sincos(math.radians(-side * lean))
        about_x = np.array(((1.0, 0.0, 0.0), (0.0, cosine, -sine), (0.0, sine, cosine)))
        # Columns of a rotation are the rotated axes.
        own_axes = rotated(rotation_about_z(self.anomaly.yaw).T, about_x)
        return rotated(own_axes, rotation_about_z(math.degrees(self.lane_heading))).T

    def _posed(self, place: tuple[float, float], heading: float, rotation: FloatArray) -> ObjectPose:
        """Return the pose whose lowest point is on the ground, with its bounding box."""
        found = pose_of(self.vertices, (*place, 0.0), heading, rotation)
        return replace(found, position=(*place, -found.bottom), bottom=0.0)


def pose_of(vertices: FloatArray, position: Triple, heading: float, rotation: FloatArray) -> ObjectPose:
    """Return the pose of an object with its bounding box.

    Args:
        vertices: Its corners in its own frame.
        position: Position of its origin, m.
        heading: Direction of the bounding box, radians.
        rotation: (3, 3): rotation from its own axes to the world.
    """
    along = rotation_about_z(math.degrees(heading))
    own = rotated(rotated(vertices, rotation), along.T)
    low, high = own.min(axis=0), own.max(axis=0)
    middle = rotated(0.5 * (low + high), along)
    x, y, z = (float(each) for each in high - low)
    centre = (position[0] + float(middle[0]), position[1] + float(middle[1]))
    return ObjectPose(position, rotation, centre, heading, (x, y, z), position[2] + float(low[2]))
