"""Convolutional layers for images of any size, which halve it by strides or by max pooling."""

from __future__ import annotations

import math
from dataclasses import replace

from torch import Tensor, nn

from offnominal.detectors.images.convolutions import UpsamplingConvolution
from offnominal.detectors.rows.architecture import Architecture, activation_of

SMALLEST_MAP = 4


def sides_of(shape: tuple[int, ...], architecture: Architecture) -> list[tuple[int, int]]:
    """Return heights and widths of the feature maps, from the image to the smallest one."""
    sides = [(shape[1], shape[2])]
    while len(sides) < architecture.layers and min(sides[-1]) > SMALLEST_MAP:
        sides.append(((sides[-1][0] + 1) // 2, (sides[-1][1] + 1) // 2))
    return sides


def convolutional_body(shape: tuple[int, ...], architecture: Architecture) -> tuple[nn.Sequential, int]:
    """Return convolutions that halve the size of an image repeatedly, and their number of outputs."""
    if architecture.downsampling == "pool":
        return _pooled_body(shape, architecture)
    sides = sides_of(shape, architecture)
    parts: list[nn.Module] = []
    before = shape[0]
    for depth in range(len(sides) - 1):
        after = architecture.channels << depth
        parts.append(nn.Conv2d(before, after, 3, 2, 1, bias=architecture.bias))
        if architecture.batch_norm and depth:
            parts.append(nn.BatchNorm2d(after, affine=architecture.bias))
        parts.append(activation_of(architecture.activation))
        if not depth:
            parts += _extra_layers(after, architecture)
        before = after
    return nn.Sequential(*parts, nn.Flatten()), before * math.prod(sides[-1])


def _extra_layers(channels: int, architecture: Architecture) -> list[nn.Module]:
    """Return convolutions that change neither the size of maps nor their number."""
    parts: list[nn.Module] = []
    for _ in range(architecture.extra_layers):
        parts.append(nn.Conv2d(channels, channels, 3, 1, 1, bias=architecture.bias))
        if architecture.batch_norm:
            parts.append(nn.BatchNorm2d(channels, affine=architecture.bias))
        parts.append(activation_of(architecture.activation))
    return parts


class Upsampling(nn.Module):
    """A transposed convolution to maps of twice the size, cropped to a given one."""

    def __init__(self, before: int, after: int, side: tuple[int, int], kernel: int = 4) -> None:
        super().__init__()
        self.larger = UpsamplingConvolution(before, after, kernel, 2, kernel // 2 - 1)
        self.side = side

    def forward(self, maps: Tensor) -> Tensor:
        """Return larger maps."""
        larger: Tensor = self.larger(maps)
        return larger[..., : self.side[0], : self.side[1]]


def convolutional_decoder(
    inputs: int, shape: tuple[int, ...], planes: int, architecture: Architecture
) -> nn.Sequential:
    """Return a network from a vector to planes of the size of an image, with a linear last layer."""
    if architecture.downsampling == "pool":
        return _pooled_decoder(inputs, shape, planes, architecture)
    sides = sides_of(shape, architecture)
    deepest = len(sides) - 1
    widest = architecture.channels << max(deepest - 1, 0)
    parts: list[nn.Module] = [nn.Linear(inputs, widest * math.prod(sides[-1])), nn.Unflatten(1, (widest, *sides[-1]))]
    before = widest
    for depth in range(deepest - 1, -1, -1):
        after = architecture.channels << (depth - 1) if depth else planes
        if architecture.batch_norm:
            parts.append(nn.BatchNorm2d(before))
        parts.append(activation_of(architecture.activation))
        if not depth:
            parts += _extra_layers(before, architecture)
        parts.append(Upsampling(before, after, sides[depth]))
        before = after
    if not deepest:
        parts += [activation_of(architecture.activation), nn.Conv2d(widest, planes, 3, 1, 1)]
    return nn.Sequential(*parts)


def _pooled_body(shape: tuple[int, ...], architecture: Architecture) -> tuple[nn.Sequential, int]:
    """Return convolutions with max pooling between them, and their number of outputs."""
    sides = _pooled_sides(shape, architecture)
    parts: list[nn.Module] = []
    before = shape[0]
    for later in range(len(sides) - 1, -1, -1):
        after = architecture.channels << later
        parts += [_same_size(before, after, later, bias=architecture.bias), activation_of(architecture.activation)]
        if later:
            parts.append(nn.MaxPool2d(2, ceil_mode=True))
        if architecture.batch_norm:
            parts.append(nn.BatchNorm2d(after, affine=architecture.bias))
        before = after
    return nn.Sequential(*parts, nn.Flatten()), before * math.prod(sides[-1])


def _pooled_decoder(inputs: int, shape: tuple[int, ...], planes: int, architecture: Architecture) -> nn.Sequential:
    """Return the reverse of the convolutions: transposed convolutions instead of pooling."""
    sides = _pooled_sides(shape, architecture)
    before, last = architecture.channels, len(sides) - 1
    parts: list[nn.Module] = [
        nn.Linear(inputs, before * math.prod(sides[-1])),
        activation_of(architecture.activation),
        nn.Unflatten(1, (before, *sides[-1])),
    ]
    for later in range(last + 1):
        side = sides[last - later]
        parts.append(Upsampling(before, before, side, kernel=2) if later else nn.Conv2d(before, before, 1))
        parts.append(activation_of(architecture.activation))
        after = 2 * before if later < last else planes
        parts.append(_same_size(before, after, later))
        if later < last:
            parts.append(activation_of(architecture.activation))
        if architecture.batch_norm:
            parts.append(nn.BatchNorm2d(after))
        before = after
    return nn.Sequential(*parts)


def _pooled_sides(shape: tuple[int, ...], architecture: Architecture) -> list[tuple[int, int]]:
    """Return heights and widths of the maps of each convolution."""
    return sides_of(shape, replace(architecture, layers=architecture.layers - 1))


def _same_size(before: int, after: int, later: int, *, bias: bool = True) -> nn.Conv2d:
    """Return a convolution that keeps the size, with a larger kernel the more convolutions come later."""
    kernel = 2 * later + 3
    return nn.Conv2d(before, after, kernel, padding=kernel // 2, bias=bias)
