"""Geometry, map and settings of the stand-in for CARLA's client package: left-handed, y to the right, degrees."""

import math
from dataclasses import dataclass, field

import numpy as np


@dataclass(slots=True)
class Vector3D:
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0

    def array(self):
        return np.array([self.x, self.y, self.z], float)


@dataclass(slots=True)
class Location(Vector3D):
    def distance(self, location):
        return float(np.sqrt(((self.array() - location.array()) ** 2).sum()))


@dataclass(slots=True)
class Rotation:
    pitch: float = 0.0
    yaw: float = 0.0
    roll: float = 0.0


@dataclass(slots=True)
class Transform:
    location: Location = field(default_factory=Location)
    rotation: Rotation = field(default_factory=Rotation)

    def __post_init__(self):
        if type(self.location) is not Location or type(self.rotation) is not Rotation:
            raise TypeError("Transform takes a Location and a Rotation")

    def get_matrix(self):
        """Columns: ahead, right, up, place."""
        cp, cy, cr = (math.cos(math.radians(a)) for a in (self.rotation.pitch, self.rotation.yaw, self.rotation.roll))
        sp, sy, sr = (math.sin(math.radians(a)) for a in (self.rotation.pitch, self.rotation.yaw, self.rotation.roll))
        return [
            [cp * cy, cy * sp * sr - sy * cr, -cy * sp * cr - sy * sr, self.location.x],
            [cp * sy, sy * sp * sr + cy * cr, -sy * sp * cr + cy * sr, self.location.y],
            [sp, -cp * sr, cp * cr, self.location.z],
            [0.0, 0.0, 0.0, 1.0],
        ]


@dataclass(slots=True)
class BoundingBox:
    location: Location
    extent: Vector3D


@dataclass(slots=True)
class WorldSettings:
    synchronous_mode: bool = False
    no_rendering_mode: bool = False
    fixed_delta_seconds: float | None = None
    substepping: bool = True
    max_substep_delta_time: float = 0.01
    max_substeps: int = 10
    deterministic_ragdolls: bool = False


@dataclass(slots=True)
class VehicleControl:
    throttle: float = 0.0
    steer: float = 0.0
    brake: float = 0.0
    hand_brake: bool = False
    reverse: bool = False
    manual_gear_shift: bool = False
    gear: int = 0


# Lanes by (road, lane): two ends, the junction or -1, and the lanes that follow.
LANES = {
    (1, -1): ((0.0, 0.0), (200.0, 0.0), -1, [(2, -1), (4, -1)]),
    (2, -1): ((200.0, 0.0), (220.0, 0.0), 10, [(3, -1)]),
    (3, -1): ((220.0, 0.0), (420.0, 0.0), -1, []),
    (4, -1): ((200.0, 0.0), (214.0, 14.0), 10, [(5, -1)]),
    (5, -1): ((214.0, 14.0), (214.0, 214.0), -1, []),
    (6, -1): ((420.0, -8.0), (0.0, -8.0), -1, []),
    (7, -1): ((200.0, -150.0), (200.0, 0.0), -1, [(2, -1), (4, -1)]),
}

STARTS, ENDS = (np.array([lane[k] for lane in LANES.values()]) for k in (0, 1))
LENGTHS = np.hypot(*(ENDS - STARTS).T)
WAYS = (ENDS - STARTS) / LENGTHS[:, None]


class Waypoint:
    section_id = 0
    __slots__ = ("_key", "is_junction", "junction_id", "lane_id", "road_id", "s", "transform")

    def __init__(self, key, s):
        (x, y), (ahead, right), junction = LANES[key][0], WAYS[list(LANES).index(key)], LANES[key][2]
        x, y, yaw = x + s * ahead, y + s * right, math.degrees(math.atan2(right, ahead))
        self._key, self.s, (self.road_id, self.lane_id) = key, s, key
        self.junction_id, self.is_junction = junction, junction >= 0
        self.transform = Transform(Location(float(x), float(y), 0.0), Rotation(yaw=yaw))

    def next(self, distance):
        start, end, _, after = LANES[self._key]
        left = math.dist(start, end) - self.s
        if distance <= left:
            return [Waypoint(self._key, self.s + distance)]
        return [each for key in after for each in Waypoint(key, 0.0).next(distance - left)]


class Map:
    __slots__ = ("name",)

    def __init__(self, name):
        self.name = f"Carla/Maps/{name}"

    def get_topology(self):
        return [(Waypoint(key, 0.0), Waypoint(key, math.dist(*LANES[key][:2]))) for key in LANES]

    def get_spawn_points(self):
        lanes = {(1, -1): (10, 200), (3, -1): (10, 200), (5, -1): (10, 200), (6, -1): (230, 420), (7, -1): (10, 150)}
        points = [Waypoint(key, float(s)) for key, ends in lanes.items() for s in range(*ends, 20)]
        return [
            Transform(Location(p.transform.location.x, p.transform.location.y, 0.3), p.transform.rotation)
            for p in points
        ]

    def get_waypoint(self, location, project_to_road=True):
        if type(location) is not Location or not project_to_road:
            raise TypeError("get_waypoint takes a Location")
        s = np.clip(((location.array()[:2] - STARTS) * WAYS).sum(axis=1), 0.0, LENGTHS)
        away = np.hypot(*(STARTS + s[:, None] * WAYS - location.array()[:2]).T)
        best = int(away.round(9).argmin())
        return Waypoint(list(LANES)[best], float(s[best]))
