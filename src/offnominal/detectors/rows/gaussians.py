"""Diagonal Gaussians: densities, divergences, fixed noise, and the networks that predict them."""

from __future__ import annotations

import math
from functools import cache
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.core.streams import Stream
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.rows.architecture import Architecture
from offnominal.detectors.rows.convolutional_layers import convolutional_decoder
from offnominal.detectors.rows.layers import LEAST_DEVIATION, body_of, dense_body
from offnominal.detectors.rows.products import Dense

Variance = Literal["constant", "scalar", "diagonal"]
LOG_2PI = math.log(2 * math.pi)


def log_density(values: Tensor, mean: Tensor, deviation: Tensor) -> Tensor:
    """Return the log-density of rows under independent Gaussians, with a deviation per entry or per row."""
    standardised = (values - mean) / deviation
    squares, logs = (standardised * standardised).flatten(1).sum(1), torch.log(deviation).flatten(1)
    entries = values[0].numel()
    return -0.5 * squares - logs.sum(1) * (entries // logs.shape[1]) - 0.5 * LOG_2PI * entries


def divergence(mean: Tensor, deviation: Tensor) -> Tensor:
    """Return KL(N(mean, deviation²) ‖ N(0, 1)) of every row."""
    variance = deviation * deviation
    return 0.5 * (variance + mean * mean - 1 - torch.log(variance)).sum(-1)


def divergence_between(mean: Tensor, deviation: Tensor, other_mean: Tensor, other_deviation: Tensor) -> Tensor:
    """Return KL(N(mean, deviation²) ‖ N(other_mean, other_deviation²)) of every row."""
    ratio, shift = deviation / other_deviation, (mean - other_mean) / other_deviation
    return 0.5 * (ratio * ratio + shift * shift - 1 - 2 * torch.log(ratio)).sum(-1)


def sample(mean: Tensor, deviation: Tensor, *, random: RandomNumbers) -> Tensor:
    """Return one reparametrised sample per row."""
    return mean + deviation * random.normal_like(mean)


@cache
def fixed_noise(draws: int, width: int) -> Tensor:
    """Return (draws, width) fixed standard normal numbers, which are used to score every row."""
    values = Stream.named(0, 0, "detector/latent").normal(draws * width)
    return torch.from_numpy(values).float().view(draws, width)


class GaussianEncoder(nn.Module):
    """Network from a row to a Gaussian over codes."""

    def __init__(self, shape: tuple[int, ...], latent: int, architecture: Architecture) -> None:
        super().__init__()
        self.body, width = body_of(shape, architecture)
        self.head = Dense(width, 2 * latent)

    def forward(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and deviation, each (n, latent)."""
        mean, raw = self.head(self.body(rows)).chunk(2, dim=-1)
        return mean, functional.softplus(raw) + LEAST_DEVIATION


class GaussianDecoder(nn.Module):
    """Network from a code to a Gaussian over rows with a deviation of one, one per row, or one per entry."""

    def __init__(self, latent: int, shape: tuple[int, ...], variance: Variance, architecture: Architecture) -> None:
        super().__init__()
        self.shape, self.variance = shape, variance
        self.spread: nn.Module | None = None
        if len(shape) == 1:
            self.body, width = dense_body(latent, architecture)
            extra = {"constant": 0, "scalar": 1, "diagonal": shape[0]}[variance]
            self.head: nn.Module = Dense(width, shape[0] + extra)
        else:
            self.body = nn.Sequential()
            planes = shape[0] * (2 if variance == "diagonal" else 1)
            self.head = convolutional_decoder(latent, shape, planes, architecture)
            self.spread = nn.Linear(latent, 1) if variance == "scalar" else None

    def forward(self, codes: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return mean and deviation of the rows; None is a deviation that is not learned."""
        outputs = self.head(self.body(codes))
        mean, raw = outputs[:, : self.shape[0]], outputs[:, self.shape[0] :]
        if self.variance == "constant":
            return mean, None
        if self.spread is not None:
            raw = self.spread(codes)[..., None, None]
        return mean, functional.softplus(raw) + LEAST_DEVIATION

    def mean(self, codes: Tensor) -> Tensor:
        """Return the mean alone."""
        mean: Tensor = self(codes)[0]
        return mean


def reconstruction_error(rows: Tensor, mean: Tensor, deviation: Tensor | None) -> Tensor:
    """Return the negative log-density of each row, or its mean squared error without deviation."""
    if deviation is None:
        return ((rows - mean) ** 2).flatten(1).mean(1)
    return -log_density(rows, mean, deviation)


def reconstruction_terms(rows: Tensor, mean: Tensor, deviation: Tensor | None) -> Tensor:
    """Return the terms of :func:`reconstruction_error`, one for each entry of a row."""
    if deviation is None:
        return (rows - mean) ** 2 / rows[0].numel()
    standardised = (rows - mean) / deviation
    return 0.5 * standardised * standardised + torch.log(deviation) + 0.5 * LOG_2PI


def mean_reconstruction_error(rows: Tensor, mean: Tensor, deviation: Tensor | None) -> Tensor:
    """Return the mean of :func:`reconstruction_error` over the rows."""
    return functional.mse_loss(mean, rows) if deviation is None else reconstruction_error(rows, mean, deviation).mean()
