"""Networks that learn side by side: members of one shape, each its own agent, in one batched product per layer."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from offnominal.agents.uncertainty.conv_networks import Convolution, layer_shapes
from offnominal.agents.uncertainty.policy import UncertaintyKind

MEAN_BRIGHTNESS = 0.34
"""What is taken from the brightness, 0 to 1: about that of Pong's background. Were all inputs positive, a few steps of
training could silence most filters for good."""


class DropoutMasks:
    """Drops units or weights at random, and scales what stays.

    Args:
        kind: Of the uncertainty; an ensemble has no gaps.
        probability: Of being dropped.
        generator: Where the randomness comes from.
    """

    def __init__(self, kind: UncertaintyKind, probability: float, generator: torch.Generator) -> None:
        self.kind, self.probability, self.generator = kind, probability, generator

    def weights(self, weight: Tensor) -> Tensor:
        """Return weights of which some are dropped, the same for the whole batch."""
        return self._dropped(weight) if self.kind == "dropconnect" else weight

    def units(self, values: Tensor) -> Tensor:
        """Return units of which some are dropped."""
        return self._dropped(values) if self.kind == "dropout" else values

    def _dropped(self, values: Tensor) -> Tensor:
        drawn = torch.rand(values.shape, generator=self.generator, device=values.device)
        return values * ((drawn >= self.probability).to(values.dtype) / (1.0 - self.probability))


class BatchedNetwork(nn.Module):
    """Multilayer perceptrons in one parameter, packed as :class:`~offnominal.agents.uncertainty.DenseNetworks` has it.

    Args:
        inputs: Shape of an observation: numbers, or channels, height and width of bytes.
        sizes: Widths of the dense layers, outputs last.
        members: How many.
        convolutions: Convolutions before the dense layers.
        generator: Where the first weights come from.
    """

    def __init__(
        self,
        inputs: Sequence[int],
        sizes: Sequence[int],
        *,
        members: int,
        generator: torch.Generator,
        convolutions: Sequence[Convolution] = (),
    ) -> None:
        super().__init__()
        self.convolutions = tuple(convolutions)
        self.inputs = tuple(inputs)
        self.shapes = layer_shapes(self.inputs, sizes, self.convolutions)
        self.flat = nn.Parameter(
            torch.cat([self._first(index, members, generator) for index in range(len(self.shapes))], 1)
        )

    def _first(self, index: int, members: int, generator: torch.Generator) -> Tensor:
        """Return the first weights and biases of a layer.

        Where pictures are seen, hidden layers begin as He et al. (2015) say: what is in a picture reaches the end of
        the network as strong as it was.
        """
        fan_in, fan_out = self.shapes[index]
        strong = bool(self.convolutions) and index < len(self.shapes) - 1
        bound = math.sqrt(6.0 / fan_in) if strong else 1.0 / math.sqrt(fan_in)
        drawn = torch.rand((members, (fan_in + 1) * fan_out), generator=generator, device=generator.device)
        first = bound * (2.0 * drawn - 1.0)
        if strong:
            first[:, fan_in * fan_out :] = 0.0
        return first

    @property
    def sizes(self) -> list[int]:
        """Widths of the layers, inputs first."""
        return [self.shapes[0][0], *(fan_out for _, fan_out in self.shapes)]

    def forward(self, observations: Tensor, dropout_masks: DropoutMasks | None = None) -> Tensor:
        """Return (members, batch, outputs) for (members, batch, ...), or for (1, batch, ...) if filters are the same.

        Filters compute in the precision of the observations, dense layers in that of the weights: values of choices lie
        nearer to one another than half precision can tell. Filters have no gaps (Wan et al., 2013).
        """
        members, depth = len(self.flat), len(self.convolutions)
        parts = self.flat.split([size for shape in self.shapes for size in (shape[0] * shape[1], shape[1])], dim=1)  # type: ignore[no-untyped-call]
        weights = [part.view(members, *shape) for part, shape in zip(parts[::2], self.shapes, strict=True)]
        biases = [part.view(members, 1, -1) for part in parts[1::2]]
        values = observations
        if depth:
            values = convolve(values, weights[:depth], biases[:depth], self.convolutions).to(self.flat.dtype)
            values = values.expand(members, -1, -1)
        for index in range(depth, len(weights)):
            weight = weights[index] if dropout_masks is None else dropout_masks.weights(weights[index])
            values = torch.baddbmm(biases[index], values, weight)
            if index < len(weights) - 1:
                values = torch.relu(values) if dropout_masks is None else dropout_masks.units(torch.relu(values))
        return values


def normalise_images(images: Tensor, kind: torch.dtype) -> Tensor:
    """Return bytes as the numbers that a network sees, whether it learns or acts."""
    return images.to(kind) / 255.0 - MEAN_BRIGHTNESS


def convolve(
    images: Tensor, weights: Sequence[Tensor], biases: Sequence[Tensor], convolutions: Sequence[Convolution]
) -> Tensor:
    """Return (members, batch, features) of (members, batch, channels, height, width), in their precision.

    One convolution per member and filter: in groups of one convolution they are slow on a GPU. Weights of more members
    than there are pictures for are not looked at.
    """
    members, channels = len(weights[0]), images.shape[2]
    layers = []
    for weight, bias, square in zip(weights, biases, convolutions, strict=True):
        outputs_first = weight.to(images.dtype).transpose(1, 2)
        kernels = outputs_first.reshape(members, square.outputs, channels, square.side, square.side)
        layers.append((kernels.unbind(), bias[:, 0].to(images.dtype).unbind(), square.stride))
        channels = square.outputs
    features = []
    for member, seen in enumerate(images.unbind()):
        values = seen
        for own, shifts, stride in layers:
            values = torch.relu(nn.functional.conv2d(values, own[member], shifts[member], stride=stride))
        features.append(values.flatten(1))
    return torch.stack(features)
