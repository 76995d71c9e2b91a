"""What a real lidar does: it takes time to turn, its beams have a width, and materials reflect differently."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from offnominal.core.checks import boolean, integer_in, number_in, positive_integer
from offnominal.core.config import Config
from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.core.streams import Stream
from offnominal.core.types import Array, FloatArray
from offnominal.sensing.camera_models import STILL, Motion
from offnominal.sensing.lidar import Lidar, PointCloud, empty_cloud, measure_columns
from offnominal.sensing.scene import Poses, Scene

PERIOD = 0.1
"""Duration of a turn, s; it ends at the time of the frame."""
# Returns nearer to each other than a pulse is long, m, are measured as one.
PULSE = 0.75
# Neighbours at distances that differ by more, m and share, are on two surfaces.
STEP, STEP_SHARE = 0.3, 0.03
# Axis and shift of the neighbours of a ray.
NEIGHBOURS = ((0, 1), (0, -1), (1, 1), (1, -1))


@dataclass(frozen=True)
class LidarModel(Config):
    """How a turn of a lidar is measured.

    Args:
        name: Name of the model.
        sectors: Parts of a turn that are measured one after the other, while the vehicle and all others move; 1
            measures the whole turn at once. Points are where they were hit: the motion of the vehicle is compensated.
        divergence: Full width of a beam, mrad. At the edge of an object it hits two surfaces: the stronger return is
            measured, or, if they are less than a pulse apart, a point between them.
        materials: Whether the intensity is that of the material: paint of lines and signs reflect from any angle,
            plants reflect much, and asphalt little. All road users and objects have one material, so that labels do
            not tell in intensities.
        version: Raised if the numbers of a named model change.

    Example:
        >>> lidar_model("spinning").times(4).round(4).tolist()
        [-0.0875, -0.0625, -0.0375, -0.0125]
        >>> lidar_model("ideal").times(4) is None
        True
    """

    name: str = "ideal"
    sectors: int = 1
    divergence: float = 0.0
    materials: bool = False
    version: int = 1

    def __post_init__(self) -> None:
        where = f"lidar model {self.name!r}: "
        integer_in(where + "sectors", self.sectors, 1, 360)
        number_in(where + "divergence", self.divergence, 0.0, 20.0)
        boolean(where + "materials", self.materials)

    def bounds(self, columns: int) -> list[tuple[int, int]]:
        """Return the first column of each sector, and the one after its last."""
        n = min(self.sectors, positive_integer("columns", columns))
        ends = [columns * k // n for k in range(n + 1)]
        return list(pairwise(ends))

    def times(self, columns: int) -> FloatArray | None:
        """Return the time of each column relative to the frame, s; None if a turn is measured at once."""
        if self.sectors == 1:
            return None
        found = np.empty(columns)
        for first, last in self.bounds(columns):
            found[first:last] = PERIOD * (0.5 * (first + last) / columns - 1.0)
        return found


AT_ONCE = LidarModel()
LIDAR_MODELS: dict[str, LidarModel] = {
    each.name: each
    for each in (AT_ONCE, LidarModel("rolling", sectors=32), LidarModel("spinning", 32, 3.0, materials=True))
}
"""The lidar models by name."""


def lidar_model(model: str | LidarModel) -> LidarModel:
    """Return a lidar model by its name; a model is returned as it is."""
    if isinstance(model, LidarModel):
        return model
    if model not in LIDAR_MODELS:
        hint = did_you_mean(str(model), LIDAR_MODELS)
        raise UnknownName(f"no lidar model named {model!r}.{hint} Choose one of {', '.join(LIDAR_MODELS)}.")
    return LIDAR_MODELS[model]


def turn(
    scene: Scene,
    at: Callable[[float], Lidar],
    model: LidarModel,
    *,
    poses: Poses | None = None,
    motion: Motion = STILL,
    materials: NDArray[np.float32] | None = None,
) -> PointCloud:
    """Return the exact points of one turn that ends now, with intensities.

    Args:
        scene: The instances.
        at: Returns the lidar at a time relative to now, s.
        model: The lidar model.
        poses: Poses of the instances now; None for those of the scene.
        motion: How the objects move.
        materials: Materials by label, see :func:`~offnominal.sensing.sweep`, if the model has materials.
    """
    lidar, where = at(0.0), scene.poses if poses is None else poses
    cloud = replace(empty_cloud(lidar, intensity=True), seconds=model.times(lidar.columns))
    table = materials if model.materials else None
    identities = scene.packed.identity
    for first, last in model.bounds(lidar.columns):
        moved, there = lidar, where
        if cloud.seconds is not None:
            seconds = float(cloud.seconds[first])
            moved = at(seconds)
            there = Poses(where.positions + seconds * _velocities(identities, motion), where.rotations)
        measure_columns(scene, moved, cloud, there, first, last, materials=table)
    return cloud


def _velocities(identities: NDArray[np.int32], motion: Motion) -> FloatArray:
    """Return the velocities (instances, 3) of the instances of a scene."""
    known = np.asarray(motion.instances, np.int64)
    if not len(known):
        return np.zeros((len(identities), 3))
    place = np.minimum(np.searchsorted(known, identities), len(known) - 1)
    moves = known[place] == identities
    return np.where(moves[:, None], np.asarray(motion.velocities)[place], 0.0)


def at_points(cloud: PointCloud, at: Callable[[float], Lidar], model: LidarModel) -> PointCloud:
    """Return a turn with its points where their distances say, given where the lidar was at each time."""
    if model.sectors == 1:
        return cloud
    points, times = cloud.points.copy(), model.times(cloud.ranges.shape[1])
    assert times is not None
    for first, last in model.bounds(len(times)):
        lidar = at(float(times[first]))
        (sines, cosines), (up, flat) = lidar.azimuths[first:last].T, lidar.elevations.T
        x, y = flat[:, None] * cosines, flat[:, None] * sines
        distance = np.where(np.isfinite(cloud.ranges[:, first:last]), cloud.ranges[:, first:last], np.nan)
        for axis, (a, b, c) in enumerate(np.asarray(lidar.rotation).tolist()):
            along = a * x + b * y + c * up[:, None]
            points[:, first:last, axis] = lidar.position[axis] + distance * along
    return replace(cloud, points=points, seconds=times)


def widened(cloud: PointCloud, lidar: Lidar, model: LidarModel, *, seed: int = 0, step: int = 0) -> PointCloud:
    """Return a turn as beams with a width measure it.

    Where a neighbour of a ray is on another surface, the edge is between the two at a random angle, and the beam beyond
    it is on the other surface.

    Args:
        cloud: The exact turn, with intensities.
        lidar: The lidar.
        model: The lidar model.
        seed: Root seed of the stream ``lidar beam``.
        step: Time index within that stream.
    """
    if model.divergence <= 0.0 or cloud.intensity is None:
        return cloud
    ranges, bright = cloud.ranges, cloud.intensity
    draws = Stream.named(seed, 0, "lidar beam").uniform(4 * ranges.size, step=step).reshape(4, *ranges.shape)
    share, place = np.zeros(ranges.shape), np.zeros(ranges.shape, np.int64)
    numbers = np.arange(ranges.size).reshape(ranges.shape)
    for drawn, (axis, shift) in zip(draws, NEIGHBOURS, strict=True):
        beyond = _share_beyond(cloud, lidar, model.divergence, drawn, axis, shift)
        larger = beyond > share
        share, place = np.where(larger, beyond, share), np.where(larger, np.roll(numbers, shift, axis), place)
    other, other_bright = ranges.ravel()[place], np.where(np.isfinite(ranges), bright, 0.0).ravel()[place]
    back = np.isfinite(ranges) & (share > 0.0)
    own, far = (1.0 - share) * bright, share * other_bright
    with np.errstate(invalid="ignore", divide="ignore"):
        joined = back & np.isfinite(other) & (np.abs(other - ranges) < PULSE)
        between = ranges + (other - ranges) * np.where(own + far > 0.0, far / (own + far), 0.0)
    stronger = back & ~joined & np.isfinite(other) & (far > own)
    measured = np.where(joined, between, np.where(stronger, other, ranges)).astype(np.float32)
    light = np.where(joined, own + far, np.where(stronger, far, np.where(back, own, bright))).astype(np.float32)
    label, instance = (
        np.where(stronger, each.ravel()[place], each).astype(np.int32) for each in (cloud.label, cloud.instance)
    )
    return PointCloud(measured, cloud.points, label, instance, light, cloud.seconds)


def _share_beyond(
    cloud: PointCloud, lidar: Lidar, divergence: float, drawn: FloatArray, axis: int, shift: int
) -> Array:
    """Return the share of each beam that is beyond the edge to the neighbour on one side; 0 without an edge.

    The edge is at a uniform angle between the two rays, and the beam has the same brightness across its width.
    """
    ranges, instance = cloud.ranges, cloud.instance
    channels, columns = ranges.shape
    other = np.roll(ranges, shift, axis)
    with np.errstate(invalid="ignore"):
        apart = ~(np.abs(other - ranges) <= STEP + STEP_SHARE * ranges)
    edge = np.isfinite(ranges) & (apart | (np.roll(instance, shift, axis) != instance))
    if axis == 0:
        # A turn closes to a ring, the lasers do not.
        edge[0 if shift > 0 else -1] = False
        low, high = lidar.fov
        spacing = np.full((channels, 1), math.pi / 0.18 * (high - low) / max(1, channels - 1))
    else:
        spacing = 2000.0 * math.pi / columns * lidar.elevations[:, 1:]
    return np.where(edge, np.maximum(0.0, 0.5 - drawn * spacing / divergence), 0.0)
