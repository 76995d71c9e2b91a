"""Fully connected networks of one shape, evaluated together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from offnominal.agents.uncertainty.kernel import DROPCONNECT, ENSEMBLE, forward
from offnominal.core.checks import LARGEST_INTEGER, integer_in, number_in, positive_integer, require_shape
from offnominal.core.dense_product import Matrix
from offnominal.core.errors import InvalidParameter
from offnominal.core.streams import Stream
from offnominal.core.types import Array, IntArray, KeyArray


class DenseNetworks:
    """Multilayer perceptrons with ReLU activations, the weights of all members in one matrix.

    Args:
        weights: (members, n_weights): for each layer the weights, (inputs, outputs), then the biases.
        sizes: Widths of the layers, inputs first and outputs last.

    Example:
        >>> members = DenseNetworks.random((4, 8, 2), members=5)
        >>> members.passes(np.ones((3, 4), np.float32), 0, 0.0, 5).shape
        (5, 3, 2)
    """

    def __init__(self, weights: Array, sizes: Sequence[int]) -> None:
        self.weights: Matrix = np.ascontiguousarray(weights, np.float32)
        self.sizes = tuple(int(size) for size in sizes)
        count = sum((fan_in + 1) * fan_out for fan_in, fan_out in pairwise(self.sizes))
        if self.weights.ndim != 2 or not len(self.weights) or self.weights.shape[1] != count:
            raise InvalidParameter(
                f"the weights have shape {self.weights.shape}; layers of {self.sizes} need (members, {count})."
            )
        self._sizes = np.array(self.sizes, np.int64)

    @classmethod
    def random(cls, sizes: Sequence[int], *, members: int = 5, seed: int = 0) -> DenseNetworks:
        """Return untrained networks, for tests and benchmarks."""
        positive_integer("members", members)
        stream = Stream.named(seed, 0, "weights")
        parts = [
            (
                stream.normal(members * fan_in * fan_out, step=k).reshape(members, fan_in, fan_out) / math.sqrt(fan_in),
                0.1 * stream.normal(members * fan_out, step=k, lane=1).reshape(members, fan_out),
            )
            for k, (fan_in, fan_out) in enumerate(pairwise(sizes))
        ]
        return cls.of_layers(parts)

    @classmethod
    def of_layers(cls, layers: Sequence[tuple[Array, Array]]) -> DenseNetworks:
        """Return networks with the given (weight, bias) pairs: (members, inputs, outputs) and (members, outputs)."""
        if not layers:
            raise InvalidParameter("the networks have no layers; give at least one.")
        for weight, bias in layers:
            require_shape("a weight", weight, "members", "inputs", "outputs")
            require_shape("a bias", bias, len(weight), weight.shape[2])
        members = len(layers[0][0])
        parts = [part.reshape(members, -1) for layer in layers for part in layer]
        sizes = [layers[0][0].shape[1], *(bias.shape[1] for _, bias in layers)]
        return cls(np.concatenate(parts, axis=1), sizes)

    @property
    def members(self) -> int:
        """Number of networks."""
        return len(self.weights)

    @property
    def inputs(self) -> tuple[int, ...]:
        """Shape of the input of one network."""
        return self.sizes[:1]

    @property
    def outputs(self) -> int:
        """Number of outputs of one network."""
        return self.sizes[-1]

    def layers(self) -> list[tuple[Matrix, Matrix]]:
        """Return (weight, bias) pairs: (members, inputs, outputs) and (members, outputs)."""
        pairs, start = [], 0
        for fan_in, fan_out in pairwise(self.sizes):
            border, end = start + fan_in * fan_out, start + (fan_in + 1) * fan_out
            weight = self.weights[:, start:border].reshape(self.members, fan_in, fan_out)
            pairs.append((weight, self.weights[:, border:end]))
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
        """Return the predictions of members or of passes with dropout masks.

        Args:
            inputs: (n, ...).
            kind: ``ENSEMBLE``, ``DROPOUT`` or ``DROPCONNECT`` of :mod:`offnominal.agents.uncertainty.kernel`.
            probability: Probability of being dropped.
            count: Number of members or passes.
            keys: (n,): random stream of each row's dropout masks.
            steps: (n,): position of each row in its stream.

        Returns:
            (count, n, outputs).
        """
        given = np.asarray(inputs)
        require_shape("inputs", given, "n", "...")
        n, width = len(given), math.prod(given.shape[1:])
        if width != self.sizes[0]:
            raise InvalidParameter(f"inputs has {width} values per row; the networks have {self.sizes[0]} inputs.")
        kind = integer_in("kind", kind, ENSEMBLE, DROPCONNECT)
        probability = float(number_in("probability", probability, 0.0, 1.0, open_high=True))
        count = integer_in("count", count, 1, self.members if kind == ENSEMBLE else LARGEST_INTEGER)
        rows = np.ascontiguousarray(given.reshape(n, width), np.float32)
        out = np.empty((count, n, self.outputs), np.float32)
        streams = np.zeros(n, np.uint64) if keys is None else np.asarray(keys, np.uint64)
        places = np.zeros(n, np.int64) if steps is None else np.asarray(steps, np.int64)
        require_shape("keys", streams, n)
        require_shape("steps", places, n)
        forward(self.weights, self._sizes, kind, probability, rows, streams, places, out)
        return out
