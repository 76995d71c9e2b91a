"""Synthesised objects on normal images: training data for what is unknown."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.scenes.label_classes import N_CLASSES
from offnominal.detectors.scenes.labelled_images import ImageBatch

UNKNOWN = N_CLASSES
"""Class of the pixels of synthesised objects."""
GROUND = (0, 1, 9)
"""Classes on which objects stand: road, sidewalk and terrain."""
PARTS = 3
"""Number of parts of an object."""
DISTANCES = (3.0, 60.0)
"""Range of the distances of objects, m."""
SIZES = (0.15, 2.5)
"""Range of the half width and half height of a part, m."""
LIFTED = 0.2
"""Share of objects that are above the ground."""
SHARP = 0.7
"""Share of parts with sharp edges, as in images without antialiasing; the others have soft edges."""
STRIPED, CUT = 0.2, 0.5
"""Shares of parts with stripes, and with a texture that is cut from another image; half of that texture is used."""


def with_objects(batch: ImageBatch, most: int, random: RandomNumbers) -> ImageBatch:
    """Return images with synthesised objects, whose pixels have the class :data:`UNKNOWN`.

    An object has three overlapping parts, each an ellipse, a box or something between, with colour, shading and texture
    of its own. It stands on a random point of the ground, has the size of its distance, and is hidden by what
    is nearer. Some textures are cut from other images of the batch.

    Args:
        batch: The images.
        most: Largest number of objects in an image; the number is random.
        random: Source of random numbers.
    """
    n = len(batch.pixels)
    pixels, classes = batch.pixels, batch.classes
    wanted = (random.uniform(n) * (most + 1)).floor()
    light, ground = _light(batch.pixels), _ground(batch)
    for number in range(most):
        row, column, distance = _ground_point(batch, ground, random)
        # An object hides what is farther away, and the ground on which it stands.
        behind = (batch.depth > 0.95 * distance[:, None, None]) & (number < wanted)[:, None, None]
        behind &= (ground[:, -1] > 0.0)[:, None, None]
        lifted = torch.where(random.uniform(n) < LIFTED, 3.0 * random.uniform(n), 0.0)
        scale = batch.focal / distance
        size = _log_uniform(*SIZES, random.uniform(n)) * scale
        tint = _tint(n, random)
        for part in range(PARTS):
            half = size[:, None] * _log_uniform(0.35, 1.6, random.uniform(n, 2))
            aside = size * (2.0 * random.uniform(n) - 1.0) * (part > 0)
            above = lifted * scale + half[:, 1] + size * random.uniform(n) * (part > 0)
            cover, shade = _shape(batch.classes, torch.stack([column + aside, row - above], dim=1), half, random)
            cover = cover * behind
            pixels = torch.lerp(pixels, _texture(batch.pixels, tint, shade, light, random), cover[:, None])
            classes = torch.where(cover > 0.5, UNKNOWN, classes)
    return ImageBatch(pixels, classes, batch.depth, batch.focal)


def _ground(batch: ImageBatch) -> Tensor:
    """Return the cumulative weights (n, pixels) of the points on which objects can stand.

    The weight of a pixel is its distance, since near ground covers more pixels.
    """
    ground = torch.isin(batch.classes, torch.tensor(GROUND, device=batch.classes.device))
    ground &= (batch.depth > DISTANCES[0]) & (batch.depth < DISTANCES[1])
    weight = torch.where(ground, batch.depth.clamp(*DISTANCES), 0.0)
    return weight.flatten(1).cumsum(1, dtype=torch.float64)


def _ground_point(batch: ImageBatch, ground: Tensor, random: RandomNumbers) -> tuple[Tensor, Tensor, Tensor]:
    """Return row, column and distance of a random point of the ground in each image."""
    n, height, width = batch.classes.shape
    place = torch.searchsorted(ground, random.uniform(n, 1).double() * ground[:, -1:]).clamp(max=height * width - 1)
    distance = batch.depth.flatten(1).gather(1, place)[:, 0].clamp(*DISTANCES)
    return (place[:, 0] // width).float(), (place[:, 0] % width).float(), distance


def _shape(like: Tensor, centre: Tensor, half: Tensor, random: RandomNumbers) -> tuple[Tensor, Tensor]:
    """Return the cover (n, height, width) of a rounded box from 0 to 1, and its shading."""
    n, height, width = like.shape
    down = torch.arange(height, device=like.device)[None, :, None] - centre[:, 1, None, None]
    across = torch.arange(width, device=like.device)[None, None, :] - centre[:, 0, None, None]
    angle = (0.35 * random.normal(n)).view(n, 1, 1)
    u = (across * angle.cos() + down * angle.sin()) / half[:, 0].clamp(min=0.5).view(n, 1, 1)
    v = (down * angle.cos() - across * angle.sin()) / half[:, 1].clamp(min=0.5).view(n, 1, 1)
    # Between an ellipse and a box.
    radius = torch.lerp((u * u + v * v).sqrt(), torch.maximum(u.abs(), v.abs()), random.uniform(n, 1, 1))
    sharpness = half.amin(dim=1).clamp(min=0.5).view(n, 1, 1) * torch.where(random.uniform(n, 1, 1) < SHARP, 50.0, 1.0)
    cover = ((1.0 - radius) * sharpness + 0.5).clamp(0.0, 1.0)
    light = 0.35 * (2.0 * random.uniform(n, 2, 1, 1) - 1.0)
    return cover, (light[:, 0] * u + light[:, 1] * v).clamp(-0.5, 0.5)


def _texture(pixels: Tensor, tint: Tensor, shade: Tensor, light: Tensor, random: RandomNumbers) -> Tensor:
    """Return colours (n, 3, height, width) of a part: even, with stripes, or cut from another image."""
    n, _, height, width = pixels.shape
    own = (tint + 0.15 * random.normal(n, 3)).clamp(0.03, 1.0)[..., None, None] * light
    down = torch.arange(height, device=pixels.device).view(1, 1, -1, 1)
    across = torch.arange(width, device=pixels.device).view(1, 1, 1, -1)
    rate, striped = random.uniform(n, 2, 1, 1), random.uniform(n, 1, 1, 1) < STRIPED
    stripes = 0.3 * striped * (rate[:, :1] * down + rate[:, 1:] * across).sin()
    turn, *shift = (int(each) for each in random.integers(1 << 20, (3,)))
    other = pixels.roll((turn % n, shift[0] % height, shift[1] % width), (0, 2, 3))
    cut = CUT * (random.uniform(n, 1, 1, 1) < CUT)
    return (torch.lerp(own * (1.0 + stripes), other, cut) * (1.0 + shade[:, None])).clamp(0.0, 1.0)


def _tint(n: int, random: RandomNumbers) -> Tensor:
    """Return random colours (n, 3), many of them nearly grey."""
    grey, colour = random.uniform(n, 1), random.uniform(n, 3)
    return torch.lerp(grey, colour, random.uniform(n, 1))


def _light(pixels: Tensor) -> Tensor:
    """Return the brightness (n, 1, 1, 1) of white surfaces, from the mean of the lower half of each image."""
    return (2.0 * pixels[:, :, pixels.shape[2] // 2 :].mean(dim=(1, 2, 3))).clamp(0.2, 1.0).view(-1, 1, 1, 1)


def _log_uniform(low: float, high: float, share: Tensor) -> Tensor:
    return torch.exp(math.log(low) + (math.log(high) - math.log(low)) * share)
