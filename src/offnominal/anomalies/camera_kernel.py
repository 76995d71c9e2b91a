"""Compiled kernels of the camera anomalies."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.deterministic_math import exp
from offnominal.core.philox import HALF, MASK, block, normal_quantile
from offnominal.core.types import Array, Frame

CELLS = 1 << 16
LN2 = 0.6931471805599453
REACH = 3.0
QUARTER = np.uint64(16)


@lru_cache(maxsize=16)
def noise_table(scale: float) -> Array:
    """Return 65,536 equally likely quantiles of normal noise, in whole grey levels."""
    table = np.empty(CELLS, np.int16)
    _fill_noise(scale, table)
    return table


@compiled
def _fill_noise(scale: float, table: Array) -> None:
    for k in range(table.shape[0]):
        table[k] = np.int16(math.floor(min(max(scale * normal_quantile((k + 0.5) / CELLS), -255.0), 255.0) + 0.5))


@compiled
def fill_bits(key: np.uint64, step: int, lane: int, out: Array) -> None:
    """Fill (8 n,) uint16 with the random bits of a stream at one step."""
    for i in range(0, out.shape[0], 8):
        words = block(
            np.uint64(i >> 3),
            np.uint64(step) & MASK,
            np.uint64(lane) & MASK,
            np.uint64(step) >> HALF,
            key & MASK,
            key >> HALF,
        )
        part = out[i : i + 8]
        part[0], part[1] = words[0], words[0] >> QUARTER
        part[2], part[3] = words[1], words[1] >> QUARTER
        part[4], part[5] = words[2], words[2] >> QUARTER
        part[6], part[7] = words[3], words[3] >> QUARTER


@compiled
def add_noise(values: Frame, table: Array, bits: Array, out: Frame) -> None:
    """Add noise to bytes: the random bits of a byte are the index into the table.

    Args:
        values: (n,) bytes.
        table: Result of :func:`noise_table`.
        bits: (n,) or more, uint16.
        out: (n,) the noisy bytes, clipped.
    """
    for i in range(values.shape[0]):
        noisy = np.int32(values[i]) + np.int32(table[bits[i]])
        out[i] = 0 if noisy < 0 else 255 if noisy > 255 else noisy


@compiled
def apply_lookup_table(values: Frame, table: Frame, out: Frame) -> None:
    """Replace each byte by its entry in a table of 256."""
    for i in range(values.shape[0]):
        out[i] = table[values[i]]


@compiled
def gain_table(stops: float) -> Frame:
    """Return the 256 grey levels after multiplying the light by two to the power of `stops`."""
    whole = math.floor(stops)
    gain = 256.0 if whole > 8 else math.ldexp(exp((stops - whole) * LN2), int(max(whole, -64.0)))
    table = np.empty(256, np.uint8)
    for level in range(256):
        table[level] = np.uint8(min(level * gain, 255.0) + 0.5)
    return table


@compiled
def _gaussian(sigma: float, radius: int) -> Array:
    """Return the weights of a Gaussian from -radius to radius pixels, as float32; they add up to one."""
    weights = np.empty(2 * radius + 1)
    total = 0.0
    for k in range(weights.shape[0]):
        weights[k] = exp(-0.5 * ((k - radius) / sigma) ** 2)
        total += weights[k]
    return (weights / total).astype(np.float32)


@compiled
def blur(frame: Frame, sigma: float, out: Frame) -> None:
    """Convolve an image with a Gaussian, along rows and then along columns. Pixels beyond the edge repeat the edge.

    Args:
        frame: (H, W, 3) bytes.
        sigma: Standard deviation in pixels, above 0.
        out: The blurred image.
    """
    height, width, colours = frame.shape
    radius = int(min(math.ceil(REACH * sigma), max(height, width)))
    weights = _gaussian(sigma, radius)
    span, margin = width * colours, radius * colours
    lines, blurred = frame.reshape(height, span), out.reshape(height, span)
    across = np.empty((height, span), np.float32)
    padded = np.empty(span + 2 * margin, np.float32)
    for y in range(height):
        for i in range(margin):
            padded[i] = lines[y, i % colours]
            padded[margin + span + i] = lines[y, span - colours + i % colours]
        # Loops are compiled in a fraction of the time of an assignment to a slice.
        for i in range(span):
            padded[margin + i] = lines[y, i]
            across[y, i] = np.float32(0.0)
        for k in range(weights.shape[0]):
            _add(weights[k], padded[k * colours : k * colours + span], across[y])
    total = np.empty(span, np.float32)
    for y in range(height):
        total[:] = np.float32(0.0)
        for k in range(weights.shape[0]):
            _add(weights[k], across[min(max(y + k - radius, 0), height - 1)], total)
        for i in range(span):
            blurred[y, i] = np.int32(total[i] + np.float32(0.5))


@compiled
def _add(weight: float, values: Array, total: Array) -> None:
    """Add weighted values to a total."""
    for i in range(total.shape[0]):
        total[i] += weight * values[i]
