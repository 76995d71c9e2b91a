"""Rows of which some have a class: what semi-supervised clustering learns from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from offnominal.core.checks import numeric_array
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray

UNLABELLED = -1
"""Label of a row without a class, as in scikit-learn."""


@dataclass(frozen=True, slots=True, eq=False)
class PartlyLabelled:
    """Centred rows, split into those with and those without a class.

    Args:
        mean: (d,): mean of all rows, which is subtracted.
        classes: (L,): labels of the known classes, in ascending order. The first L clusters are these classes.
        labelled: (n, d): centred rows with a class.
        numbers: (n,): number of the class of each, 0 .. L - 1.
        weights: (n,): weight of each.
        unlabelled: (m, d): centred rows without a class.
        known: (n + m,): which of the given rows have a class.
    """

    mean: FloatArray
    classes: IntArray
    labelled: FloatArray
    numbers: IntArray
    weights: FloatArray
    unlabelled: FloatArray
    known: BoolArray

    @classmethod
    def of(cls, X: Any, y: Any, n_clusters: int, *, balanced: bool = False) -> PartlyLabelled:
        """Check rows and labels.

        Args:
            X: (n + m, d): rows.
            y: (n + m,): integer labels; -1 for rows without a class.
            n_clusters: Number of clusters; at least the number of known classes.
            balanced: Whether all known classes have the same total weight, as if they were resampled evenly.

        Raises:
            InvalidParameter: The rows are not finite numbers, the labels do not fit, or there are more known classes
                than clusters.
        """
        rows, labels = checked_rows_and_labels(X, y)
        known = labels != UNLABELLED
        classes, numbers, counts = np.unique(labels[known], return_inverse=True, return_counts=True)
        if known.all():
            raise InvalidParameter("every row has a class; there is nothing to cluster.")
        if not len(classes) <= n_clusters <= len(classes) + int((~known).sum()):
            raise InvalidParameter(
                f"there are {n_clusters} clusters for {len(classes)} known classes and {int((~known).sum())} rows "
                "without a class; expected at least a cluster per class, and at most one per row besides."
            )
        mean = rows.mean(axis=0)
        rows = rows - mean
        even = len(numbers) / max(len(classes), 1)
        weights = even / counts[numbers] if balanced else np.ones(len(numbers))
        return cls(mean, classes.astype(np.int64), rows[known], numbers, weights, rows[~known], known)

    def class_sums(self) -> tuple[FloatArray, FloatArray]:
        """Return the weighted sum of the rows of each class, (L, d), and the total weight of each, (L,)."""
        shape = (len(self.classes), len(self.numbers))
        members = sparse.csr_array((self.weights, (self.numbers, np.arange(len(self.numbers)))), shape=shape)
        return np.asarray(members @ self.labelled), np.bincount(self.numbers, self.weights, len(self.classes)).astype(
            np.float64
        )

    def clusters(self, of_unlabelled: IntArray) -> IntArray:
        """Return the cluster of every given row, from those of the rows without a class."""
        found = np.empty(len(self.known), np.int64)
        found[self.known], found[~self.known] = self.numbers, of_unlabelled
        return found


def checked_rows_and_labels(X: Any, y: Any) -> tuple[FloatArray, IntArray]:
    """Return rows and their labels as arrays; raise :class:`InvalidParameter` if they do not fit."""
    rows, labels = np.asarray(numeric_array("rows", X), np.float64), np.asarray(numeric_array("labels", y))
    if rows.ndim != 2 or 0 in rows.shape or not np.isfinite(rows).all():
        raise InvalidParameter(f"the rows have shape {rows.shape}; expected (rows, columns) of finite numbers.")
    if labels.shape != (len(rows),) or labels.dtype.kind not in "iu" or labels.min() < UNLABELLED:
        raise InvalidParameter(
            f"the labels are {labels.dtype} of shape {labels.shape}; expected {len(rows)} integers, -1 for rows "
            "without a class."
        )
    return rows, labels


def checked_rows(X: Any, width: int) -> FloatArray:
    """Return rows of a given width as numbers; raise :class:`InvalidParameter` if they have another shape."""
    rows = np.asarray(numeric_array("rows", X), np.float64)
    if rows.ndim != 2 or rows.shape[1] != width:
        raise InvalidParameter(f"the rows have shape {rows.shape}; expected (n, {width}).")
    return rows


def squared_distances(rows: FloatArray, centres: FloatArray) -> FloatArray:
    """Return the squared distance of every row to every centre, (n, k), at least zero."""
    found = rows @ (-2.0 * centres.T)
    found += np.einsum("nd,nd->n", rows, rows)[:, None]
    found += np.einsum("kd,kd->k", centres, centres)
    return np.maximum(found, 0.0, out=found)


def seeded_centres(data: PartlyLabelled, n_clusters: int, draw: np.random.Generator) -> Array:
    """Return first centres: the means of the known classes, and the others by greedy k-means++.

    Each further centre is a row without a class, drawn with a probability proportional to its squared distance to the
    nearest centre. Of 2 + log(number of new centres) draws the one that reduces the sum of these distances most is
    kept.
    """
    sums, counts = data.class_sums()
    centres = list(sums / counts[:, None])
    rows = data.unlabelled
    if not centres:
        centres.append(rows[draw.integers(len(rows))])
    nearest = squared_distances(rows, np.array(centres)).min(axis=1)
    trials = 2 + int(np.log(max(n_clusters - len(data.classes), 1)))
    while len(centres) < n_clusters:
        total = np.cumsum(nearest)
        drawn = np.searchsorted(total, draw.random(trials) * total[-1], side="right").clip(max=len(rows) - 1)
        closer = np.minimum(squared_distances(rows, rows[drawn]), nearest[:, None])
        best = int(closer.sum(axis=0).argmin())
        centres.append(rows[drawn[best]])
        nearest = closer[:, best]
    return np.array(centres)
