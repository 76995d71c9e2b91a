"""Quantile Huber loss (Dabney et al., 2018), shared by agents and detectors. Importing this module imports torch."""

from __future__ import annotations

import torch
from torch import Tensor


def quantile_huber(errors: Tensor, levels: Tensor, *, kappa: float = 1.0) -> Tensor:
    """Return the quantile Huber loss of every error, without reduction.

    Args:
        errors: (..., levels, n): targets minus predicted quantiles.
        levels: (levels,): quantile levels between 0 and 1.
        kappa: Absolute error at which the loss changes from quadratic to linear.

    Returns:
        The losses, in the shape of `errors`.

    Example:
        >>> quantile_huber(torch.tensor([[2.0], [-2.0]]), torch.tensor([0.5, 0.9])).flatten()
        tensor([0.7500, 0.1500])
    """
    size = errors.abs()
    huber = torch.where(size > kappa, size - 0.5 * kappa, errors.square() / (2.0 * kappa))
    return (levels[:, None] - (errors < 0).to(levels.dtype)).abs() * huber
