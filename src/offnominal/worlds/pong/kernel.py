"""Compiled image processing from the emulator's screens to observations.

All arithmetic is on integers, so the bytes are the same on every CPU.
"""

from __future__ import annotations

from functools import cache
from math import gcd

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.types import Array, BoolArray, Frame, Frames, IntArray

HEIGHT, WIDTH, SIDE = 210, 160, 84


@cache
def overlap_weights(size: int, wanted: int) -> tuple[IntArray, Array]:
    """Return the overlaps of `size` pixels with `wanted` pixels that cover the same line.

    Returns:
        (wanted,): the first of the k pixels that a new pixel may overlap, and (wanted, k): the overlaps with these, as
        int32. The sum of each row is the same.

    Example:
        >>> overlap_weights(5, 2)
        (array([0, 2]), array([[2, 2, 1],
               [1, 2, 2]], dtype=int32))
    """
    common = gcd(size, wanted)
    parts, span = wanted // common, size // common
    begin = np.arange(wanted)[:, None] * span
    window = min((span - 2) // parts + 2, size)
    first = np.minimum(begin // parts, size - window)
    pixels = first + np.arange(window)
    covered = np.minimum((pixels + 1) * parts, begin + span) - np.maximum(pixels * parts, begin)
    return first[:, 0], np.clip(covered, 0, None).astype(np.int32)


@compiled
def downscale(
    image: Frame, rows: IntArray, row_shares: Array, columns: IntArray, column_shares: Array, out: Frame
) -> None:
    """Resize one colour channel: each pixel is the mean of the area that it covers, halves rounded to even.

    Args:
        image: (H, W) bytes.
        rows: First part of :func:`overlap_weights` for the height.
        row_shares: Second part for the height.
        columns: First part for the width.
        column_shares: Second part for the width.
        out: The resized channel.
    """
    whole = np.int32(row_shares[0].sum() * column_shares[0].sum())
    line = np.empty(image.shape[1], np.int32)
    for y in range(out.shape[0]):
        line[:] = 0
        for k in range(row_shares.shape[1]):
            _add(row_shares[y, k], image[rows[y] + k], line)
        for x in range(out.shape[1]):
            total = np.int32(0)
            for k in range(column_shares.shape[1]):
                total += column_shares[x, k] * line[columns[x] + k]
            mean = total // whole
            rest = np.int32(2) * (total - mean * whole)
            out[y, x] = mean + (rest > whole or (rest == whole and mean % 2 == 1))


@compiled
def _add(weight: np.int32, values: Frame, total: Array) -> None:
    """Add weighted bytes to a total."""
    for i in range(total.shape[0]):
        total[i] += weight * np.int32(values[i])


@compiled
def luma(red: int, green: int, blue: int) -> int:
    """Return the grey level of a colour (ITU-R BT.601), rounded."""
    return (299 * red + 587 * green + 114 * blue + 500) // 1000


@compiled
def to_grey(image: Frame, out: Frame) -> None:
    """Convert (H, W, 3) bytes to (H, W) grey levels."""
    for y in range(out.shape[0]):
        for x in range(out.shape[1]):
            red, green, blue = image[y, x]
            out[y, x] = luma(int(red), int(green), int(blue))


@compiled
def all_known(screen: Frame, other: Frame, known: BoolArray) -> bool:
    """Return whether every colour on a screen is known, given another screen with known colours only."""
    complete = True
    for y in range(screen.shape[0]):
        differs = False
        for x in range(screen.shape[1]):
            differs |= screen[y, x] != other[y, x]
        if differs:
            for x in range(screen.shape[1]):
                complete &= known[screen[y, x]]
    return complete


@compiled
def merge_screens(screens: Frames, greys: Frame, image: Frame, grey: Frame) -> None:
    """Merge two screens: keep the brighter of two pixels, and the later one of two equally bright ones.

    Args:
        screens: (2, H, W): palette indices.
        greys: (256,): grey level of each index.
        image: (H, W): palette indices of the result.
        grey: (H, W): grey levels of the result.
    """
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            earlier, later = screens[0, y, x], screens[1, y, x]
            image[y, x], grey[y, x] = later, greys[later]
            if earlier != later and greys[earlier] > greys[later]:
                image[y, x], grey[y, x] = earlier, greys[earlier]


@compiled
def paint(image: Frame, colours: Frame, out: Frame) -> None:
    """Convert (H, W) palette indices to (H, W, 3) bytes."""
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            index = image[y, x]
            for c in range(3):
                out[y, x, c] = colours[index, c]


def resized(frames: Frames, size: int) -> Frames:
    """Return (n, H, W, 3) images resized to squares, (n, size, size, 3)."""
    down, right = overlap_weights(frames.shape[1], size), overlap_weights(frames.shape[2], size)
    squares = np.empty((len(frames), size, size, frames.shape[3]), np.uint8)
    for k in range(len(frames)):
        for c in range(frames.shape[3]):
            downscale(frames[k, :, :, c], *down, *right, squares[k, :, :, c])
    return squares


def agent_view(frame: Frame, out: Frame) -> None:
    """Shrink (210, 160) grey levels to the (84, 84) of an observation."""
    downscale(frame, *overlap_weights(HEIGHT, SIDE), *overlap_weights(WIDTH, SIDE), out)
