"""An isolation forest (Liu et al., 2008) whose trees see shares of the rows and of the columns."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from offnominal.core.checks import integer_in, number_in
from offnominal.core.compilation import compiled
from offnominal.core.deterministic_math import log
from offnominal.core.philox import uniform
from offnominal.core.streams import Stream
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.state_arrays import StateArrays, require_forward

EULER = 0.5772156649015329
MOST_TREES = 1_000_000
ROWS, COLUMNS, CUTS = 0, 1, 2
"""Lanes of a tree's random stream."""


class SubspaceForest(RowDetector):
    """Random trees, each grown on a share of the rows and blind to some columns; few cuts mean strange.

    Trees are drawn from the same distribution as scikit-learn's, without replacement, but grown by compiled code. A
    forest of fifty trees is the beginning of one of five hundred with the same seed.

    Args:
        n_estimators: How many.
        max_samples: Share of the rows that each tree sees.
        max_features: Share of the columns that each tree may cut.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(500, 4))
        >>> near, far = SubspaceForest().fit(rows).score(np.array([[0.0] * 4, [9.0] * 4]))
        >>> bool(near < far)
        True
    """

    def __init__(self, n_estimators: int = 100, *, max_samples: float = 1.0, max_features: float = 1.0) -> None:
        self.n_estimators = integer_in("n_estimators", n_estimators, 1, MOST_TREES)
        self.max_samples = float(number_in("max_samples", max_samples, 0.0, 1.0, open_low=True))
        self.max_features = float(number_in("max_features", max_features, 0.0, 1.0, open_low=True))

    def _fit(self, rows: FloatArray, seed: int) -> None:
        n, width = rows.shape
        seen, cut = max(1, int(self.max_samples * n)), max(1, int(self.max_features * width))
        key = Stream.named(seed, 0, "subspace forest").key
        grown = [_grow(rows, seen, cut, key, tree) for tree in range(self.n_estimators)]
        self.roots_: IntArray = np.cumsum([0, *(len(tree[0]) for tree in grown[:-1])])
        below = [np.where(tree[0] < 0, -1, tree[0] + root) for tree, root in zip(grown, self.roots_, strict=True)]
        self.below_: IntArray = np.concatenate(below)
        self.channel_ = np.concatenate([tree[1] for tree in grown])
        self.cut_ = np.concatenate([tree[2] for tree in grown])
        self.depth_ = np.concatenate([tree[3] for tree in grown])
        self.average_depth_ = _further(seen)

    def _score(self, rows: FloatArray) -> FloatArray:
        (scores,) = self.grown(rows, np.array([self.n_estimators]))
        return np.asarray(scores)

    def grown(self, rows: FloatArray, n_estimators: IntArray) -> FloatArray:
        """Return (len(trees), rows) scores by the first so many trees each; the numbers rise."""
        depths = np.empty((len(n_estimators), len(rows)))
        _walk(rows, self.roots_, self.below_, self.channel_, self.cut_, self.depth_, n_estimators, depths)
        strangeness: FloatArray = 2.0 ** (-depths / (n_estimators[:, None] * max(self.average_depth_, 1e-300)))
        return strangeness

    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments."""
        return {"n_estimators": self.n_estimators, "max_samples": self.max_samples, "max_features": self.max_features}

    def _state_dict(self) -> dict[str, Array]:
        """Return the trees."""
        arrays = {name: getattr(self, f"{name}_") for name in ("roots", "below", "channel", "cut", "depth")}
        return arrays | {"usual": np.array([self.average_depth_])}

    def _load_state_dict(self, state: StateArrays) -> None:
        """Take the trees back."""
        self.below_ = state.integers("below", ("nodes",))
        inner = self.below_ >= 0
        require_forward("below", self.below_, self.below_ + 1, inner)
        self.roots_ = state.integers("roots", (self.n_estimators,), low=0, high=len(inner) - 1)
        self.channel_ = state.integers("channel", ("nodes",), low=0, high=self.width_ - 1)
        self.cut_ = state.floats("cut", ("nodes",))
        self.depth_ = state.floats("depth", ("nodes",), low=0.0)
        self.average_depth_ = state.number("usual", low=0.0)


@compiled
def _further(n: int) -> float:
    """Return how many cuts more it would take on average to part that many rows."""
    if n <= 1:
        return 0.0
    if n == 2:
        return 1.0
    return 2.0 * (log(n - 1.0) + EULER) - 2.0 * (n - 1.0) / n


@compiled
def _draw(n: int, wanted: int, key: np.uint64, tree: int, lane: int) -> IntArray:
    """Draw some of 0 .. n - 1, none twice."""
    order = np.arange(n)
    for k in range(wanted):
        other = k + int(uniform(key, tree, lane, k) * (n - k))
        order[k], order[other] = order[other], order[k]
    return order[:wanted].copy()


@compiled
def _grow(
    rows: FloatArray, seen: int, cut: int, key: np.uint64, tree: int
) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Grow a tree; per node the first of its two children (-1 for a leaf), what it cuts where, and a leaf's depth.

    Leaves are as deep as it would take on average to part the rows that are left in them.
    """
    own = _draw(rows.shape[0], seen, key, tree, ROWS)
    columns = _draw(rows.shape[1], cut, key, tree, COLUMNS)
    limit = math.ceil(math.log2(max(seen, 2)))
    most = 2 * seen
    below, channel, cuts, depth = np.full(most, -1), np.zeros(most, np.int64), np.zeros(most), np.zeros(most)
    begin, end, level = np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(most, np.int64)
    end[0] = seen
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
            depth[node] = level[node] + _further(len(part))
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
    """Move the rows up to the cut to the front, and return how many there are."""
    front = 0
    for k in range(len(part)):
        if rows[part[k], column] <= cut:
            part[front], part[k] = part[k], part[front]
            front += 1
    return front


@compiled
def _walk(
    rows: FloatArray,
    roots: IntArray,
    below: IntArray,
    channel: IntArray,
    cut: FloatArray,
    depth: FloatArray,
    n_estimators: IntArray,
    out: FloatArray,
) -> None:
    """Fill the summed depths that rows reach in the first so many trees."""
    total = np.zeros(rows.shape[0])
    wanted = 0
    for tree in range(n_estimators[-1]):
        for i in range(rows.shape[0]):
            node = roots[tree]
            while below[node] >= 0:
                node = below[node] if rows[i, channel[node]] <= cut[node] else below[node] + 1
            total[i] += depth[node]
        if tree + 1 == n_estimators[wanted]:
            out[wanted] = total
            wanted += 1
