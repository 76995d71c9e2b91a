"""Networks that learn side by side: members of one shape, each its own agent, in one batched product per layer."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from offnominal.agents.uncertain.pictures import Filter, layer_shapes
from offnominal.agents.uncertain.policy import Kind


class Gaps:
    """Drops units or weights at random, and scales what stays.

    Args:
        kind: Of the uncertainty; an ensemble has no gaps.
        probability: Of being dropped.
        draw: Where the randomness comes from.
    """

    def __init__(self, kind: Kind, probability: float, draw: torch.Generator) -> None:
        self.kind, self.probability, self.draw = kind, probability, draw

    def weights(self, weight: Tensor) -> Tensor:
        """Return weights of which some are dropped, the same for the whole batch."""
        return self._dropped(weight) if self.kind == "dropconnect" else weight

    def units(self, values: Tensor) -> Tensor:
        """Return units of which some are dropped."""
        return self._dropped(values) if self.kind == "dropout" else values

    def _dropped(self, values: Tensor) -> Tensor:
        drawn = torch.rand(values.shape, generator=self.draw, device=values.device)
        return values * ((drawn >= self.probability).to(values.dtype) / (1.0 - self.probability))


class MemberNetwork(nn.Module):
    """Multilayer perceptrons in one parameter, packed as :class:`~offnominal.agents.uncertain.DenseMembers` has it.

    Args:
        inputs: Shape of an observation: numbers, or channels, height and width of bytes.
        sizes: Widths of the dense layers, outputs last.
        members: How many.
        filters: Convolutions before the dense layers.
        draw: Where the first weights come from.
    """

    def __init__(
        self,
        inputs: Sequence[int],
        sizes: Sequence[int],
        *,
        members: int,
        draw: torch.Generator,
        filters: Sequence[Filter] = (),
    ) -> None:
        super().__init__()
        self.filters = tuple(filters)
        self.inputs = tuple(inputs)
        self.shapes = layer_shapes(self.inputs, sizes, self.filters)
        parts = []
        for fan_in, fan_out in self.shapes:
            bound = 1.0 / math.sqrt(fan_in)
            drawn = torch.rand((members, (fan_in + 1) * fan_out), generator=draw, device=draw.device)
            parts.append(bound * (2.0 * drawn - 1.0))
        self.flat = nn.Parameter(torch.cat(parts, dim=1))

    @property
    def sizes(self) -> list[int]:
        """Widths of the layers, inputs first."""
        return [self.shapes[0][0], *(fan_out for _, fan_out in self.shapes)]

    def forward(self, observations: Tensor, gaps: Gaps | None = None) -> Tensor:
        """Return (members, batch, outputs) for (members, batch, ...).

        Filters compute in the precision of the observations, dense layers in that of the weights: values of choices lie
        nearer to one another than half precision can tell.
        """
        members = len(self.flat)
        parts = self.flat.split([size for shape in self.shapes for size in (shape[0] * shape[1], shape[1])], dim=1)  # type: ignore[no-untyped-call]
        values = observations
        for index, (fan_in, fan_out) in enumerate(self.shapes):
            weight = parts[2 * index].view(members, fan_in, fan_out)
            bias = parts[2 * index + 1].view(members, 1, fan_out)
            if gaps is not None:
                weight = gaps.weights(weight)
            if index < len(self.filters):
                values = torch.relu(convolved(values, weight, bias, self.filters[index]))
            else:
                values = torch.baddbmm(bias, values.flatten(2).to(weight.dtype), weight)
                values = torch.relu(values) if index < len(self.shapes) - 1 else values
            if gaps is not None and index < len(self.shapes) - 1:
                values = gaps.units(values)
        return values


def convolved(pictures: Tensor, weight: Tensor, bias: Tensor, square: Filter) -> Tensor:
    """Return (members, batch, outputs, height, width) of (members, batch, channels, height, width), in their precision.

    One convolution per member: in groups of one convolution they are slow on a GPU.
    """
    members, channels = pictures.shape[0], pictures.shape[2]
    filters = weight.transpose(1, 2).reshape(members, -1, channels, square.side, square.side)
    each = zip(pictures, filters.to(pictures.dtype), bias.to(pictures.dtype), strict=True)
    return torch.stack([nn.functional.conv2d(seen, own, shift[0], stride=square.stride) for seen, own, shift in each])
