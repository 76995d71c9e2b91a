"""Nearest neighbours by matrix products, for rows with hundreds of columns, on a GPU if there is one."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from offnominal.core.device import choose_device, deterministic_kernels
from offnominal.core.types import Array, FloatArray, IntArray

CHUNK, BLOCK = 256, 8192
"""Rows and points per matrix product on a CPU; 4 and 8 times as many on a GPU."""
SPARE = 4
"""Extra candidates, because the product is rounded."""


class MatrixSearch:
    """Search like :class:`NeighbourSearch`, for many columns.

    Candidates are found by a product in single precision, whose rounding is largest for almost equal points. The
    distances of the candidates are therefore computed again in double precision. Of points at the same distance the
    first comes first. Points and rows are in single precision.

    Args:
        points: (n, d) points to search.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.

    Example:
        >>> search = MatrixSearch(np.array([[0.0], [3.0], [1.0]]))
        >>> distances, places = search.nearest(np.array([[1.0]]), 2)
        >>> distances.tolist(), places.tolist()
        ([[0.0, 1.0]], [[2, 0]])
    """

    def __init__(self, points: Array, *, device: str = "auto") -> None:
        self.place = choose_device(device)
        self.points = torch.from_numpy(np.ascontiguousarray(points, np.float32)).to(self.place)
        self.centre = self.points.mean(dim=0, dtype=torch.float64).float()
        self.centred = self.points - self.centre
        self.squares = self.centred.square().sum(dim=1)
        small = self.place.type == "cpu"
        self.together, self.block = (CHUNK, BLOCK) if small else (4 * CHUNK, 8 * BLOCK)

    @torch.inference_mode()
    def nearest(self, rows: Array, k: int) -> tuple[FloatArray, IntArray]:
        """Return the distances and indices of the k points nearest to each row, nearest first.

        Args:
            rows: (m, d) rows.
            k: Number of neighbours, at most the number of points.
        """
        queries = torch.from_numpy(np.ascontiguousarray(rows, np.float32)).to(self.place)
        with deterministic_kernels(self.place):
            found = [self._nearest(part, k) for part in torch.split(queries, self.together)]
        distances, places = (torch.cat(parts).cpu().numpy() for parts in zip(*found, strict=True))
        return distances, places

    def _nearest(self, queries: Tensor, k: int) -> tuple[Tensor, Tensor]:
        places = self._candidates(queries, min(k + SPARE, len(self.points)))
        differences = self.points[places].double().sub_(queries.double()[:, None])
        distances, order = torch.linalg.vector_norm(differences, dim=2).sort(dim=1, stable=True)
        return distances[:, :k], places.gather(1, order)[:, :k]

    def _candidates(self, queries: Tensor, kept: int) -> Tensor:
        """Return the indices of so many near points, in ascending order."""
        centred = queries - self.centre
        best = queries.new_full((len(queries), kept), torch.inf)
        which = torch.zeros_like(best, dtype=torch.int64)
        for first in range(0, len(self.points), self.block):
            part = slice(first, first + self.block)
            partial = (centred @ self.centred[part].T).mul_(-2.0).add_(self.squares[part])
            near, where = partial.topk(min(kept, partial.shape[1]), dim=1, largest=False)
            best, order = torch.cat([best, near], dim=1).topk(kept, dim=1, largest=False)
            which = torch.cat([which, where + first], dim=1).gather(1, order)
        return which.sort(dim=1).values
