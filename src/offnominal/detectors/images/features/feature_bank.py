"""Exact nearest-neighbour distances to a bank of feature vectors, in bounded memory."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from offnominal.core.device import deterministic_kernels
from offnominal.core.progress_bar import progress
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


PROJECTED = 32
CHECKED = 256
"""Selected rows after which the distances are read: reading them for every row would wait for a GPU each time."""


@torch.inference_mode()
def coreset(rows: Tensor, size: int, draw: np.random.Generator, *, projected: int | None = PROJECTED) -> Tensor:
    """Return the indices of a greedy k-centre coreset, in the order of selection.

    The first row is random; each next one is the row with the largest distance to the selected rows. The covering
    radius is at most twice the smallest possible one. Selection ends early when all distances are zero.

    Args:
        rows: (n, width).
        size: Number of rows to select.
        draw: Source of the first row and of the projection.
        projected: Number of dimensions of a random projection in which distances are compared (Johnson and
            Lindenstrauss), which is faster; None compares the full rows.

    Example:
        >>> corners = torch.tensor([[0.0, 0.0], [0.1, 0.0], [5.0, 0.0], [5.0, 9.0]])
        >>> sorted(coreset(corners, 3, np.random.default_rng(0), projected=None).tolist())[1:]
        [2, 3]
    """
    width = rows.shape[1]
    if projected is not None and projected < width:
        matrix = draw.normal(size=(width, projected)) / math.sqrt(projected)
        rows = rows @ torch.from_numpy(matrix.astype(np.float32)).to(rows.device)
    latest = torch.as_tensor([int(draw.integers(len(rows)))], device=rows.device)
    far = (rows - rows.index_select(0, latest)).square().sum(dim=1)
    chosen, distances = [latest], []
    with progress("Selecting the coreset", total=size) as tick:
        while len(chosen) < min(size, len(rows)):
            tick()
            latest = far.argmax(keepdim=True)
            distances.append(far.index_select(0, latest))
            chosen.append(latest)
            far = torch.minimum(far, (rows - rows.index_select(0, latest)).square().sum(dim=1))
            if len(chosen) % CHECKED == 0 and float(distances[-1]) == 0.0:
                break
    indices = torch.cat(chosen)
    return indices[: 1 + int((torch.cat(distances) > 0.0).sum())] if distances else indices
