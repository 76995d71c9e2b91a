"""Which nominal vectors are kept."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from offnominal.core.types import FloatArray
from offnominal.detectors.images.features.coreset import coreset


class BankBuilder:
    """Takes the vectors of picture after picture and keeps those that stand for all, in bounded memory.

    With a coreset, ``most / share`` candidates are kept at first, a random sample of what comes by, and a share of them
    is chosen in the end. Without one, the sample is what is kept. Every vector draws a number and those with the
    smallest stay, so nobody needs to know how many will come.

    Args:
        most: Vectors kept in the end, at most.
        share: Of the candidates that the coreset keeps; None for a random sample alone.
        draw: Decides everything random.

    Example:
        >>> keeper = BankBuilder(4, None, np.random.default_rng(0))
        >>> for number in range(10):
        ...     keeper.add(torch.full((2, 3), float(number)))
        >>> keeper.chosen().shape
        torch.Size([4, 3])
    """

    def __init__(self, most: int, share: float | None, draw: np.random.Generator) -> None:
        self.share, self.draw = share, draw
        self.candidates = most if share is None else math.ceil(most / share)
        self.highest = np.inf
        self.rows: list[Tensor] = []
        self.numbers: list[FloatArray] = []
        self.held = 0

    def add(self, rows: Tensor) -> None:
        """Take (n, width) vectors."""
        numbers = self.draw.random(len(rows))
        stay = np.flatnonzero(numbers < self.highest)
        self.rows.append(rows[torch.from_numpy(stay).to(rows.device)])
        self.numbers.append(numbers[stay])
        self.held += len(stay)
        if self.held > 2 * self.candidates:
            self._drop()

    def _drop(self) -> None:
        """Let go of all but the candidates."""
        rows, numbers = torch.cat(self.rows), np.concatenate(self.numbers)
        if len(rows) > self.candidates:
            self.highest = float(np.partition(numbers, self.candidates)[self.candidates])
            stay = np.flatnonzero(numbers < self.highest)
            rows, numbers = rows[torch.from_numpy(stay).to(rows.device)], numbers[stay]
        self.rows, self.numbers, self.held = [rows], [numbers], len(rows)

    def chosen(self) -> Tensor:
        """Return what is kept, (n, width)."""
        self._drop()
        (rows,) = self.rows
        return rows if self.share is None else rows[coreset(rows, math.ceil(self.share * len(rows)), self.draw)]
