"""Shapes of convolutional networks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Convolution:
    """A convolutional layer without padding.

    Args:
        outputs: Number of output channels.
        side: Side length of the square kernel, in pixels.
        stride: Stride in both directions, in pixels.
    """

    outputs: int
    side: int
    stride: int


NATURE_CNN = (Convolution(32, 8, 4), Convolution(64, 4, 2), Convolution(64, 3, 1))
"""The convolutional layers of Mnih et al. (2015)."""


def layer_shapes(
    inputs: Sequence[int], sizes: Sequence[int], convolutions: Sequence[Convolution]
) -> list[tuple[int, int]]:
    """Return the (inputs, outputs) of the weight matrix of every layer.

    Args:
        inputs: Shape of an observation: (features,) or (channels, height, width).
        sizes: Widths of the dense layers, outputs last.
        convolutions: Convolutional layers before the dense layers.

    Example:
        >>> layer_shapes((4, 84, 84), (256, 6), NATURE_CNN)
        [(256, 32), (512, 64), (576, 64), (3136, 256), (256, 6)]
    """
    shapes, channels, side, width = [], inputs[0], inputs[-1], math.prod(inputs)
    for layer in convolutions:
        shapes.append((channels * layer.side**2, layer.outputs))
        channels, side = layer.outputs, (side - layer.side) // layer.stride + 1
        width = channels * side**2
    return [*shapes, *pairwise([width, *sizes])]
