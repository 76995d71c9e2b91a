"""Maximum mean discrepancy of two samples, by a kernel on squared distances."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from offnominal.core.errors import InvalidParameter

KernelName = Literal["rbf", "imq", "rq"]


def kernel(squared: Tensor, name: KernelName, width: float) -> Tensor:
    """Return the kernel of squared distances: 1 at 0.

    Args:
        squared: Squared distances.
        name: ``rbf`` exp(−w D), ``imq`` w / (w + D) or ``rq`` (1 + D / 2w)^(−w).
        width: Width w of the kernel.

    Example:
        >>> kernel(torch.tensor([0.0, 1.0]), "imq", 1.0)
        tensor([1.0000, 0.5000])
    """
    if name == "rbf":
        return torch.exp(-width * squared)
    if name == "imq":
        return width / (width + squared)
    if name == "rq":
        return (1 + squared / (2 * width)) ** -width
    raise InvalidParameter(f"kernel is {name!r}; choose rbf, imq or rq.")


def mmd(first: Tensor, second: Tensor, name: KernelName, width: float) -> Tensor:
    """Return the unbiased estimate of the squared discrepancy; its mean is 0 for samples of one distribution.

    Args:
        first: (n, d), at least two rows.
        second: (m, d), at least two rows.
        name: Name of the kernel.
        width: Width of the kernel.

    Example:
        >>> points = torch.arange(6.0).view(3, 2)
        >>> bool(mmd(points, points + 9, "rbf", 0.1) > mmd(points, points + 1, "rbf", 0.1))
        True
    """
    within = sum(_others(_kernel_of(rows, rows, name, width)) for rows in (first, second))
    return within - 2 * _kernel_of(first, second, name, width).mean()


def _kernel_of(first: Tensor, second: Tensor, name: KernelName, width: float) -> Tensor:
    norms = (first * first).sum(1)[:, None] + (second * second).sum(1)
    return kernel((norms - 2 * first @ second.t()).clamp_min(0.0), name, width)


def _others(values: Tensor) -> Tensor:
    """Return the mean of a square matrix without its diagonal."""
    n = len(values)
    return (values.sum() - values.diagonal().sum()) / (n * n - n)
