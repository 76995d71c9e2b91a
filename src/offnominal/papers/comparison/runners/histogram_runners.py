"""Methods on histograms: one set of counts serves every weight, one set of projections every number of bins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from offnominal.datasets.tables import TableSplit
from offnominal.detectors.rows.hbos import HBOS, histogram_scores, histograms
from offnominal.detectors.rows.loda import LODA, line_histograms, line_scores, project, projections
from offnominal.papers.comparison.runners.runner import ConfigurationRunner, FitTimer, Group, Scores, grouped, wanted
from offnominal.papers.comparison.search.search_space import Configuration


class HBOSRunner(ConfigurationRunner):
    """Histograms of columns: counted once for every number of bins."""

    def __init__(self, name: str = "hbos") -> None:
        super().__init__(name, HBOS)

    def groups(self, valid: Group) -> list[Group]:
        """Part by the number of bins."""
        return grouped(valid, "n_bins")

    def run_group(
        self, configurations: Sequence[Configuration], shared: Any, split: TableSplit, seed: int, timer: FitTimer
    ) -> list[Scores]:
        """Count once, then weigh."""
        with timer.fit():
            counted = histograms(split.train.points, self._parameters(configurations[0])["n_bins"])
        results = []
        with timer.score():
            for each in map(self._parameters, configurations):
                first, second = (
                    histogram_scores(part.points, *counted, each["alpha"], each["tol"])
                    for part in (split.validation, split.test)
                )
                results.append((first, second))
        return results

    def _parameters(self, configuration: Configuration) -> Configuration:
        return self.make(**configuration).get_params()


class LODARunner(ConfigurationRunner):
    """Random lines: all points are projected once, and histograms made once for every number of bins."""

    def __init__(self, name: str = "loda") -> None:
        super().__init__(name, LODA)

    def groups(self, valid: Group) -> list[Group]:
        """Part by the number of bins."""
        return grouped(valid, "n_bins")

    def prepare_group(
        self, configurations: Sequence[Configuration], split: TableSplit, seed: int, timer: FitTimer
    ) -> Any:
        """Project all points on as many lines as are needed at most."""
        with timer.fit():
            lines = projections(split.train.points.shape[1], wanted(configurations, "n_random_cuts")[-1], seed)
            train = project(split.train.points, *lines)
        with timer.score():
            return [train, *(project(part.points, *lines) for part in (split.validation, split.test))]

    def run_group(
        self, configurations: Sequence[Configuration], shared: Any, split: TableSplit, seed: int, timer: FitTimer
    ) -> list[Scores]:
        """Make histograms of one number of bins; fewer lines are the first of more."""
        cuts = wanted(configurations, "n_random_cuts")
        train, *parts = shared
        with timer.fit():
            histogram = line_histograms(train[: cuts[-1]], configurations[0]["n_bins"])
        with timer.score():
            first, second = (line_scores(placed, histogram, np.array(cuts)) for placed in parts)
        return [(first[k], second[k]) for k in (cuts.index(each["n_random_cuts"]) for each in configurations)]
