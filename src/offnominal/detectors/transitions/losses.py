"""What the networks make small. Each returns one loss per row: the mean over channels."""

from __future__ import annotations

import torch
from torch import Tensor

from offnominal.core.quantile_huber import quantile_huber as quantile_huber_loss

BEND = 0.01


def squared_error(predicted: Tensor, actual: Tensor) -> Tensor:
    """Return the squared error."""
    return (predicted - actual).square().mean(dim=-1)


def gaussian(mean: Tensor, log_variance: Tensor, actual: Tensor, *, beta: float = 0.0) -> Tensor:
    """Return the negative log-likelihood under a Gaussian, without its constant.

    Args:
        mean: (..., channels).
        log_variance: (..., channels).
        actual: (..., channels).
        beta: Each term is weighted by the predicted variance to this power, which is taken as given (Seitzer et al.,
            2022). At zero, what is hard to predict is written off as noise early and then hardly learned.
    """
    terms = log_variance + (mean - actual).square() * torch.exp(-log_variance)
    if beta:
        terms = terms * torch.exp(beta * log_variance.detach())
    return 0.5 * terms.mean(dim=-1)


def quantile_huber(quantiles: Tensor, actual: Tensor, levels: Tensor) -> Tensor:
    """Return the quantile Huber loss (Dabney et al., 2018), the mean over levels.

    It bends at a hundredth of a channel's nominal spread: a parabola as wide as the spread would teach expectiles.

    Args:
        quantiles: (..., levels, channels).
        actual: (..., channels).
        levels: (levels,): the ones the quantiles were asked at.
    """
    errors = actual[..., None, :] - quantiles
    return quantile_huber_loss(errors, levels, kappa=BEND).mean(dim=(-1, -2))
