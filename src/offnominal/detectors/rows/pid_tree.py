"""Trees of boxes that part crowded from empty regions: how one tree of a PIDForest grows."""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.rows.pid_histogram import cut_values, space_for

Tree = tuple[IntArray, IntArray, IntArray, IntArray, IntArray, FloatArray, FloatArray]
"""Per node: axis (-1 for a leaf), first child, number of children, first threshold, level; then all thresholds, and per
node the logarithm of the volume."""


@compiled
def grow(
    rows: FloatArray,
    low: FloatArray,
    high: FloatArray,
    axes: IntArray,
    depth: int,
    buckets: int,
    epsilon: float,
    uniforms: FloatArray,
) -> Tree:
    """Grow a tree on a sample of rows inside a box.

    Each node splits one axis into up to `buckets` parts, such that the spacing of values varies as little as possible
    within parts. The axis is drawn with a probability proportional to the variance that its split explains. Nodes are
    in the order of their levels, so that a shallower tree is the beginning of a deeper one.

    Args:
        rows: (n, d) sample.
        low: (d,) lower ends of the box.
        high: (d,) upper ends of the box.
        axes: Axes along which the sample varies.
        depth: Largest number of levels.
        buckets: Largest number of parts.
        epsilon: Tolerated loss of a split compared with the best one, at each part.
        uniforms: (2 n,) uniform numbers, one per node.
    """
    n = rows.shape[0]
    most = 2 * n
    axis, first, parts, cut_start, level, begin, end = np.zeros((7, most), np.int64)
    axis[:] = -1
    lows, highs = np.empty((most, len(low))), np.empty((most, len(low)))
    cuts = np.empty(most)
    columns = np.empty((len(axes), n))
    order = np.empty((len(axes), n), np.int64)
    for k in range(len(axes)):
        for i in range(n):
            columns[k, i] = rows[i, axes[k]]
        _copy(np.argsort(columns[k]), order[k])
    _copy(low, lows[0])
    _copy(high, highs[0])
    end[0] = n
    nodes, used, node = 1, 0, 0
    found = np.empty((len(axes), buckets))
    number, gain = np.empty(len(axes), np.int64), np.empty(len(axes))
    values, place, moved = np.empty(n), np.empty(n, np.int64), np.empty(n, np.int64)
    numbers, places = space_for(n, buckets)
    while node < nodes:
        if level[node] < depth and end[node] - begin[node] > 1:
            size = end[node] - begin[node]
            for k in range(len(axes)):
                for i in range(size):
                    values[i] = columns[k, order[k, begin[node] + i]]
                begins, ends = lows[node, axes[k]], highs[node, axes[k]]
                number[k], gain[k] = cut_values(
                    values[:size], begins, ends, buckets, epsilon, found[k], numbers, places
                )
            if gain.sum() > 0.0:
                chosen = _draw(gain, uniforms[node])
                a, count = axes[chosen], number[chosen]
                axis[node], first[node], parts[node], cut_start[node] = a, nodes, count + 1, used
                _copy(found[chosen, :count], cuts[used:])
                own = order[:, begin[node] : end[node]]
                sizes = _part(columns[chosen], own, found[chosen, :count], place, moved)
                start = begin[node]
                for part in range(count + 1):
                    _copy(lows[node], lows[nodes])
                    _copy(highs[node], highs[nodes])
                    if part > 0:
                        lows[nodes, a] = found[chosen, part - 1]
                    if part < count:
                        highs[nodes, a] = found[chosen, part]
                    level[nodes], begin[nodes], end[nodes] = level[node] + 1, start, start + sizes[part]
                    start += sizes[part]
                    nodes += 1
                used += count
        node += 1
    volume = np.zeros(nodes)
    for node in range(nodes):
        for k in range(len(axes)):
            volume[node] += math.log(highs[node, axes[k]] - lows[node, axes[k]])
    return axis[:nodes], first[:nodes], parts[:nodes], cut_start[:nodes], level[:nodes], cuts[:used], volume


@compiled
def _copy(values: Array, out: Array) -> None:
    """Copy values. A loop is compiled in a fraction of the time of an assignment to a slice."""
    for i in range(values.shape[0]):
        out[i] = values[i]


@compiled
def _draw(gain: FloatArray, uniform: float) -> int:
    left = uniform * gain.sum()
    for k in range(len(gain)):
        left -= gain[k]
        if left < 0.0:
            return k
    return int(np.argmax(gain))


@compiled
def _part(values: FloatArray, own: IntArray, cuts: FloatArray, place: IntArray, moved: IntArray) -> IntArray:
    """Split the rows of a node, which are sorted along every axis, and return the size of each part.

    Args:
        values: Values along the axis of the split.
        own: (axes, n) rows of the node; reordered in place, still sorted within parts.
        cuts: Thresholds of the split.
        place: Output: the part of each row.
        moved: Working memory.
    """
    sizes = np.zeros(len(cuts) + 1, np.int64)
    for row in own[0]:
        place[row] = part_of(values[row], cuts)
        sizes[place[row]] += 1
    begins = np.cumsum(sizes) - sizes
    for k in range(len(own)):
        to = begins.copy()
        for row in own[k]:
            moved[to[place[row]]] = row
            to[place[row]] += 1
        _copy(moved[: own.shape[1]], own[k])
    return sizes


@compiled
def part_of(value: float, cuts: FloatArray) -> int:
    """Return the number of thresholds at or below a value."""
    part = 0
    while part < len(cuts) and value >= cuts[part]:
        part += 1
    return part
