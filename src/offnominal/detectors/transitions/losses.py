"""Loss functions; each returns one loss per row, the mean over channels."""

from __future__ import annotations

import torch
from torch import Tensor

from offnominal.core.quantile_huber import quantile_huber as quantile_huber_loss

KAPPA = 0.01


def squared_error(predicted: Tensor, actual: Tensor) -> Tensor:
    """Return the squared error."""
    return (predicted - actual).square().mean(dim=-1)


def gaussian(mean: Tensor, log_variance: Tensor, actual: Tensor, *, beta: float = 0.0) -> Tensor:
    """Return the negative log-likelihood under a Gaussian, without its constant.

    Args:
        mean: (..., channels) predicted means.
        log_variance: (..., channels) predicted log-variances.
        actual: (..., channels) actual values.
        beta: Each term is weighted by the predicted variance to this power, without gradient (Seitzer et al., 2022).
            With zero, channels that are hard to predict are treated as noise early and hardly learned.
    """
    terms = log_variance + (mean - actual).square() * torch.exp(-log_variance)
    if beta:
        terms = terms * torch.exp(beta * log_variance.detach())
    return 0.5 * terms.mean(dim=-1)


def quantile_huber(quantiles: Tensor, actual: Tensor, levels: Tensor) -> Tensor:
    """Return the quantile Huber loss (Dabney et al., 2018), the mean over levels.

    Its threshold kappa is a hundredth of a channel's nominal deviation: with a large kappa the outputs would be
    expectiles.

    Args:
        quantiles: (..., levels, channels) predicted quantiles.
        actual: (..., channels) actual values.
        levels: (levels,) levels of the quantiles.
    """
    errors = actual[..., None, :] - quantiles
    return quantile_huber_loss(errors, levels, kappa=KAPPA).mean(dim=(-1, -2))
