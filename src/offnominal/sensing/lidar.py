"""Spinning lidars: one revolution of distances with labels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from offnominal.core.checks import integer_in, numeric_array, positive_integer, require_shape
from offnominal.core.errors import InvalidParameter
from offnominal.core.streams import Stream
from offnominal.core.types import BoolArray, FloatArray
from offnominal.sensing.scene import Poses, Scene
from offnominal.sensing.shapes import Triple
from offnominal.sensing.vectors import rotation_matrix


@dataclass(frozen=True, eq=False)
class Lidar:
    """A lidar that spins about its own z axis. All its rays are measured at the same time.

    Args:
        position: Position, m.
        rotation: Rotation from its own axes to the world: a (3, 3) matrix, a quaternion (w, x, y, z) or None.
        channels: Number of lasers.
        columns: Measurements per revolution. The revolution starts and ends at the back, at -x; +x is in the middle.
        fov: Elevation of the lowest and the highest laser, degrees.
        max_range: Largest measured distance, m.
        noise: Standard deviation of a distance, m.
        dropout: Share of lost measurements.
    """

    position: Triple = (0.0, 0.0, 1.8)
    rotation: ArrayLike | None = None
    channels: int = 64
    columns: int = 1024
    fov: tuple[float, float] = (-24.8, 2.0)
    max_range: float = 100.0
    noise: float = 0.0
    dropout: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "rotation", rotation_matrix(self.rotation))
        positive_integer("channels", self.channels)
        positive_integer("columns", self.columns)
        low, high = self.fov
        if not -90.0 < low <= high < 90.0:
            raise InvalidParameter(
                f"fov is {self.fov}; expected the lowest and the highest laser within -90 and 90 degrees."
            )
        if not self.max_range > 0.0:
            raise InvalidParameter(f"reach is {self.max_range}; expected a distance above zero, in metres.")
        if not (self.noise >= 0.0 and 0.0 <= self.dropout <= 1.0):
            raise InvalidParameter(
                f"noise is {self.noise} and dropout {self.dropout}; expected >= 0 and a share from 0 to 1."
            )

    @cached_property
    def elevations(self) -> FloatArray:
        """(channels, 2): sine and cosine of each laser's elevation, the highest first."""
        low, high = self.fov
        step = (high - low) / (self.channels - 1) if self.channels > 1 else 0.0
        return _circle([high - step * k for k in range(self.channels)])

    @cached_property
    def azimuths(self) -> FloatArray:
        """(columns, 2): sine and cosine of each column's azimuth."""
        return _circle([360.0 * (k + 0.5) / self.columns - 180.0 for k in range(self.columns)])


@dataclass(frozen=True, eq=False)
class PointCloud:
    """One revolution of a lidar, as an image with the highest laser in row 0.

    Args:
        ranges: (channels, columns): measured distance, m; infinite without a return.
        points: (channels, columns, 3): measured points in world coordinates, m; NaN without a return.
        label: (channels, columns): semantic class; that of the sky without a return.
        instance: (channels, columns): identity of the object; 0 without a return.
        intensity: (channels, columns): mean reflectance of the material times the cosine of the angle of incidence,
            from 0 to 1; 0 without a return. None unless requested.
        seconds: (columns,): time of each column relative to the frame, s; None if all are measured at once.
    """

    ranges: NDArray[np.float32]
    points: NDArray[np.float32]
    label: NDArray[np.int32]
    instance: NDArray[np.int32]
    intensity: NDArray[np.float32] | None = None
    seconds: FloatArray | None = None

    @property
    def returned(self) -> BoolArray:
        """(channels, columns): whether there is a return; ``cloud.points[cloud.returned]`` is the list of points."""
        back: BoolArray = np.isfinite(self.ranges)
        return back


def sweep(
    scene: Scene,
    lidar: Lidar,
    *,
    poses: Poses | None = None,
    seed: int = 0,
    step: int = 0,
    intensity: bool = False,
    materials: NDArray[np.float32] | None = None,
) -> PointCloud:
    """Return the point cloud of one revolution.

    Args:
        scene: The instances.
        lidar: The lidar.
        poses: Poses of the instances; None for those of the scene.
        seed: Root seed of the stream ``lidar``, from which noise and dropout are drawn.
        step: Time index within that stream. The same seed and step always give the same noise.
        intensity: Whether to compute intensities.
        materials: (labels, 3): how surfaces of a label reflect the light of the lasers: base, share of the colour, and
            share that comes back from any angle; None is the colour alone.

    Example:
        >>> from offnominal.sensing import Cylinder, Instance
        >>> tower = Scene((Instance(Cylinder(10.0, 5.0)),))
        >>> cloud = sweep(tower, Lidar(channels=1, columns=8, fov=(0.0, 0.0)))
        >>> cloud.ranges.round(3).tolist()
        [[10.0, 10.0, 10.0, 10.0, 10.0, 10.0, 10.0, 10.0]]
    """
    where = scene.poses if poses is None else poses
    if len(where) != 1:
        raise InvalidParameter(f"sweep takes the poses of one frame and got {len(where)}.")
    cloud = empty_cloud(lidar, intensity=intensity)
    measure_columns(scene, lidar, cloud, where, 0, lidar.columns, seed=seed, step=step, materials=materials)
    return cloud


def empty_cloud(lidar: Lidar, *, intensity: bool = False) -> PointCloud:
    """Return a point cloud whose arrays are not filled yet."""
    size = (lidar.channels, lidar.columns)
    return PointCloud(
        np.empty(size, np.float32), np.empty((*size, 3), np.float32), np.empty(size, np.int32),
        np.empty(size, np.int32), np.empty(size, np.float32) if intensity else None,
    )  # fmt: skip


def measure_columns(
    scene: Scene,
    lidar: Lidar,
    cloud: PointCloud,
    poses: Poses,
    first: int,
    last: int,
    *,
    seed: int = 0,
    step: int = 0,
    materials: NDArray[np.float32] | None = None,
) -> None:
    """Fill the columns of a point cloud from the first to before the last; see :func:`sweep`."""
    from offnominal.sensing.lidar_kernel import measure

    # Other types and layouts would compile the kernel again, which takes seconds.
    step, pose = integer_in("step", step, 0), np.ascontiguousarray(lidar.rotation)
    if materials is not None:
        materials = np.ascontiguousarray(numeric_array("materials", materials), np.float32)
        require_shape("materials", materials, "labels", 3)
    positions, rotations = poses.checked(len(scene.instances))
    brightness = np.empty((0, 0), np.float32) if cloud.intensity is None else cloud.intensity
    numbers = np.array((*lidar.position, lidar.max_range, lidar.noise, lidar.dropout))
    measure(
        scene.packed, positions[0], rotations[0], numbers, pose, lidar.elevations, lidar.azimuths,
        Stream.named(seed, 0, "lidar").key, step, cloud.ranges, cloud.points, cloud.label, cloud.instance, brightness,
        first, last, np.zeros((0, 3), np.float32) if materials is None else materials,
    )  # fmt: skip


def _circle(degrees: list[float]) -> FloatArray:
    """Return the sines and cosines of angles."""
    from offnominal.core.deterministic_math import sincos

    return np.array([sincos(math.pi / 180.0 * angle) for angle in degrees])
