"""Convolutional networks of the same shape, evaluated together. They need torch when they are asked."""

from __future__ import annotations

import hashlib
import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from offnominal.agents.uncertainty.kernel import DROPCONNECT, DROPOUT, ENSEMBLE
from offnominal.core.dense_product import Matrix
from offnominal.core.device import choose_device, deterministic_kernels
from offnominal.core.errors import InvalidParameter, MissingDependency
from offnominal.core.streams import Stream
from offnominal.core.types import Array, IntArray, KeyArray

TILES = {"cpu": 8, "cuda": 64}
"""How many pictures are taken at a time: on a CPU padding costs as much as pictures do, on a GPU next to nothing."""
CACHE_SIZE = 2**16
"""Of how many pictures it is remembered what was said of them."""


@dataclass(frozen=True)
class Convolution:
    """A convolution: so many outputs, of squares of so many pixels, so many pixels apart."""

    outputs: int
    side: int
    stride: int


NATURE_CNN = (Convolution(32, 8, 4), Convolution(64, 4, 2), Convolution(64, 3, 1))
"""The filters of Mnih et al. (2015)."""


def layer_shapes(
    inputs: Sequence[int], sizes: Sequence[int], convolutions: Sequence[Convolution]
) -> list[tuple[int, int]]:
    """Return inputs and outputs of every layer, given the shape of an observation and the widths of dense layers.

    Example:
        >>> layer_shapes((4, 84, 84), (256, 6), NATURE_CNN)
        [(256, 32), (512, 64), (576, 64), (3136, 256), (256, 6)]
    """
    shapes, channels, side, width = [], inputs[0], inputs[-1], math.prod(inputs)
    for each in convolutions:
        shapes.append((channels * each.side**2, each.outputs))
        channels, side = each.outputs, (side - each.side) // each.stride + 1
        width = channels * side**2
    return [*shapes, *pairwise([width, *sizes])]


