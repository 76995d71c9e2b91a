"""Labels beside the series they name, instead of a legend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from offnominal.core.types import FloatArray

SIZE = 8.5
"""Of a label, in points."""
LINE = 1.25
"""Distance of two labels, in their height."""
# Directions in which a label may lie from its point: alignment, and distance in points.
SIDES = (
    ("left", "center", 7, 0),
    ("right", "center", -7, 0),
    ("center", "bottom", 0, 6),
    ("center", "top", 0, -6),
    ("left", "bottom", 5, 4),
    ("left", "top", 5, -4),
    ("right", "bottom", -5, 4),
    ("right", "top", -5, -4),
    ("left", "bottom", 9, 13),
    ("left", "top", 9, -13),
    ("right", "bottom", -9, 13),
    ("right", "top", -9, -13),
)


def label_ends(
    axes: Any, ends: Mapping[str, float], shades: Mapping[str, str], *, x: float | None = None, size: float = SIZE
) -> None:
    """Write names to the right of lines, at the heights where these end, moved apart where they would overlap.

    Args:
        axes: Axes whose limits are final.
        ends: Last value of each line, by name; lines that end in NaN have no label.
        shades: Colour of each name.
        x: Where the lines end; at the right edge of the axes if None.
        size: Of the text, in points.
    """
    names = [name for name, end in ends.items() if np.isfinite(end)]
    if not names:
        return
    last = axes.get_xlim()[1] if x is None else x
    where = axes.transData.transform([(last, ends[name]) for name in names])
    across, heights = axes.transAxes.inverted().transform(where).T
    inches = axes.get_position().height * axes.figure.get_size_inches()[1]
    places = spread(heights, LINE * size / 72.0 / max(inches, 0.1))
    for name, height, place in zip(names, heights, places, strict=True):
        axes.annotate(
            name,
            (across[0], height),
            xycoords="axes fraction",
            xytext=(across[0] + 0.006, place),
            textcoords="axes fraction",
            color=shades[name],
            fontsize=size,
            va="center",
            annotation_clip=False,
        )


def spread(places: FloatArray, apart: float) -> FloatArray:
    """Return places as near to the given ones as possible, in their order, and at least a distance apart.

    Example:
        >>> spread(np.array([0.5, 0.5, 0.9]), 0.2).round(2).tolist()
        [0.4, 0.6, 0.9]
    """
    order = np.argsort(places, kind="stable")
    offsets = apart * np.arange(len(places))
    # Isotonic regression: neighbours in the wrong order share their mean.
    groups: list[tuple[float, int]] = []
    for value in places[order] - offsets:
        mean, count = float(value), 1
        while groups and groups[-1][0] > mean:
            before, size = groups.pop()
            mean, count = (before * size + mean * count) / (size + count), size + count
        groups.append((mean, count))
    found = np.empty(len(places))
    found[order] = np.repeat([mean for mean, _ in groups], [count for _, count in groups]) + offsets
    return found


def label_points(axes: Any, points: Sequence[tuple[str, float, float, str]], *, size: float = SIZE) -> None:
    """Write names beside points, on the side with the least overlap with other names, points and the edge.

    Args:
        axes: Axes whose limits are final.
        points: Name, x, y and colour of each; the first ones choose first.
        size: Of the text, in points.
    """
    scale = axes.figure.dpi / 72.0
    where = axes.transData.transform([(x, y) for _, x, y, _ in points]) / scale
    frame = np.asarray(axes.get_window_extent().extents) / scale
    taken = [(x - 4.0, y - 4.0, x + 4.0, y + 4.0) for x, y in where]
    for (name, x, y, shade), centre in zip(points, where, strict=True):
        boxes = [_box(centre, side, 0.56 * size * len(name), size) for side in SIDES]
        costs = [sum(_overlap(box, other) for other in taken) + _outside(box, frame) for box in boxes]
        best = int(np.argmin(costs))
        taken.append(boxes[best])
        horizontal, vertical, right, up = SIDES[best]
        axes.annotate(
            name, (x, y), xytext=(right, up), textcoords="offset points", ha=horizontal, va=vertical, color=shade,
            fontsize=size, annotation_clip=False,
        )  # fmt: skip


Box = tuple[float, float, float, float]


def _box(centre: FloatArray, side: tuple[str, str, int, int], width: float, height: float) -> Box:
    horizontal, vertical, right, up = side
    left = centre[0] + right - width * {"left": 0.0, "center": 0.5, "right": 1.0}[horizontal]
    bottom = centre[1] + up - height * {"bottom": 0.0, "center": 0.5, "top": 1.0}[vertical]
    return left, bottom, left + width, bottom + height


def _overlap(one: Box, other: Box) -> float:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return max(wide, 0.0) * max(high, 0.0)


def _outside(box: Box, frame: FloatArray) -> float:
    """Return how much of a label lies outside the axes, twice as bad as on another label."""
    area = (box[2] - box[0]) * (box[3] - box[1])
    return 2.0 * (area - _overlap(box, (frame[0], frame[1], frame[2], frame[3])))
