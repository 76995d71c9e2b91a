"""Sensor rigs: cameras and lidars on a vehicle, as data, and the frames that they record.

Poses are relative to the ground below the centre of the vehicle: x ahead, y to the left, z up, yaw to the left. The
published files use y to the right and yaw to the right; see :meth:`Mount.published`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias

import numpy as np

from offnominal.core.checks import positive_integer
from offnominal.core.deterministic_math import arctan2, sincos
from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.core.types import FloatArray
from offnominal.sensing.camera import Camera
from offnominal.sensing.camera_models import IDEAL, CameraModel, camera_model
from offnominal.sensing.lidar import Lidar
from offnominal.sensing.lidar_models import AT_ONCE, LidarModel, lidar_model
from offnominal.sensing.shapes import Triple
from offnominal.sensing.vectors import rotated, rotation_about_z

Attitude: TypeAlias = tuple[float, float]
"""Pitch, up, and roll, to the right, of a vehicle, degrees."""
LEVEL: Attitude = (0.0, 0.0)


@dataclass(frozen=True)
class Mount:
    """A place on the vehicle with a camera, a lidar or both.

    Args:
        name: Name of the place; the names of a rig differ.
        position: Position relative to the vehicle, m.
        yaw: Direction of view, degrees to the left.
        pitch: Direction of view, degrees up.
        camera: Whether there is a camera.
        lidar: Whether there is a lidar.
    """

    name: str
    position: Triple
    yaw: float = 0.0
    pitch: float = 0.0
    camera: bool = True
    lidar: bool = True

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and self.name):
            raise InvalidParameter(f"a mount has the name {self.name!r}; expected a text.")
        if np.shape(self.position) != (3,) or not np.isfinite(np.asarray(self.position, np.float64)).all():
            raise InvalidParameter(f"mount {self.name!r}: position is {self.position}; expected finite (x, y, z).")
        if not (abs(self.yaw) <= 360.0 and abs(self.pitch) <= 89.0):
            raise InvalidParameter(
                f"mount {self.name!r}: yaw is {self.yaw} and pitch {self.pitch}; expected degrees, pitch within 89."
            )
        if not (self.camera or self.lidar):
            raise InvalidParameter(f"mount {self.name!r} has neither a camera nor a lidar.")

    def published(self) -> dict[str, dict[str, float]]:
        """Return location and rotation in the published frame, with y to the right and yaw to the right."""
        x, y, z = self.position
        return {
            "location": {"x": x, "y": -y + 0.0, "z": z},
            "rotation": {"roll": 0.0, "pitch": self.pitch, "yaw": -self.yaw + 0.0},
        }


@dataclass(frozen=True)
class Rig:
    """Sensors of a vehicle.

    Args:
        name: Name of the rig.
        mounts: Places with sensors.
        width: Pixels per row of each camera.
        height: Rows of each camera.
        fov: Horizontal field of view of each camera, degrees.
        channels: Lasers of each lidar.
        columns: Measurements of each laser per turn; a frame is one whole turn.
        lidar_fov: Elevation of the lowest and the highest laser, degrees.
        lidar_range: Largest measured distance, m.
        lidar_noise: Standard deviation of a measured distance, m.
        camera_model: How each camera makes its image, or the name of that.
        lidar_model: How each lidar measures a turn, or the name of that.
    """

    name: str
    mounts: tuple[Mount, ...]
    width: int = 768
    height: int = 512
    fov: float = 90.0
    channels: int = 64
    columns: int = 1024
    lidar_fov: tuple[float, float] = (-25.0, 15.0)
    lidar_range: float = 100.0
    lidar_noise: float = 0.1
    camera_model: CameraModel = IDEAL
    lidar_model: LidarModel = AT_ONCE
    cameras: tuple[Mount, ...] = field(init=False, repr=False)
    lidars: tuple[Mount, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mounts", tuple(self.mounts))
        if not self.mounts:
            raise InvalidParameter(f"rig {self.name!r} has no mounts; give at least one.")
        names = [mount.name for mount in self.mounts]
        if len(set(names)) < len(names):
            raise InvalidParameter(f"rig {self.name!r} has two mounts of one name: {', '.join(names)}.")
        for name in ("width", "height", "channels", "columns"):
            positive_integer(name, getattr(self, name))
        if not 1.0 <= self.fov <= 170.0:
            raise InvalidParameter(f"rig {self.name!r}: fov is {self.fov}; expected degrees from 1 to 170.")
        object.__setattr__(self, "lidar_fov", tuple(self.lidar_fov))
        object.__setattr__(self, "camera_model", camera_model(self.camera_model))
        object.__setattr__(self, "lidar_model", lidar_model(self.lidar_model))
        object.__setattr__(self, "cameras", tuple(mount for mount in self.mounts if mount.camera))
        object.__setattr__(self, "lidars", tuple(mount for mount in self.mounts if mount.lidar))
        for mount in self.lidars[:1]:
            self.lidar_at(mount, (0.0, 0.0, 0.0), 0.0)
        for mount in self.cameras[:1]:
            self.camera_at(mount, (0.0, 0.0, 0.0), 0.0)

    @property
    def focal(self) -> float:
        """Focal length of the cameras, pixels."""
        sine, cosine = sincos(math.pi / 360.0 * self.fov)
        return 0.5 * self.width * cosine / sine

    def camera_at(
        self, mount: Mount, position: Triple, yaw: float, *, attitude: Attitude = LEVEL, samples: int = 1
    ) -> Camera:
        """Return the camera of a mount, given the pose of the vehicle.

        Args:
            mount: The mount.
            position: Position of the vehicle on the ground, m.
            yaw: Its direction, degrees.
            attitude: Its pitch and roll.
            samples: Antialiasing, see :class:`~offnominal.sensing.Camera`.
        """
        eye, heading = self._pose(mount, position, yaw, attitude)
        up, level = sincos(math.pi / 180.0 * mount.pitch)
        sine, cosine = sincos(math.pi / 180.0 * heading)
        ahead = (level * cosine, level * sine, up)
        top = (0.0, 0.0, 1.0)
        if attitude != LEVEL:
            tilt = tilted(yaw, attitude)
            ahead, top = (_moved(each, tilt) for each in (ahead, top))
        target = (eye[0] + 10.0 * ahead[0], eye[1] + 10.0 * ahead[1], eye[2] + 10.0 * ahead[2])
        vertical = 360.0 / math.pi * arctan2(0.5 * self.height, self.focal)
        lens = self.camera_model.distortion
        return Camera(eye, target, self.width, self.height, vertical, top, samples=samples, distortion=lens)

    def lidar_at(self, mount: Mount, position: Triple, yaw: float, *, attitude: Attitude = LEVEL) -> Lidar:
        """Return the lidar of a mount without noise; see :meth:`camera_at`."""
        eye, heading = self._pose(mount, position, yaw, attitude)
        turn = rotation_about_z(heading)
        if attitude != LEVEL:
            turn = rotated(turn.T, tilted(yaw, attitude)).T
        return Lidar(eye, turn, self.channels, self.columns, self.lidar_fov, self.lidar_range)

    def _pose(self, mount: Mount, position: Triple, yaw: float, attitude: Attitude) -> tuple[Triple, float]:
        moved = rotated(np.array(mount.position), rotation_about_z(yaw))
        if attitude != LEVEL:
            moved = rotated(moved, tilted(yaw, attitude))
        x, y, z = (moved + np.array(position)).tolist()
        return (x, y, z), yaw + mount.yaw

    @classmethod
    def from_dict(cls, description: Mapping[str, Any]) -> Rig:
        """Return a rig from plain data, for example from a JSON file.

        Example:
            >>> rig = Rig.from_dict({"name": "mine", "mounts": [{"name": "front", "position": [1.5, 0.0, 1.2]}]})
            >>> len(rig.cameras), len(rig.lidars)
            (1, 1)
        """
        known = {each.name for each in fields(cls) if each.init}
        _check_keys("rig", description, known, {"name", "mounts"})
        description = dict(description)
        for name, kind in MODELS.items():
            if isinstance(model := description.get(name), Mapping):
                description[name] = kind.from_dict(model)
        mounts = description["mounts"]
        if not isinstance(mounts, Sequence) or isinstance(mounts, str):
            raise InvalidParameter(f"the mounts of a rig are a {type(mounts).__name__}; expected a list.")
        places = []
        for mount in mounts:
            _check_keys("mount", mount, {each.name for each in fields(Mount)}, {"name", "position"})
            places.append(Mount(**{**mount, "position": tuple(mount["position"])}))
        return cls(**{**description, "mounts": tuple(places)})


MODELS: dict[str, type[CameraModel | LidarModel]] = {"camera_model": CameraModel, "lidar_model": LidarModel}
"""Entries of a rig that are models of sensors."""


def tilted(yaw: float, attitude: Attitude) -> FloatArray:
    """Return the rotation (3, 3) of the world that pitches and rolls a vehicle with a direction, degrees.

    Example:
        >>> tilted(0.0, (90.0, 0.0)).round(3) @ (1.0, 0.0, 0.0)
        array([0., 0., 1.])
        >>> tilted(0.0, (0.0, 90.0)).round(3) @ (0.0, 0.0, 1.0)
        array([ 0., -1.,  0.])
    """
    (a, b), (c, d) = (sincos(math.pi / 180.0 * each) for each in attitude)
    own = np.array(((b, -a * c, -a * d), (0.0, d, -c), (a, b * c, b * d)))
    turn = rotation_about_z(yaw)
    # The product is summed by hand, so that its bits are the same on every machine.
    return rotated(rotated(own, turn).T, turn).T.copy()


def _moved(vector: Triple, rotation: FloatArray) -> Triple:
    x, y, z = rotated(np.array(vector), rotation).tolist()
    return x, y, z


def _check_keys(noun: str, given: object, known: set[str], needed: set[str]) -> None:
    if not isinstance(given, Mapping):
        raise InvalidParameter(f"a {noun} is a {type(given).__name__}; expected an object with names and values.")
    for key in given:
        if key not in known:
            raise UnknownName(f"a {noun} has no entry {key!r}.{did_you_mean(str(key), known)}")
    missing = sorted(needed - set(given))
    if missing:
        raise InvalidParameter(f"a {noun} lacks {', '.join(missing)}.")


_TOP = (0.0, 0.0, 1.8)
RIGS: dict[str, Rig] = {
    rig.name: rig
    for rig in (
        Rig("mono", (Mount("top", _TOP),)),
        Rig(
            "stereo",
            (Mount("top", _TOP), Mount("left", (0.0, 1.0, 1.8), 15.0), Mount("right", (0.0, -1.0, 1.8), -15.0)),
        ),
        Rig(
            "stereo-one-lidar",
            (
                Mount("top", _TOP, camera=False),
                Mount("left", (0.0, 1.0, 1.8), 15.0, lidar=False),
                Mount("right", (0.0, -1.0, 1.8), -15.0, lidar=False),
            ),
        ),
        Rig(
            "multi",
            (
                Mount("top", _TOP),
                Mount("front", (1.5, 0.0, 1.8)),
                Mount("front right", (1.0, -0.9, 1.8), -15.0),
                Mount("front left", (1.0, 0.9, 1.8), 15.0),
                Mount("rear", (-1.5, 0.0, 1.0), 180.0),
                Mount("rear right", (-1.5, -0.9, 1.0), -170.0),
                Mount("rear left", (-1.5, 0.9, 1.0), 170.0),
            ),
        ),
        Rig(
            "surround",
            tuple(
                Mount(f"yaw {yaw:+d}" if yaw else "front", _TOP, float(yaw), lidar=yaw == 0)
                for yaw in (0, 40, -40, 80, -80, 120, -120, 160, -160, 180)
            ),
        ),
    )
}


def rig(name: str) -> Rig:
    """Return one of the published rigs by its name."""
    if name not in RIGS:
        raise UnknownName(f"no rig named {name!r}.{did_you_mean(name, RIGS)} Choose one of {', '.join(RIGS)}.")
    return RIGS[name]
