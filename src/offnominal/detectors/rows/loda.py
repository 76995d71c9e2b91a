"""Lightweight online detector of anomalies (Pevný, 2016): densities along random sparse projections."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from offnominal.core.checks import integer_in
from offnominal.core.compilation import compiled
from offnominal.core.errors import InvalidParameter
from offnominal.core.streams import Stream
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.rows.hbos import bin_of, ends, torch_bins
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.state_arrays import StateArrays, require_ascending

if TYPE_CHECKING:
    from torch import Tensor

EMPTY = 0.5
"""Count of an empty bin, and of values outside the histogram."""
MOST_BINS = 10**6
MOST_CUTS = 10**6


class LODA(RowDetector):
    """Negative mean of the log density along random projections.

    A projection uses about the square root of the number of columns. Projections are nested: those of
    ``n_random_cuts=40`` are the first forty of ``n_random_cuts=500``.

    Args:
        n_bins: Number of bins of each histogram; ``"auto"`` maximises a penalised likelihood for each projection (Birgé
            and Rozenholc, 2006).
        n_random_cuts: Number of projections.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(200, 2))
        >>> near, far = LODA().fit(rows).score(np.array([[0.0, 0.0], [9.0, 9.0]]))
        >>> bool(near < far)
        True
    """

    def __init__(self, n_bins: int | Literal["auto"] = "auto", *, n_random_cuts: int = 100) -> None:
        if isinstance(n_bins, str) and n_bins != "auto":
            raise InvalidParameter(f"n_bins is {n_bins!r}; expected a positive integer or 'auto'.")
        self.n_bins = n_bins if isinstance(n_bins, str) else integer_in("n_bins", n_bins, 1, MOST_BINS)
        self.n_random_cuts = integer_in("n_random_cuts", n_random_cuts, 1, MOST_CUTS)

    def _fit(self, rows: FloatArray, seed: int) -> None:
        self.columns_, self.weights_ = projections(rows.shape[1], self.n_random_cuts, seed)
        self.histogram_ = line_histograms(project(rows, self.columns_, self.weights_), self.n_bins)

    def _score(self, rows: FloatArray) -> FloatArray:
        projected = project(rows, self.columns_, self.weights_)
        (scores,) = line_scores(projected, self.histogram_, np.array([self.n_random_cuts]))
        return np.asarray(scores)

    def _torch_score(self, rows: Tensor) -> Tensor:
        import torch

        low, high, count, rarity = (torch.from_numpy(part) for part in self.histogram_)
        columns, weights = torch.from_numpy(self.columns_), torch.from_numpy(self.weights_)
        projected = weights[:, 0] * rows[:, columns[:, 0]]
        # In the order of the compiled code: a value at the end of a histogram must not be rounded to the other side.
        for column in range(1, columns.shape[1]):
            projected = projected + weights[:, column] * rows[:, columns[:, column]]
        index = torch_bins(projected, low, high, (high - low) / count, count)
        starts = (count + 1).cumsum(0) - (count + 1)
        return rarity[starts + index.where(index >= 0, count)].mean(1)

    def _state_dict(self) -> dict[str, Array]:
        low, high, count, rarity = self.histogram_
        return {
            "columns": self.columns_,
            "weights": self.weights_,
            "low": low,
            "high": high,
            "n_bins": count,
            "rarity": rarity,
        }

    def _load_state_dict(self, state: StateArrays) -> None:
        self.columns_ = state.integers(
            "columns", (self.n_random_cuts, math.isqrt(self.width_)), low=0, high=self.width_ - 1
        )
        self.weights_ = state.floats("weights", self.columns_.shape)
        low, high = (state.floats(name, (self.n_random_cuts,)) for name in ("low", "high"))
        count = state.integers("n_bins", (self.n_random_cuts,), low=1, high=MOST_BINS)
        rarity = state.floats("rarity", (int(count.sum()) + self.n_random_cuts,))
        require_ascending(low, high)
        self.histogram_ = (low, high, count, rarity)


Histogram = tuple[FloatArray, FloatArray, IntArray, FloatArray]
"""Of each projection: lower end, upper end and number of bins; and the negative log densities.

