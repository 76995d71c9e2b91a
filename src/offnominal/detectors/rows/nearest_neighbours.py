"""Distance to the nearest nominal points."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from offnominal.core.checks import positive_integer
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.state_arrays import StateArrays


class NearestNeighbours(RowDetector):
    """The Euclidean distance to the k-th nearest nominal point.

    Args:
        n_neighbors: Which neighbour.

    Example:
        >>> NearestNeighbours().fit(np.zeros((5, 2))).score(np.array([[3.0, 4.0]]))
        array([5.])
    """

    def __init__(self, n_neighbors: int = 1) -> None:
        self.n_neighbors = positive_integer("n_neighbors", n_neighbors)

    def _fit(self, rows: FloatArray, seed: int) -> None:
        if len(rows) < self.n_neighbors:
            raise InvalidParameter(
                f"n_neighbors is {self.n_neighbors}, but there are {len(rows)} rows; give more, or ask for fewer."
            )
        self.tree_ = _tree(rows)

    def _score(self, rows: FloatArray) -> FloatArray:
        distances, _ = self.tree_.query(rows, k=[self.n_neighbors])
        return np.asarray(distances[:, 0], np.float64)

    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments."""
        return {"n_neighbors": self.n_neighbors}

    def _state_dict(self) -> dict[str, Array]:
        """Return the nominal points."""
        return {"points": np.asarray(self.tree_.data)}

    def _load_state_dict(self, state: StateArrays) -> None:
        """Take the nominal points back."""
        self.tree_ = _tree(state.points(self.n_neighbors))


def _tree(points: Array) -> cKDTree:
    """Return a tree whose leaves lie next to each other in memory.

    A row far from all points visits most leaves. Few large ones, read in order, bound what that costs.
    """
    layout = {"leafsize": 128, "balanced_tree": False}
    order = cKDTree(points, **layout).indices
    return cKDTree(np.asarray(points)[order], **layout)
