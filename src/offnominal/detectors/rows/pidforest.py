"""PIDForest (Gopalan et al., 2019): anomalous rows are in large boxes with few nominal rows."""

from __future__ import annotations

import math
from copy import copy
from typing import TYPE_CHECKING

import numpy as np

from offnominal.core.checks import integer_in, number_in, positive_integer, require_shape
from offnominal.core.compilation import compiled
from offnominal.core.errors import InvalidParameter
from offnominal.core.streams import Stream
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.rows.pid_tree import Tree, grow, part_of
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.state_arrays import StateArrays, require_forward, require_within

if TYPE_CHECKING:
    from torch import Tensor

COUNTED = 200
"""Nominal rows per level of depth that are counted in the boxes."""
MOST = 1_000_000
"""Largest number of trees, levels or parts."""
EMPTY = 0.5
"""Count of an empty box."""
ARRAYS = ("axis", "first", "parts", "cut_start", "level", "cuts", "volume", "density", "roots", "low", "high", "lowest")


class PIDForest(RowDetector):
    """Negative low percentile, over trees, of the log density of the box that contains a row.

    A tree splits space into boxes of different and, within a box, even density. An empty box counts as half a row. A
    row outside the box of a tree's sample has a lower density than all its boxes, decreasing with the distance; the
    original gives it density one, which makes the most anomalous rows look nominal.

    Args:
        n_estimators: Number of trees.
        max_depth: Largest number of splits above a leaf.
        max_samples: Largest number of rows that each tree is grown on.
        max_buckets: Largest number of parts of a split.
        epsilon: Tolerated loss of a split compared with the best one; larger is faster.
        percentile: Percentile over the trees.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(200, 2))
        >>> near, far = PIDForest(20).fit(rows).score(np.array([[0.0, 0.0], [9.0, 9.0]]))
        >>> bool(near < far)
        True
    """

    def __init__(
        self,
        n_estimators: int = 50,
        *,
        max_depth: int = 10,
        max_samples: int = 100,
        max_buckets: int = 3,
        epsilon: float = 0.1,
        percentile: float = 10.0,
    ) -> None:
        self.n_estimators, self.max_depth = (
            integer_in("n_estimators", n_estimators, 1, MOST),
            integer_in("max_depth", max_depth, 1, MOST),
        )
        self.max_samples, self.max_buckets = (
            positive_integer("max_samples", max_samples),
            integer_in("max_buckets", max_buckets, 2, MOST),
        )
        self.epsilon = float(number_in("epsilon", epsilon, 0.0))
        self.percentile = float(number_in("percentile", percentile, 0.0, 100.0))

    def _fit(self, rows: FloatArray, seed: int) -> None:
        if np.ptp(rows, axis=0).max() == 0.0:
            raise InvalidParameter(f"all {len(rows)} rows are equal; a tree needs a column that varies.")
        stream = Stream.named(seed, 0, "pidforest")
        grown = [self._grow(rows, stream, tree) for tree in range(self.n_estimators)]
        self.low_ = np.stack([low for _, low, _ in grown])
        self.high_ = np.stack([high for _, _, high in grown])
        trees = [tree for tree, _, _ in grown]
        sizes, cuts = [len(tree[0]) for tree in trees], [len(tree[5]) for tree in trees]
        self.roots_: IntArray = np.cumsum([0, *sizes[:-1]])
        self.axis_, self.parts_, self.level_, self.cuts_, self.volume_ = (
            np.concatenate([tree[place] for tree in trees]) for place in (0, 2, 4, 5, 6)
        )
        self.first_: IntArray = np.concatenate([tree[1] for tree in trees]) + np.repeat(self.roots_, sizes)
        starts = np.cumsum([0, *cuts[:-1]])
        self.cut_start_: IntArray = np.concatenate([tree[3] for tree in trees]) + np.repeat(starts, sizes)
        self._weigh(rows, stream)

    def _weigh(self, rows: FloatArray, stream: Stream) -> None:
        """Compute the densities of the boxes."""
        counted = rows[drawn(stream.uniform(len(rows), lane=2), COUNTED * self.max_depth)]
        held = np.zeros(len(self.axis_))
        count(counted, self.roots_, self.axis_, self.first_, self.cut_start_, self.parts_, self.cuts_, held)
        self.density_ = np.log(np.maximum(held, EMPTY) / len(counted)) - self.volume_
        leaves = np.where((self.axis_ < 0) & (self.level_ <= self.max_depth), self.density_, math.inf)
        self.lowest_ = np.minimum.reduceat(leaves, self.roots_)

    def shallower(self, max_depth: int, rows: FloatArray, seed: int) -> PIDForest:
        """Return the forest with a smaller depth, without growing it again.

        Args:
            max_depth: Depth, at most that of this forest.
            rows: Rows that this forest was fitted on.
            seed: Seed that this forest was fitted with.
        """
        if not 0 < max_depth <= self.max_depth:
            raise InvalidParameter(
                f"max_depth is {max_depth}; expected 1 .. {self.max_depth}, the depth of this forest."
            )
        require_shape("rows", rows, "rows", self.width_)
        other = copy(self)
        other.max_depth = max_depth
        other.axis_ = np.where(self.level_ < max_depth, self.axis_, -1)
        other._weigh(rows, Stream.named(seed, 0, "pidforest"))
        return other

    def _grow(self, rows: FloatArray, stream: Stream, tree: int) -> tuple[Tree, FloatArray, FloatArray]:
        sample = rows[drawn(stream.uniform(len(rows), step=tree), self.max_samples)]
        low, high = box(sample)
        uniform = stream.uniform(2 * len(sample), step=tree, lane=1)
        axes = np.flatnonzero(high > low)
        return grow(sample, low, high, axes, self.max_depth, self.max_buckets, self.epsilon, uniform), low, high

    def _score(self, rows: FloatArray) -> FloatArray:
        return percentile_scores(self.densities(rows), self.percentile)

    def _score_row(self, row: FloatArray) -> FloatArray:
        # The same numbers as those of `np.percentile`, whose checks take longer than the forest.
        ordered = np.sort(self.densities(row)[:, 0])
        position = self.percentile / 100.0 * (len(ordered) - 1)
        below = min(int(position), len(ordered) - 1)
        above = ordered[min(below + 1, len(ordered) - 1)]
        return np.array([-(ordered[below] + (above - ordered[below]) * (position - below))])

    def densities(self, rows: FloatArray) -> FloatArray:
        """Return the (trees, rows) log densities."""
        require_shape("rows", rows, "rows", self.width_)
        nodes = (self.roots_, self.axis_, self.first_, self.cut_start_, self.parts_, self.cuts_)
        return _densities(rows, *nodes, self.density_, self.low_, self.high_, self.lowest_)

    def _torch_score(self, rows: Tensor) -> Tensor:
        import torch

        low, high, lowest = (torch.from_numpy(part) for part in (self.low_, self.high_, self.lowest_))
        outside = (low - rows[:, None]).maximum(rows[:, None] - high).clamp(min=0.0)
        beyond = (outside / torch.where(high > low, high - low, 1.0)).sum(-1)
        inside = torch.from_numpy(self.density_)[self._torch_leaves(rows)]
        densities = torch.where(beyond > 0.0, lowest - beyond.log1p(), inside).sort(1).values
        place = self.percentile / 100.0 * (len(lowest) - 1)
        below = int(place)
        above = min(below + 1, len(lowest) - 1)
        return -torch.lerp(densities[:, below], densities[:, above], place - below)

    def _torch_leaves(self, rows: Tensor) -> Tensor:
        """Return the (rows, trees) leaves of rows by torch operators."""
        import torch

        inner, numbers = self.axis_ >= 0, np.arange(len(self.axis_))
        # A leaf leads to itself, and no value is at or above its thresholds.
        cuts = np.full((len(numbers), int(self.parts_[inner].max(initial=1)) - 1), math.inf)
        for number in np.flatnonzero(inner).tolist():
            start, count = self.cut_start_[number], self.parts_[number] - 1
            cuts[number, :count] = self.cuts_[start : start + count]
        thresholds, axis = torch.from_numpy(cuts), torch.from_numpy(np.where(inner, self.axis_, 0))
        first = torch.from_numpy(np.where(inner, self.first_, numbers))
        node = torch.from_numpy(self.roots_).expand(len(rows), -1)
        for _ in range(int(self.level_.max())):
            part = (rows.gather(1, axis[node])[..., None] >= thresholds[node]).sum(-1)
            node = first[node] + part
        return node

    def _state_dict(self) -> dict[str, Array]:
        return {name: getattr(self, f"{name}_") for name in ARRAYS}

    def _load_state_dict(self, state: StateArrays) -> None:
        for name in ("axis", "first", "parts", "cut_start", "level"):
            setattr(self, f"{name}_", state.integers(name, ("nodes",)))
        for name in ("volume", "density"):
            setattr(self, f"{name}_", state.floats(name, ("nodes",)))
        self.cuts_ = state.floats("cuts", ("cuts",), empty=True)
        self.roots_ = state.integers("roots", (self.n_estimators,), low=0, high=len(self.axis_) - 1)
        self.low_, self.high_ = (state.floats(name, (self.n_estimators, "width")) for name in ("low", "high"))
        self.lowest_ = state.floats("lowest", (self.n_estimators,))
        inner = self.axis_ >= 0
        require_forward("first", self.first_, self.first_ + self.parts_ - 1, inner)
        require_within("axis", self.axis_[inner], 0, self.width_ - 1)
        require_within("parts", self.parts_[inner], 1, len(self.cuts_) + 1)
        require_within("cut_start", self.cut_start_[inner], 0, len(self.cuts_) - self.parts_[inner] + 1)


