"""Bounding volume hierarchies: trees of boxes that limit the objects a ray is tested against."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled, compiled_internal
from offnominal.core.types import Array

BINS = 12
HUGE = np.float32(3e38)
ZERO = np.float32(0.0)


@compiled
def build_bvh(items: NDArray[np.float32], leaf: int) -> tuple[Array, Array, Array]:
    """Build the tree over boxes with the binned surface-area heuristic.

    Args:
        items: (n, 6): low and high corners of the boxes.
        leaf: Largest number of items per leaf.

    Returns:
        boxes (nodes, 6); links (nodes, 2), which are (first child, 0), with the second child next to it, or (first
        item, number of items); and the order (n,) of the items. Node 0 is the root.
    """
    n = items.shape[0]
    boxes = np.empty((2 * n, 6), np.float32)
    links = np.empty((2 * n, 2), np.int32)
    order = np.arange(n).astype(np.int32)
    used = 1
    links[0, 0], links[0, 1] = 0, n
    waiting = np.empty(128, np.int32)
    waiting[0] = 0
    depth = 1
    while depth > 0:
        depth -= 1
        node = waiting[depth]
        first, count = links[node, 0], links[node, 1]
        _bound(items, order, first, count, boxes[node])
        middle = _split(items, order, first, count, leaf)
        if middle == first:
            continue
        links[used, 0], links[used, 1] = first, middle - first
        links[used + 1, 0], links[used + 1, 1] = middle, first + count - middle
        links[node, 0], links[node, 1] = used, 0
        # The larger half is processed later, which keeps the stack short.
        larger = used if links[used, 1] > links[used + 1, 1] else used + 1
        waiting[depth] = larger
        waiting[depth + 1] = 2 * used + 1 - larger
        depth += 2
        used += 2
    return boxes[:used].copy(), links[:used].copy(), order


@compiled_internal
def _bound(items: Array, order: Array, first: int, count: int, box: Array) -> None:
    """Write the bounding box of some items."""
    for axis in range(3):
        low, high = HUGE, -HUGE
        for k in range(first, first + count):
            low = min(low, items[order[k], axis])
            high = max(high, items[order[k], axis + 3])
        box[axis], box[axis + 3] = low, high


@compiled_internal
def _split(items: Array, order: Array, first: int, count: int, leaf: int) -> int:
    """Split the items of a node in two; return the index of the second part, or `first` for no split."""
    if count <= 1:
        return first
    axis, low, width = _widest(items, order, first, count)
    if not width > ZERO:
        return first + count // 2 if count > leaf else first
    boxes = np.empty((BINS, 6), np.float32)
    counts = np.zeros(BINS, np.int64)
    boxes[:, :3] = HUGE
    boxes[:, 3:] = -HUGE
    scale = np.float32(BINS) / width
    for k in range(first, first + count):
        item = order[k]
        b = _bin(items[item, axis] + items[item, axis + 3], low, scale)
        counts[b] += 1
        for side in range(3):
            boxes[b, side] = min(boxes[b, side], items[item, side])
            boxes[b, side + 3] = max(boxes[b, side + 3], items[item, side + 3])
    cut, cost = _cheapest(boxes, counts)
    bounds = np.empty(6, np.float32)
    _bound(items, order, first, count, bounds)
    if count <= leaf and cost >= np.float32(count) * _area(bounds):
        return first
    i, j = first, first + count - 1
    while i <= j:
        item = order[i]
        if _bin(items[item, axis] + items[item, axis + 3], low, scale) < cut:
            i += 1
        else:
            order[i], order[j] = order[j], order[i]
            j -= 1
    return i if first < i < first + count else first + count // 2


@compiled_internal
def _widest(items: Array, order: Array, first: int, count: int) -> tuple[int, np.float32, np.float32]:
    """Return the axis with the widest spread of the items' centres, their minimum (doubled) and their width."""
    best_axis, best_low, best = 0, ZERO, -HUGE
    for axis in range(3):
        low, high = HUGE, -HUGE
        for k in range(first, first + count):
            middle = items[order[k], axis] + items[order[k], axis + 3]
            low, high = min(low, middle), max(high, middle)
        if high - low > best:
            best_axis, best_low, best = axis, low, high - low
    return best_axis, best_low, best


@compiled_internal
def _bin(middle: np.float32, low: np.float32, scale: np.float32) -> int:
    return min(BINS - 1, int((middle - low) * scale))


@compiled_internal
def _area(box: Array) -> np.float32:
    """Return half the surface area of a box."""
    x, y, z = box[3] - box[0], box[4] - box[1], box[5] - box[2]
    area: np.float32 = x * y + y * z + z * x
    return area


@compiled_internal
def _cheapest(boxes: Array, counts: Array) -> tuple[int, np.float32]:
    """Return the bin before which to split, and the expected cost of the node."""
    costs = np.zeros(BINS, np.float32)
    for direction in (1, -1):
        grown = np.empty(6, np.float32)
        grown[:3], grown[3:] = HUGE, -HUGE
        seen = 0
        for step in range(BINS - 1):
            b = step if direction == 1 else BINS - 1 - step
            seen += counts[b]
            for side in range(3):
                grown[side] = min(grown[side], boxes[b, side])
                grown[side + 3] = max(grown[side + 3], boxes[b, side + 3])
            cut = b + 1 if direction == 1 else b
            costs[cut] += np.float32(seen) * _area(grown) if seen > 0 else ZERO
            if seen == 0:
                costs[cut] = HUGE
    best, cost = 1, HUGE
    for cut in range(1, BINS):
        if costs[cut] < cost:
            best, cost = cut, costs[cut]
    return best, cost
