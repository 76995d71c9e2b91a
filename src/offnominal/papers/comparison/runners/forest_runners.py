"""Forests: a small one is the beginning of a large one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from offnominal.datasets.tables import TableSplit
from offnominal.detectors.rows.isolation_forest import IsolationForest
from offnominal.detectors.rows.pidforest import PIDForest, percentile_scores
from offnominal.papers.comparison.runners.runner import ConfigurationRunner, FitTimer, Group, Scores, grouped, wanted
from offnominal.papers.comparison.search.search_space import Configuration

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
