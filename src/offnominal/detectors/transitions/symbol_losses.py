"""Losses of predicted counts and categories, for training and for scoring."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from offnominal.core.types import FloatArray
from offnominal.detectors.transitions.symbol_encoding import SymbolEncoding

LARGEST_LOG_RATE = 15.0
"""Largest logarithm of a predicted Poisson rate."""


def symbol_training_losses(predicted: Tensor, targets: Tensor, encoding: SymbolEncoding) -> Tensor:
    """Return one training loss per row: mean over counts plus the cross-entropy of every category.

    Args:
        predicted: (n, outputs): counts, logits of each category, and the remaining steps if there is one more column.
        targets: (n, variables): counts, numbers of the categories, remaining steps.
        encoding: Encoding of the observations.
    """
    counts, wanted = predicted[:, : encoding.n_counts], targets[:, : encoding.n_counts]
    if encoding.counts == "poisson":
        rates = counts.clamp(-LARGEST_LOG_RATE, LARGEST_LOG_RATE)
        errors = rates.exp() - wanted * rates
    else:
        errors = (counts - wanted) ** 2
    losses = errors.mean(dim=1) if encoding.n_counts else torch.zeros(len(predicted), device=predicted.device)
    first = encoding.n_counts
    for number, width in enumerate(encoding.widths):
        target = targets[:, encoding.n_counts + number].long()
        losses = losses + functional.cross_entropy(predicted[:, first : first + width], target, reduction="none")
        first += width
    if predicted.shape[1] > encoding.width:
        losses = losses + (predicted[:, -1] - targets[:, -1]) ** 2
    return losses


def symbol_losses(
    predicted: FloatArray, after: FloatArray, targets: FloatArray, encoding: SymbolEncoding, *, two_sided: bool
) -> FloatArray:
    """Return the loss of every variable, (n, variables).

    Args:
        predicted: (n, outputs): outputs of the network before each transition.
        after: (n, outputs): outputs after it, of which only the remaining steps are used.
        targets: (n, counts and categories): the observation after it.
        encoding: Encoding of the observations.
        two_sided: Whether the last output is the remaining steps; its loss is that of progress.
    """
    n_counts = encoding.n_counts
    columns = [_count_losses(predicted[:, :n_counts], targets[:, :n_counts], encoding)]
    first, rows = n_counts, np.arange(len(predicted))
    for number, width in enumerate(encoding.widths):
        logits = predicted[:, first : first + width]
        highest = logits.max(axis=1)
        total = highest + np.log(np.exp(logits - highest[:, None]).sum(axis=1))
        columns.append((total - logits[rows, targets[:, n_counts + number].astype(np.int64)])[:, None])
        first += width
    if two_sided:
        progress = encoding.length * (after[:, -1] - predicted[:, -1]) + 1.0
        columns.append(((progress / encoding.progress_scale) ** 2)[:, None])
    return np.concatenate(columns, axis=1)


def torch_symbol_losses(
    predicted: Tensor, after: Tensor, observations: Tensor, encoding: SymbolEncoding, *, two_sided: bool
) -> Tensor:
    """Return the same as :func:`symbol_losses` by torch operators, given the observation after the transition."""
    n_counts = encoding.n_counts
    counts = observations[:, :n_counts] if encoding.counts == "poisson" else encoding.torch_scaled_counts(observations)
    losses, first = [(predicted[:, :n_counts] - counts).square()], n_counts
    if encoding.counts == "poisson":
        rates = predicted[:, :n_counts].clamp(-LARGEST_LOG_RATE, LARGEST_LOG_RATE)
        logarithms = torch.where(counts > 0.0, counts, 1.0).log() - rates
        losses = [(2.0 * (rates.exp() - counts + counts.clamp(min=0.0) * logarithms)).clamp(min=0.0)]
    for width, actual in zip(encoding.widths, encoding.torch_one_hot(observations), strict=True):
        logits = predicted[:, first : first + width]
        losses.append(logits.logsumexp(1, keepdim=True) - (logits * actual).sum(1, keepdim=True))
        first += width
    if two_sided:
        progress = encoding.length * (after[:, -1:] - predicted[:, -1:]) + 1.0
        losses.append((progress / encoding.progress_scale).square())
    return torch.cat(losses, dim=1)


def _count_losses(predicted: FloatArray, targets: FloatArray, encoding: SymbolEncoding) -> FloatArray:
    """Return squared errors, or the deviance of a Poisson distribution, which is 0 for a perfect prediction."""
    if encoding.counts != "poisson":
        squared: FloatArray = (predicted - targets) ** 2
        return squared
    rates = np.clip(predicted, -LARGEST_LOG_RATE, LARGEST_LOG_RATE)
    logarithms = np.log(np.where(targets > 0.0, targets, 1.0)) - rates
    deviance = 2.0 * (np.exp(rates) - targets + np.maximum(targets, 0.0) * logarithms)
    return np.maximum(deviance, 0.0)
