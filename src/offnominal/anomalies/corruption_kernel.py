"""Compiled kernels of the image corruptions."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from offnominal.anomalies.camera_kernel import CELLS
from offnominal.core.compilation import compiled
from offnominal.core.deterministic_math import exp, sincos
from offnominal.core.philox import normal_quantile
from offnominal.core.types import Array, Frame, IntArray

WEIGHT_BITS = 24
"""Weights of a trail are whole numbers that add up to two to this power, so that sums are exact."""
BOX_BITS = 22
"""Weights of a box are whole numbers of two to the power of minus this, as Pillow has them."""


@lru_cache(maxsize=16)
def grain_table(sigma: float) -> Array:
    """Return 65,536 equally likely quantiles of normal noise, in grey levels, rounded down.

    Args:
        sigma: Standard deviation, where 1 is the step from black to white.
    """
    table = np.empty(CELLS, np.int16)
    _fill_grain(255.0 * sigma, table)
    return table


@compiled
def _fill_grain(scale: float, table: Array) -> None:
    for k in range(table.shape[0]):
        table[k] = np.int16(math.floor(min(max(scale * normal_quantile((k + 0.5) / CELLS), -255.0), 255.0)))


@compiled
def add_impulse_noise(targets: Frame, share: float, bits: Array) -> None:
    """Set a share of the targets to 0 or 255, in place.

    Args:
        targets: (n, c) bytes; all c bytes of a target change together.
        share: Probability of each target, in steps of 1 / 65,536.
        bits: (n,) or more, uint16.
    """
    threshold = int(share * CELLS + 0.5)
    for i in range(targets.shape[0]):
        drawn = np.int64(bits[i])
        if drawn < threshold:
            targets[i] = 255 if 2 * drawn < threshold else 0


@lru_cache(maxsize=16)
def half_gaussian(length: int, sigma: float) -> IntArray:
    """Return the weights of a trail: one half of a Gaussian, with its maximum at the head.

    Example:
        >>> weights = half_gaussian(3, 1.0)
        >>> (weights / weights.sum()).round(3)
        array([0.574, 0.348, 0.078])
    """
    weights = np.empty(length, np.int64)
    _fill_half_gaussian(sigma, weights)
    weights.flags.writeable = False
    return weights


@compiled
def _fill_half_gaussian(sigma: float, weights: IntArray) -> None:
    shares = np.empty(weights.shape[0])
    total = 0.0
    for i in range(shares.shape[0]):
        shares[i] = exp(-(i * i) / (2.0 * sigma * sigma))
        total += shares[i]
    rest = 1 << WEIGHT_BITS
    for i in range(shares.shape[0] - 1, 0, -1):
        weights[i] = np.int64(math.floor(shares[i] / total * (1 << WEIGHT_BITS) + 0.5))
        rest -= weights[i]
    weights[0] = rest


@compiled
def motion_blur(frame: Frame, weights: IntArray, angle: float, out: Frame) -> None:
    """Compute the weighted sum of shifted copies of an image. A trail that leaves the image is cut off there.

    Args:
        frame: (H, W, 3) bytes.
        weights: One per copy.
        angle: Direction of the trail, in radians from the horizontal.
        out: The sum, rounded down.
    """
    height, width, colours = frame.shape
    sine, cosine = sincos(angle)
    right, down = np.zeros(weights.shape[0], np.int64), np.zeros(weights.shape[0], np.int64)
    copies = 0
    for i in range(weights.shape[0]):
        right[i], down[i] = math.ceil(i * cosine - 0.5), math.ceil(i * sine - 0.5)
        if abs(down[i]) >= height or abs(right[i]) >= width:
            break
        copies += 1
    span, reach = width * colours, right.max() * colours
    padded = np.empty((height, span + reach), np.uint8)
    lines = np.ascontiguousarray(frame).reshape(height, span)
    for y in range(height):
        # Loops are compiled in a fraction of the time of an assignment to a slice.
        for x in range(span):
            padded[y, x] = lines[y, x]
        for x in range(span, span + reach):
            padded[y, x] = padded[y, x - colours]
    shown = out.reshape(height, span)
    total = np.empty(span, np.uint32)
    for y in range(height):
        total[:] = 0
        for i in range(copies):
            line = padded[min(max(y + down[i], 0), height - 1)]
            _add(np.uint32(weights[i]), line[right[i] * colours : right[i] * colours + span], total)
        for x in range(span):
            shown[y, x] = total[x] >> np.uint32(WEIGHT_BITS)


@compiled
def _add(weight: np.uint32, line: Frame, total: Array) -> None:
    """Add a weighted row to a total."""
    for i in range(total.shape[0]):
        total[i] += weight * np.uint32(line[i])


@compiled
def pixelated(frame: Frame, share: float) -> Frame:
    """Return an image shrunk by means over boxes and enlarged by the nearest pixel, as Pillow does.

    Args:
        frame: (H, W, 3) bytes.
        share: Ratio of the smaller to the original height and width, in (0, 1].
    """
    height, width, colours = frame.shape
    rows, columns = max(int(height * share), 1), max(int(width * share), 1)
    narrow = np.empty((height, columns, colours), np.uint8)
    for x in range(columns):
        first, last = _box(x, width, columns)
        for y in range(height):
            _mean(frame[y, first:last], narrow[y, x])
    small = np.empty((rows, columns, colours), np.uint8)
    for y in range(rows):
        first, last = _box(y, height, rows)
        for x in range(columns):
            _mean(narrow[first:last, x], small[y, x])
    large = np.empty((height, width, colours), np.uint8)
    down, right = _nearest(height, rows), _nearest(width, columns)
    for y in range(height):
        for x in range(width):
            for c in range(colours):
                large[y, x, c] = small[down[y], right[x], c]
    return large


@compiled
def _box(index: int, size: int, smaller: int) -> tuple[int, int]:
    """Return the range of pixels whose centres lie in a box.

    A centre on the border belongs to the box before it; the comparison is the same as in Pillow.
    """
    scale = size / smaller
    middle = (index + 0.5) * scale
    first, last = max(int(middle - 0.5 * scale + 0.5), 0), min(int(middle + 0.5 * scale + 0.5), size)
    inverse = 1.0 / scale
    while (first - middle + 0.5) * inverse <= -0.5:
        first += 1
    while (last - 1 - middle + 0.5) * inverse > 0.5:
        last -= 1
    return first, last


@compiled
def _mean(pixels: Frame, out: Frame) -> None:
    """Set a pixel to the mean of a box."""
    weight = int(0.5 + (1.0 / pixels.shape[0]) * (1 << BOX_BITS))
    for c in range(out.shape[0]):
        total = 1 << (BOX_BITS - 1)
        for k in range(pixels.shape[0]):
            total += weight * int(pixels[k, c])
        out[c] = min(total >> BOX_BITS, 255)


@compiled
def _nearest(size: int, smaller: int) -> IntArray:
    """Return the small pixel of each large one. Positions are accumulated, as in Pillow, not multiplied."""
    shown = np.empty(size, np.int64)
    scale = smaller / size
    place = 0.5 * scale
    for index in range(size):
        shown[index] = min(int(place), smaller - 1)
        place += scale
    return shown
