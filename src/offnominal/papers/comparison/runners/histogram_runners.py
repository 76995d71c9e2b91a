"""Methods on histograms: one set of counts serves every weight, one set of projections every number of bins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.datasets.tables import TableSplit
from offnominal.detectors.rows.hbos import HBOS, ends, histogram_scores, histograms
from offnominal.detectors.rows.loda import LODA, line_histograms, line_scores, project, projections
from offnominal.papers.comparison.runners.runner import ConfigurationRunner, FitTimer, Group, Scores, grouped, wanted
from offnominal.papers.comparison.search_spaces import Configuration


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


EMPTY = 1e-12
"""Count that PyOD adds to every bin."""


class PyODLODARunner(LODARunner):
    """Random lines, with the histograms of PyOD.

    It looks up a value among the lower ends of the bins, which gives the next bin. So a value gets the rarity of its
    neighbour, and a value beyond the last bin that of the last one.
    """

    def __init__(self, name: str = "lodp") -> None:
        super().__init__(name)

    def run_group(
        self, configurations: Sequence[Configuration], shared: Any, split: TableSplit, seed: int, timer: FitTimer
    ) -> list[Scores]:
        """Make histograms of one number of bins; fewer lines are the first of more."""
        cuts, bins = wanted(configurations, "n_random_cuts"), configurations[0]["n_bins"]
        train, *parts = (each[: cuts[-1]] for each in shared)
        with timer.fit():
            low, high = ends(train.min(axis=1), train.max(axis=1))
            low, width = low[:, None], ((high - low) / bins)[:, None]
            rarity = _rarity(train, low, width, bins)
        with timer.score():
            first, second = (_mean_rarity(each, low, width, rarity)[np.array(cuts) - 1] for each in parts)
        return [(first[k], second[k]) for k in (cuts.index(each["n_random_cuts"]) for each in configurations)]


def _rarity(projected: FloatArray, low: FloatArray, width: FloatArray, bins: int) -> FloatArray:
    """Return the negative log share of each bin, (cuts, bins)."""
    index = np.clip((projected - low) // width, 0, bins - 1).astype(np.int64)
    places = index + bins * np.arange(len(index))[:, None]
    counts = np.bincount(places.ravel(), minlength=bins * len(index)).reshape(len(index), bins) + EMPTY
    return np.asarray(-np.log(counts / counts.sum(axis=1, keepdims=True)))


def _mean_rarity(projected: FloatArray, low: FloatArray, width: FloatArray, rarity: FloatArray) -> FloatArray:
    """Return the mean rarity over the first projections, (cuts, rows)."""
    index = np.clip(np.ceil((projected - low) / width), 0, rarity.shape[1] - 1).astype(np.int64)
    found = np.take_along_axis(rarity, index, axis=1)
    return np.asarray(found.cumsum(axis=0) / np.arange(1, len(found) + 1)[:, None])