The densities of all projections are concatenated, each followed by that of values outside the histogram.
"""


def projections(width: int, n_random_cuts: int, seed: int) -> tuple[IntArray, FloatArray]:
    """Return (cuts, m) columns and their normal weights; m is the square root of the width, rounded down."""
    stream = Stream.named(seed, 0, "loda")
    mixed = math.isqrt(width)
    columns = np.stack(
        [np.argsort(stream.uniform(width, step=cut), kind="stable")[:mixed] for cut in range(n_random_cuts)]
    )
    weights = np.stack([stream.normal(mixed, step=cut, lane=1) for cut in range(n_random_cuts)])
    return columns, weights


@compiled
def project(rows: FloatArray, columns: IntArray, weights: FloatArray) -> FloatArray:
    """Return (cuts, rows) projected rows."""
    projected = np.zeros((columns.shape[0], rows.shape[0]))
    for cut in range(columns.shape[0]):
        for c in range(columns.shape[1]):
            column, weight = columns[cut, c], weights[cut, c]
            for i in range(rows.shape[0]):
                projected[cut, i] += weight * rows[i, column]
    return projected


def line_histograms(projected: FloatArray, n_bins: int | Literal["auto"]) -> Histogram:
    """Return the histograms of (cuts, rows) projected nominal rows."""
    low, high = ends(projected.min(axis=1), projected.max(axis=1))
    count = np.full(len(projected), n_bins) if isinstance(n_bins, int) else _likeliest(projected, low, high)
    rarity = np.empty(int(count.sum()) + len(count))
    _rarities(projected, low, high, count, rarity)
    return low, high, count, rarity


@compiled
def _rarities(projected: FloatArray, low: FloatArray, high: FloatArray, count: IntArray, rarity: FloatArray) -> None:
    n = projected.shape[1]
    start = 0
    for cut in range(projected.shape[0]):
        bins, width = count[cut], (high[cut] - low[cut]) / count[cut]
        held = rarity[start : start + bins + 1]
        held[:] = 0.0
        for i in range(n):
            held[bin_of(projected[cut, i], low[cut], high[cut], width, bins)] += 1.0
        for j in range(bins + 1):
            held[j] = -math.log(max(held[j], EMPTY) / (n * width))
        start += bins + 1


@compiled
def _likeliest(projected: FloatArray, low: FloatArray, high: FloatArray) -> IntArray:
    """Return the number of bins with the largest likelihood less the penalty D - 1 + log(D) ** 2.5 for D bins."""
    n = projected.shape[1]
    most = max(1, int(n / math.log(n))) if n > 2 else 1
    worth = np.zeros(n + 1)
    for held in range(1, n + 1):
        worth[held] = held * math.log(held)
    best = np.ones(projected.shape[0], np.int64)
    for cut in range(projected.shape[0]):
        values = np.sort(projected[cut])
        highest = 0.0
        for bins in range(2, most + 1):
            width = (high[cut] - low[cut]) / bins
            gain = n * math.log(bins / n) - (bins - 1.0 + math.log(bins) ** 2.5)
            before = 0
            for j in range(1, bins):
                below = np.searchsorted(values, low[cut] + j * width)
                gain += worth[below - before]
                before = below
            gain += worth[n - before]
            if gain > highest:
                highest, best[cut] = gain, bins
    return best


def line_scores(projected: FloatArray, histogram: Histogram, n_random_cuts: IntArray) -> FloatArray:
    """Return (len(n_random_cuts), rows) scores by the first so many projections; the numbers are ascending."""
    out = np.empty((len(n_random_cuts), projected.shape[1]))
    _mean_rarity(projected, *histogram, n_random_cuts, out)
    return out


@compiled
def _mean_rarity(
    projected: FloatArray,
    low: FloatArray,
    high: FloatArray,
    count: IntArray,
    rarity: FloatArray,
    n_random_cuts: IntArray,
    out: FloatArray,
) -> None:
    total = np.zeros(projected.shape[1])
    start = wanted = 0
    for cut in range(n_random_cuts[-1]):
        width = (high[cut] - low[cut]) / count[cut]
        for i in range(projected.shape[1]):
            index = bin_of(projected[cut, i], low[cut], high[cut], width, count[cut])
            total[i] += rarity[start + (index if index >= 0 else count[cut])]
        start += count[cut] + 1
        if cut + 1 == n_random_cuts[wanted]:
            # Loops are compiled in a fraction of the time of an assignment to a slice.
            for i in range(projected.shape[1]):
                out[wanted, i] = total[i] / n_random_cuts[wanted]
            wanted += 1
