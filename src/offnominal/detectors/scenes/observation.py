"""What a scene detector may use of a frame: measurements and the motion of the ego vehicle, no labels, no truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.types import BoolArray, FloatArray
from offnominal.detectors.observation_limits import MAX_READING
from offnominal.sensing.camera import Camera
from offnominal.sensing.lidar import Lidar
from offnominal.worlds.road.rig_frame import CameraFrame, LidarFrame
from offnominal.worlds.road.scenes import DrivingFrame
from offnominal.worlds.road.town.snapshot import EGO, TICK_SECONDS


@dataclass(frozen=True, eq=False)
class CameraObservation:
    """Image of one camera.

    Args:
        camera: The camera at its pose in the world.
        rgb: (height, width, 3): colours.
        depth: (height, width): distance along the direction of view, m; infinite in the sky and where it is invalid.
        invalid: (height, width): whether the depth is not a number or negative.
    """

    camera: Camera
    rgb: NDArray[np.uint8]
    depth: NDArray[np.float32]
    invalid: BoolArray

    def reduced(self, stride: int) -> CameraObservation:
        """Return the image with one of `stride` rows and columns."""
        if stride == 1:
            return self
        depth = self.depth[::stride, ::stride]
        height, width = depth.shape
        camera = replace(self.camera, width=width, height=height)
        return CameraObservation(camera, self.rgb[::stride, ::stride], depth, self.invalid[::stride, ::stride])

    def points(self) -> FloatArray:
        """Return the points (height, width, 3) in the world, m; not finite in the sky."""
        view = self.camera.packed()
        right, up = self.camera.image_plane()
        rays = view[9:12] + right[..., None] * view[3:6] + up[..., None] * view[6:9]
        with np.errstate(invalid="ignore"):
            found: FloatArray = view[:3] + self.depth[..., None].astype(np.float64) * rays
        return found


@dataclass(frozen=True, eq=False)
class LidarObservation:
    """Measured points of one turn of a lidar, in the order of its rows and columns.

    Args:
        lidar: The lidar at its pose in the world.
        points: (n, 3): valid points in the world, m.
        intensity: (n,): their intensities.
        row: (n,): laser of each point, the highest first.
        column: (n,): column of each point.
        valid: (all returns,): which returns are valid points.
    """

    lidar: Lidar
    points: FloatArray
    intensity: FloatArray
    row: NDArray[np.int64]
    column: NDArray[np.int64]
    valid: BoolArray


@dataclass(frozen=True, eq=False)
class SceneObservation:
    """One frame as a scene detector gets it.

    Args:
        seconds: Time of the frame, s.
        cameras: Images by the names of the mounts.
        lidars: Points by the names of the mounts.
        position: (3,): position of the ego vehicle on the ground, m.
        yaw: Direction of the ego vehicle, radians to the left.
        speed: Speed of the ego vehicle, m/s.
        controls: Throttle, steering and brake of the ego vehicle.
    """

    seconds: float
    cameras: Mapping[str, CameraObservation]
    lidars: Mapping[str, LidarObservation]
    position: FloatArray
    yaw: float
    speed: float
    controls: tuple[float, float, float]

    @classmethod
    def of(cls, frame: DrivingFrame) -> SceneObservation:
        """Return what detectors may use of a frame."""
        return cls(
            seconds=frame.tick * TICK_SECONDS,
            cameras={name: _camera(name, each) for name, each in frame.sensors.cameras.items()},
            lidars={name: _lidar(each) for name, each in frame.sensors.lidars.items()},
            position=np.asarray(frame.position, np.float64),
            yaw=float(np.deg2rad(frame.yaw)),
            speed=float(frame.state.speed[EGO]),
            controls=frame.state.controls,
        )

    def from_ego(self, points: FloatArray) -> FloatArray:
        """Return points (..., 3) of the world relative to the ego vehicle: x ahead, y to the left, z above the road."""
        offset = points - self.position
        sine, cosine = np.sin(self.yaw), np.cos(self.yaw)
        with np.errstate(invalid="ignore"):
            ahead = offset[..., 0] * cosine + offset[..., 1] * sine
            left = offset[..., 1] * cosine - offset[..., 0] * sine
        return np.stack([ahead, left, offset[..., 2]], axis=-1)


def checked_frame(frame: Any) -> DrivingFrame:
    """Return a frame, or raise :class:`InvalidParameter`."""
    if not isinstance(frame, DrivingFrame):
        raise InvalidParameter(f"the frame is {shown(frame)}; expected a DrivingFrame, for example of open_scenes.")
    return frame


def _camera(name: str, given: CameraFrame) -> CameraObservation:
    image = given.image
    if image.rgb is None or image.depth is None:
        raise InvalidParameter(f"camera {name!r} has no colours or no depth; record the outputs rgb and depth.")
    depth = np.asarray(image.depth, np.float32)
    invalid: BoolArray = ~(depth >= 0.0)
    return CameraObservation(given.camera, image.rgb, np.where(invalid, np.float32(np.inf), depth), invalid)


def _lidar(given: LidarFrame) -> LidarObservation:
    cloud = given.measured
    row, column = np.nonzero(cloud.returned)
    points = cloud.points[row, column].astype(np.float64)
    intensity = np.zeros(len(points)) if cloud.intensity is None else cloud.intensity[row, column].astype(np.float64)
    readings = np.abs(np.column_stack([points, intensity]))
    valid = np.asarray((readings <= MAX_READING).all(axis=1))
    return LidarObservation(given.lidar, points[valid], intensity[valid], row[valid], column[valid], valid)
