"""Compiled kernels of the camera models: blur of motion, lens, exposure with noise, and colours from the mosaic."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled
from offnominal.core.philox import normal_quantile, uniform_pair
from offnominal.core.types import Array, FloatArray, IntArray

ZERO, HALF, ONE, FULL = (np.float32(value) for value in (0.0, 0.5, 1.0, 255.0))
MOST_TAPS = 24
# Neighbours in one object whose depths differ by a larger factor are on two of its parts.
STEEPEST = 1.3
Light = NDArray[np.float32]


@compiled
def blur(
    light: Light,
    depth: NDArray[np.float32],
    instance: NDArray[np.int32],
    view: FloatArray,
    velocity: FloatArray,
    shutter: float,
    movers: IntArray,
    speeds: FloatArray,
) -> Light:
    """Return the mean light of each pixel while the shutter is open.

    A pixel gathers light along the way that its own surface takes in the image, so that an edge is blurred on the side
    of what moves. What it uncovers in that time is not known.

    Args:
        light: (height, width, 3): the light in the middle of that time.
        depth: (height, width): depth along the direction of view, m.
        instance: (height, width): identities of the objects.
        view: The pinhole camera; see :meth:`offnominal.sensing.Camera.packed`.
        velocity: Velocity of the camera, m/s, and its turning to the left, rad/s.
        shutter: How long the shutter is open, s.
        movers: (n,): identities of the objects that move, in rising order.
        speeds: (n, 3): their velocities, m/s.
    """
    height, width = depth.shape
    found = np.empty_like(light)
    for row in range(height):
        b = (1.0 - (2.0 * row + 1.0) / height) * view[13]
        for column in range(width):
            a = ((2.0 * column + 1.0) / width - 1.0) * view[12]
            across, down = _path(a, b, float(depth[row, column]), instance[row, column], view, velocity, movers, speeds)
            across *= shutter * 0.5 * width / view[12]
            down *= -shutter * 0.5 * height / view[13]
            taps = min(MOST_TAPS, 1 + int(math.sqrt(across * across + down * down)))
            for c in range(3):
                found[row, column, c] = ZERO
            for k in range(taps):
                share = (k + 0.5) / taps - 0.5
                r = min(height - 1, max(0, int(row + 0.5 + share * down)))
                s = min(width - 1, max(0, int(column + 0.5 + share * across)))
                for c in range(3):
                    found[row, column, c] += light[r, s, c]
            for c in range(3):
                found[row, column, c] /= np.float32(taps)
    return found


@compiled
def _path(
    a: float, b: float, depth: float, identity: int, view: FloatArray, velocity: FloatArray, movers: IntArray,
    speeds: FloatArray,
) -> tuple[float, float]:  # fmt: skip
    """Return how fast the surface of a pixel moves in the image plane, to the right and up, per second."""
    rx = view[9] + a * view[3] + b * view[6]
    ry = view[10] + a * view[4] + b * view[7]
    # The turning of the camera moves everything, also the sky; velocities here are per metre of depth.
    x, y, z = velocity[3] * ry, -velocity[3] * rx, 0.0
    if depth < np.inf:
        ux, uy, uz = -velocity[0], -velocity[1], -velocity[2]
        at = np.searchsorted(movers, identity)
        if at < len(movers) and movers[at] == identity:
            ux, uy, uz = ux + speeds[at, 0], uy + speeds[at, 1], uz + speeds[at, 2]
        nearest = max(depth, 0.1)
        x, y, z = x + ux / nearest, y + uy / nearest, z + uz / nearest
    right = x * view[3] + y * view[4] + z * view[5]
    up = x * view[6] + y * view[7] + z * view[8]
    ahead = x * view[9] + y * view[10] + z * view[11]
    return right - a * ahead, up - b * ahead


@compiled
def sample(light: Light, down: FloatArray, across: FloatArray) -> Light:
    """Return the light at some places (height, width) between the centres of the pixels, by linear interpolation."""
    height, width = down.shape
    high, wide = light.shape[0], light.shape[1]
    found = np.empty((height, width, 3), np.float32)
    for row in range(height):
        for column in range(width):
            y = min(high - 1.0, max(0.0, down[row, column] - 0.5))
            x = min(wide - 1.0, max(0.0, across[row, column] - 0.5))
            r, s = min(high - 2, int(y)), min(wide - 2, int(x))
            r, s = max(0, r), max(0, s)
            v, u = np.float32(y - r), np.float32(x - s)
            below, beside = min(high - 1, r + 1), min(wide - 1, s + 1)
            for c in range(3):
                upper = light[r, s, c] + u * (light[r, beside, c] - light[r, s, c])
                lower = light[below, s, c] + u * (light[below, beside, c] - light[below, s, c])
                found[row, column, c] = upper + v * (lower - upper)
    return found


@compiled
def interpolate_depth(
    depth: NDArray[np.float32],
    owner: NDArray[np.int32],
    near_row: IntArray,
    near_column: IntArray,
    down: FloatArray,
    across: FloatArray,
    found: NDArray[np.float32],
) -> None:
    """Overwrite the depths of pixels that are inside of an object by interpolated ones.

    The inverse of the depth of a plane is linear in the image, so that interpolation of it is exact.

    Args:
        depth: Depths of the source.
        owner: Identities of its objects.
        near_row: (height, width): row of the nearest pixel of the source.
        near_column: Its column.
        down: (height, width): exact row, from the upper edge.
        across: Exact column.
        found: (height, width): output.
    """
    height, width = found.shape
    high, wide = depth.shape
    for row in range(height):
        for column in range(width):
            y, x = down[row, column] - 0.5, across[row, column] - 0.5
            if not (0.0 <= y < high - 1 and 0.0 <= x < wide - 1):
                continue
            r, s = int(y), int(x)
            own = owner[near_row[row, column], near_column[row, column]]
            least, most, inside = np.inf, 0.0, True
            for k in range(4):
                q, p = r + k // 2, s + k % 2
                inside &= owner[q, p] == own
                least, most = min(least, depth[q, p]), max(most, depth[q, p])
            if not inside or not most < STEEPEST * least:
                continue
            v, u = y - r, x - s
            upper = (1.0 - u) / depth[r, s] + u / depth[r, s + 1]
            lower = (1.0 - u) / depth[r + 1, s] + u / depth[r + 1, s + 1]
            found[row, column] = np.float32(1.0 / ((1.0 - v) * upper + v * lower))


@compiled
def expose(light: Light, numbers: FloatArray, key: np.uint64, step: int) -> None:
    """Expose the sensor: factor, noise, saturation. In place.

    With a mosaic only the light behind the filter of each pixel is kept, in its colour.

    Args:
        light: (height, width, 3): light on the sensor.
        numbers: Factor on the light, noise of a dark pixel, noise of counted light at saturation, and whether there is
            a mosaic.
        key: Key of the stream of the noise.
        step: Time index in it.
    """
    height, width, _ = light.shape
    factor, read, shot, mosaic = numbers[0], numbers[1], numbers[2], numbers[3] > 0.0
    noisy = read > 0.0 or shot > 0.0
    for row in range(height):
        for column in range(width):
            first, last = 0, 3
            if mosaic:
                first = row % 2 + column % 2
                last = first + 1
            for c in range(first, last):
                value = float(light[row, column, c]) * factor
                if noisy:
                    index = (row * width + column) * 3 + c
                    one, _ = uniform_pair(key, step, 0, index)
                    value += math.sqrt(read * read + shot * shot * value) * normal_quantile(one)
                light[row, column, c] = np.float32(min(1.0, value))


@compiled
def develop(light: Light, mosaic: bool) -> NDArray[np.uint8]:
    """Return the bytes of the light; the colours that a mosaic leaves out are means of the nearest pixels with them."""
    height, width, _ = light.shape
    rgb = np.empty((height, width, 3), np.uint8)
    for row in range(height):
        for column in range(width):
            own = row % 2 + column % 2
            for c in range(3):
                value = light[row, column, c]
                if mosaic and c != own:
                    value = _interpolated(light, row, column, c)
                rgb[row, column, c] = np.uint8(math.sqrt(max(ZERO, min(ONE, value))) * FULL + HALF)
    return rgb


@compiled
def _interpolated(light: Array, row: int, column: int, c: int) -> np.float32:
    """Return the mean of the neighbours whose filter has the colour c."""
    height, width, _ = light.shape
    total, count = ZERO, ZERO
    for r in range(max(0, row - 1), min(height, row + 2)):
        for s in range(max(0, column - 1), min(width, column + 2)):
            if r % 2 + s % 2 == c:
                total += light[r, s, c]
                count += ONE
    mean: np.float32 = total / max(count, ONE)
    return mean
