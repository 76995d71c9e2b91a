"""Encoding of symbolic observations: counts and categories as inputs and targets of a network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.state_arrays import StateArrays

if TYPE_CHECKING:
    from torch import Tensor

Counts = Literal["raw", "log1p", "poisson"]
LARGEST = 1e6
"""Largest magnitude of an input of the network."""
LARGEST_CODE = 2**53
"""Largest category that a float64 represents exactly."""
SinglePrecision = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class SymbolEncoding:
    """Counts as numbers, categories as one-hot columns.

    A category has a column for every value of the training episodes, and a first one for all other values.

    Args:
        counts: ``"raw"`` for counts as they are, otherwise their logarithm, with the sign of the count.
        n_counts: Number of counts, the first columns of an observation.
        values: Sorted values of each category, the columns after the counts.
        length: Mean length of the training episodes, the unit of the remaining steps.
        progress_scale: Largest error of progress in training episodes, in steps.

    Example:
        >>> encoding = SymbolEncoding.of([np.array([[3.0, 7.0], [5.0, 9.0]])], "raw", 1)
        >>> encoding.inputs(np.array([[4.0, 9.0], [0.0, 8.0]]))
        array([[4., 0., 0., 1.],
               [0., 1., 0., 0.]], dtype=float32)
    """

    counts: Counts
    n_counts: int
    values: tuple[IntArray, ...]
    length: float = 1.0
    progress_scale: float = 1.0

    @classmethod
    def of(cls, observations: Sequence[Array], counts: Counts, n_counts: int) -> SymbolEncoding:
        """Return the encoding of training episodes, given the counts and categories of each."""
        codes = np.concatenate([_codes(part[:, n_counts:]) for part in observations])
        length = float(np.mean([max(len(part) - 1, 1) for part in observations]))
        return cls(counts, n_counts, tuple(np.unique(column) for column in codes.T), length)

    @classmethod
    def restored(cls, state: StateArrays, counts: Counts, n_counts: int, n_categories: int) -> SymbolEncoding:
        """Return the encoding from a state dict."""
        bounds = {"low": -LARGEST_CODE, "high": LARGEST_CODE}
        values = [state.integers(f"category.{k}", (f"category.{k}",), **bounds) for k in range(n_categories)]
        length, scale = (state.number(name, low=1e-9, high=1e12) for name in ("length", "progress_scale"))
        return cls(counts, n_counts, tuple(np.unique(each) for each in values), length, scale)

    def arrays(self) -> dict[str, Array]:
        """Return the fitted parameters as arrays."""
        values = {f"category.{number}": values for number, values in enumerate(self.values)}
        return {**values, "length": np.array([self.length]), "progress_scale": np.array([self.progress_scale])}

    @property
    def widths(self) -> list[int]:
        """Number of one-hot columns of each category."""
        return [len(values) + 1 for values in self.values]

    @property
    def width(self) -> int:
        """Number of columns of an encoded observation."""
        return self.n_counts + sum(self.widths)

    def scaled_counts(self, observations: Array) -> FloatArray:
        """Return the counts as the network sees them, (n, n_counts)."""
        counts = np.asarray(observations[:, : self.n_counts], np.float64)
        return counts if self.counts == "raw" else np.sign(counts) * np.log1p(np.abs(counts))

    def categories(self, observations: Array) -> IntArray:
        """Return the number of each category's value, (n, n_categories); 0 for a value that training did not have."""
        codes = _codes(observations[:, self.n_counts : self.n_counts + len(self.values)])
        found = np.zeros(codes.shape, np.int64)
        for column, values in enumerate(self.values):
            place = np.minimum(np.searchsorted(values, codes[:, column]), len(values) - 1)
            found[:, column] = np.where(values[place] == codes[:, column], place + 1, 0)
        return found

    def inputs(self, observations: Array) -> SinglePrecision:
        """Return encoded observations, (n, width)."""
        encoded = np.zeros((len(observations), self.width), np.float32)
        encoded[:, : self.n_counts] = np.clip(self.scaled_counts(observations), -LARGEST, LARGEST)
        first, rows = self.n_counts, np.arange(len(observations))
        for column, width in zip(self.categories(observations).T, self.widths, strict=True):
            encoded[rows, first + column] = 1.0
            first += width
        return encoded

    def targets(self, observations: Array) -> FloatArray:
        """Return what the network predicts, (n, n_counts + n_categories): counts, and numbers of categories.

        Counts of a Poisson model are not transformed.
        """
        raw = self.counts == "poisson"
        counts = observations[:, : self.n_counts].astype(np.float64) if raw else self.scaled_counts(observations)
        return np.concatenate([counts, self.categories(observations)], axis=1)

    def torch_scaled_counts(self, observations: Tensor) -> Tensor:
        """Return the same as :meth:`scaled_counts` by torch operators."""
        counts = observations[..., : self.n_counts]
        return counts if self.counts == "raw" else counts.sign() * counts.abs().log1p()

    def torch_one_hot(self, observations: Tensor) -> list[Tensor]:
        """Return the one-hot columns of each category by torch operators."""
        import torch

        codes = observations[..., self.n_counts :].clamp(-LARGEST_CODE, LARGEST_CODE).round()
        found = []
        for number, values in enumerate(self.values):
            known = codes[..., number, None] == torch.from_numpy(values).double()
            found.append(torch.cat([~known.any(-1, keepdim=True), known], dim=-1).double())
        return found

    def torch_inputs(self, observations: Tensor) -> Tensor:
        """Return the same as :meth:`inputs` by torch operators."""
        import torch

        counts = self.torch_scaled_counts(observations).clamp(-LARGEST, LARGEST)
        return torch.cat([counts, *self.torch_one_hot(observations)], dim=-1).float()


def _codes(values: Array) -> IntArray:
    """Return categories as integers."""
    return np.rint(np.clip(np.asarray(values, np.float64), -LARGEST_CODE, LARGEST_CODE)).astype(np.int64)
