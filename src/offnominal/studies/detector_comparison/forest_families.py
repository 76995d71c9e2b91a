"""Forests: a small one is the beginning of a large one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from offnominal.datasets.tables import TableSplit
from offnominal.detectors.points.pidforest import PIDForest, percentile_scores
from offnominal.detectors.points.subspace_forest import SubspaceForest
from offnominal.studies.detector_comparison.family import Clock, Family, Group, Scores, grouped, wanted
from offnominal.studies.detector_comparison.space import Configuration


class ForestFamily(Family):
    """Isolation forests: grown once for each share of rows and columns, with as many trees as needed at most."""

    def __init__(self, name: str = "if") -> None:
        super().__init__(name, SubspaceForest)

    def groups(self, valid: Group) -> list[Group]:
        """Part by the shares."""
        return grouped(valid, "rows", "columns")

    def together(
        self, configurations: Sequence[Configuration], shared: Any, split: TableSplit, seed: int, clock: Clock
    ) -> list[Scores]:
        """Grow one forest and stop by at every number of trees."""
        trees = wanted(configurations, "trees")
        forest = SubspaceForest(**{**configurations[0], "trees": trees[-1]})
        with clock.fit():
            forest.fit(split.train.points, seed=seed)
        with clock.score():
            first, second = (forest.grown(part.points, np.array(trees)) for part in (split.validation, split.test))
        return [(first[k], second[k]) for k in (trees.index(each["trees"]) for each in configurations)]


class PIDForestFamily(Family):
    """PIDForests: one with as many trees as needed at most serves all smaller ones and all percentiles."""

    def __init__(self, name: str = "pidf") -> None:
        super().__init__(name, PIDForest)

    def groups(self, valid: Group) -> list[Group]:
        """Part by how trees grow."""
        return grouped(valid, "depth", "sample", "buckets", "epsilon")

    def together(
        self, configurations: Sequence[Configuration], shared: Any, split: TableSplit, seed: int, clock: Clock
    ) -> list[Scores]:
        """Grow one forest; take percentiles over its first trees."""
        complete = [self.make(**each).parameters() for each in configurations]
        forest = PIDForest(**{**complete[0], "trees": wanted(complete, "trees")[-1]})
        with clock.fit():
            forest.fit(split.train.points, seed=seed)
        results = []
        with clock.score():
            first, second = (forest.densities(part.points) for part in (split.validation, split.test))
            for each in complete:
                trees, percentile = each["trees"], each["percentile"]
                results.append(
                    (percentile_scores(first[:trees], percentile), percentile_scores(second[:trees], percentile))
                )
        return results
