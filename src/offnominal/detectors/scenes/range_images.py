"""Lidar frames as images of lasers by columns, with synthesised outliers for training."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from offnominal.core.types import FloatArray
from offnominal.detectors.scenes.observation import LidarObservation
from offnominal.sensing.lidar import Lidar

CHANNELS = 6
NEAREST, FARTHEST = 3.0, 50.0
"""Range of distances of synthesised outliers, m."""
RADII = (0.12, 1.6)
"""Smallest and largest radius of a synthesised outlier along an axis, m."""
NOISE = 0.1
"""Standard deviation of the distances on a synthesised outlier, m."""


@dataclass(frozen=True, eq=False)
class RangeImage:
    """Distances and intensities of one turn, as an image with the highest laser in row 0.

    Args:
        rays: (rows, columns, 3): directions relative to the vehicle: x ahead, y to the left, z up.
        height: Height of the lidar above the road, m.
        distance: (rows, columns): distance, m; 0 without a return.
        intensity: (rows, columns): intensity.
    """

    rays: NDArray[np.float32]
    height: float
    distance: NDArray[np.float32]
    intensity: NDArray[np.float32]

    @classmethod
    def of(cls, cloud: LidarObservation, ground: float) -> RangeImage:
        """Return the image of measured points.

        Args:
            cloud: The points.
            ground: Height of the road, m.
        """
        shape = (cloud.lidar.channels, cloud.lidar.columns)
        offset = cloud.points - np.asarray(cloud.lidar.position)
        distance, intensity = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        distance[cloud.row, cloud.column] = np.sqrt((offset**2).sum(axis=1))
        intensity[cloud.row, cloud.column] = cloud.intensity
        return cls(own_rays(cloud.lidar), float(cloud.lidar.position[2]) - ground, distance, intensity)

    def inputs(self) -> NDArray[np.float32]:
        """Return the input (6, rows, columns) of a network: x, y, height, distance, intensity, whether it returned."""
        points = self.rays * self.distance[..., None]
        returned = self.distance > 0.0
        above = np.where(returned, points[..., 2] + np.float32(self.height), np.float32(0.0))
        parts = (
            points[..., 0] / 50.0,
            points[..., 1] / 50.0,
            above / 3.0,
            self.distance / 50.0,
            self.intensity,
            returned,
        )
        return np.stack(parts).astype(np.float32)


def own_rays(lidar: Lidar) -> NDArray[np.float32]:
    """Return the directions (channels, columns, 3) of all rays in the frame of the lidar."""
    up, flat = lidar.elevations[:, :1], lidar.elevations[:, 1:]
    sine, cosine = lidar.azimuths[:, 0], lidar.azimuths[:, 1]
    parts = (flat * cosine, flat * sine, np.broadcast_to(up, (len(flat), len(cosine))))
    return np.stack(parts, axis=-1).astype(np.float32)


def with_outliers(
    image: RangeImage, free: NDArray[np.bool_], n: int, draw: np.random.Generator
) -> tuple[RangeImage, NDArray[np.bool_]]:
    """Return the image with n synthesised objects, and which pixels show one.

    An object is an ellipsoid or a box of random size and proportions that stands on a random free point of the ground.

    Args:
        image: The image.
        free: (rows, columns): points on which objects can stand, such as those on the road.
        n: Number of objects.
        draw: Source of random numbers.
    """
    distance, intensity = image.distance.copy(), image.intensity.copy()
    added = np.zeros(distance.shape, np.bool_)
    places = np.argwhere(free & (distance > NEAREST) & (distance < FARTHEST))
    for _ in range(n if len(places) else 0):
        row, column = places[draw.integers(len(places))]
        base = image.rays[row, column].astype(np.float64) * float(image.distance[row, column])
        radii = np.exp(draw.uniform(math.log(RADII[0]), math.log(RADII[1]), 3))
        centre = np.array([base[0], base[1], radii[2] - image.height])
        hit = _hits(image.rays, centre, radii, float(draw.uniform(0.0, np.pi)), box=bool(draw.random() < 0.5))
        nearer = np.isfinite(hit) & ((distance == 0.0) | (hit < distance))
        noise = NOISE * draw.standard_normal(int(nearer.sum()))
        distance[nearer] = np.maximum(hit[nearer] + noise, 0.1)
        intensity[nearer] = draw.uniform(0.02, 0.9) * draw.uniform(0.5, 1.0, int(nearer.sum()))
        added |= nearer
    return RangeImage(image.rays, image.height, distance, intensity), added


def _hits(rays: NDArray[np.float32], centre: FloatArray, radii: FloatArray, yaw: float, *, box: bool) -> FloatArray:
    """Return the distance at which each ray enters an ellipsoid or a box; infinite if it does not."""
    sine, cosine = np.sin(yaw), np.cos(yaw)
    turn = np.array([(cosine, sine, 0.0), (-sine, cosine, 0.0), (0.0, 0.0, 1.0)])
    along = (rays.astype(np.float64) @ turn.T) / radii
    start = -(turn @ centre) / radii
    with np.errstate(divide="ignore", invalid="ignore"):
        if box:
            first, second = (-1.0 - start) / along, (1.0 - start) / along
            enter = np.minimum(first, second).max(axis=-1)
            leave = np.maximum(first, second).min(axis=-1)
            return np.where((enter <= leave) & (enter > 0.0), enter, np.inf)
        a, b, c = (along**2).sum(axis=-1), (along * start).sum(axis=-1), float((start**2).sum()) - 1.0
        inside = b**2 - a * c
        enter = (-b - np.sqrt(np.maximum(inside, 0.0))) / a
        return np.where((inside > 0.0) & (enter > 0.0), enter, np.inf)
