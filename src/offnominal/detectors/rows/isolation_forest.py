"""Isolation forest (Liu et al., 2008): anomalous rows are isolated by few random splits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from offnominal.core.checks import boolean, integer_in, number_in, one_of, positive_integer, require_shape
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.rows.isolation_trees import IsolationTrees, compiled_trees, levels, sklearn_trees
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.state_arrays import StateArrays, require_forward, require_within

if TYPE_CHECKING:
    from torch import Tensor

MOST_TREES = 1_000_000
Backend = Literal["sklearn", "numba"]
BACKENDS: tuple[Backend, ...] = ("sklearn", "numba")


class IsolationForest(RowDetector):
    """Random trees; a row that few splits isolate has a high score.

    Both backends draw trees from the same distribution, with different random numbers. Scoring is compiled, so that a
    single row takes microseconds.

    Args:
        n_estimators: Number of trees.
        max_samples: Rows that each tree is grown on: an integer is their number, a float in (0, 1] their fraction.
        max_features: Fraction of the columns that each tree may split.
        bootstrap: Whether rows are drawn with replacement.
        backend: ``"sklearn"``: scikit-learn grows the trees; ``"numba"``: compiled code grows them, faster, and the
            first fifty trees of a large forest are those of a forest of fifty trees with the same seed.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(500, 2))
        >>> near, far = IsolationForest().fit(rows).score(np.array([[0.0, 0.0], [9.0, 9.0]]))
        >>> bool(near < far)
        True
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_samples: int | float = 256,
        max_features: float = 1.0,
        bootstrap: bool = True,
        backend: Backend = "sklearn",
    ) -> None:
        self.n_estimators = integer_in("n_estimators", n_estimators, 1, MOST_TREES)
        self.max_samples: int | float = (
            _fraction("max_samples", max_samples)
            if isinstance(max_samples, float | np.floating)
            else positive_integer("max_samples", max_samples)
        )
        self.max_features = _fraction("max_features", max_features)
        self.bootstrap = boolean("bootstrap", bootstrap)
        self.backend: Backend = one_of("backend", backend, BACKENDS)

    def _fit(self, rows: FloatArray, seed: int) -> None:
        n, width = rows.shape
        share = isinstance(self.max_samples, float)
        parameters: dict[str, Any] = {
            "n_estimators": self.n_estimators,
            "max_samples": max(1, int(self.max_samples * n)) if share else min(int(self.max_samples), n),
            "max_features": max(1, int(self.max_features * width)),
            "bootstrap": self.bootstrap,
        }
        grow = sklearn_trees if self.backend == "sklearn" else compiled_trees
        self.trees_: IsolationTrees = grow(rows, seed, **parameters)

    def _score(self, rows: FloatArray) -> FloatArray:
        (scores,) = self._staged(rows, np.array([self.n_estimators]))
        return np.asarray(scores)

    def staged_scores(self, rows: FloatArray, n_estimators: IntArray) -> FloatArray:
        """Return the scores by the first trees, for several numbers of trees.

        Args:
            rows: (n, columns).
            n_estimators: Ascending numbers of trees.

        Returns:
            (len(n_estimators), n) scores.
        """
        self._require_fitted()
        require_shape("rows", rows, "n", self.width_)
        require_shape("n_estimators", n_estimators, "k")
        if n_estimators.dtype.kind not in "iu" or (np.diff(n_estimators, prepend=1) < 0).any():
            raise InvalidParameter(f"n_estimators is {shown(n_estimators)}; expected ascending positive integers.")
        trees = len(self.trees_.roots)
        if n_estimators.max(initial=0) > trees:
            raise InvalidParameter(f"n_estimators is {n_estimators[-1]}; the forest has {trees} trees.")
        return self._staged(rows, n_estimators)

    def _staged(self, rows: FloatArray, n_estimators: IntArray) -> FloatArray:
        """Return the scores of checked rows by the first trees."""
        # Scikit-learn's trees split single-precision numbers.
        values = rows.astype(np.float32) if self.backend == "sklearn" else rows
        depths = self.trees_.depths(values, n_estimators)
        scores: FloatArray = 2.0 ** (-depths / (n_estimators[:, None] * max(self.trees_.average_depth, 1e-300)))
        return scores

    def _torch_score(self, rows: Tensor) -> Tensor:
        import torch

        values = rows.float().double() if self.backend == "sklearn" else rows
        depths = self.trees_.torch_depths(values)
        return torch.pow(2.0, -depths / (self.n_estimators * max(self.trees_.average_depth, 1e-300)))

    def _state_dict(self) -> dict[str, Array]:
        trees = self.trees_
        children = (
            {"children": np.stack([trees.left, trees.right], axis=1)}
            if self.backend == "sklearn"
            else {"below": trees.left}
        )
        return (
            {"roots": trees.roots}
            | children
            | {
                "channel": trees.channel,
                "cut": trees.cut,
                "depth": trees.depth,
                "usual": np.array([trees.average_depth]),
            }
        )

    def _load_state_dict(self, state: StateArrays) -> None:
        if self.backend == "sklearn":
            children = state.integers("children", ("nodes", 2))
            left, right = np.ascontiguousarray(children[:, 0]), np.ascontiguousarray(children[:, 1])
            inner = left >= 0
            require_forward("children", children.min(axis=1), children.max(axis=1), inner)
            level = levels(left, right)
        else:
            left = state.integers("below", ("nodes",))
            right, inner, level = left + 1, left >= 0, np.zeros(len(left))
            require_forward("below", left, right, inner)
        roots = state.integers("roots", (self.n_estimators,), low=0, high=len(inner) - 1)
        channel = state.integers("channel", ("nodes",))
        require_within("channel", channel[inner], 0, self.width_ - 1)
        cut, depth = state.floats("cut", ("nodes",)), state.floats("depth", ("nodes",), low=0.0)
        self.trees_ = IsolationTrees(roots, left, right, channel, cut, level, depth, state.number("usual", low=0.0))


def _fraction(name: str, value: Any) -> float:
    return float(number_in(name, value, 0.0, 1.0, open_low=True))
