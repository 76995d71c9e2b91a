"""Isolation forest (Liu et al., 2008): strange points are cut off by few random cuts."""

from __future__ import annotations

from typing import Any

import numpy as np

from offnominal.core.checks import boolean, integer_in, positive_integer
from offnominal.core.compilation import compiled
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.state_arrays import StateArrays, require_forward, require_within

EULER = 0.5772156649015329
MOST_TREES = 1_000_000


class IsolationForest(RowDetector):
    """Random trees; a point that falls through few cuts is strange.

    Scikit-learn grows the trees; walking them is compiled, so that a single point takes microseconds.

    Args:
        n_estimators: How many.
        max_samples: Rows each tree sees at most.
        bootstrap: Whether they are drawn with replacement, as the reference does.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(500, 2))
        >>> near, far = IsolationForest().fit(rows).score(np.array([[0.0, 0.0], [9.0, 9.0]]))
        >>> bool(near < far)
        True
    """

    def __init__(self, n_estimators: int = 100, *, max_samples: int = 256, bootstrap: bool = True) -> None:
        self.n_estimators = integer_in("n_estimators", n_estimators, 1, MOST_TREES)
        self.max_samples = positive_integer("max_samples", max_samples)
        self.bootstrap = boolean("bootstrap", bootstrap)

    def _fit(self, rows: FloatArray, seed: int) -> None:
        from sklearn.ensemble import IsolationForest as Grower

        grower = Grower(
            n_estimators=self.n_estimators,
            max_samples=min(self.max_samples, len(rows)),
            bootstrap=self.bootstrap,
            random_state=seed,
        ).fit(rows)
        trees = [each.tree_ for each in grower.estimators_]
        starts = np.cumsum([0] + [tree.node_count for tree in trees])
        self.roots_: IntArray = starts[:-1].astype(np.int64)
        self.children_ = np.concatenate(
            [
                np.where(sides < 0, -1, sides + start)
                for tree, start in zip(trees, starts, strict=False)
                for sides in [np.stack([tree.children_left, tree.children_right], axis=1)]
            ]
        )
        self.channel_ = np.concatenate([tree.feature for tree in trees]).astype(np.int64)
        self.cut_ = np.concatenate([tree.threshold for tree in trees])
        self.depth_ = np.concatenate([_extra_depth(tree.n_node_samples) for tree in trees])
        self.average_depth_ = float(_extra_depth(np.array([grower.max_samples_]))[0])

    def _score(self, rows: FloatArray) -> FloatArray:
        # Scikit-learn's trees cut single-precision numbers.
        values = rows.astype(np.float32)
        depths = _depths(values, self.roots_, self.children_, self.channel_, self.cut_, self.depth_)
        strangeness: FloatArray = 2.0 ** (-depths / (len(self.roots_) * max(self.average_depth_, 1e-300)))
        return strangeness

    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments."""
        return {"n_estimators": self.n_estimators, "max_samples": self.max_samples, "bootstrap": self.bootstrap}

    def _state_dict(self) -> dict[str, Array]:
        """Return the trees."""
        return {
            "roots": self.roots_,
            "children": self.children_,
            "channel": self.channel_,
            "cut": self.cut_,
            "depth": self.depth_,
            "usual": np.array([self.average_depth_]),
        }

    def _load_state_dict(self, state: StateArrays) -> None:
        """Take the trees back."""
        self.children_ = state.integers("children", ("nodes", 2))
        inner = self.children_[:, 0] >= 0
        require_forward("children", self.children_.min(axis=1), self.children_.max(axis=1), inner)
        self.roots_ = state.integers("roots", (self.n_estimators,), low=0, high=len(inner) - 1)
        self.channel_ = state.integers("channel", ("nodes",))
        require_within("channel", self.channel_[inner], 0, self.width_ - 1)
        self.cut_ = state.floats("cut", ("nodes",))
        self.depth_ = state.floats("depth", ("nodes",), low=0.0)
        self.average_depth_ = state.number("usual", low=0.0)


def _extra_depth(samples: Array) -> FloatArray:
    """Return how many cuts more it would take on average to part that many samples."""
    n = np.asarray(samples, np.float64)
    many = np.maximum(n, 3.0)
    depth = 2.0 * (np.log(many - 1.0) + EULER) - 2.0 * (many - 1.0) / many
    return np.where(n <= 1.0, 0.0, np.where(n == 2.0, 1.0, depth))


@compiled
def _depths(
    rows: Array, roots: IntArray, children: IntArray, channel: IntArray, cut: FloatArray, depth: FloatArray
) -> FloatArray:
    total = np.zeros(rows.shape[0])
    for i in range(rows.shape[0]):
        for tree in range(roots.shape[0]):
            node = roots[tree]
            steps = 0
            while children[node, 0] >= 0:
                node = children[node, 0] if rows[i, channel[node]] <= cut[node] else children[node, 1]
                steps += 1
            total[i] += steps + depth[node]
    return total
