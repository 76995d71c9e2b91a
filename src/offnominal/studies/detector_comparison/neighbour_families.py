"""Methods on nearest neighbours: one search serves every number of neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from offnominal.datasets.tables import TableSplit
from offnominal.detectors.points.abod import ABOD, angle_scores, check_distinct
from offnominal.detectors.points.lof import LOF, local_densities, outlier_factors
from offnominal.detectors.points.neighbours import Neighbours, neighbour_scores
from offnominal.detectors.points.search import Search
from offnominal.studies.detector_comparison.family import Clock, Family, Group, Scores, grouped, wanted
from offnominal.studies.detector_comparison.space import Configuration


class NeighboursFamily(Family):
    """Distances to neighbours: one search for the largest k, running sums for the smaller ones."""

    def __init__(self, name: str = "knn") -> None:
        super().__init__(name, Neighbours)

    def check(self, configuration: Configuration, split: TableSplit) -> None:
        """Refuse more neighbours than there are training points."""
        self.make(**configuration).fit(split.train.points)

    def begin(self, configurations: Sequence[Configuration], split: TableSplit, seed: int, clock: Clock) -> Any:
        """Search once, for both parts."""
        with clock.score():
            search, k = Search(split.train.points), wanted(configurations, "k")[-1]
            return [search.nearest(part.points, k) for part in (split.validation, split.test)]

    def groups(self, valid: Group) -> list[Group]:
        """Part by the kind of distance."""
        return grouped(valid, "distance")

    def together(
        self, configurations: Sequence[Configuration], shared: Any, split: TableSplit, seed: int, clock: Clock
    ) -> list[Scores]:
        """Sum over neighbours once for all k."""
        ks = wanted(configurations, "k")
        points, distance = split.train.points, self.make(**configurations[0]).parameters()["distance"]
        parts = (split.validation.points, split.test.points)
        with clock.score():
            first, second = (
                neighbour_scores(points, rows, distances, places, np.array(ks), distance)
                for rows, (distances, places) in zip(parts, shared, strict=True)
            )
        return [(first[k], second[k]) for k in (ks.index(each["k"]) for each in configurations)]


class LOFFamily(Family):
    """Local outlier factors: one search among the training points and one for the others.

    As in the paper, k is at most one less than the number of training points.
    """

    def __init__(self, name: str = "lof") -> None:
        super().__init__(name, LOF)

    def begin(self, configurations: Sequence[Configuration], split: TableSplit, seed: int, clock: Clock) -> Any:
        """Search once, for the training points and for both parts."""
        points = split.train.points
        k = min(wanted(configurations, "k")[-1], len(points) - 1)
        with clock.fit():
            search = Search(points)
            own = search.nearest(points, k, own=True)
        with clock.score():
            return [own, *(search.nearest(part.points, k) for part in (split.validation, split.test))]

    def together(
        self, configurations: Sequence[Configuration], shared: Any, split: TableSplit, seed: int, clock: Clock
    ) -> list[Scores]:
        """Compute densities for one k."""
        (configuration,) = configurations
        k = min(configuration["k"], len(split.train) - 1)
        (distances, places), *found = shared
        with clock.fit():
            reach, density = local_densities(distances, places, k)
        with clock.score():
            first, second = (outlier_factors(far, near, reach, density, k) for far, near in found)
        return [(first, second)]


class ABODFamily(Family):
    """Angles between neighbours: one search, and one pass over pairs that stops by at every k."""

    def __init__(self, name: str = "abod") -> None:
        super().__init__(name, ABOD)

    def check(self, configuration: Configuration, split: TableSplit) -> None:
        """Refuse more neighbours than there are different training points."""
        super().check(configuration, split)
        check_distinct(split.train.points, configuration["k"])

    def groups(self, valid: Group) -> list[Group]:
        """Take all at once."""
        return [valid] if valid else []

    def together(
        self, configurations: Sequence[Configuration], shared: Any, split: TableSplit, seed: int, clock: Clock
    ) -> list[Scores]:
        """Search and add up pairs once for all k."""
        points, ks = split.train.points, wanted(configurations, "k")
        with clock.score():
            search = Search(points)
            first, second = (
                angle_scores(points, rows, search.nearest(rows, ks[-1], apart=True)[1], np.array(ks))
                for rows in (split.validation.points, split.test.points)
            )
        return [(first[k], second[k]) for k in (ks.index(each["k"]) for each in configurations)]
