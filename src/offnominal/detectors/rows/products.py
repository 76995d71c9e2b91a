"""Matrix products of small dense layers."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import torch
from torch import Tensor, nn
from torch.nn import functional

ARM = platform.machine().lower() in ("aarch64", "arm64")
"""There, oneDNN prepares each product with transposed weights anew, which for a small layer takes longer than the
product itself."""

_PLAIN: ContextVar[bool] = ContextVar("plain", default=False)


@contextmanager
def blas_products(*, enabled: bool = True) -> Iterator[None]:
    """Leave the products of :func:`dense` to BLAS within the block, in this thread."""
    before = _PLAIN.set(enabled)
    try:
        yield
    finally:
        _PLAIN.reset(before)


def dense(rows: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return what a linear layer makes of rows.

    Args:
        rows: (n, inputs).
        weight: (outputs, inputs).
        bias: (outputs,), if it has one.
    """
    if not (ARM and _PLAIN.get()) or rows.is_cuda or rows.ndim != 2 or len(rows) == 1:
        return functional.linear(rows, weight, bias)
    # oneDNN takes products with transposed weights only.
    upright = weight.t().contiguous()
    return rows @ upright if bias is None else torch.addmm(bias, rows, upright)


class Dense(nn.Linear):
    """A linear layer."""

    def forward(self, rows: Tensor) -> Tensor:
        """Return the outputs of rows."""
        return dense(rows, self.weight, self.bias)
