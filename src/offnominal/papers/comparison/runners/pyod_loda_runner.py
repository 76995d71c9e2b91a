"""LODA with the scores of PyOD, which the paper used: they are read from the wrong bins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.datasets.tables import TableSplit
from offnominal.detectors.rows.hbos import ends
from offnominal.papers.comparison.runners.histogram_runners import LODARunner
from offnominal.papers.comparison.runners.runner import FitTimer, Scores, wanted
from offnominal.papers.comparison.search.search_space import Configuration

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
