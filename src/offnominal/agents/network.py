"""Network policies without a deep-learning library; bit-reproducible for every batch, thread count and CPU."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from gymnasium.spaces import Box

from offnominal.agents.policy import Policy
from offnominal.core.compilation import compiled
from offnominal.core.dense_product import Matrix, blocks, dense
from offnominal.core.deterministic_math import tanh
from offnominal.core.errors import InvalidParameter
from offnominal.core.streams import Stream
from offnominal.core.types import Array

LINEAR, RELU, TANH = range(3)


class NetworkPolicy(Policy):
    """Multilayer perceptron whose output is squashed by tanh and scaled to the bounds of the action space.

    The order of additions is fixed, so the action for an observation does not depend on the batch.

    Args:
        layers: (weight, bias) pairs; weights are (inputs, outputs).
        space: Action space.
        activation: Activation function of the hidden layers.
        squash: Whether the output passes through tanh before scaling.

    Example:
        >>> policy = NetworkPolicy.random(4, Box(-1, 1, (2,)), hidden=(8,), seed=0)
        >>> policy.act(np.ones((3, 4), np.float32), None)[0].shape
        (3, 2)
    """

    def __init__(
        self,
        layers: Sequence[tuple[Array, Array]],
        space: Box,
        *,
        activation: Literal["relu", "tanh"] = "relu",
        squash: bool = True,
    ) -> None:
        if activation not in ("relu", "tanh"):
            raise InvalidParameter(f"activation is {activation!r}; choose 'relu' or 'tanh'.")
        if squash and not (np.isfinite(space.low).all() and np.isfinite(space.high).all()):
            raise InvalidParameter(f"a squashed output needs finite bounds; the space is {space}.")
        self.space = space
        self.squash = squash
        self.activation = activation
        if not layers:
            raise InvalidParameter("the network has no layers; give at least one.")
        self._layers: list[tuple[Matrix, Matrix, int]] = []
        width = None
        for index, layer in enumerate(layers):
            weight, bias = (np.ascontiguousarray(part, np.float32) for part in layer)
            if (
                weight.ndim != 2
                or not weight.size
                or bias.shape != weight.shape[1:]
                or width not in (None, len(weight))
            ):
                raise InvalidParameter(
                    f"layer {index} has weights {weight.shape} and biases {bias.shape}; expected "
                    f"({width or 'inputs'}, outputs) and (outputs,)."
                )
            width = weight.shape[1]
            last = index == len(layers) - 1
            self._layers.append((weight, bias, LINEAR if last else RELU if activation == "relu" else TANH))
        if width != int(np.prod(space.shape)):
            raise InvalidParameter(f"the network has {width} outputs for an action of shape {space.shape}.")
        self._middle = (space.high.astype(np.float64) + space.low) / 2
        self._reach = (space.high.astype(np.float64) - space.low) / 2

    @classmethod
    def random(cls, inputs: int, space: Box, *, hidden: Sequence[int] = (256, 256), seed: int = 0) -> NetworkPolicy:
        """Return an untrained network, for tests and benchmarks."""
        stream = Stream.named(seed, 0, "weights")
        sizes = [inputs, *hidden, int(np.prod(space.shape))]
        return cls(
            [
                (
                    stream.normal(fan_in * fan_out, step=k).reshape(fan_in, fan_out) / math.sqrt(fan_in),
                    np.zeros(fan_out),
                )
                for k, (fan_in, fan_out) in enumerate(pairwise(sizes))
            ],
            space,
        )

    @property
    def layers(self) -> list[tuple[Matrix, Matrix]]:
        """The (weight, bias) pairs."""
        return [(weight, bias) for weight, bias, _ in self._layers]

    def act(self, observations: Array, state: Any) -> tuple[Array, Any]:
        """Return the network's action for every row."""
        n, width = len(observations), int(np.prod(observations.shape[1:]))
        if width != len(self._layers[0][0]):
            raise InvalidParameter(f"the network has {len(self._layers[0][0])} inputs; observations have {width}.")
        values = np.zeros((blocks(n), width), np.float32)
        values[:n] = observations.reshape(n, -1)
        for weight, bias, activation in self._layers:
            out = np.empty((len(values), weight.shape[1]), np.float32)
            dense(values, weight, bias, out)
            if activation != LINEAR:
                activate(out, activation)
            values = out
        actions = np.empty((n, values.shape[1]), np.float32)
        scale(values, self.squash, self._middle.ravel(), self._reach.ravel(), actions)
        return actions.reshape(n, *self.space.shape).astype(self.space.dtype, copy=False), state


@compiled
def activate(x: Matrix, activation: int) -> None:
    """Apply an activation function in place."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            if activation == RELU:
                x[i, j] = max(x[i, j], np.float32(0.0))
            else:
                x[i, j] = tanh(float(x[i, j]))


@compiled
def scale(x: Matrix, squash: bool, middle: Array, reach: Array, out: Matrix) -> None:
    """Squash and scale raw outputs to the bounds of the actions."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            raw = tanh(float(x[i, j])) if squash else float(x[i, j])
            out[i, j] = middle[j] + reach[j] * raw if squash else raw
