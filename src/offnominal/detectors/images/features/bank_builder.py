"""Selection of the nominal feature vectors of a bank."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from offnominal.core.types import FloatArray
from offnominal.detectors.images.features.coreset import coreset


class BankBuilder:
    """Selects vectors from a stream of unknown length in bounded memory.

    Every vector gets a random key, and those with the smallest keys are the candidates: a uniform sample of the
    stream. With a coreset, there are ``max_size / coreset_fraction`` candidates, from which the coreset is selected at
    the end. Without a coreset, the candidates are the result.

    Args:
        max_size: Largest number of selected vectors.
        coreset_fraction: Fraction of the candidates in the coreset; None for a random sample.
        draw: Source of all random numbers.

    Example:
        >>> builder = BankBuilder(4, None, np.random.default_rng(0))
        >>> for number in range(10):
        ...     builder.add(torch.full((2, 3), float(number)))
        >>> builder.selected().shape
        torch.Size([4, 3])
    """

    def __init__(self, max_size: int, coreset_fraction: float | None, draw: np.random.Generator) -> None:
        self.coreset_fraction, self.draw = coreset_fraction, draw
        self.n_candidates = max_size if coreset_fraction is None else math.ceil(max_size / coreset_fraction)
        self.threshold = np.inf
        self.rows: list[Tensor] = []
        self.keys: list[FloatArray] = []
        self.n_stored = 0

    def add(self, rows: Tensor) -> None:
        """Add vectors (n, width) of the stream."""
        keys = self.draw.random(len(rows))
        kept = np.flatnonzero(keys < self.threshold)
        self.rows.append(rows[torch.from_numpy(kept).to(rows.device)])
        self.keys.append(keys[kept])
        self.n_stored += len(kept)
        if self.n_stored > 2 * self.n_candidates:
            self._discard()

    def _discard(self) -> None:
        """Discard all vectors that are no candidates any more."""
        rows, keys = torch.cat(self.rows), np.concatenate(self.keys)
        if len(rows) > self.n_candidates:
            self.threshold = float(np.partition(keys, self.n_candidates)[self.n_candidates])
            kept = np.flatnonzero(keys < self.threshold)
            rows, keys = rows[torch.from_numpy(kept).to(rows.device)], keys[kept]
        self.rows, self.keys, self.n_stored = [rows], [keys], len(rows)

    def selected(self) -> Tensor:
        """Return the selected vectors, (n, width)."""
        self._discard()
        (rows,) = self.rows
        if self.coreset_fraction is None:
            return rows
        return rows[coreset(rows, math.ceil(self.coreset_fraction * len(rows)), self.draw)]
