"""Forests: a small one is the beginning of a large one. PIDForest also with the errors of its public code."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray, IntArray
from offnominal.datasets.tables import TableSplit
from offnominal.detectors.rows.isolation_forest import IsolationForest
from offnominal.detectors.rows.pid_tree import Tree, grow, part_of
from offnominal.detectors.rows.pidforest import COUNTED, PIDForest, box, count, drawn, percentile_scores
from offnominal.papers.comparison.runners.runner import ConfigurationRunner, FitTimer, Group, Scores, grouped, wanted
from offnominal.papers.comparison.search_spaces import Configuration

isolation_forest = partial(IsolationForest, max_samples=1.0, bootstrap=False, backend="numba")
"""Isolation forest of which a small one is the beginning of a large one."""


class ForestRunner(ConfigurationRunner):
    """Isolation forests: grown once for each share of rows and columns, with as many trees as needed at most."""

    def __init__(self, name: str = "if") -> None:
        super().__init__(name, isolation_forest)

    def groups(self, valid: Group) -> list[Group]:
        """Part by the shares."""
        return grouped(valid, "max_samples", "max_features")

    def run_group(
        self, configurations: Sequence[Configuration], shared: Any, split: TableSplit, seed: int, timer: FitTimer
    ) -> list[Scores]:
        """Grow one forest and stop by at every number of trees."""
        trees = wanted(configurations, "n_estimators")
        forest = isolation_forest(**{**configurations[0], "n_estimators": trees[-1]})
        with timer.fit():
            forest.fit(split.train.points, seed=seed)
        with timer.score():
            first, second = (
                forest.staged_scores(part.points, np.array(trees)) for part in (split.validation, split.test)
            )
        return [(first[k], second[k]) for k in (trees.index(each["n_estimators"]) for each in configurations)]


class PIDForestRunner(ConfigurationRunner):
    """PIDForests: one with as many trees and levels as needed at most serves all smaller ones and all percentiles.

    Samples of more rows than there are give the same trees.
    """

    def __init__(self, name: str = "pidf") -> None:
        super().__init__(name, PIDForest)

    def groups(self, valid: Group) -> list[Group]:
        """Part by how trees are cut."""
        return grouped(valid, "max_buckets", "epsilon")

    def run_group(
        self, configurations: Sequence[Configuration], shared: Any, split: TableSplit, seed: int, timer: FitTimer
    ) -> list[Scores]:
        """Grow a forest for each size of sample."""
        complete = [self.make(**each).get_params() for each in configurations]
        sizes = [self.sample_size(each["max_samples"], len(split.train)) for each in complete]
        results: dict[int, Scores] = {}
        for size in dict.fromkeys(sizes):
            own = [place for place, other in enumerate(sizes) if other == size]
            scores = self._grown([complete[place] for place in own], split, seed, timer)
            results |= dict(zip(own, scores, strict=True))
        return [results[place] for place in range(len(complete))]

    def sample_size(self, max_samples: int, n: int) -> int:
        """Return the number of rows of each tree, of n training rows."""
        return min(max_samples, n)

    def _grown(
        self, configurations: Sequence[Configuration], split: TableSplit, seed: int, timer: FitTimer
    ) -> list[Scores]:
        """Grow one forest; cut it off at every depth, take percentiles over its first trees."""
        points, depths = split.train.points, wanted(configurations, "max_depth")
        largest = {"n_estimators": wanted(configurations, "n_estimators")[-1], "max_depth": depths[-1]}
        forest = self.make(**{**configurations[0], **largest})
        assert isinstance(forest, PIDForest)
        with timer.fit():
            forest.fit(points, seed=seed)
            forests = {depth: forest.shallower(depth, points, seed) for depth in depths}
        results = []
        with timer.score():
            parts = (split.validation.points, split.test.points)
            found = {depth: [each.densities(part) for part in parts] for depth, each in forests.items()}
            for each in configurations:
                first, second = (
                    percentile_scores(densities[: each["n_estimators"]], each["percentile"])
                    for densities in found[each["max_depth"]]
                )
                results.append((first, second))
        return results


STEP, LEAST = 50, 25
"""Where there are too few rows, samples have a multiple of `STEP` rows, and at least `LEAST`."""


def sample_size(max_samples: int, n: int) -> int:
    """Return the number of rows of each tree, of n training rows, as in the public code.

    Example:
        >>> sample_size(50, 70), sample_size(500, 170), sample_size(100, 40)
        (50, 150, 25)
    """
    return max_samples if n >= max_samples else max(LEAST, n - n % STEP)


class OriginPIDForest(PIDForest):
    """PIDForest whose empty boxes, and what is outside of all boxes, have the log density zero.

    The log density of a box is the logarithm of its count less that of its volume. In tables of many columns it is
    below zero, and the most anomalous rows have the highest density. A row is outside if it is beyond the training rows
    along an axis that is split on its way down the tree. The box of every tree is that of all training rows.
    """

    def _grow(self, rows: FloatArray, stream: Stream, tree: int) -> tuple[Tree, FloatArray, FloatArray]:
        size = sample_size(self.max_samples, len(rows))
        sample = rows[drawn(stream.uniform(len(rows), step=tree), size)]
        low, high = box(rows)
        uniform = stream.uniform(2 * len(sample), step=tree, lane=1)
        axes = np.flatnonzero(high > low)
        return grow(sample, low, high, axes, self.max_depth, self.max_buckets, self.epsilon, uniform), low, high

    def _weigh(self, rows: FloatArray, stream: Stream) -> None:
        counted = rows[drawn(stream.uniform(len(rows), lane=2), COUNTED * self.max_depth)]
        held = np.zeros(len(self.axis_))
        count(counted, self.roots_, self.axis_, self.first_, self.cut_start_, self.parts_, self.cuts_, held)
        self.density_ = np.where(held > 0.0, np.log(np.maximum(held, 1.0)) - self.volume_, 0.0)
        self.lowest_ = np.zeros(len(self.roots_))

    def densities(self, rows: FloatArray) -> FloatArray:
        """Return the (trees, rows) log densities."""
        nodes = (self.roots_, self.axis_, self.first_, self.cut_start_, self.parts_, self.cuts_)
        return _densities(rows, *nodes, self.density_, self.low_[0], self.high_[0])


class OriginPIDForestRunner(PIDForestRunner):
    """The same with these errors; see :class:`PIDForestRunner`."""

    def __init__(self, name: str = "pidp") -> None:
        ConfigurationRunner.__init__(self, name, OriginPIDForest)

    def sample_size(self, max_samples: int, n: int) -> int:
        """Return the number of rows of each tree, of n training rows."""
        return sample_size(max_samples, n)


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
) -> FloatArray:
    out = np.zeros((len(roots), rows.shape[0]))
    for tree in range(len(roots)):
        for i in range(rows.shape[0]):
            node, inside = roots[tree], True
            while inside and axis[node] >= 0:
                value = rows[i, axis[node]]
                inside = low[axis[node]] <= value < high[axis[node]]
                own = cuts[cut_start[node] : cut_start[node] + parts[node] - 1]
                node = first[node] + part_of(value, own)
            if inside:
                out[tree, i] = density[node]
    return out
