"""PIDForest with the errors of the public code of the paper: what is outside of its boxes has a high density."""

from __future__ import annotations

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray, IntArray
from offnominal.detectors.rows.pid_tree import Tree, grow, part_of
from offnominal.detectors.rows.pidforest import COUNTED, PIDForest, box, count, drawn
from offnominal.papers.comparison.runners.forest_runners import PIDForestRunner
from offnominal.papers.comparison.runners.runner import ConfigurationRunner

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
