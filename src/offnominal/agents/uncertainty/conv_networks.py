"""Convolutional networks of one shape, evaluated together. Evaluation needs torch."""

from __future__ import annotations

import hashlib
import math
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np

from offnominal.agents.uncertainty.convolution import NATURE_CNN, layer_shapes
from offnominal.agents.uncertainty.kernel import DROPCONNECT, DROPOUT, ENSEMBLE
from offnominal.core.dense_product import Matrix
from offnominal.core.device import choose_device, deterministic_kernels
from offnominal.core.errors import InvalidParameter, MissingDependency
from offnominal.core.streams import Stream
from offnominal.core.types import Array, IntArray, KeyArray

TILES = {"cpu": 8, "cuda": 64}
"""Images per forward pass. Padding is expensive on a CPU and nearly free on a GPU."""
CACHE_SIZE = 2**16
"""Number of images whose predictions are cached."""


class ConvNetworks:
    """Networks for stacks of images: the convolutions of Mnih et al. (2015), then dense layers.

    Weights are rounded to half precision, in which they are saved. A dropout mask is drawn once per pass and is the
    same at every step, so each pass is a network of its own, and all passes are evaluated together.

    Args:
        weights: (members, n_weights): for each layer the weights, (inputs, outputs), then the biases.
        inputs: Channels, height and width of an observation.
        sizes: Widths of the dense layers, outputs last.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
    """

    def __init__(self, weights: Array, inputs: Sequence[int], sizes: Sequence[int], *, device: str = "auto") -> None:
        self.weights: Matrix = np.asarray(weights).astype(np.float16).astype(np.float32)
        self.inputs = tuple(int(size) for size in inputs)
        self.sizes = tuple(int(size) for size in sizes)
        self.device = device
        self.shapes = layer_shapes(self.inputs, self.sizes, NATURE_CNN)
        count = sum((fan_in + 1) * fan_out for fan_in, fan_out in self.shapes)
        if self.weights.ndim != 2 or not len(self.weights) or self.weights.shape[1] != count:
            raise InvalidParameter(f"the weights have shape {self.weights.shape}; expected (members, {count}).")
        self._networks: dict[tuple[int, float, int], Any] = {}
        self._cache: OrderedDict[tuple[tuple[int, float, int], bytes], Matrix] = OrderedDict()

    @classmethod
    def of_layers(cls, layers: Sequence[tuple[Array, Array]]) -> ConvNetworks:
        """Return networks with the given weights; the inverse of :meth:`layers`."""
        members = len(layers[0][0])
        flat = np.concatenate([part.reshape(members, -1) for layer in layers for part in layer], axis=1)
        side = math.isqrt(layers[len(NATURE_CNN)][0].shape[1] // NATURE_CNN[-1].outputs)
        for layer in reversed(NATURE_CNN):
            side = (side - 1) * layer.stride + layer.side
        sizes = [bias.shape[1] for _, bias in layers[len(NATURE_CNN) :]]
        return cls(flat, (layers[0][0].shape[1], side, side), sizes)

    @property
    def members(self) -> int:
        """Number of networks."""
        return len(self.weights)

    @property
    def outputs(self) -> int:
        """Number of outputs of one network."""
        return self.sizes[-1]

    def layers(self) -> list[tuple[Array, Array]]:
        """Return (weight, bias) pairs in half precision; convolutions are (members, channels, side, side, outputs)."""
        pairs: list[tuple[Array, Array]] = []
        start = 0
        for index, (fan_in, fan_out) in enumerate(self.shapes):
            border, end = start + fan_in * fan_out, start + (fan_in + 1) * fan_out
            side = NATURE_CNN[index].side if index < len(NATURE_CNN) else 0
            shape = (fan_in // side**2, side, side) if side else (fan_in,)
            weight = self.weights[:, start:border].reshape(self.members, *shape, fan_out)
            pairs.append((weight.astype(np.float16), self.weights[:, border:end].astype(np.float16)))
            start = end
        return pairs

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

        Predictions for the latest images are cached: detectors inside a policy evaluate the images that the policy
        has just acted on.
        """
        settings = (kind, probability, count)
        images = np.ascontiguousarray(inputs).reshape(len(inputs), *self.inputs)
        names = [(settings, hashlib.blake2b(image, digest_size=16).digest()) for image in images]
        new = {name: row for row, name in enumerate(names) if name not in self._cache}
        if new:
            values = self._evaluate(images[list(new.values())], settings)
            self._cache.update(zip(new, values, strict=True))
        out = np.array([self._cache[name] for name in names], np.float32)
        while len(self._cache) > CACHE_SIZE:
            self._cache.popitem(last=False)
        return np.ascontiguousarray(out.reshape(-1, count, self.outputs).swapaxes(0, 1))

    def _evaluate(self, images: Array, settings: tuple[int, float, int]) -> Matrix:
        """Return (n, count, outputs).

        Every forward pass has the same number of images, the last one padded, because matrix products of other shapes
        round differently.
        """
        try:
            import torch
        except ImportError:
            raise MissingDependency(
                "a policy with image observations needs torch; install it with `pip install offnominal[train]`."
            ) from None
        from offnominal.agents.uncertainty.batched_network import normalise_images

        network = self._network(*settings)
        count = settings[2]
        out = np.empty((len(images), count, self.outputs), np.float32)
        device = network.flat.device
        tile = TILES[device.type]
        with torch.no_grad(), deterministic_kernels(device):
            for first in range(0, len(images), tile):
                part = np.zeros((tile, *self.inputs), np.uint8)
                rows = min(tile, len(images) - first)
                part[:rows] = images[first : first + rows]
                scaled = normalise_images(torch.as_tensor(part).to(device), torch.float32)
                # Only dense layers have dropout masks, so all passes of one network share its convolutions.
                values = network(scaled.expand(count if settings[0] == ENSEMBLE else 1, *scaled.shape))
                out[first : first + rows] = values[:, :rows].transpose(0, 1).cpu().numpy()
        return out

    def _network(self, kind: int, probability: float, count: int) -> Any:
        """Return the passes as one batched network."""
        settings = (kind, probability, count)
        if settings not in self._networks:
            import torch

            from offnominal.agents.uncertainty.batched_network import BatchedNetwork

            flat = torch.as_tensor(self._masked_weights(kind, probability, count))
            network = BatchedNetwork(
                self.inputs, self.sizes, members=1, generator=torch.Generator(), convolutions=NATURE_CNN
            )
            network.flat = torch.nn.Parameter(flat.to(choose_device(self.device)), requires_grad=False)
            self._networks[settings] = network
        return self._networks[settings]

    def _masked_weights(self, kind: int, probability: float, count: int) -> Matrix:
        if kind == DROPOUT:
            raise InvalidParameter("networks with image observations have no dropout; choose ensemble or dropconnect.")
        if kind != DROPCONNECT:
            return self.weights[:count]
        flat = np.repeat(self.weights[:1], count, axis=0)
        for index in range(count):
            start = 0
            for layer, (fan_in, fan_out) in enumerate(self.shapes):
                size = fan_in * fan_out
                if layer >= len(NATURE_CNN):
                    kept = Stream.named(index, 0, "gaps").uniform(size, step=layer) >= probability
                    flat[index, start : start + size] *= kept / (1.0 - probability)
                start += size + fan_out
        return flat
