"""Networks for tables and for images, from the same parameters."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.core.errors import InvalidParameter
from offnominal.detectors.images.convolutions import UpsamplingConvolution
from offnominal.detectors.rows.products import Dense

LEAST_DEVIATION = 1e-6
SMALLEST_MAP = 4

ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {
    "relu": nn.ReLU,
    "swish": nn.SiLU,
    "tanh": nn.Tanh,
    "leaky": lambda: nn.LeakyReLU(0.2),
}


@dataclass(frozen=True, slots=True)
class Architecture:
    """Architecture of networks.

    Args:
        layers: Number of layers, including the last one. For images, the number of convolutions that halve the size,
            plus one; fewer if a map would be smaller than 4 × 4.
        hidden: Width of the hidden layers, for tables.
        channels: Channels of the first convolution; each further one has twice as many.
        activation: Activation between layers: relu, swish, tanh or leaky.
        bias: Whether layers have biases.
        batch_norm: Whether convolutions are followed by batch normalisation; it has weights if layers have biases.
    """

    layers: int = 3
    hidden: int = 64
    channels: int = 16
    activation: str = "relu"
    bias: bool = True
    batch_norm: bool = False

    def __post_init__(self) -> None:
        activation_of(self.activation)


def activation_of(name: str) -> nn.Module:
    """Return an activation by name."""
    if name not in ACTIVATIONS:
        raise InvalidParameter(f"activation is {name!r}; choose one of {', '.join(ACTIVATIONS)}.")
    return ACTIVATIONS[name]()


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


def sides_of(shape: tuple[int, ...], architecture: Architecture) -> list[tuple[int, int]]:
    """Return heights and widths of the feature maps, from the image to the smallest one."""
    sides = [(shape[1], shape[2])]
    while len(sides) < architecture.layers and min(sides[-1]) > SMALLEST_MAP:
        sides.append(((sides[-1][0] + 1) // 2, (sides[-1][1] + 1) // 2))
    return sides


def convolutional_body(shape: tuple[int, ...], architecture: Architecture) -> tuple[nn.Sequential, int]:
    """Return convolutions that halve the size of an image repeatedly, and their number of outputs."""
    sides = sides_of(shape, architecture)
    parts: list[nn.Module] = []
    before = shape[0]
    for depth in range(len(sides) - 1):
        after = architecture.channels << depth
        parts.append(nn.Conv2d(before, after, 3, 2, 1, bias=architecture.bias))
        if architecture.batch_norm and depth:
            parts.append(nn.BatchNorm2d(after, affine=architecture.bias))
        parts.append(activation_of(architecture.activation))
        before = after
    return nn.Sequential(*parts, nn.Flatten()), before * math.prod(sides[-1])


def body_of(shape: tuple[int, ...], architecture: Architecture) -> tuple[nn.Sequential, int]:
    """Return all layers before the last one, and their number of outputs."""
    return dense_body(shape[0], architecture) if len(shape) == 1 else convolutional_body(shape, architecture)


def network_to(shape: tuple[int, ...], outputs: int, architecture: Architecture) -> nn.Sequential:
    """Return a network from rows of a shape to a number of outputs."""
    body, width = body_of(shape, architecture)
    return nn.Sequential(body, Dense(width, outputs, bias=architecture.bias))


class Upsampling(nn.Module):
    """A transposed convolution to maps of twice the size, cropped to a given one."""

    def __init__(self, before: int, after: int, side: tuple[int, int]) -> None:
        super().__init__()
        self.larger = UpsamplingConvolution(before, after, 4, 2, 1)
        self.side = side

    def forward(self, maps: Tensor) -> Tensor:
        """Return larger maps."""
        larger: Tensor = self.larger(maps)
        return larger[..., : self.side[0], : self.side[1]]


def convolutional_decoder(
    inputs: int, shape: tuple[int, ...], planes: int, architecture: Architecture
) -> nn.Sequential:
    """Return a network from a vector to planes of the size of an image, with a linear last layer."""
    sides = sides_of(shape, architecture)
    deepest = len(sides) - 1
    widest = architecture.channels << max(deepest - 1, 0)
    parts: list[nn.Module] = [nn.Linear(inputs, widest * math.prod(sides[-1])), nn.Unflatten(1, (widest, *sides[-1]))]
    before = widest
    for depth in range(deepest - 1, -1, -1):
        after = architecture.channels << (depth - 1) if depth else planes
        if architecture.batch_norm:
            parts.append(nn.BatchNorm2d(before))
        parts += [activation_of(architecture.activation), Upsampling(before, after, sides[depth])]
        before = after
    if not deepest:
        parts += [activation_of(architecture.activation), nn.Conv2d(widest, planes, 3, 1, 1)]
    return nn.Sequential(*parts)


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
