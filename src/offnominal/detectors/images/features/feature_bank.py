"""Nearest neighbours in a bank of features, exactly and in bounded memory."""

from __future__ import annotations

import torch
from torch import Tensor

from offnominal.core.device import deterministic_kernels
from offnominal.core.types import FloatArray

QUERIES, ROWS = 64, 8192
SPARE = 4


class FeatureBank:
    """Nominal feature vectors, and how far others are from them.

    Distances are first compared by a matrix product in single precision, block by block, so that no more than
    64 × 8,192 of them exist at a time on a CPU. The product rounds, most of all where two vectors are almost equal; the
    best few candidates are therefore measured again by their difference, in double precision. What is returned is
    exact, and does not depend on how many vectors are asked for together.

    Args:
        rows: (n, width).

    Example:
        >>> FeatureBank(torch.tensor([[0.0, 0.0], [3.0, 4.0]])).distances(torch.tensor([[3.0, 3.0]]), 2)
        array([[1.        , 4.24264069]])
    """

    def __init__(self, rows: Tensor) -> None:
        self.rows = rows
        self.centre = rows.mean(dim=0, dtype=torch.float64).to(rows.dtype)
        self.squares = (rows - self.centre).square().sum(dim=1)
        self.block, self.together = (ROWS, QUERIES) if rows.device.type == "cpu" else (8 * ROWS, 16 * QUERIES)

    def __len__(self) -> int:
        return len(self.rows)

    @torch.inference_mode()
    def distances(self, queries: Tensor, k: int = 1) -> FloatArray:
        """Return (n, k) Euclidean distances from each query to its k nearest rows, ascending."""
        with deterministic_kernels(queries.device):
            found = [self._nearest(part, k) for part in torch.split(queries, self.together)]
        return torch.cat(found).cpu().numpy()

    def _nearest(self, queries: Tensor, k: int) -> Tensor:
        centred, kept = queries - self.centre, min(k + SPARE, len(self))
        best = queries.new_full((len(queries), kept), torch.inf)
        which = torch.zeros_like(best, dtype=torch.int64)
        for first in range(0, len(self), self.block):
            part = slice(first, first + self.block)
            rows = self.rows[part] - self.centre
            partial = torch.addmm(self.squares[part], centred, rows.T, alpha=-2.0)
            near, where = partial.topk(min(kept, len(rows)), dim=1, largest=False)
            best, order = torch.cat([best, near], dim=1).topk(kept, dim=1, largest=False)
            which = torch.cat([which, where + first], dim=1).gather(1, order)
        apart = queries.double()[:, None] - self.rows[which].double()
        ordered: Tensor = torch.linalg.vector_norm(apart, dim=2).sort(dim=1).values
        return ordered[:, :k]
