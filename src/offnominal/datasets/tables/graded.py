"""Anomaly problems with graded difficulty from labelled tables, after Emmott et al. (2013, arXiv 1503.01158)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.streams import Stream
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.datasets.tables.table import DIFFICULTIES, Table, rows_of

EDGES = (0.16, 0.3, 0.5)
FEWEST = 10


def graded_problem(
    X: Any,
    y: Any,
    seed: int,
    *,
    target: Literal["class", "number"] = "class",
    trees: int = 100,
    components: int = 300,
    name: str = "graded",
) -> Table:
    """Divide labelled points into normal and anomalous ones, with a difficulty for each anomaly.

    Classes that a random forest confuses most are on opposite sides: the maximum spanning tree of the confusions is
    2-coloured, and the side with more points is normal. A numeric target is divided at its median. The difficulty of a
    point is the probability of being normal under a kernel logistic regression fitted to all points: easy below 0.16,
    medium below 0.3, hard below 0.5, very hard above. Use ``table.with_difficulties("easy", "medium")`` for the
    anomalies that the paper uses.

    Args:
        X: (n, d) features.
        y: (n,) classes or numeric targets.
        seed: Seed of the forest and of the kernel's sample.
        target: ``class`` if y has classes, ``number`` if it is numeric.
        trees: Number of trees of the forest.
        components: Number of points that span the kernel; all if there are fewer.
        name: Name of the new table.

    Raises:
        InvalidParameter: Not numbers, not one label per row, one class only, or fewer than ten rows.

    Example:
        >>> points = np.random.default_rng(0).normal(size=(150, 2)) + np.repeat(
        ...     [[0.0, 0.0], [4.0, 0.0], [1.5, 1.5]], 50, 0
        ... )
        >>> table = graded_problem(points, np.repeat(["a", "b", "c"], 50), seed=0, trees=20)
        >>> table
        Table('graded', normal 100 × 2, anomalous 50)
        >>> sorted(set(table.difficulty.tolist()))
        ['hard', 'medium', 'very_hard']
    """
    points = rows_of(name, X)
    labels = np.asarray(y)
    if labels.shape != (len(points),):
        raise InvalidParameter(f"y has the shape {labels.shape}; expected one label for each of {len(points)} rows.")
    if len(points) < FEWEST:
        raise InvalidParameter(f"{name} has {len(points)} rows; grading needs at least {FEWEST}.")
    stream = Stream.named(seed, 0, "table/graded")
    side = _above_median(labels, name) if target == "number" else _sides(points, labels, trees, stream, name)
    anomalous = side if side.sum() * 2 <= len(side) else ~side
    p_normal = _probability_of_normal(points, anomalous, components, stream)
    difficulty = np.array(DIFFICULTIES)[np.digitize(p_normal[anomalous], EDGES)]
    return Table(name, points[~anomalous], points[anomalous], difficulty)


def _above_median(labels: Array, name: str) -> BoolArray:
    try:
        numbers = labels.astype(np.float64)
    except ValueError as error:
        raise InvalidParameter(f"{name}, y: {error}; expected numbers. Use target='class' for classes.") from None
    if not np.isfinite(numbers).all():
        raise InvalidParameter(f"{name}, y: row {np.flatnonzero(~np.isfinite(numbers))[0]} is not finite.")
    side: BoolArray = numbers > np.median(numbers)
    if not side.any():
        raise InvalidParameter(f"{name}: no target is above the median {np.median(numbers):g}; it cannot be divided.")
    return side


def _sides(points: FloatArray, labels: Array, trees: int, stream: Stream, name: str) -> BoolArray:
    """Return which points are in classes of the second colour."""
    from sklearn.ensemble import RandomForestClassifier

    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise InvalidParameter(f"{name}, y: row {np.flatnonzero(~np.isfinite(labels))[0]} is not finite.")
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise InvalidParameter(f"{name} has one class, {classes[0]!s}; expected at least two.")
    if len(classes) * 2 > len(labels):
        raise InvalidParameter(
            f"{name} has {len(classes)} classes for {len(labels)} rows; use target='number' if y is a quantity."
        )
    forest = RandomForestClassifier(trees, oob_score=_out_of_bag, random_state=_word(stream, 0))
    forest.fit(points, codes)
    votes = np.nan_to_num(forest.oob_decision_function_)
    second: BoolArray = two_colours(confusion(codes, votes))[codes] == 1
    return second


def _out_of_bag(*_: Any) -> float:
    """Score function that makes scikit-learn compute out-of-bag votes; the score itself is not used."""
    return 0.0


def confusion(codes: IntArray, votes: FloatArray) -> FloatArray:
    """Return the symmetric confusion of classes: votes of each class for each other one, in both directions.

    Example:
        >>> confusion(np.array([0, 0, 1]), np.array([[0.8, 0.2], [1.0, 0.0], [0.5, 0.5]]))
        array([[0. , 0.7],
               [0.7, 0. ]])
    """
    lost = np.zeros((votes.shape[1], votes.shape[1]))
    np.add.at(lost, codes, votes)
    np.fill_diagonal(lost, 0.0)
    return lost + lost.T


def two_colours(confused: FloatArray) -> IntArray:
    """Return a 2-colouring of the maximum spanning tree of the confusions.

    Example:
        >>> two_colours(np.array([[0.0, 5.0, 1.0], [5.0, 0.0, 4.0], [1.0, 4.0, 0.0]]))
        array([0, 1, 0])
    """
    from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree

    # A zero would be no edge; adding one to all does not change their order.
    tree = minimum_spanning_tree(-(confused + 1.0) * (1.0 - np.eye(len(confused))))
    order, before = breadth_first_order(tree, 0, directed=False)
    colours = np.zeros(len(confused), np.int64)
    for node in order[1:]:
        colours[node] = 1 - colours[before[node]]
    return colours


def _probability_of_normal(points: FloatArray, anomalous: BoolArray, components: int, stream: Stream) -> FloatArray:
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    regression = make_pipeline(
        StandardScaler(),
        Nystroem(n_components=min(components, len(points)), random_state=_word(stream, 1)),
        LogisticRegression(max_iter=1000),
    )
    regression.fit(points, ~anomalous)
    probabilities: FloatArray = regression.predict_proba(points)[:, 1]
    return probabilities


def _word(stream: Stream, lane: int) -> int:
    """Return a seed for scikit-learn."""
    return stream.integer(0, 2**32 - 2, lane=lane)
