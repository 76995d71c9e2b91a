"""Lidar frames as images of lasers by columns, with synthesised outliers for training."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from offnominal.core.errors import InvalidParameter
from offnominal.detectors.random_numbers import RandomNumbers
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
class RangeImages:
    """Distances and intensities of turns of a lidar, as images with the highest laser in row 0.

    Args:
        rays: (rows, columns, 3): directions relative to the vehicle: x ahead, y to the left, z up.
        height: (n,): height of the lidar above the road, m.
        distance: (n, rows, columns): distance, m; 0 without a return.
        intensity: (n, rows, columns): intensity.
    """

    rays: Tensor
    height: Tensor
    distance: Tensor
    intensity: Tensor

    @classmethod
    def of(cls, cloud: LidarObservation, ground: float) -> RangeImages:
        """Return the image of the measured points of one turn.

        Args:
            cloud: The points.
            ground: Height of the road, m.
        """
        shape = (1, cloud.lidar.channels, cloud.lidar.columns)
        offset = cloud.points - np.asarray(cloud.lidar.position)
        distance, intensity = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        distance[0, cloud.row, cloud.column] = np.sqrt((offset**2).sum(axis=1))
        intensity[0, cloud.row, cloud.column] = cloud.intensity
        height = np.array([float(cloud.lidar.position[2]) - ground], np.float32)
        return cls(*(torch.from_numpy(each) for each in (own_rays(cloud.lidar), height, distance, intensity)))

    @classmethod
    def joined(cls, images: Sequence[RangeImages]) -> RangeImages:
        """Return the images of several turns of lidars with the same rays."""
        rays = images[0].rays
        if any(each.rays.shape != rays.shape or not torch.equal(each.rays, rays) for each in images):
            raise InvalidParameter("the lidars of the scenes differ; train with lidars of the same lasers and columns.")
        parts = ([getattr(each, name) for each in images] for name in ("height", "distance", "intensity"))
        return cls(rays, *(torch.cat(each) for each in parts))

    def __len__(self) -> int:
        return len(self.height)

    def chosen(self, number: Tensor) -> RangeImages:
        """Return the images of some numbers."""
        return replace(
            self, height=self.height[number], distance=self.distance[number], intensity=self.intensity[number]
        )

    def to(self, device: torch.device) -> RangeImages:
        """Return the images on a device."""
        return RangeImages(*(each.to(device) for each in (self.rays, self.height, self.distance, self.intensity)))

    def reduced(self, row: int, column: int) -> RangeImages:
        """Return every second row and column, from the given ones on."""
        rays = self.rays[row::2, column::2]
        return RangeImages(rays, self.height, self.distance[:, row::2, column::2], self.intensity[:, row::2, column::2])

    def inputs(self) -> Tensor:
        """Return the input (n, 6, rows, columns) of a network: x, y, height, distance, intensity, returned."""
        points = self.rays * self.distance[..., None]
        returned = self.distance > 0.0
        above = torch.where(returned, points[..., 2] + self.height.view(-1, 1, 1), 0.0)
        parts = (
            points[..., 0] / 50.0,
            points[..., 1] / 50.0,
            above / 3.0,
            self.distance / 50.0,
            self.intensity,
            returned.float(),
        )
        return torch.stack(parts, dim=1)


def own_rays(lidar: Lidar) -> NDArray[np.float32]:
    """Return the directions (channels, columns, 3) of all rays in the frame of the lidar."""
    up, flat = lidar.elevations[:, :1], lidar.elevations[:, 1:]
    sine, cosine = lidar.azimuths[:, 0], lidar.azimuths[:, 1]
    parts = (flat * cosine, flat * sine, np.broadcast_to(up, (len(flat), len(cosine))))
    return np.stack(parts, axis=-1).astype(np.float32)


def with_outliers(images: RangeImages, free: Tensor, most: int, random: RandomNumbers) -> tuple[RangeImages, Tensor]:
    """Return the images with synthesised objects, and which pixels (n, rows, columns) show one.

    An object is an ellipsoid or a box of random size and proportions that stands on a random free point of the ground.

    Args:
        images: The images.
        free: (n, rows, columns): points on which objects can stand, such as those on the road.
        most: Largest number of objects in an image; the number is random.
        random: Source of random numbers.
    """
    n = len(images)
    distance, intensity = images.distance, images.intensity
    added = torch.zeros_like(free)
    places = (free & (distance > NEAREST) & (distance < FARTHEST)).flatten(1).cumsum(1)
    wanted = (random.uniform(n) * (most + 1)).floor() * (places[:, -1] > 0)
    for number in range(most):
        nth = (random.uniform(n, 1) * places[:, -1:]).long() + 1
        place = torch.searchsorted(places, nth).clamp(max=places.shape[1] - 1)
        base = images.rays.flatten(0, 1)[place[:, 0]] * images.distance.flatten(1).gather(1, place)
        radii = torch.exp(math.log(RADII[0]) + math.log(RADII[1] / RADII[0]) * random.uniform(n, 3))
        centre = torch.stack([base[:, 0], base[:, 1], radii[:, 2] - images.height], dim=1)
        hit = _hits(images.rays, centre, radii, math.pi * random.uniform(n), random.uniform(n) < 0.5)
        nearer = torch.isfinite(hit) & ((distance == 0.0) | (hit < distance)) & (number < wanted)[:, None, None]
        noisy = (hit + NOISE * random.normal_like(hit)).clamp(min=0.1)
        brightness = (0.02 + 0.88 * random.uniform(n, 1, 1)) * (0.5 + 0.5 * random.uniform(*hit.shape))
        distance, intensity = torch.where(nearer, noisy, distance), torch.where(nearer, brightness, intensity)
        added = added | nearer
    return replace(images, distance=distance, intensity=intensity), added


def _hits(rays: Tensor, centre: Tensor, radii: Tensor, yaw: Tensor, box: Tensor) -> Tensor:
    """Return the distance (n, rows, columns) at which each ray enters an ellipsoid or a box; infinite if never."""
    sine, cosine = (each.view(-1, 1, 1) for each in (yaw.sin(), yaw.cos()))
    x, y, z = rays.unbind(-1)
    turned = (x * cosine + y * sine, y * cosine - x * sine, z.expand(len(yaw), -1, -1))
    along = [each / radii[:, axis, None, None] for axis, each in enumerate(turned)]
    s, c = yaw.sin(), yaw.cos()
    moved = (centre[:, 0] * c + centre[:, 1] * s, centre[:, 1] * c - centre[:, 0] * s, centre[:, 2])
    start = [-(each / radii[:, axis]).view(-1, 1, 1) for axis, each in enumerate(moved)]
    first, second = ([(side - at) / step for at, step in zip(start, along, strict=True)] for side in (-1.0, 1.0))
    sides = [(torch.minimum(a, b), torch.maximum(a, b)) for a, b in zip(first, second, strict=True)]
    enter = torch.stack([low for low, _ in sides]).amax(0)
    leave = torch.stack([high for _, high in sides]).amin(0)
    within_box = enter <= leave
    at, step = torch.stack(start), torch.stack(along)
    a, b, c = (step**2).sum(0), (at * step).sum(0), (at**2).sum(0) - 1.0
    root = b**2 - a * c
    boxed = box.view(-1, 1, 1)
    found = torch.where(boxed, enter, (-b - root.clamp(min=0.0).sqrt()) / a)
    return torch.where(torch.where(boxed, within_box, root > 0.0) & (found > 0.0), found, math.inf)
