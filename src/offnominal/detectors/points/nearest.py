"""Distance to the nearest nominal points."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from offnominal.core.checks import positive_integer
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.learned_arrays import LearnedArrays
from offnominal.detectors.points.point import PointDetector


class NearestNeighbours(PointDetector):
    """The Euclidean distance to the k-th nearest nominal point.

    Args:
        k: Which neighbour.

    Example:
        >>> NearestNeighbours().fit(np.zeros((5, 2))).score(np.array([[3.0, 4.0]]))
        array([5.])
    """

    def __init__(self, k: int = 1) -> None:
        self.k = positive_integer("k", k)

    def _fit(self, rows: FloatArray, seed: int) -> None:
        if len(rows) < self.k:
            raise InvalidParameter(f"k is {self.k}, but there are {len(rows)} rows; give more or choose a smaller k.")
        self.tree_ = _tree(rows)

    def _score(self, rows: FloatArray) -> FloatArray:
        distances, _ = self.tree_.query(rows, k=[self.k])
        return np.asarray(distances[:, 0], np.float64)

    def parameters(self) -> dict[str, Any]:
        """Return the constructor's arguments."""
        return {"k": self.k}

    def _learned(self) -> dict[str, Array]:
        """Return the nominal points."""
        return {"points": np.asarray(self.tree_.data)}

    def _restore(self, learned: LearnedArrays) -> None:
        """Take the nominal points back."""
        self.tree_ = _tree(learned.points(self.k))


def _tree(points: Array) -> cKDTree:
    """Return a tree whose leaves lie next to each other in memory.

    A row far from all points visits most leaves. Few large ones, read in order, bound what that costs.
    """
    layout = {"leafsize": 128, "balanced_tree": False}
    order = cKDTree(points, **layout).indices
    return cKDTree(np.asarray(points)[order], **layout)
