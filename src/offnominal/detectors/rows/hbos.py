"""Histogram-based outlier score (Goldstein and Dengel, 2012): densities of single columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from offnominal.core.checks import integer_in, number_in, positive_number
from offnominal.core.compilation import compiled
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.state_arrays import StateArrays, require_ascending

if TYPE_CHECKING:
    from torch import Tensor

NARROW = 1e-290
MOST_BINS = 10**6


class HBOS(RowDetector):
    """Negative sum of log2(density + alpha) over the columns.

    Columns are treated as independent: fast, but anomalies in the relation of two columns are not detected.

    Args:
        n_bins: Number of bins of equal width between the smallest and the largest nominal value of a column.
        alpha: Added to the densities, so that empty bins have a logarithm.
        tol: Distance beyond the histogram, in bin widths, at which a value still belongs to the last bin. Beyond it,
            the density is that of the emptiest bin.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(200, 2))
        >>> near, far = HBOS().fit(rows).score(np.array([[0.0, 0.0], [9.0, 9.0]]))
        >>> bool(near < far)
        True
    """

    def __init__(self, n_bins: int = 10, *, alpha: float = 0.1, tol: float = 0.5) -> None:
        self.n_bins = integer_in("n_bins", n_bins, 1, MOST_BINS)
        self.alpha = float(positive_number("alpha", alpha))
        self.tol = float(number_in("tol", tol, 0.0))

    def _fit(self, rows: FloatArray, seed: int) -> None:
        self.low_, self.high_, self.density_ = histograms(rows, self.n_bins)

    def _score(self, rows: FloatArray) -> FloatArray:
        return histogram_scores(rows, self.low_, self.high_, self.density_, self.alpha, self.tol)

    def _contributions(self, rows: FloatArray) -> FloatArray:
        columns = []
        for c in range(self.width_):
            own = slice(c, c + 1)
            ends = self.low_[own], self.high_[own], self.density_[own]
            columns.append(histogram_scores(np.ascontiguousarray(rows[:, own]), *ends, self.alpha, self.tol))
        return np.stack(columns, axis=1)

    def _torch_score(self, rows: Tensor) -> Tensor:
        import torch

        low, high = torch.from_numpy(self.low_), torch.from_numpy(self.high_)
        rarity = torch.from_numpy(-np.log2(self.density_ + self.alpha))
        width = (high - low) / self.n_bins
        index = torch_bins(rows, low, high, width, torch.tensor(self.n_bins)).clamp(0, self.n_bins - 1)
        found = rarity.flatten()[index + self.n_bins * torch.arange(len(low))]
        beyond = (low - rows).maximum(rows - high)
        return torch.where(beyond > self.tol * width, rarity.amax(1), found).sum(1)

    def _state_dict(self) -> dict[str, Array]:
        return {"low": self.low_, "high": self.high_, "density": self.density_}

    def _load_state_dict(self, state: StateArrays) -> None:
        self.low_, self.high_ = (state.floats(name, ("width",)) for name in ("low", "high"))
        require_ascending(self.low_, self.high_)
        self.density_ = state.floats("density", ("width", self.n_bins), low=0.0)


def histograms(rows: FloatArray, n_bins: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the lower and upper ends of the histogram of each column, and (columns, bins) densities."""
    low, high = ends(rows.min(axis=0), rows.max(axis=0))
    width = (high - low) / n_bins
    counts = np.zeros((rows.shape[1], n_bins), np.int64)
    _count(rows, low, high, width, counts)
    return low, high, counts / (len(rows) * width[:, None])


def ends(low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the ends of histograms; the histogram of a constant spans one unit around it."""
    flat = high - low < NARROW
    return np.where(flat, low - 0.5, low), np.where(flat, high + 0.5, high)


@compiled
def bin_of(value: float, low: float, high: float, width: float, n_bins: int) -> int:
    """Return the bin of a value; -1 for below and `n_bins` for above the histogram.

    A bin begins at its lower edge, ``low + bin * width``; the top edge belongs to the last one.
    """
    if value < low:
        return -1
    if value > high:
        return n_bins
    index = min(int((value - low) / width), n_bins - 1)
    if value < low + index * width:
        return index - 1
    if index + 1 < n_bins and value >= low + (index + 1) * width:
        return index + 1
    return index


def torch_bins(values: Tensor, low: Tensor, high: Tensor, width: Tensor, n_bins: Tensor) -> Tensor:
    """Return the same as :func:`bin_of` by torch operators, for values (n, histograms)."""
    last = n_bins - 1
    index = ((values - low) / width).clamp(min=-1.0).minimum(last.double()).long()
    index = index - (values < low + index * width).long()
    index = index + ((index < last) & (values >= low + (index + 1) * width)).long()
    return index.where(values >= low, -1).where(values <= high, n_bins)


@compiled
def _count(rows: FloatArray, low: FloatArray, high: FloatArray, width: FloatArray, counts: IntArray) -> None:
    bins = counts.shape[1]
    for i in range(rows.shape[0]):
        for c in range(rows.shape[1]):
            counts[c, bin_of(rows[i, c], low[c], high[c], width[c], bins)] += 1


def histogram_scores(
    rows: FloatArray, low: FloatArray, high: FloatArray, density: FloatArray, alpha: float, tol: float
) -> FloatArray:
    """Return the negative sum of the log densities of the bins of each row."""
    rarity = -np.log2(density + alpha)
    return _add_up(rows, low, high, rarity, rarity.max(axis=1), tol)


@compiled
def _add_up(
    rows: FloatArray, low: FloatArray, high: FloatArray, rarity: FloatArray, rarest: FloatArray, tol: float
) -> FloatArray:
    bins = rarity.shape[1]
    total = np.zeros(rows.shape[0])
    for c in range(rows.shape[1]):
        width = (high[c] - low[c]) / bins
        for i in range(rows.shape[0]):
            value = rows[i, c]
            index = bin_of(value, low[c], high[c], width, bins)
            beyond = max(low[c] - value, value - high[c])
            if beyond > tol * width:
                total[i] += rarest[c]
            else:
                total[i] += rarity[c, min(max(index, 0), bins - 1)]
    return total
