"""Methods on nearest neighbours: one search serves every number of neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.datasets.tables import TableSplit
from offnominal.detectors.rows.abod import ABOD, angle_scores, check_distinct
from offnominal.detectors.rows.knn import KNN, neighbour_scores
from offnominal.detectors.rows.lof import LOF, local_densities, outlier_factors
from offnominal.detectors.rows.neighbour_search import NeighbourSearch
from offnominal.papers.comparison.runners.runner import ConfigurationRunner, FitTimer, Group, Scores, grouped, wanted
from offnominal.papers.comparison.search_spaces import Configuration


class NeighboursRunner(ConfigurationRunner):
    """Distances to neighbours: one search for the largest k, running sums for the smaller ones."""

    def __init__(self, name: str = "knn") -> None:
        super().__init__(name, partial(KNN, n_neighbors=5, algorithm="brute"))

    def check(self, configuration: Configuration, split: TableSplit) -> None:
        """Refuse more neighbours than there are training points."""
        self.make(**configuration).fit(split.train.points)

    def prepare_group(
        self, configurations: Sequence[Configuration], split: TableSplit, seed: int, timer: FitTimer
    ) -> Any:
        """Search once, for both parts."""
        with timer.score():
            search, k = NeighbourSearch(split.train.points), wanted(configurations, "n_neighbors")[-1]
            return [search.nearest(part.points, k) for part in (split.validation, split.test)]

    def groups(self, valid: Group) -> list[Group]:
        """Part by the kind of distance."""
        return grouped(valid, "distance")

    def run_group(
        self, configurations: Sequence[Configuration], shared: Any, split: TableSplit, seed: int, timer: FitTimer
    ) -> list[Scores]:
        """Sum over neighbours once for all k."""
        ks = wanted(configurations, "n_neighbors")
        points, distance = split.train.points, self.make(**configurations[0]).get_params()["distance"]
        parts = (split.validation.points, split.test.points)
        with timer.score():
            first, second = (
                neighbour_scores(points, rows, distances, places, np.array(ks), distance)
                for rows, (distances, places) in zip(parts, shared, strict=True)
            )
        return [(first[k], second[k]) for k in (ks.index(each["n_neighbors"]) for each in configurations)]


class WideNeighboursRunner(NeighboursRunner):
    """Distances to neighbours, searched for once by matrix products; see :class:`NeighboursRunner`."""

    def check(self, configuration: Configuration, split: TableSplit) -> None:
        """Refuse more neighbours than there are training points."""
        k = self.make(**configuration).get_params()["n_neighbors"]
        if k > len(split.train):
            raise InvalidParameter(
                f"n_neighbors is {k}, but there are {len(split.train)} rows; give more, or ask for fewer."
            )

    def prepare_group(
        self, configurations: Sequence[Configuration], split: TableSplit, seed: int, timer: FitTimer
    ) -> Any:
        """Search once, for both parts."""
        from offnominal.detectors.rows.matrix_search import MatrixSearch

        with timer.fit():
            search = MatrixSearch(split.train.points)
        with timer.score():
            k = wanted(configurations, "n_neighbors")[-1]
            return [search.nearest(part.points, k) for part in (split.validation, split.test)]


class LOFRunner(ConfigurationRunner):
    """Local outlier factors: one search among the training points and one for the others.

    As in the paper, k is at most one less than the number of training points.
    """

    def __init__(self, name: str = "lof") -> None:
        super().__init__(name, LOF)

    def prepare_group(
        self, configurations: Sequence[Configuration], split: TableSplit, seed: int, timer: FitTimer
    ) -> Any:
        """Search once, for the training points and for both parts."""
        points = split.train.points
        k = min(wanted(configurations, "n_neighbors")[-1], len(points) - 1)
        with timer.fit():
            search = NeighbourSearch(points)
            own = search.nearest(points, k, own=True)
        with timer.score():
            return [own, *(search.nearest(part.points, k) for part in (split.validation, split.test))]

    def run_group(
        self, configurations: Sequence[Configuration], shared: Any, split: TableSplit, seed: int, timer: FitTimer
    ) -> list[Scores]:
        """Compute densities for one k."""
        (configuration,) = configurations
        k = min(configuration["n_neighbors"], len(split.train) - 1)
        (distances, places), *found = shared
        with timer.fit():
            reach, density = local_densities(distances, places, k)
        with timer.score():
            first, second = (outlier_factors(far, near, reach, density, k) for far, near in found)
        return [(first, second)]


class ABODRunner(ConfigurationRunner):
    """Angles between neighbours: one search, and one pass over pairs that stops by at every k."""

    def __init__(self, name: str = "abod") -> None:
        super().__init__(name, ABOD)

    def check(self, configuration: Configuration, split: TableSplit) -> None:
        """Refuse more neighbours than there are different training points."""
        super().check(configuration, split)
        check_distinct(split.train.points, configuration["n_neighbors"])

    def groups(self, valid: Group) -> list[Group]:
        """Take all at once."""
        return [valid] if valid else []

    def run_group(
        self, configurations: Sequence[Configuration], shared: Any, split: TableSplit, seed: int, timer: FitTimer
    ) -> list[Scores]:
        """Search and add up pairs once for all k."""
        points, ks = split.train.points, wanted(configurations, "n_neighbors")
        with timer.score():
            search = NeighbourSearch(points)
            first, second = (
                angle_scores(points, rows, search.nearest(rows, ks[-1], apart=True)[1], np.array(ks))
                for rows in (split.validation.points, split.test.points)
            )
        return [(first[k], second[k]) for k in (ks.index(each["n_neighbors"]) for each in configurations)]