class ConvNetworks:
    """Networks that see stacks of pictures: the filters of Mnih et al. (2015), then dense layers.

    Weights are kept in half precision, which is what is saved. Gaps are drawn once per pass and stay the same at every
    step, so a pass is a network of its own, and all of them are evaluated together.

    Args:
        weights: (members, count): for each layer the weights, (inputs, outputs), then the biases.
        inputs: Channels, height and width of an observation.
        sizes: Widths of the dense layers, outputs last.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
    """

    def __init__(self, weights: Array, inputs: Sequence[int], sizes: Sequence[int], *, device: str = "auto") -> None:
        self.weights: Matrix = np.asarray(weights).astype(np.float16).astype(np.float32)
        self.inputs = tuple(int(each) for each in inputs)
        self.sizes = tuple(int(each) for each in sizes)
        self.device = device
        self.shapes = layer_shapes(self.inputs, self.sizes, NATURE_CNN)
        count = sum((fan_in + 1) * fan_out for fan_in, fan_out in self.shapes)
        if self.weights.ndim != 2 or not len(self.weights) or self.weights.shape[1] != count:
            raise InvalidParameter(f"the weights have shape {self.weights.shape}; expected (members, {count}).")
        self._networks: dict[tuple[int, float, int], Any] = {}
        self._cache: OrderedDict[tuple[tuple[int, float, int], bytes], Matrix] = OrderedDict()

    @classmethod
    def of_layers(cls, layers: Sequence[tuple[Array, Array]]) -> ConvNetworks:
        """Return members given what :meth:`layers` returned."""
        members = len(layers[0][0])
        flat = np.concatenate([part.reshape(members, -1) for layer in layers for part in layer], axis=1)
        side = math.isqrt(layers[len(NATURE_CNN)][0].shape[1] // NATURE_CNN[-1].outputs)
        for each in reversed(NATURE_CNN):
            side = (side - 1) * each.stride + each.side
        sizes = [bias.shape[1] for _, bias in layers[len(NATURE_CNN) :]]
        return cls(flat, (layers[0][0].shape[1], side, side), sizes)

    @property
    def members(self) -> int:
        """How many there are."""
        return len(self.weights)

    @property
    def outputs(self) -> int:
        """How many numbers a member gives."""
        return self.sizes[-1]

    def layers(self) -> list[tuple[Array, Array]]:
        """Return (weight, bias) pairs in half precision; filters are (members, channels, side, side, outputs)."""
        found: list[tuple[Array, Array]] = []
        place = 0
        for index, (fan_in, fan_out) in enumerate(self.shapes):
            border, end = place + fan_in * fan_out, place + (fan_in + 1) * fan_out
            side = NATURE_CNN[index].side if index < len(NATURE_CNN) else 0
            shape = (fan_in // side**2, side, side) if side else (fan_in,)
            weight = self.weights[:, place:border].reshape(self.members, *shape, fan_out)
            found.append((weight.astype(np.float16), self.weights[:, border:end].astype(np.float16)))
            place = end
        return found

    def passes(
        self,
        inputs: Array,
        kind: int,
        probability: float,
        count: int,
        keys: KeyArray | None = None,
        steps: IntArray | None = None,
    ) -> Matrix:
        """Return (count, n, outputs); see :meth:`~offnominal.agents.uncertainty.DenseNetworks.passes`.

        What was said of the latest pictures is remembered: detectors that look inside a policy ask about the very
        pictures it acted on, each of them anew.
        """
        wanted = (kind, probability, count)
        images = np.ascontiguousarray(inputs).reshape(len(inputs), *self.inputs)
        names = [(wanted, hashlib.blake2b(image, digest_size=16).digest()) for image in images]
        new = {name: row for row, name in enumerate(names) if name not in self._cache}
        if new:
            values = self._evaluate(images[list(new.values())], wanted)
            self._cache.update(zip(new, values, strict=True))
        out = np.array([self._cache[name] for name in names], np.float32)
        while len(self._cache) > CACHE_SIZE:
            self._cache.popitem(last=False)
        return np.ascontiguousarray(out.reshape(-1, count, self.outputs).swapaxes(0, 1))

    def _evaluate(self, images: Array, wanted: tuple[int, float, int]) -> Matrix:
        """Return (n, count, outputs).

        Always so many pictures are taken at a time, the last ones padded, because products round differently for
        different shapes.
        """
        try:
            import torch
        except ImportError:
            raise MissingDependency(
                "a policy that sees pictures needs torch; install it with `pip install offnominal[train]`."
            ) from None
        from offnominal.agents.uncertainty.batched_network import normalise_images

        network = self._network(*wanted)
        count = wanted[2]
        out = np.empty((len(images), count, self.outputs), np.float32)
        device = network.flat.device
        tile = TILES[device.type]
        with torch.no_grad(), deterministic_kernels(device):
            for first in range(0, len(images), tile):
                part = np.zeros((tile, *self.inputs), np.uint8)
                rows = min(tile, len(images) - first)
                part[:rows] = images[first : first + rows]
                seen = normalise_images(torch.as_tensor(part).to(device), torch.float32)
                # Gaps are those of dense layers, so all passes of one network have the same filters.
                values = network(seen.expand(count if wanted[0] == ENSEMBLE else 1, *seen.shape))
                out[first : first + rows] = values[:, :rows].transpose(0, 1).cpu().numpy()
        return out

    def _network(self, kind: int, probability: float, count: int) -> Any:
        """Return the passes as one batched network."""
        wanted = (kind, probability, count)
        if wanted not in self._networks:
            import torch

            from offnominal.agents.uncertainty.batched_network import BatchedNetwork

            flat = torch.as_tensor(self._masked_weights(kind, probability, count))
            network = BatchedNetwork(
                self.inputs, self.sizes, members=1, generator=torch.Generator(), convolutions=NATURE_CNN
            )
            network.flat = torch.nn.Parameter(flat.to(choose_device(self.device)), requires_grad=False)
            self._networks[wanted] = network
        return self._networks[wanted]

    def _masked_weights(self, kind: int, probability: float, count: int) -> Matrix:
        if kind == DROPOUT:
            raise InvalidParameter("networks that see pictures have no dropout; choose an ensemble or dropconnect.")
        if kind != DROPCONNECT:
            return self.weights[:count]
        flat = np.repeat(self.weights[:1], count, axis=0)
        for each in range(count):
            place = 0
            for layer, (fan_in, fan_out) in enumerate(self.shapes):
                size = fan_in * fan_out
                if layer >= len(NATURE_CNN):
                    kept = Stream.named(each, 0, "gaps").uniform(size, step=layer) >= probability
                    flat[each, place : place + size] *= kept / (1.0 - probability)
                place += size + fan_out
        return flat
