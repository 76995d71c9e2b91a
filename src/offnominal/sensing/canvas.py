"""Antialiased drawing of flat shapes, for compiled code that draws many images.

The coverage of a pixel follows from the signed distance of its centre to the outline, so an edge is one pixel wide and
a shape can move by less than a pixel. Lengths are in pixels from the upper left corner, colours are from 0 to 1.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.types import FloatArray, Frame

Colour: TypeAlias = tuple[float, float, float]
RIM_SHADE = 0.6


def rgb(code: str) -> Colour:
    """Return the colour of a code such as ``"#F36966"``."""
    red, green, blue = bytes.fromhex(code.removeprefix("#"))
    return red / 255, green / 255, blue / 255


def blank(width: int, height: int, colour: Colour) -> Frame:
    """Return an image of one colour, (height, width, 3) bytes."""
    return np.tile(np.rint(255.0 * np.array(colour)).astype(np.uint8), (height, width, 1))


@compiled
def _distance(x: float, y: float, corners: FloatArray) -> float:
    """Return the distance from a point to a polygon's sides, negative inside."""
    nearest = math.inf
    inside = False
    last = corners.shape[0] - 1
    ax, ay = corners[last, 0], corners[last, 1]
    for k in range(corners.shape[0]):
        bx, by = corners[k, 0], corners[k, 1]
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
def _unit(value: float) -> float:
    """Return a value clipped to [0, 1]."""
    return 0.0 if value < 0.0 else min(value, 1.0)


@compiled
def _blend(
    frame: Frame, row: int, column: int, distance: float, rim: float, red: float, green: float, blue: float
) -> None:
    """Blend a colour from 0 to 255 into a pixel, given the signed distance of its centre; negative is inside."""
    cover = _unit(0.5 - distance)
    edge = _unit(0.5 + distance + rim) if rim > 0.0 else 0.0
    shade = 1.0 - (1.0 - RIM_SHADE) * edge
    for c, value in ((0, red), (1, green), (2, blue)):
        old = float(frame[row, column, c])
        frame[row, column, c] = np.uint8(old + cover * (shade * value - old) + 0.5)


@compiled
def paint_disc(
    frame: Frame, x: float, y: float, radius: float, rim: float, red: float, green: float, blue: float
) -> None:
    """Paint a disc with a darker outer `rim`. A disc without a finite position is not drawn.

    Example:
        >>> frame = blank(64, 64, rgb("#ffffff"))
        >>> paint_disc(frame, 32.0, 32.0, 16.0, 0.0, 1.0, 0.0, 0.0)
        >>> frame[32, 32]
        array([255,   0,   0], dtype=uint8)
    """
    height, width = frame.shape[0], frame.shape[1]
    reach, core = radius + 0.5, max(0.0, radius - rim - 0.5)
    if not (-reach < x < width + reach and -reach < y < height + reach):
        return
    red, green, blue = 255.0 * red, 255.0 * green, 255.0 * blue
    solid = np.uint8(red + 0.5), np.uint8(green + 0.5), np.uint8(blue + 0.5)
    for row in range(max(0, int(y - reach)), min(height, int(y + reach) + 1)):
        dy = row + 0.5 - y
        square = reach * reach - dy * dy
        if square <= 0.0:
            continue
        chord = math.sqrt(square)
        for column in range(max(0, int(x - chord)), min(width, int(x + chord) + 1)):
            dx = column + 0.5 - x
            away = dx * dx + dy * dy
            if away <= core * core:
                frame[row, column, 0], frame[row, column, 1], frame[row, column, 2] = solid
            else:
                _blend(frame, row, column, math.sqrt(away) - radius, rim, red, green, blue)


@compiled
def paint_polygon(frame: Frame, corners: FloatArray, rim: float, red: float, green: float, blue: float) -> None:
    """Paint a simple polygon, given its corners (k, 2) in order; see :func:`paint_disc`."""
    left = right = corners[0, 0]
    top = bottom = corners[0, 1]
    for k in range(corners.shape[0]):
        x, y = corners[k, 0], corners[k, 1]
        if not (math.isfinite(x) and math.isfinite(y)):
            return
        left, right, top, bottom = min(left, x), max(right, x), min(top, y), max(bottom, y)
    height, width = frame.shape[0], frame.shape[1]
    first, last = int(min(max(left - 1.0, 0.0), width)), int(max(min(right + 1.0, width), 0.0))
    start, stop = int(min(max(top - 1.0, 0.0), height)), int(max(min(bottom + 1.0, height), 0.0))
    red, green, blue = 255.0 * red, 255.0 * green, 255.0 * blue
    for row in range(start, stop):
        column = first
        while column < last:
            distance = _distance(column + 0.5, row + 0.5, corners)
            # The distance also gives the number of following pixels with the same coverage, none or full.
            same = max(distance - 0.5, -distance - rim - 0.5)
            end = min(last, column + 1 + int(min(max(same, 0.0), width)))
            if distance < 0.5:
                for k in range(column, end):
                    _blend(frame, row, k, distance, rim, red, green, blue)
            column = end
