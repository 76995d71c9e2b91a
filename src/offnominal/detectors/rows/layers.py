"""Networks for tables and for images, from the same parameters."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.detectors.rows.architecture import Architecture, activation_of
from offnominal.detectors.rows.convolutional_layers import convolutional_body, convolutional_decoder
from offnominal.detectors.rows.products import Dense

LEAST_DEVIATION = 1e-6


def perceptron(inputs: int, outputs: int, architecture: Architecture) -> nn.Sequential:
    """Return dense layers, the last one linear."""
    body, width = dense_body(inputs, architecture)
    return nn.Sequential(*body, Dense(width, outputs, bias=architecture.bias))


def dense_body(inputs: int, architecture: Architecture) -> tuple[nn.Sequential, int]:
    """Return the hidden layers, and their number of outputs."""
    widths = [inputs] + [architecture.hidden] * (architecture.layers - 1)
    parts: list[nn.Module] = []
    for before, after in pairwise(widths):
        parts += [Dense(before, after, bias=architecture.bias), activation_of(architecture.activation)]
    return nn.Sequential(*parts), widths[-1]


def body_of(shape: tuple[int, ...], architecture: Architecture) -> tuple[nn.Sequential, int]:
    """Return all layers before the last one, and their number of outputs."""
    return dense_body(shape[0], architecture) if len(shape) == 1 else convolutional_body(shape, architecture)


def network_to(shape: tuple[int, ...], outputs: int, architecture: Architecture) -> nn.Sequential:
    """Return a network from rows of a shape to a number of outputs."""
    body, width = body_of(shape, architecture)
    return nn.Sequential(body, Dense(width, outputs, bias=architecture.bias))


class Generator(nn.Module):
    """Network from a code to a row: linear outputs for a table, between 0 and 1 for an image."""

    def __init__(self, inputs: int, shape: tuple[int, ...], architecture: Architecture) -> None:
        super().__init__()
        self.image = len(shape) > 1
        self.layers = (
            convolutional_decoder(inputs, shape, shape[0], architecture)
            if self.image
            else perceptron(inputs, shape[0], architecture)
        )

    def forward(self, codes: Tensor) -> Tensor:
        """Return rows."""
        rows: Tensor = self.layers(codes)
        return torch.sigmoid(rows) if self.image else rows


class Critic(nn.Module):
    """Network from a row to the log-odds that it is real. Its features are the inputs of the last layer."""

    def __init__(self, shape: tuple[int, ...], architecture: Architecture) -> None:
        super().__init__()
        self.body, width = body_of(shape, architecture)
        self.head = Dense(width, 1)

    def features(self, rows: Tensor) -> Tensor:
        """Return (n, features)."""
        found: Tensor = self.body(rows)
        return found

    def forward(self, rows: Tensor) -> Tensor:
        """Return (n,) log-odds."""
        return self.logits(self.features(rows))

    def logits(self, features: Tensor) -> Tensor:
        """Return (n,) log-odds of rows with these features."""
        odds: Tensor = self.head(features)
        return odds.squeeze(1)


def real_loss(odds: Tensor) -> Tensor:
    """Return the mean cross-entropy of log-odds if every row is real."""
    return functional.softplus(-odds).mean()


def fake_loss(odds: Tensor) -> Tensor:
    """Return the mean cross-entropy of log-odds if no row is real."""
    return functional.softplus(odds).mean()


def fake_probability(odds: Tensor) -> Tensor:
    """Return the probability, by the critic, that a row is not real."""
    return torch.sigmoid(-odds.double())
