"""Methods on histograms: one set of counts serves every weight, one set of projections every number of bins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from offnominal.datasets.tables import TableSplit
from offnominal.detectors.points.hbos import HBOS, histogram_scores, histograms
from offnominal.detectors.points.loda import LODA, line_histograms, line_scores, project, projections
from offnominal.studies.detector_comparison.family import Clock, Family, Group, Scores, grouped, wanted
from offnominal.studies.detector_comparison.space import Configuration


class HBOSFamily(Family):
    """Histograms of columns: counted once for every number of bins."""

    def __init__(self, name: str = "hbos") -> None:
        super().__init__(name, HBOS)

    def groups(self, valid: Group) -> list[Group]:
        """Part by the number of bins."""
        return grouped(valid, "bins")

    def together(
        self, configurations: Sequence[Configuration], shared: Any, split: TableSplit, seed: int, clock: Clock
    ) -> list[Scores]:
        """Count once, then weigh."""
        with clock.fit():
            counted = histograms(split.train.points, self._parameters(configurations[0])["bins"])
        results = []
        with clock.score():
            for each in map(self._parameters, configurations):
                first, second = (
                    histogram_scores(part.points, *counted, each["alpha"], each["tolerance"])
                    for part in (split.validation, split.test)
                )
                results.append((first, second))
        return results

    def _parameters(self, configuration: Configuration) -> Configuration:
        return self.make(**configuration).parameters()


class LODAFamily(Family):
    """Random lines: all points are projected once, and histograms made once for every number of bins."""

    def __init__(self, name: str = "loda") -> None:
        super().__init__(name, LODA)

    def groups(self, valid: Group) -> list[Group]:
        """Part by the number of bins."""
        return grouped(valid, "bins")

    def begin(self, configurations: Sequence[Configuration], split: TableSplit, seed: int, clock: Clock) -> Any:
        """Project all points on as many lines as are needed at most."""
        with clock.fit():
            lines = projections(split.train.points.shape[1], wanted(configurations, "cuts")[-1], seed)
            train = project(split.train.points, *lines)
        with clock.score():
            return [train, *(project(part.points, *lines) for part in (split.validation, split.test))]

    def together(
        self, configurations: Sequence[Configuration], shared: Any, split: TableSplit, seed: int, clock: Clock
    ) -> list[Scores]:
        """Make histograms of one number of bins; fewer lines are the first of more."""
        cuts = wanted(configurations, "cuts")
        train, *parts = shared
        with clock.fit():
            histogram = line_histograms(train[: cuts[-1]], configurations[0]["bins"])
        with clock.score():
            first, second = (line_scores(placed, histogram, np.array(cuts)) for placed in parts)
        return [(first[k], second[k]) for k in (cuts.index(each["cuts"]) for each in configurations)]
