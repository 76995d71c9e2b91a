"""Exact nearest-neighbour distances to a bank of feature vectors, in bounded memory."""

from __future__ import annotations

import torch
from torch import Tensor

from offnominal.core.device import deterministic_kernels
from offnominal.core.types import FloatArray

QUERIES, ROWS = 64, 8192
"""Block sizes on a CPU."""

EXTRA_CANDIDATES = 4
"""Neighbours beyond k whose distances are computed again in double precision."""


class FeatureBank:
    """Nominal feature vectors with exact nearest-neighbour search.

    Candidates come from a matrix product in single precision, in blocks of 64 × 8,192 distances on a CPU. The product
    is inaccurate for nearly equal vectors, so the distances of the best candidates are computed again in double
    precision. The results do not depend on the number of queries.

    Args:
        rows: Nominal feature vectors, (n, width).

    Example:
        >>> FeatureBank(torch.tensor([[0.0, 0.0], [3.0, 4.0]])).distances(torch.tensor([[3.0, 3.0]]), 2)
        array([[1.        , 4.24264069]])
    """

    def __init__(self, rows: Tensor) -> None:
        self.rows = rows
        self.centre = rows.mean(dim=0, dtype=torch.float64).to(rows.dtype)
        self.squares = (rows - self.centre).square().sum(dim=1)
        self.block, self.n_queries = (ROWS, QUERIES) if rows.device.type == "cpu" else (8 * ROWS, 16 * QUERIES)

    def __len__(self) -> int:
        return len(self.rows)

    @torch.inference_mode()
    def distances(self, queries: Tensor, k: int = 1) -> FloatArray:
        """Return (n, k) Euclidean distances from each query to its k nearest rows, ascending."""
        with deterministic_kernels(queries.device):
            distances = [self._nearest(part, k) for part in torch.split(queries, self.n_queries)]
        return torch.cat(distances).cpu().numpy()

    def torch_distances(self, queries: Tensor, k: int = 1) -> Tensor:
        """Return the same as :meth:`distances` by torch operators, as a tensor."""
        return self._nearest(queries, k)

    def _nearest(self, queries: Tensor, k: int) -> Tensor:
        centred, kept = queries - self.centre, min(k + EXTRA_CANDIDATES, len(self))
        best = queries.new_full((len(queries), kept), torch.inf)
        which = torch.zeros_like(best, dtype=torch.int64)
        for first in range(0, len(self), self.block):
            part = slice(first, first + self.block)
            rows = self.rows[part] - self.centre
            partial = torch.addmm(self.squares[part], centred, rows.T, alpha=-2.0)
            near, where = partial.topk(min(kept, len(rows)), dim=1, largest=False)
            best, order = torch.cat([best, near], dim=1).topk(kept, dim=1, largest=False)
            which = torch.cat([which, where + first], dim=1).gather(1, order)
        differences = queries.double()[:, None] - self.rows[which].double()
        ordered: Tensor = torch.linalg.vector_norm(differences, dim=2).sort(dim=1).values
        return ordered[:, :k]
