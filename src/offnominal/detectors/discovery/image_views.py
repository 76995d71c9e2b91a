"""Random views of images: crops, mirrored images, other colours."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from offnominal.detectors.random_numbers import RandomNumbers

SMALLEST_CROP = 0.4
"""Smallest share of the area that a crop has."""
BRIGHTNESS, CONTRAST, SATURATION = 0.4, 0.4, 0.2
"""Largest relative change of each."""
COLOURED, GREY = 0.8, 0.2
"""Probabilities of changed colours and of a grey image."""
WEIGHTS = (0.299, 0.587, 0.114)
"""Weights of the colours in the brightness."""


def random_views(images: Tensor, random: RandomNumbers) -> Tensor:
    """Return a random view of each image.

    Args:
        images: (n, 3, H, W) uint8.
        random: Source of the random numbers, on the device of the images.

    Returns:
        (n, 3, H, W) images with values from 0 to 1.
    """
    n = len(images)
    pixels = _cropped(images.to(torch.float32) / 255.0, random)
    changes = [1.0 + limit * (2.0 * random.uniform(n, 1, 1, 1) - 1.0) for limit in (BRIGHTNESS, CONTRAST, SATURATION)]
    weights = pixels.new_tensor(WEIGHTS)[None, :, None, None]
    changed = pixels * changes[0]
    mean = (changed * weights).sum(dim=1, keepdim=True).mean(dim=(2, 3), keepdim=True)
    changed = mean + changes[1] * (changed - mean)
    grey = (changed * weights).sum(dim=1, keepdim=True)
    changed = grey + changes[2] * (changed - grey)
    pixels = torch.where(random.uniform(n, 1, 1, 1) < COLOURED, changed, pixels)
    grey = (pixels * weights).sum(dim=1, keepdim=True).expand_as(pixels)
    return torch.where(random.uniform(n, 1, 1, 1) < GREY, grey, pixels).clamp(0.0, 1.0)


def _cropped(pixels: Tensor, random: RandomNumbers) -> Tensor:
    """Return a random part of each image, resized to its whole size, and mirrored in half of the cases."""
    n = len(pixels)
    area = SMALLEST_CROP + (1.0 - SMALLEST_CROP) * random.uniform(n)
    side = area.sqrt()
    right, down = ((1.0 - side) * (2.0 * random.uniform(n) - 1.0) for _ in range(2))
    mirrored = torch.where(random.uniform(n) < 0.5, -side, side)
    transform = torch.zeros(n, 2, 3, device=pixels.device)
    transform[:, 0, 0], transform[:, 0, 2] = mirrored, right
    transform[:, 1, 1], transform[:, 1, 2] = side, down
    grid = functional.affine_grid(transform, list(pixels.shape), align_corners=False)
    return functional.grid_sample(pixels, grid, padding_mode="reflection", align_corners=False)
