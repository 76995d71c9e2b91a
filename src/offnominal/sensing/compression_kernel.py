"""Loss of an image that is compressed as baseline JPEG does, in whole numbers.

The lossless part of a codec is left out, because it changes nothing. Products of matrices are sums of whole numbers
below two to the power of 53, so that they are exact in any order, and every CPU gives the same bytes.
"""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.types import Array, Frame, IntArray

BLOCK = 8
UNIT = 1 << 16
LUMINANCE = np.array(
    [
        [16, 11, 10, 16, 24, 40, 51, 61],
        [12, 12, 14, 19, 26, 58, 60, 55],
        [14, 13, 16, 24, 40, 57, 69, 56],
        [14, 17, 22, 29, 51, 87, 80, 62],
        [18, 22, 37, 56, 68, 109, 103, 77],
        [24, 35, 55, 64, 81, 104, 113, 92],
        [49, 64, 78, 87, 103, 121, 120, 101],
        [72, 92, 95, 98, 112, 100, 103, 99],
    ]
)
"""Steps of the coefficients of brightness (ITU-T T.81, table K.1)."""
CHROMINANCE = np.full((BLOCK, BLOCK), 99)
"""Steps of the coefficients of the two colours (ITU-T T.81, table K.2)."""
CHROMINANCE[:4, :4] = [[17, 18, 24, 47], [18, 21, 26, 66], [24, 26, 56, 99], [47, 66, 99, 99]]
_BASIS = np.array(
    [
        [round(UNIT * (1 if k == 0 else math.sqrt(2) * math.cos((2 * x + 1) * k * math.pi / 16))) for x in range(BLOCK)]
        for k in range(BLOCK)
    ],
    np.float64,
)
"""Cosines times the unit; with this scale the mean of a block, which is often half a step, is exact."""
_SCALE = float(BLOCK * UNIT**2)


def compressed(frame: Frame, factor: float) -> Frame:
    """Return an image after lossy compression: 8 x 8 blocks, colours at half the resolution.

    Args:
        frame: (H, W, 3) bytes.
        factor: Factor on the steps of the tables; 1 is quality 50, 5 is quality 10 of the usual encoders.
    """
    height, width = frame.shape[:2]
    padding = [(0, -side % (2 * BLOCK)) for side in (height, width)]
    padded = np.pad(frame, (*padding, (0, 0)), mode="edge").astype(np.int64)
    light, *colours = _separated(padded)
    restored = [_quantised(light, steps(LUMINANCE, factor))[:height, :width]]
    for colour in colours:
        small = _quantised(_halved(colour), steps(CHROMINANCE, factor))
        restored.append(_doubled(small[: (height + 1) // 2, : (width + 1) // 2])[:height, :width])
    return _joined(*restored)


def steps(table: IntArray, factor: float) -> Array:
    """Return the steps of a table times a factor: whole numbers from 1 to 255.

    Example:
        >>> steps(LUMINANCE, 0.5)[0, :4]
        array([8., 6., 5., 8.])
    """
    found: Array = np.clip(np.floor(factor * table + 0.5), 1.0, 255.0)
    return found


def _separated(rgb: IntArray) -> list[IntArray]:
    """Return brightness and two colours (JFIF), 0 to 255."""
    red, green, blue = np.moveaxis(rgb, -1, 0)
    half, middle = UNIT // 2, 128 * UNIT + UNIT // 2 - 1
    return [
        (19595 * red + 38470 * green + 7471 * blue + half) // UNIT,
        (-11059 * red - 21709 * green + 32768 * blue + middle) // UNIT,
        (32768 * red - 27439 * green - 5329 * blue + middle) // UNIT,
    ]


def _joined(light: IntArray, blue: IntArray, red: IntArray) -> Frame:
    """Return the image with this brightness and these colours."""
    half, blue, red = UNIT // 2, blue - 128, red - 128
    rgb = [
        light + (91881 * red + half) // UNIT,
        light + (-22554 * blue - 46802 * red + half) // UNIT,
        light + (116130 * blue + half) // UNIT,
    ]
    joined: Frame = np.clip(np.stack(rgb, axis=-1), 0, 255).astype(np.uint8)
    return joined


def _halved(plane: IntArray) -> IntArray:
    """Return the means of 2 x 2 pixels; halves are rounded down and up in turn."""
    height, width = (side // 2 for side in plane.shape)
    total = plane.reshape(height, 2, width, 2).sum(axis=(1, 3))
    return np.asarray((total + 1 + np.arange(width) % 2) // 4)


def _doubled(plane: IntArray) -> IntArray:
    """Return twice as many rows and columns; a new pixel has 3/4 of the nearer and 1/4 of the farther neighbour."""
    above, below = np.vstack([plane[:1], plane[:-1]]), np.vstack([plane[1:], plane[-1:]])
    tall = np.stack([3 * plane + above, 3 * plane + below], axis=1).reshape(-1, plane.shape[1])
    left, right = np.hstack([tall[:, :1], tall[:, :-1]]), np.hstack([tall[:, 1:], tall[:, -1:]])
    wide = np.stack([(3 * tall + left + 8) // 16, (3 * tall + right + 7) // 16], axis=2)
    return np.asarray(wide.reshape(len(tall), -1))


def _quantised(plane: IntArray, steps: Array) -> IntArray:
    """Return a plane whose cosine coefficients in blocks are multiples of their steps, 0 to 255."""
    height, width = plane.shape
    blocks = (plane - 128.0).reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK).swapaxes(1, 2)
    coefficients = _BASIS @ blocks @ _BASIS.T / (steps * _SCALE)
    levels = np.trunc(coefficients + np.copysign(0.5, coefficients))
    restored = np.floor(_BASIS.T @ (levels * steps) @ _BASIS / _SCALE + 0.5) + 128.0
    found: IntArray = np.clip(restored.swapaxes(1, 2).reshape(height, width), 0.0, 255.0).astype(np.int64)
    return found
