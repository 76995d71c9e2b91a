"""One palette for all frames of a clip, so that a colour is the same in every frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial import KDTree

from offnominal.core.types import Array

if TYPE_CHECKING:
    from PIL.Image import Image

COLOURS = 256
EXACT = 8
"""Most frequent colours, which are in the palette as they are: backgrounds, borders and labels."""
BITS = 6
"""Of a channel that tell two colours apart: 64 levels each."""
CELLS = 1 << 3 * BITS


def with_palette(frames: list[Array]) -> list[Image]:
    """Return RGB frames as images that share a palette of 256 colours.

    The palette has the most frequent colours and a median cut of all that occur in any frame. The square root of the
    number of its pixels is the weight of a colour: a small object keeps its colour beside a large background.

    Args:
        frames: Arrays of shape (height, width, 3), uint8.

    Example:
        >>> frame = np.full((8, 8, 3), 250, np.uint8)
        >>> frame[3, 4] = 20, 60, 200
        >>> with_palette([frame])[0].convert("RGB").getpixel((4, 3))
        (20, 60, 200)
    """
    from PIL import Image

    cells = [_cells(frame) for frame in frames]
    palette = _palette(frames, cells)
    nearest = KDTree(palette).query(_centres())[1].astype(np.uint8)
    images = [Image.fromarray(nearest[each]) for each in cells]
    for image in images:
        image.putpalette(palette.tobytes())
    return images


def _cells(frame: Array) -> Array:
    """Return the number of the cell of colours in which each pixel lies."""
    red, green, blue = np.moveaxis(frame >> (8 - BITS), -1, 0).astype(np.int32)
    numbers: Array = (red << 2 * BITS) | (green << BITS) | blue
    return numbers


def _centres() -> Array:
    """Return the colour in the middle of each cell."""
    numbers = np.arange(CELLS)
    levels = np.stack([(numbers >> shift) % (1 << BITS) for shift in (2 * BITS, BITS, 0)], axis=1)
    return levels * (1 << (8 - BITS)) + ((1 << (8 - BITS)) - 1) / 2


def _palette(frames: list[Array], cells: list[Array]) -> Array:
    """Return the colours of the palette, one per row."""
    from PIL import Image

    counts, sums = np.zeros(CELLS), np.zeros((CELLS, 3))
    for frame, numbers in zip(frames, cells, strict=True):
        flat = numbers.ravel()
        counts += np.bincount(flat, minlength=CELLS)
        for channel in range(3):
            sums[:, channel] += np.bincount(flat, frame[..., channel].ravel(), CELLS)
    used = np.flatnonzero(counts)
    colours = np.rint(sums[used] / counts[used, None]).astype(np.uint8)
    if len(colours) <= COLOURS:
        return colours
    weighted = colours.repeat(np.ceil(np.sqrt(counts[used])).astype(int), axis=0)
    cut = Image.fromarray(weighted[None]).quantize(COLOURS - EXACT, Image.Quantize.MEDIANCUT)
    frequent = colours[np.argsort(counts[used], kind="stable")[-EXACT:]]
    return np.concatenate([frequent, np.array(cut.getpalette(), np.uint8).reshape(-1, 3)])[:COLOURS]
