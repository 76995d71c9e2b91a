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
"""On ARM, oneDNN prepares every product with transposed weights again, which takes longer than the product of a small
layer."""

_PLAIN: ContextVar[bool] = ContextVar("plain", default=False)


@contextmanager
def blas_products(*, enabled: bool = True) -> Iterator[None]:
    """Compute the products of :func:`dense` by BLAS within the block, in this thread."""
    before = _PLAIN.set(enabled)
    try:
        yield
    finally:
        _PLAIN.reset(before)


def dense(rows: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return the outputs of a linear layer.

    Args:
        rows: (n, inputs) inputs.
        weight: (outputs, inputs) weights.
        bias: (outputs,) biases, or None.
    """
    if not (ARM and _PLAIN.get()) or rows.is_cuda or rows.ndim != 2 or len(rows) == 1:
        return functional.linear(rows, weight, bias)
    # oneDNN only computes products with transposed weights.
    upright = weight.t().contiguous()
    return rows @ upright if bias is None else torch.addmm(bias, rows, upright)


class Dense(nn.Linear):
    """A linear layer."""

    def forward(self, rows: Tensor) -> Tensor:
        """Return the outputs of rows."""
        return dense(rows, self.weight, self.bias)
