"""A painter of flat shapes with soft edges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compiled import compiled
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray, Frame

Colour: TypeAlias = tuple[float, float, float]
Point: TypeAlias = Sequence[float] | FloatArray
RIM_SHADE = 0.6


class Canvas:
    """A picture that shapes are painted on; the later shape covers the earlier one.

    A pixel is covered by as much as the signed distance of its centre to the outline says, so an edge is one pixel
    soft and a shape can move by less than a pixel.

    Args:
        width: Pixels per row.
        height: Rows.
        background: Colour of what stays unpainted: red, green and blue from 0 to 1.
        view: What is seen, as (x_min, x_max, y_min, y_max) in metres. x points right, y points up.

    Example:
        >>> canvas = Canvas(64, 64, rgb("#ffffff"), view=(-1, 1, -1, 1))
        >>> canvas.disc((0, 0), 0.5, rgb("#ff0000"))
        >>> canvas.frame()[32, 32]
        array([255,   0,   0], dtype=uint8)
    """

    def __init__(self, width: int, height: int, background: Colour, *, view: tuple[float, float, float, float]) -> None:
        x_min, x_max, y_min, y_max = view
        if not (width > 0 and height > 0 and x_max > x_min and y_max > y_min):
            raise InvalidParameter(f"A canvas of {width} x {height} pixels with the view {view} is empty.")
        self.scale = width / (x_max - x_min)
        if not math.isclose(self.scale, height / (y_max - y_min), rel_tol=1e-6):
            raise InvalidParameter(f"The view {view} has another aspect ratio than {width} x {height} pixels.")
        self._origin = np.array((x_min, y_max))
        self._to_pixels = np.array((self.scale, -self.scale))
        self._pixels = np.empty((height, width, 3), np.float32)
        _fill(self._pixels, background)

    def disc(self, centre: Point, radius: float, colour: Colour, *, rim: float = 0.0) -> None:
        """Paint a disc; `rim` is the width of a darker edge, in metres."""
        self._paint((centre,), radius, colour, rim)

    def capsule(self, start: Point, end: Point, radius: float, colour: Colour, *, rim: float = 0.0) -> None:
        """Paint a thick line with round ends."""
        self._paint((start, end), radius, colour, rim)

    def polygon(self, corners: Sequence[Point] | FloatArray, colour: Colour, *, rim: float = 0.0) -> None:
        """Paint a polygon whose sides do not cross, given its corners in order."""
        self._paint(corners, 0.0, colour, rim)

    def frame(self) -> Frame:
        """Return the picture as (height, width, 3) bytes."""
        frame = np.empty(self._pixels.shape, np.uint8)
        _quantise(self._pixels, frame)
        return frame

    def _paint(self, corners: Sequence[Point] | FloatArray, radius: float, colour: Colour, rim: float) -> None:
        outline = (np.array(corners, np.float64) - self._origin) * self._to_pixels
        _paint(self._pixels, outline, radius * self.scale, rim * self.scale, colour)


def rgb(code: str) -> Colour:
    """Return the colour of a code such as ``"#F36966"``."""
    red, green, blue = bytes.fromhex(code.removeprefix("#"))
    return red / 255, green / 255, blue / 255


@compiled
def _fill(pixels: NDArray[np.float32], colour: Colour) -> None:
    for row in range(pixels.shape[0]):
        for column in range(pixels.shape[1]):
            for c in range(3):
                pixels[row, column, c] = colour[c]


@compiled
def _distance(x: float, y: float, corners: FloatArray) -> float:
    """Distance from a point to a polygon's sides, negative inside; one or two corners have no inside."""
    nearest = math.inf
    inside = False
    ax, ay = corners[-1]
    for bx, by in corners:
        ex, ey = bx - ax, by - ay
        px, py = x - ax, y - ay
        square = ex * ex + ey * ey
        along = min(1.0, max(0.0, (px * ex + py * ey) / square)) if square > 0.0 else 0.0
        dx, dy = px - along * ex, py - along * ey
        nearest = min(nearest, dx * dx + dy * dy)
        if (ay > y) != (by > y) and (px * ey < py * ex) == (by > ay):
            inside = not inside
        ax, ay = bx, by
    return -math.sqrt(nearest) if inside else math.sqrt(nearest)


@compiled
def _paint(pixels: NDArray[np.float32], corners: FloatArray, radius: float, rim: float, colour: Colour) -> None:
    """Blend in everything within `radius` of a polygon. All lengths are pixels; a non-finite shape is nowhere."""
    if not np.isfinite(corners).all():
        return
    reach = radius + 1.0
    height, width = pixels.shape[0], pixels.shape[1]
    left = int(min(max(corners[:, 0].min() - reach, 0.0), width))
    right = int(max(min(corners[:, 0].max() + reach, width), 0.0))
    top = int(min(max(corners[:, 1].min() - reach, 0.0), height))
    bottom = int(max(min(corners[:, 1].max() + reach, height), 0.0))
    for row in range(top, bottom):
        column = left
        while column < right:
            distance = _distance(column + 0.5, row + 0.5, corners) - radius
            # The distance also says how many pixels ahead are as uncovered, or as fully covered, as this one.
            same = max(distance - 0.5, -distance - rim - 0.5)
            end = min(right, column + 1 + int(min(max(same, 0.0), width)))
            cover = min(1.0, max(0.0, 0.5 - distance))
            edge = min(1.0, max(0.0, 0.5 + distance + rim)) if rim > 0.0 else 0.0
            for c in range(3):
                value = (1.0 - (1.0 - RIM_SHADE) * edge) * colour[c]
                for k in range(column, end if cover > 0.0 else column):
                    pixels[row, k, c] += cover * (value - pixels[row, k, c])
            column = end


@compiled
def _quantise(pixels: NDArray[np.float32], frame: Frame) -> None:
    values, out = pixels.ravel(), frame.ravel()
    for k in range(values.size):
        out[k] = np.uint8(values[k] * np.float32(255.0) + np.float32(0.5))