def percentile_scores(densities: FloatArray, percentile: float) -> FloatArray:
    """Return the negative percentile over the trees of (trees, rows) log densities."""
    return -np.asarray(np.percentile(densities, percentile, axis=0), np.float64)


def drawn(uniform: FloatArray, most: int) -> IntArray:
    """Return the places of a random sample of at most so many rows, from a uniform number of each row."""
    return np.argsort(uniform, kind="stable")[:most]


@compiled
def box(max_samples: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the box of a sample, half a gap beyond its outermost values; of zero width for constant columns."""
    low, high = max_samples[0].copy(), max_samples[0].copy()
    for c in range(max_samples.shape[1]):
        for i in range(len(max_samples)):
            low[c], high[c] = min(low[c], max_samples[i, c]), max(high[c], max_samples[i, c])
        if low[c] == high[c]:
            continue
        inner, outer = high[c], low[c]
        for i in range(len(max_samples)):
            if max_samples[i, c] > low[c]:
                inner = min(inner, max_samples[i, c])
            if max_samples[i, c] < high[c]:
                outer = max(outer, max_samples[i, c])
        low[c], high[c] = low[c] - 0.5 * (inner - low[c]), high[c] + 0.5 * (high[c] - outer)
    return low, high


@compiled
def _leaf(
    row: FloatArray,
    root: int,
    axis: IntArray,
    first: IntArray,
    cut_start: IntArray,
    parts: IntArray,
    cuts: FloatArray,
) -> int:
    node = root
    while axis[node] >= 0:
        own = cuts[cut_start[node] : cut_start[node] + parts[node] - 1]
        node = first[node] + part_of(row[axis[node]], own)
    return node


@compiled
def count(
    rows: FloatArray,
    roots: IntArray,
    axis: IntArray,
    first: IntArray,
    cut_start: IntArray,
    parts: IntArray,
    cuts: FloatArray,
    held: FloatArray,
) -> None:
    """Add the number of rows in every leaf to `held`."""
    for tree in range(len(roots)):
        for i in range(rows.shape[0]):
            held[_leaf(rows[i], roots[tree], axis, first, cut_start, parts, cuts)] += 1.0


@compiled
def _densities(
    rows: FloatArray,
    roots: IntArray,
    axis: IntArray,
    first: IntArray,
    cut_start: IntArray,
    parts: IntArray,
    cuts: FloatArray,
    density: FloatArray,
    low: FloatArray,
    high: FloatArray,
    lowest: FloatArray,
) -> FloatArray:
    out = np.empty((len(roots), rows.shape[0]))
    for tree in range(len(roots)):
        for i in range(rows.shape[0]):
            beyond = _beyond(rows[i], low[tree], high[tree])
            if beyond > 0.0:
                out[tree, i] = lowest[tree] - math.log1p(beyond)
            else:
                out[tree, i] = density[_leaf(rows[i], roots[tree], axis, first, cut_start, parts, cuts)]
    return out


@compiled
def _beyond(row: FloatArray, low: FloatArray, high: FloatArray) -> float:
    """Return the distance of a row from a box, in widths of the box summed over axes; a flat axis has width one."""
    total = 0.0
    for c in range(len(row)):
        out = max(low[c] - row[c], row[c] - high[c])
        if out > 0.0:
            total += out / (high[c] - low[c]) if high[c] > low[c] else out
    return total
