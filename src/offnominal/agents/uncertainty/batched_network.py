"""Trainable networks of one shape, evaluated together with one batched matrix product per layer."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from offnominal.agents.uncertainty.convolution import Convolution, layer_shapes
from offnominal.agents.uncertainty.policy import UncertaintyKind

MEAN_BRIGHTNESS = 0.34
"""Subtracted from the brightness, 0 to 1; about the brightness of Pong's background. With positive inputs only, a few
training steps could set most ReLU units to zero for good."""


class DropoutMasks:
    """Drops random units or weights and scales the rest.

    Args:
        kind: Kind of uncertainty; an ensemble drops nothing.
        probability: Probability of being dropped.
        generator: Source of randomness.
    """

    def __init__(self, kind: UncertaintyKind, probability: float, generator: torch.Generator) -> None:
        self.kind, self.probability, self.generator = kind, probability, generator

    def weights(self, weight: Tensor) -> Tensor:
        """Return the weights after DropConnect, one mask for the whole batch."""
        return self._dropped(weight) if self.kind == "dropconnect" else weight

    def units(self, values: Tensor) -> Tensor:
        """Return the units after dropout."""
        return self._dropped(values) if self.kind == "dropout" else values

    def _dropped(self, values: Tensor) -> Tensor:
        random = torch.rand(values.shape, generator=self.generator, device=values.device)
        return values * ((random >= self.probability).to(values.dtype) / (1.0 - self.probability))


class BatchedNetwork(nn.Module):
    """Networks in one flat parameter, in the order of :class:`~offnominal.agents.uncertainty.DenseNetworks`.

    Args:
        inputs: Shape of an observation: (features,), or (channels, height, width) of bytes.
        sizes: Widths of the dense layers, outputs last.
        members: Number of networks.
        convolutions: Convolutional layers before the dense layers.
        generator: Source of randomness of the initial weights.
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
            torch.cat([self._initial(index, members, generator) for index in range(len(self.shapes))], 1)
        )

    def _initial(self, index: int, members: int, generator: torch.Generator) -> Tensor:
        """Return the initial weights and biases of a layer.

        Hidden layers of convolutional networks are initialised as in He et al. (2015), so that the variance of the
        activations stays the same from layer to layer.
        """
        fan_in, fan_out = self.shapes[index]
        kaiming = bool(self.convolutions) and index < len(self.shapes) - 1
        bound = math.sqrt(6.0 / fan_in) if kaiming else 1.0 / math.sqrt(fan_in)
        random = torch.rand((members, (fan_in + 1) * fan_out), generator=generator, device=generator.device)
        initial = bound * (2.0 * random - 1.0)
        if kaiming:
            initial[:, fan_in * fan_out :] = 0.0
        return initial

    @property
    def sizes(self) -> list[int]:
        """Widths of the layers, inputs first."""
        return [self.shapes[0][0], *(fan_out for _, fan_out in self.shapes)]

    def forward(self, observations: Tensor, dropout_masks: DropoutMasks | None = None) -> Tensor:
        """Return (members, batch, outputs) for (members, batch, ...), or (1, batch, ...) if members share convolutions.

        Convolutions compute in the precision of the observations, dense layers in the precision of the weights: half
        precision cannot resolve the differences between action values. Convolutions have no dropout mask (Wan et al.,
        2013).
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
    """Return images of bytes as network inputs, for training and for acting."""
    return images.to(kind) / 255.0 - MEAN_BRIGHTNESS


def convolve(
    images: Tensor, weights: Sequence[Tensor], biases: Sequence[Tensor], convolutions: Sequence[Convolution]
) -> Tensor:
    """Return (members, batch, features) of (members, batch, channels, height, width), in their precision.

    Every member has its own convolution: grouped convolutions are slow on a GPU. If there are images for fewer members,
    the weights of the others are not used.
    """
    members, channels = len(weights[0]), images.shape[2]
    layers = []
    for weight, bias, layer in zip(weights, biases, convolutions, strict=True):
        outputs_first = weight.to(images.dtype).transpose(1, 2)
        kernels = outputs_first.reshape(members, layer.outputs, channels, layer.side, layer.side)
        layers.append((kernels.unbind(), bias[:, 0].to(images.dtype).unbind(), layer.stride))
        channels = layer.outputs
    features = []
    for member, inputs in enumerate(images.unbind()):
        values = inputs
        for kernels_of, biases_of, stride in layers:
            values = torch.relu(nn.functional.conv2d(values, kernels_of[member], biases_of[member], stride=stride))
        features.append(values.flatten(1))
    return torch.stack(features)
