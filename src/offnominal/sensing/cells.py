"""Cells of neighbouring rays with the instances that these can hit.

The rays of a camera, of a lidar and towards the sun have a common origin or a common direction. They are grouped into a
plane of cells: tiles of the image, patches of the lidar's sphere, squares in the direction of the sun. In every frame
each cell gets the list of the instances whose outline overlaps it, nearest first. A ray is tested against the list of
its cell only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled_internal
from offnominal.core.types import Array
from offnominal.sensing.packed_scene import PackedScene
from offnominal.sensing.placed_instances import PlacedInstances, extent_along

TILE = 8
CLOSE = np.float32(1e-3)
ZERO = np.float32(0.0)
ONE = np.float32(1.0)
HUGE = np.float32(3e38)


class Cells(NamedTuple):
    """Lists of instances per cell.

    Args:
        starts: (cells + 2,): start of the list of each cell in `members`.
        members: The concatenated lists.
        near: (instances,): lower bound of t at which a ray hits the instance.
    """

    starts: NDArray[np.int32]
    members: NDArray[np.int32]
    near: NDArray[np.float32]


@compiled_internal
def sort_by(keys: Array, order: Array) -> None:
    """Sort indices by their keys, smallest first (Shell sort with Ciura's gaps); equal keys by index."""
    for gap in (1750, 701, 301, 132, 57, 23, 10, 4, 1):
        for k in range(gap, order.shape[0]):
            item = order[k]
            j = k
            while j >= gap and (
                keys[order[j - gap]] > keys[item] or (keys[order[j - gap]] == keys[item] and order[j - gap] > item)
            ):
                order[j] = order[j - gap]
                j -= gap
            order[j] = item


@compiled_internal
def fill_cells(outlines: Array, near: Array, solids: Array, columns: int, rows: int) -> Cells:
    """Return the lists of all cells.

    Args:
        outlines: (instances, 4): first and last column, first and last row that an instance overlaps; none if the last
            is before the first.
        near: (instances,): distance that sorts the lists.
        solids: Instances to consider.
        columns: Number of columns.
        rows: Number of rows.
    """
    order = np.empty_like(solids)
    for k in range(solids.shape[0]):
        order[k] = solids[k]
    sort_by(near, order)
    starts = np.zeros(columns * rows + 2, np.int32)
    for i in order:
        for y in range(outlines[i, 2], outlines[i, 3] + 1):
            for x in range(outlines[i, 0], outlines[i, 1] + 1):
                starts[y * columns + x + 2] += 1
    for c in range(columns * rows + 1):
        starts[c + 1] += starts[c]
    members = np.empty(starts[columns * rows + 1], np.int32)
    # Entry c + 1 is incremented while list c is filled, so it ends as the start of list c + 1.
    for i in order:
        for y in range(outlines[i, 2], outlines[i, 3] + 1):
            for x in range(outlines[i, 0], outlines[i, 1] + 1):
                c = y * columns + x + 1
                members[starts[c]] = i
                starts[c] += 1
    return Cells(starts, members, near)


@compiled_internal
def clamped(value: np.float32, most: int) -> int:
    """Return the floor of a value, clipped to -1 .. most."""
    return int(np.floor(min(max(value, -ONE), np.float32(most))))


@compiled_internal
def camera_cells(
    packed: PackedScene, placed: PlacedInstances, view: NDArray[np.float32], width: int, height: int
) -> Cells:
    """Return the instances that overlap each tile of an image; t is measured along the direction of view."""
    n, extent, solids = packed.kind.shape[0], packed.extent, packed.solids
    centre, rotation, present = placed.centre, placed.rotation, placed.present
    outlines = np.empty((n, 4), np.int32)
    near = np.empty(n, np.float32)
    frame = np.empty((4, 3), np.float32)
    columns, rows = (width + TILE - 1) // TILE, (height + TILE - 1) // TILE
    half_wide, half_high, parallel = view[12], view[13], view[14] > ZERO
    scale_x, scale_y = np.float32(0.5 * width) / half_wide, np.float32(0.5 * height) / half_high
    for i in solids:
        outlines[i, 0], outlines[i, 1], outlines[i, 2], outlines[i, 3] = 0, -1, 0, -1
        near[i] = HUGE
        if not present[i]:
            continue
        _in_view(extent, centre, rotation, view, i, frame)
        depth = abs(frame[0, 2]) + abs(frame[1, 2]) + abs(frame[2, 2])
        if frame[3, 2] + depth <= ZERO:
            continue
        near[i] = max(frame[3, 2] - depth, ZERO)
        left, right, low, high = _outline(frame, parallel, near[i])
        # A margin of one pixel avoids cut edges by rounding.
        x0 = (left + half_wide) * scale_x - ONE
        x1 = (right + half_wide) * scale_x + ONE
        y0 = (half_high - high) * scale_y - ONE
        y1 = (half_high - low) * scale_y + ONE
        if x1 < ZERO or y1 < ZERO or x0 > width or y0 > height:
            continue
        outlines[i, 0], outlines[i, 1] = (
            max(clamped(x0, width) // TILE, 0),
            min(clamped(x1, width) // TILE, columns - 1),
        )
        outlines[i, 2], outlines[i, 3] = max(clamped(y0, height) // TILE, 0), min(clamped(y1, height) // TILE, rows - 1)
    return fill_cells(outlines, near, solids, columns, rows)


@compiled_internal
def _in_view(extent: Array, centre: Array, rotation: Array, view: Array, i: int, frame: Array) -> None:
    """Write the half sides (rows 0 to 2) and the centre (row 3) of an instance's box in camera coordinates."""
    for axis in range(3):
        x, y, z = view[3 + 3 * axis], view[4 + 3 * axis], view[5 + 3 * axis]
        for k in range(3):
            along = rotation[i, k] * x + rotation[i, 3 + k] * y + rotation[i, 6 + k] * z
            frame[k, axis] = extent[i, k] * along
        frame[3, axis] = centre[i, 0] * x + centre[i, 1] * y + centre[i, 2] * z


@compiled_internal
def _outline(frame: Array, parallel: bool, near: np.float32) -> tuple[np.float32, np.float32, np.float32, np.float32]:
    """Return left, right, bottom and top of a box in the image; of its visible part if it extends behind the camera."""
    if parallel:
        x = abs(frame[0, 0]) + abs(frame[1, 0]) + abs(frame[2, 0])
        y = abs(frame[0, 1]) + abs(frame[1, 1]) + abs(frame[2, 1])
        return frame[3, 0] - x, frame[3, 0] + x, frame[3, 1] - y, frame[3, 1] + y
    if near < CLOSE:
        return _clipped_outline(frame)
    left, right, low, high = HUGE, -HUGE, HUGE, -HUGE
    for corner in range(8):
        a = ONE if corner & 1 else -ONE
        b = ONE if corner & 2 else -ONE
        c = ONE if corner & 4 else -ONE
        inverse = ONE / (frame[3, 2] + a * frame[0, 2] + b * frame[1, 2] + c * frame[2, 2])
        x = (frame[3, 0] + a * frame[0, 0] + b * frame[1, 0] + c * frame[2, 0]) * inverse
        y = (frame[3, 1] + a * frame[0, 1] + b * frame[1, 1] + c * frame[2, 1]) * inverse
        left, right = min(left, x), max(right, x)
        low, high = min(low, y), max(high, y)
    return left, right, low, high


@compiled_internal
def _clipped_outline(frame: Array) -> tuple[np.float32, np.float32, np.float32, np.float32]:
    """Return left, right, bottom and top in the image of the part of a box that is in front of the camera."""
    left, right, low, high = HUGE, -HUGE, HUGE, -HUGE
    for corner in range(8):
        ax, ay, az = _corner(frame, corner)
        for axis in range(3):
            # Each edge once: from the corner whose bit of this axis is zero.
            if corner >> axis & 1:
                continue
            bx, by, bz = _corner(frame, corner | 1 << axis)
            for end in range(2):
                x, y, z, other_x, other_y, other_z = (ax, ay, az, bx, by, bz) if end == 0 else (bx, by, bz, ax, ay, az)
                if z < CLOSE:
                    if other_z < CLOSE:
                        continue
                    share = (CLOSE - z) / (other_z - z)
                    x, y, z = x + share * (other_x - x), y + share * (other_y - y), CLOSE
                left, right = min(left, x / z), max(right, x / z)
                low, high = min(low, y / z), max(high, y / z)
    if left > right:
        return -HUGE, HUGE, -HUGE, HUGE
    return left, right, low, high


@compiled_internal
def _corner(frame: Array, corner: int) -> tuple[np.float32, np.float32, np.float32]:
    """Return a corner of a box in camera coordinates; bit k of its number is the side along axis k."""
    a = ONE if corner & 1 else -ONE
    b = ONE if corner & 2 else -ONE
    c = ONE if corner & 4 else -ONE
    x = frame[3, 0] + a * frame[0, 0] + b * frame[1, 0] + c * frame[2, 0]
    y = frame[3, 1] + a * frame[0, 1] + b * frame[1, 1] + c * frame[2, 1]
    z = frame[3, 2] + a * frame[0, 2] + b * frame[1, 2] + c * frame[2, 2]
    return x, y, z


class SunMap(NamedTuple):
    """Instances that can shade points, in squares in the direction of the sun.

    Args:
        cells: The lists; `near` is minus the height of an instance's top towards the sun.
        size: Number of squares along each side.
        origin: Across and upright coordinate of the first corner, and squares per metre along both.
        direction: (instances, 3): direction of the sun in the coordinates of each instance.
    """

    cells: Cells
    size: int
    origin: NDArray[np.float32]
    direction: NDArray[np.float32]


@compiled_internal
def sun_map(packed: PackedScene, placed: PlacedInstances, wanted: bool) -> SunMap:
    """Return the instances that can shade the points of each square; an empty map without shadows."""
    n, lighting, extent, solids = packed.kind.shape[0], packed.lighting, packed.extent, packed.solids
    centre, rotation, present = placed.centre, placed.rotation, placed.present
    spans = np.empty((n, 4), np.float32)
    outlines = np.empty((n, 4), np.int32)
    near = np.empty(n, np.float32)
    direction = np.empty((n, 3), np.float32)
    origin = np.empty(4, np.float32)
    origin[0], origin[1] = HUGE, HUGE
    far_x, far_y = -HUGE, -HUGE
    for i in solids:
        outlines[i, 0], outlines[i, 1], outlines[i, 2], outlines[i, 3] = 0, -1, 0, -1
        near[i] = HUGE
        if not (wanted and present[i]):
            continue
        for axis in range(3):
            x, y, z = lighting[axis, 0], lighting[axis, 1], lighting[axis, 2]
            at = centre[i, 0] * x + centre[i, 1] * y + centre[i, 2] * z
            reach = np.float32(1.001) * extent_along(extent, rotation, i, x, y, z)
            if axis == 0:
                near[i] = -(at + reach)
            else:
                spans[i, 2 * axis - 2], spans[i, 2 * axis - 1] = at - reach, at + reach
        for k in range(3):
            direction[i, k] = (
                rotation[i, k] * lighting[0, 0]
                + rotation[i, 3 + k] * lighting[0, 1]
                + rotation[i, 6 + k] * lighting[0, 2]
            )
        origin[0], origin[1] = min(origin[0], spans[i, 0]), min(origin[1], spans[i, 2])
        far_x, far_y = max(far_x, spans[i, 1]), max(far_y, spans[i, 3])
    size = max(24, min(96, int(5.0 * np.sqrt(float(solids.shape[0])))))
    origin[2] = np.float32(size) / max(far_x - origin[0], CLOSE)
    origin[3] = np.float32(size) / max(far_y - origin[1], CLOSE)
    for i in solids:
        if wanted and present[i]:
            outlines[i, 0] = max(clamped((spans[i, 0] - origin[0]) * origin[2] - CLOSE, size), 0)
            outlines[i, 1] = min(clamped((spans[i, 1] - origin[0]) * origin[2] + CLOSE, size), size - 1)
            outlines[i, 2] = max(clamped((spans[i, 2] - origin[1]) * origin[3] - CLOSE, size), 0)
            outlines[i, 3] = min(clamped((spans[i, 3] - origin[1]) * origin[3] + CLOSE, size), size - 1)
    return SunMap(fill_cells(outlines, near, solids, size, size), size, origin, direction)
