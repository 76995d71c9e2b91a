"""A few rows that stand for many."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from offnominal.core.progress_bar import progress

PROJECTED = 32


@torch.inference_mode()
def coreset(rows: Tensor, keep: int, draw: np.random.Generator, *, projected: int | None = PROJECTED) -> Tensor:
    """Return the numbers of rows that leave none of the others far from all of them, in the order they were chosen.

    Greedy k-centre: after a random first one, always the row farthest from those chosen. The result covers the rows
    with at most twice the radius of the best possible choice. It ends early when every row is already there.

    Args:
        rows: (n, width).
        keep: How many to choose.
        draw: Chooses the first one and the projection.
        projected: Distances are compared in a random projection to so many dimensions, which keeps them roughly as they
            are (Johnson and Lindenstrauss) and takes a fraction of the time; None compares them in full.

    Example:
        >>> corners = torch.tensor([[0.0, 0.0], [0.1, 0.0], [5.0, 0.0], [5.0, 9.0]])
        >>> sorted(coreset(corners, 3, np.random.default_rng(0), projected=None).tolist())[1:]
        [2, 3]
    """
    width = rows.shape[1]
    if projected is not None and projected < width:
        matrix = draw.normal(size=(width, projected)) / math.sqrt(projected)
        rows = rows @ torch.from_numpy(matrix.astype(np.float32)).to(rows.device)
    latest = torch.as_tensor(int(draw.integers(len(rows))), device=rows.device)
    chosen = [latest]
    far = (rows - rows[latest]).square().sum(dim=1)
    with progress("Choosing patches", total=keep) as tick:
        while len(chosen) < min(keep, len(rows)):
            tick()
            latest = far.argmax()
            if float(far[latest]) == 0.0:
                break
            chosen.append(latest)
            far = torch.minimum(far, (rows - rows[latest]).square().sum(dim=1))
    return torch.stack(chosen)
