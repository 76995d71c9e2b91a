"""Trees of an isolation forest, grown by scikit-learn or by compiled code, and the depths that rows reach in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from offnominal.core.compilation import compiled
from offnominal.core.streams import Stream
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.rows.tree_growth import EULER, average_depth, grow_tree

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True, eq=False)
class IsolationTrees:
    """Binary trees in one set of arrays with an entry per node.

    Args:
        roots: (trees,) index of the root of each tree.
        left: Index of the left child; -1 for a leaf.
        right: Index of the right child; ignored for a leaf.
        channel: Column that the node splits.
        cut: Threshold; values up to it go left.
        level: Number of splits above the node.
        depth: Depth that a leaf adds to its level.
        average_depth: Average depth of a tree that isolates as many rows as each tree was grown on.
    """

    roots: IntArray
    left: IntArray
    right: IntArray
    channel: IntArray
    cut: FloatArray
    level: FloatArray
    depth: FloatArray
    average_depth: float
    links: NDArray[np.int32] = field(init=False, repr=False)
    """(nodes, 4): column, left and right child of each node side by side, for one access of memory."""
    ends: FloatArray = field(init=False, repr=False)
    """Level plus depth of each node."""

    def __post_init__(self) -> None:
        links = np.zeros((len(self.left), 4), np.int32)
        for number, part in enumerate((self.channel, self.left, self.right)):
            links[:, number] = part
        object.__setattr__(self, "links", links)
        object.__setattr__(self, "ends", self.level + self.depth)

    def depths(self, rows: Array, n_estimators: IntArray) -> FloatArray:
        """Return (len(n_estimators), rows) summed depths in the first so many trees; the numbers are ascending."""
        out = np.empty((len(n_estimators), len(rows)))
        _walk(rows, self.roots, self.links, self.cut, self.ends, n_estimators, out)
        return out

    def torch_depths(self, rows: Tensor) -> Tensor:
        """Return (rows,) summed depths in all trees by torch operators."""
        import torch

        inner, numbers = self.left >= 0, np.arange(len(self.left))
        # A leaf leads to itself, so that all trees take as many steps as the deepest.
        left, right = (torch.from_numpy(np.where(inner, side, numbers)) for side in (self.left, self.right))
        channel = torch.from_numpy(np.where(inner, self.channel, 0))
        cut, depth = torch.from_numpy(self.cut), torch.from_numpy(self.level + self.depth)
        node = torch.from_numpy(self.roots).expand(len(rows), -1)
        for _ in range(int(levels(self.left, self.right).max())):
            node = torch.where(rows.gather(1, channel[node]) <= cut[node], left[node], right[node])
        return depth[node].sum(1)


def sklearn_trees(rows: FloatArray, seed: int, **parameters: Any) -> IsolationTrees:
    """Return the trees of scikit-learn's isolation forest.

    Args:
        rows: (n, columns) nominal rows.
        seed: Its `random_state`.
        parameters: Its other parameters.
    """
    from sklearn.ensemble import IsolationForest

    forest = IsolationForest(random_state=seed, **parameters).fit(rows)
    trees = [estimator.tree_ for estimator in forest.estimators_]
    starts = np.cumsum([0] + [tree.node_count for tree in trees])
    children = np.concatenate(
        [
            np.where(sides < 0, -1, sides + start)
            for tree, start in zip(trees, starts, strict=False)
            for sides in [np.stack([tree.children_left, tree.children_right], axis=1)]
        ]
    )
    channels = [
        np.where(tree.feature < 0, tree.feature, features[np.maximum(tree.feature, 0)])
        for tree, features in zip(trees, forest.estimators_features_, strict=True)
    ]
    left, right = np.ascontiguousarray(children[:, 0]), np.ascontiguousarray(children[:, 1])
    return IsolationTrees(
        starts[:-1].astype(np.int64),
        left,
        right,
        np.concatenate(channels).astype(np.int64),
        np.concatenate([tree.threshold for tree in trees]),
        levels(left, right),
        np.concatenate([_average_depths(tree.n_node_samples) for tree in trees]),
        float(_average_depths(np.array([forest.max_samples_]))[0]),
    )


def compiled_trees(
    rows: FloatArray, seed: int, n_estimators: int, max_samples: int, max_features: int, bootstrap: bool
) -> IsolationTrees:
    """Return trees from the same distribution as scikit-learn's; the first trees do not depend on `n_estimators`.

    Args:
        rows: (n, columns) nominal rows.
        seed: Of the random streams.
        n_estimators: Number of trees.
        max_samples: Number of rows that each tree is grown on.
        max_features: Number of columns that each tree may split.
        bootstrap: Whether rows are drawn with replacement.
    """
    key = Stream.named(seed, 0, "subspace forest").key
    trees = [grow_tree(rows, max_samples, max_features, bootstrap, key, tree) for tree in range(n_estimators)]
    roots: IntArray = np.cumsum([0, *(len(tree[0]) for tree in trees[:-1])])
    left = np.concatenate([np.where(tree[0] < 0, -1, tree[0] + root) for tree, root in zip(trees, roots, strict=True)])
    channel, cut, depth = (np.concatenate([tree[part] for tree in trees]) for part in (1, 2, 3))
    return IsolationTrees(roots, left, left + 1, channel, cut, np.zeros(len(left)), depth, average_depth(max_samples))


def _average_depths(samples: Array) -> FloatArray:
    """Return the average depth of a leaf in random trees that isolate these numbers of rows."""
    n = np.asarray(samples, np.float64)
    many = np.maximum(n, 3.0)
    depth = 2.0 * (np.log(many - 1.0) + EULER) - 2.0 * (many - 1.0) / many
    return np.where(n <= 1.0, 0.0, np.where(n == 2.0, 1.0, depth))


@compiled
def levels(left: IntArray, right: IntArray) -> FloatArray:
    """Return the number of splits above each node; children come after their parents."""
    level = np.zeros(len(left))
    for node in range(len(left)):
        if left[node] >= 0:
            level[left[node]] = level[right[node]] = level[node] + 1.0
    return level


@compiled
def _walk(
    rows: Array,
    roots: IntArray,
    links: NDArray[np.int32],
    cut: FloatArray,
    ends: FloatArray,
    n_estimators: IntArray,
    out: FloatArray,
) -> None:
    """Fill the summed depths of rows in the first so many trees."""
    total = np.zeros(rows.shape[0])
    wanted = 0
    for tree in range(n_estimators[-1]):
        for i in range(rows.shape[0]):
            node = roots[tree]
            while links[node, 1] >= 0:
                node = links[node, 1] if rows[i, links[node, 0]] <= cut[node] else links[node, 2]
            total[i] += ends[node]
        if tree + 1 == n_estimators[wanted]:
            # Loops are compiled in a fraction of the time of an assignment to a slice.
            for i in range(rows.shape[0]):
                out[wanted, i] = total[i]
            wanted += 1
