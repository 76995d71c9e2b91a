"""Greedy coreset of feature vectors."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from offnominal.core.progress_bar import progress

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
