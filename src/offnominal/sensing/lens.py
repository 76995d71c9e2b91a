"""Radial distortion of a lens, after Brown: where a point of the image plane appears, and the reverse.

Points of the image plane are in units of the focal length. A point at the distance r from the optical axis appears at
r (1 + k1 r² + k2 r⁴): with a negative k1 nearer to the centre, which is a barrel, with a positive one farther away.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray

Distortion: TypeAlias = tuple[float, float]
NONE: Distortion = (0.0, 0.0)
# Rays farther from the optical axis are refused: 76 degrees.
FARTHEST = 4.0
STEPS, NEWTON_STEPS = 4000, 24


def distorted(radius: FloatArray, distortion: Distortion) -> FloatArray:
    """Return the factors by which points at some distances from the centre move outwards.

    Example:
        >>> distorted(np.array([0.0, 1.0]), (-0.1, 0.01)).round(3).tolist()
        [1.0, 0.91]
    """
    square = radius * radius
    factor: FloatArray = 1.0 + square * (distortion[0] + distortion[1] * square)
    return factor


def reach(distortion: Distortion) -> tuple[float, float]:
    """Return up to which distance from the centre the lens is one to one, before and after the distortion."""
    radius = np.linspace(0.0, FARTHEST, STEPS + 1)
    image = radius * distorted(radius, distortion)
    falling = np.flatnonzero(np.diff(image) <= 0.0)
    last = int(falling[0]) if len(falling) else STEPS
    return float(radius[last]), float(image[last])


def undistorted(radius: FloatArray, distortion: Distortion) -> FloatArray:
    """Return the factors by which points of the image move outwards when the distortion is removed.

    Newton's method starts at the distorted radius, from where it approaches the solution from one side.

    Example:
        >>> seen = np.array([0.5, 1.0])
        >>> ray = seen * undistorted(seen, (-0.1, 0.01))
        >>> bool(np.allclose(ray * distorted(ray, (-0.1, 0.01)), seen))
        True
    """
    k1, k2 = distortion
    found = radius.astype(np.float64, copy=True)
    for _ in range(NEWTON_STEPS):
        square = found * found
        slope = 1.0 + square * (3.0 * k1 + 5.0 * k2 * square)
        found -= (found * (1.0 + square * (k1 + k2 * square)) - radius) / slope
    return np.divide(found, radius, out=np.ones_like(found), where=radius > 0.0)


def check_distortion(distortion: Distortion, corner: float) -> None:
    """Raise :class:`InvalidParameter` unless every point of an image is that of one ray.

    Args:
        distortion: Coefficients k1 and k2.
        corner: Distance of the corners of the image from its centre, in units of the focal length.
    """
    if len(distortion) != 2 or not all(math.isfinite(each) for each in distortion):
        raise InvalidParameter(f"distortion is {distortion}; expected two finite coefficients (k1, k2).")
    if tuple(distortion) != NONE and reach(distortion)[1] < corner:
        raise InvalidParameter(
            f"distortion is {distortion}: such a lens shows nothing in the corners of the image, {corner:.2f} focal "
            f"lengths from its centre; it ends at {reach(distortion)[1]:.2f}. Choose a weaker one, or a smaller fov."
        )


@lru_cache(maxsize=16)
def image_plane(
    width: int, height: int, wide: float, half: float, distortion: Distortion
) -> tuple[FloatArray, FloatArray]:
    """Return where the rays of the pixels meet the image plane: to the right, and up.

    Without distortion the shapes are (1, width) and (height, 1), otherwise both are (height, width). The arrays are
    kept, so they must not be changed.

    Args:
        width: Pixels per row.
        height: Number of rows.
        wide: Half width of the image, in units of the focal length.
        half: Half height.
        distortion: Coefficients k1 and k2.
    """
    right = ((2.0 * (np.arange(width) + 0.5) / width - 1.0) * wide)[None, :]
    up = ((1.0 - 2.0 * (np.arange(height) + 0.5) / height) * half)[:, None]
    if distortion != NONE:
        factor = undistorted(np.sqrt(right * right + up * up), distortion)
        right, up = right * factor, up * factor
    for each in (right, up):
        each.flags.writeable = False
    return right, up
