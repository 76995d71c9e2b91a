"""Matching of clusters with true classes, so that as many rows as possible agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from offnominal.core.checks import require_shape
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, BoolArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Matching:
    """Clusters matched with true classes by the Hungarian algorithm.

    Args:
        classes: (c,): true classes in ascending order.
        confusion: (c, k): number of rows of each true class in each cluster. Column i is the cluster that is matched
            with class i; columns after the classes are clusters without a class.
        clusters: (k,): cluster of each column; -1 for a class without a cluster.
    """

    classes: IntArray
    confusion: IntArray
    clusters: IntArray

    def __post_init__(self) -> None:
        require_shape("classes", self.classes, "classes")
        require_shape("confusion", self.confusion, len(self.classes), "clusters")
        require_shape("clusters", self.clusters, self.confusion.shape[1])

    @classmethod
    def of(cls, true: Array, clusters: Array) -> Matching:
        """Match the clusters of some rows with their true classes.

        Args:
            true: (n,): true classes, integers.
            clusters: (n,): clusters, integers.

        Example:
            >>> Matching.of(np.array([3, 3, 5, 5, 5]), np.array([1, 1, 0, 0, 1])).confusion
            array([[2, 0],
                   [1, 2]])
        """
        given, found = _paired(true, clusters)
        classes, rows = np.unique(given, return_inverse=True)
        names, columns = np.unique(found, return_inverse=True)
        size = max(len(classes), len(names))
        counts = np.zeros((size, size), np.int64)
        np.add.at(counts, (rows, columns), 1)
        _, order = linear_sum_assignment(counts, maximize=True)
        padded = np.append(names, np.full(size - len(names), -1))
        return cls(classes, counts[: len(classes), order], padded[order])

    def agreement(self, true: Array, clusters: Array) -> BoolArray:
        """Return which of the matched rows are in the cluster of their class."""
        given, found = _paired(true, clusters)
        unknown = given[~np.isin(given, self.classes)]
        if len(unknown):
            raise InvalidParameter(f"class {unknown[0]} is not among the matched classes, {self.classes.tolist()}.")
        matched = dict(zip(self.classes.tolist(), self.clusters.tolist(), strict=False))
        return np.asarray(found == [matched[each] for each in given.tolist()])

    def accuracy(self, among: BoolArray | None = None) -> float | None:
        """Return the share of rows in the cluster that is matched with their class.

        Args:
            among: (c,): which true classes count; all if None. The matching is always that of all classes.

        Returns:
            The share, or None without rows of these classes.
        """
        chosen = np.ones(len(self.classes), bool) if among is None else np.asarray(among)
        if chosen.dtype != np.bool_ or chosen.shape != self.classes.shape:
            raise InvalidParameter(
                f"among is {chosen.dtype} of shape {chosen.shape}; expected {len(self.classes)} truth values."
            )
        total = int(self.confusion[chosen].sum())
        return float(self.confusion.diagonal()[chosen].sum() / total) if total else None


def _paired(true: Array, clusters: Array) -> tuple[IntArray, IntArray]:
    """Return classes and clusters of the same rows, or raise :class:`InvalidParameter`."""
    given, found = np.asarray(true), np.asarray(clusters)
    for name, values in (("true classes", given), ("clusters", found)):
        if values.ndim != 1 or values.dtype.kind not in "iu" or not len(values):
            raise InvalidParameter(f"the {name} are {values.dtype} of shape {values.shape}; expected (n,) integers.")
    if len(given) != len(found):
        raise InvalidParameter(f"there are {len(given)} true classes and {len(found)} clusters; expected as many.")
    return given, found
