"""Points of all sensors of a frame in the frame of the ego vehicle.

The frame of the ego vehicle is right-handed: x ahead, y to the left, z up, from the ground below its centre.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from offnominal.core.checks import instance_of, positive_number
from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.core.types import Array, FloatArray
from offnominal.sensing.vectors import rotated, rotation_about_z
from offnominal.sensing.voxels import InvalidPoints
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.scenes.driving_frame import DrivingFrame

T = TypeVar("T")

FARTHEST = 100.0
"""Distance from a sensor beyond which the published code drops points, m."""


@dataclass(frozen=True, eq=False)
class EgoPoints:
    """Points of one or several sensors in the frame of the ego vehicle.

    Args:
        points: (n, 3): points, m.
        label: (n,): their labels.
        instance: (n,): their instances; 0 if they are not known.
        source: (n,): which pixel or return of the sensor each point is, counted row by row: of a camera among all its
            pixels, of a lidar among its returns, ``cloud.points[cloud.returned]``.
    """

    points: NDArray[np.float32]
    label: NDArray[np.uint8]
    instance: NDArray[np.int32]
    source: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.points)

    @classmethod
    def joined(cls, parts: Sequence[EgoPoints]) -> EgoPoints:
        """Return the points of several sensors one after the other.

        Raises:
            InvalidPoints: There are no points.
        """
        if not any(map(len, parts)):
            raise InvalidPoints("no sensor has a point within its range; expected at least one.")
        return cls(
            np.concatenate([part.points for part in parts]),
            np.concatenate([part.label for part in parts]),
            np.concatenate([part.instance for part in parts]),
            np.concatenate([part.source for part in parts]),
        )


def ego_points(
    frame: DrivingFrame,
    *,
    cameras: Iterable[str] | None = None,
    lidars: Iterable[str] | None = None,
    max_distance: float = FARTHEST,
) -> EgoPoints:
    """Return the points of all sensors of a frame together.

    Args:
        frame: The frame.
        cameras: Names of the cameras; None are all of them.
        lidars: Names of the lidars; None are all of them. Their exact points are used, as of a semantic lidar.
        max_distance: Points farther from their sensor are left out, m.

    Raises:
        UnknownName: The frame has no such sensor.
        InvalidPoints: There are no points.
    """
    sensors = frame.sensors
    parts = [camera_points(frame, name, max_distance=max_distance) for name in _names(cameras, sensors.cameras)]
    parts += [lidar_points(frame, name, max_distance=max_distance) for name in _names(lidars, sensors.lidars)]
    return EgoPoints.joined(parts)


def camera_points(frame: DrivingFrame, name: str, *, max_distance: float = FARTHEST) -> EgoPoints:
    """Return the pixels of a camera as points; pixels without a surface within the distance are left out.

    Args:
        frame: The frame.
        name: Name of the camera.
        max_distance: Largest distance from the camera, m.

    Raises:
        UnknownName: The frame has no such camera.
        InvalidParameter: The image has no depth or no labels.
    """
    from offnominal.worlds.road.scenes.point_kernel import lift_pixels

    found = _sensor("camera", name, frame.sensors.cameras)
    camera, image = found.camera, found.image
    if image.depth is None or image.label is None:
        raise InvalidParameter(f"the camera {name!r} has no depth or no labels; record both.")
    turn, place = _to_ego(frame)
    view = camera.packed()
    view[:12] = rotated(view[:12].reshape(4, 3), turn).ravel()
    view[:3] += place
    size = image.depth.size
    points, source = np.empty((size, 3), np.float32), np.empty(size, np.int32)
    farthest = positive_number("max_distance", max_distance)
    right, up = (np.ravel(each) for each in camera.image_plane())
    n = lift_pixels(image.depth, view, right, up, farthest, points, source)
    return _labelled(points[:n], source[:n], image.label, image.instance)


def lidar_points(
    frame: DrivingFrame, name: str, *, measured: bool = False, max_distance: float = FARTHEST
) -> EgoPoints:
    """Return the points of a lidar.

    Args:
        frame: The frame.
        name: Name of the lidar.
        measured: Whether to return the measured points, with noise, instead of the exact ones.
        max_distance: Largest distance from the lidar, m.

    Raises:
        UnknownName: The frame has no such lidar.
    """
    from offnominal.worlds.road.scenes.point_kernel import move_points

    found = _sensor("lidar", name, frame.sensors.lidars)
    cloud = found.measured if measured else found.exact
    turn, place = _to_ego(frame)
    size = cloud.ranges.size
    points, source, number = np.empty((size, 3), np.float32), np.empty(size, np.int32), np.empty(size, np.int32)
    farthest = positive_number("max_distance", max_distance)
    flat = np.ascontiguousarray(cloud.points).reshape(-1, 3)
    n = move_points(flat, np.ravel(cloud.ranges), turn, place, farthest, points, source, number)
    there = _labelled(points[:n], source[:n], cloud.label, cloud.instance)
    return EgoPoints(there.points, there.label, there.instance, number[:n])


def _names(chosen: Iterable[str] | None, known: Iterable[str]) -> list[str]:
    return list(known) if chosen is None else list(chosen)


def _sensor(kind: str, name: str, sensors: dict[str, T]) -> T:
    instance_of(f"the name of a {kind}", name, str)
    if name not in sensors:
        raise UnknownName(
            f"the frame has no {kind} {name!r}.{did_you_mean(name, sensors)} It has {', '.join(sensors) or 'none'}."
        )
    return sensors[name]


def _to_ego(frame: DrivingFrame) -> tuple[FloatArray, FloatArray]:
    """Return rotation and translation from the world to the frame of the ego vehicle."""
    turn = np.ascontiguousarray(rotation_about_z(frame.yaw).T)
    return turn, -rotated(np.array(frame.position, np.float64), turn)


def _labelled(
    points: NDArray[np.float32], source: NDArray[np.int32], label: Array, instance: Array | None
) -> EgoPoints:
    labels = np.ravel(label)[source]
    unknown = ~_KNOWN[np.clip(labels, 0, len(_KNOWN) - 1)]
    if unknown.any():
        raise UnknownName(f"no label has the id {int(labels[np.argmax(unknown)])}; `Label` lists them.")
    ids = np.zeros(len(source), np.int32) if instance is None else np.ravel(instance)[source].astype(np.int32)
    return EgoPoints(points, labels.astype(np.uint8), ids, source)


_KNOWN = np.zeros(257, np.bool_)
_KNOWN[[int(label) for label in Label]] = True
