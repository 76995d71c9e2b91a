"""Trees of boxes that part crowded from empty regions: how one tree of a PIDForest grows."""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compiled import compiled
from offnominal.core.types import FloatArray, IntArray

Tree = tuple[IntArray, IntArray, IntArray, IntArray, FloatArray, FloatArray]
"""Per node: its axis (-1 for a leaf), its first child, how many children, its first cut; then all cuts, and per node
the logarithm of its volume."""


@compiled
def grow(
    rows: FloatArray,
    low: FloatArray,
    high: FloatArray,
    axes: IntArray,
    depth: int,
    buckets: int,
    epsilon: float,
    chances: FloatArray,
) -> Tree:
    """Grow a tree on a sample of rows inside a box.

    Each node cuts one axis into up to `buckets` parts, such that the room that values have to themselves differs as
    little as possible within parts. An axis is chosen with a chance in proportion to what that explains.

    Args:
        rows: (n, d) sample.
        low: (d,) of the box.
        high: (d,) of the box.
        axes: Those along which the sample varies.
        depth: Levels of cuts at most.
        buckets: Parts at most.
        epsilon: How much worse than the best a cut may be, at each part.
        chances: (2 n,) uniform numbers, one per node.
    """
    n = rows.shape[0]
    most = 2 * n
    axis, first, parts, cut_start, level, begin, end = np.zeros((7, most), np.int64)
    axis[:] = -1
    lows, highs = np.empty((most, len(low))), np.empty((most, len(low)))
    cuts = np.empty(most)
    order = np.arange(n)
    lows[0], highs[0], end[0] = low, high, n
    nodes, used, node = 1, 0, 0
    found = np.empty((len(axes), buckets))
    number, gain = np.empty(len(axes), np.int64), np.empty(len(axes))
    while node < nodes:
        if level[node] < depth and end[node] - begin[node] > 1:
            own = order[begin[node] : end[node]]
            for k in range(len(axes)):
                values = np.sort(rows[own, axes[k]])
                number[k], gain[k] = _cut(values, lows[node, axes[k]], highs[node, axes[k]], buckets, epsilon, found[k])
            if gain.sum() > 0.0:
                chosen = _draw(gain, chances[node])
                a, count = axes[chosen], number[chosen]
                axis[node], first[node], parts[node], cut_start[node] = a, nodes, count + 1, used
                cuts[used : used + count] = found[chosen, :count]
                sizes = _part(rows, own, a, found[chosen, :count])
                start = begin[node]
                for part in range(count + 1):
                    lows[nodes], highs[nodes] = lows[node], highs[node]
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
    return axis[:nodes], first[:nodes], parts[:nodes], cut_start[:nodes], cuts[:used], volume


@compiled
def _draw(gain: FloatArray, chance: float) -> int:
    left = chance * gain.sum()
    for k in range(len(gain)):
        left -= gain[k]
        if left < 0.0:
            return k
    return int(np.argmax(gain))


@compiled
def _part(rows: FloatArray, own: IntArray, axis: int, cuts: FloatArray) -> IntArray:
    """Sort a node's rows by the part they fall into, in place, and return how many fall into each."""
    place = np.empty(len(own), np.int64)
    sizes = np.zeros(len(cuts) + 1, np.int64)
    for i in range(len(own)):
        place[i] = part_of(rows[own[i], axis], cuts)
        sizes[place[i]] += 1
    own[:] = own[np.argsort(place, kind="mergesort")]
    return sizes


@compiled
def part_of(value: float, cuts: FloatArray) -> int:
    """Return how many cuts lie at or below a value."""
    part = 0
    while part < len(cuts) and value >= cuts[part]:
        part += 1
    return part


@compiled
def _cut(
    values: FloatArray, low: float, high: float, buckets: int, epsilon: float, cuts: FloatArray
) -> tuple[int, float]:
    """Cut sorted values between two ends; return how many cuts were made and the share of the error they save.

    A value has the room between the midpoints to its neighbours, shared by those equal to it. Errors are squared
    deviations of that room from the mean of its part.
    """
    n = len(values)
    where = np.empty(n)
    weight, first, second = np.zeros(n + 1), np.zeros(n + 1), np.zeros(n + 1)
    m = 0
    i = 0
    begin = low
    while i < n:
        j = i
        while j < n and values[j] == values[i]:
            j += 1
        end = high if j == n else 0.5 * (values[i] + values[j])
        room = (end - begin) / (j - i)
        where[m] = end
        weight[m + 1] = weight[m] + (j - i)
        first[m + 1] = first[m] + (j - i) * room
        second[m + 1] = second[m] + (j - i) * room * room
        m += 1
        begin, i = end, j
    if m < 2:
        return 0, 0.0
    error, back = _histogram(weight[: m + 1], first[: m + 1], second[: m + 1], min(buckets, m), epsilon)
    whole, parts = error[0, m], 1
    # Rounding leaves a trace of error where every value has the same room.
    if whole <= 1e-12 * second[m]:
        return 0, 0.0
    for b in range(1, len(error)):
        if error[b, m] < error[parts - 1, m]:
            parts = b + 1
    stop, made = m, 0
    for b in range(parts - 1, 0, -1):
        if back[b, stop] < stop:
            stop = back[b, stop]
            cuts[made] = where[stop - 1]
            made += 1
    cuts[:made] = cuts[:made][::-1].copy()
    return made, (whole - error[parts - 1, m]) / whole


@compiled
def _histogram(
    weight: FloatArray, first: FloatArray, second: FloatArray, buckets: int, epsilon: float
) -> tuple[FloatArray, IntArray]:
    """Return the errors of the best histograms of the first values, (buckets, values + 1), and their last cuts.

    The last cut is tried only where the error of what lies before has grown by the factor 1 + epsilon since the one
    before, and just before the end (Guha et al., 2006).
    """
    m = len(weight) - 1
    error = np.zeros((buckets, m + 1))
    back = np.zeros((buckets, m + 1), np.int64)
    for end in range(1, m + 1):
        error[0, end] = _error(weight, first, second, 0, end)
    tried = np.empty(m + 1, np.int64)
    for b in range(1, buckets):
        kept, floor = 0, 0.0
        for end in range(1, m + 1):
            best, at = error[b - 1, end], end
            last = end - 1
            if last >= 1 and error[b - 1, last] > (1.0 + epsilon) * floor:
                if last >= 2:
                    tried[kept] = last - 1
                    kept += 1
                floor = error[b - 1, last]
            for k in range(kept + 1):
                cut = last if k == kept else tried[k]
                if cut >= 1:
                    value = error[b - 1, cut] + _error(weight, first, second, cut, end)
                    if value < best:
                        best, at = value, cut
            error[b, end], back[b, end] = best, at
    return error, back


@compiled
def _error(weight: FloatArray, first: FloatArray, second: FloatArray, begin: int, end: int) -> float:
    total = first[end] - first[begin]
    left: float = second[end] - second[begin] - total * total / (weight[end] - weight[begin])
    return max(0.0, left)
