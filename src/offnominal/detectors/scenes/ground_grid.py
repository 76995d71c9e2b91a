"""A grid on the ground around the ego vehicle: which cells are occupied by something above the road."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import uniform_filter

from offnominal.core.types import FloatArray

CELLS = 256
"""Cells per side; a cell is a square metre."""
LOW, HIGH = 0.3, 4.0
"""Heights above the road at which a point occupies its cell, m."""
OUTER, INNER = 13, 5
"""Sides of the two squares whose difference is the surroundings of a cell."""


def crowding(ahead: FloatArray, left: FloatArray, height: FloatArray) -> FloatArray:
    """Return the number of occupied cells in the surroundings of each point.

    The surroundings are the cells up to 6 m away, without those up to 2 m away. An object that stands alone has few of
    them, a facade or a hedge has many.

    Args:
        ahead: (n,): distances ahead of the ego vehicle, m.
        left: (n,): distances to its left, m.
        height: (n,): heights above the road, m.

    Example:
        >>> wall = np.arange(-10.0, 10.0)
        >>> crowding(np.full(20, 30.0), wall, np.ones(20))[10].item()
        8.0
    """
    column = np.clip(np.floor(ahead) + CELLS // 2, 0, CELLS - 1).astype(np.int64)
    row = np.clip(np.floor(left) + CELLS // 2, 0, CELLS - 1).astype(np.int64)
    occupied = np.zeros((CELLS, CELLS))
    above = (height > LOW) & (height < HIGH)
    occupied[row[above], column[above]] = 1.0
    wide, near = (side**2 * uniform_filter(occupied, side, mode="constant") for side in (OUTER, INNER))
    found: FloatArray = np.rint(wide - near)[row, column]
    return found
