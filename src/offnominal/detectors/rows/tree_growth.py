"""Growth of one random tree of an isolation forest (Liu et al., 2008)."""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.deterministic_math import log
from offnominal.core.philox import uniform
from offnominal.core.types import FloatArray, IntArray

EULER = 0.5772156649015329
ROWS, COLUMNS, CUTS = 0, 1, 2
"""Lanes of a tree's random stream."""


@compiled
def average_depth(n: int) -> float:
    """Return the average depth of a leaf in a random tree that isolates n rows."""
    if n <= 1:
        return 0.0
    if n == 2:
        return 1.0
    return 2.0 * (log(n - 1.0) + EULER) - 2.0 * (n - 1.0) / n


@compiled
def _draw(n: int, wanted: int, key: np.uint64, tree: int, lane: int, bootstrap: bool) -> IntArray:
    """Draw some of 0 .. n - 1, with replacement if `bootstrap`."""
    order = np.arange(n)
    if bootstrap:
        for k in range(wanted):
            order[k] = int(uniform(key, tree, lane, k) * n)
        return order[:wanted].copy()
    for k in range(wanted):
        other = k + int(uniform(key, tree, lane, k) * (n - k))
        order[k], order[other] = order[other], order[k]
    return order[:wanted].copy()


@compiled
def grow_tree(
    rows: FloatArray, n_samples: int, n_features: int, bootstrap: bool, key: np.uint64, tree: int
) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Grow one random tree on a sample of the rows and of the columns.

    Args:
        rows: (n, columns).
        n_samples: Number of rows in the sample.
        n_features: Number of columns in the sample.
        bootstrap: Whether to draw rows with replacement.
        key: Random stream.
        tree: Index of the tree.

    Returns:
        Per node: the first of its two children (-1 for a leaf), the column that it splits, the threshold, and the
        depth of a leaf, including the average depth of a tree that isolates the rows left in it.
    """
    own = _draw(rows.shape[0], n_samples, key, tree, ROWS, bootstrap)
    columns = _draw(rows.shape[1], n_features, key, tree, COLUMNS, False)
    limit = math.ceil(math.log2(max(n_samples, 2)))
    most = 2 * n_samples
    below, channel, cuts, depth = np.full(most, -1), np.zeros(most, np.int64), np.zeros(most), np.zeros(most)
    begin, end, level = np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(most, np.int64)
    end[0] = n_samples
    nodes, node, drawn = 1, 0, 0
    while node < nodes:
        part = own[begin[node] : end[node]]
        left = len(columns) if level[node] < limit and len(part) > 1 else 0
        low = high = 0.0
        while left > 0 and low == high:
            chosen = int(uniform(key, tree, CUTS, drawn) * left)
            drawn += 1
            left -= 1
            columns[chosen], columns[left] = columns[left], columns[chosen]
            low, high = _ends(rows, part, columns[left])
        if low == high:
            depth[node] = level[node] + average_depth(len(part))
        else:
            place = low + uniform(key, tree, CUTS, drawn) * (high - low)
            drawn += 1
            below[node], channel[node], cuts[node] = nodes, columns[left], place if place < high else low
            middle = begin[node] + _part(rows, part, columns[left], cuts[node])
            begin[nodes], end[nodes] = begin[node], middle
            begin[nodes + 1], end[nodes + 1] = middle, end[node]
            level[nodes : nodes + 2] = level[node] + 1
            nodes += 2
        node += 1
    return below[:nodes].copy(), channel[:nodes].copy(), cuts[:nodes].copy(), depth[:nodes].copy()


@compiled
def _ends(rows: FloatArray, part: IntArray, column: int) -> tuple[float, float]:
    low = high = rows[part[0], column]
    for i in part[1:]:
        low, high = min(low, rows[i, column]), max(high, rows[i, column])
    return low, high


@compiled
def _part(rows: FloatArray, part: IntArray, column: int, cut: float) -> int:
    """Move the rows up to the threshold to the front, and return their number."""
    front = 0
    for k in range(len(part)):
        if rows[part[k], column] <= cut:
            part[front], part[k] = part[k], part[front]
            front += 1
    return front
