"""Network policies without a deep-learning library; bit-reproducible for every batch, thread count and CPU."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
from gymnasium.spaces import Box, Discrete

from offnominal.agents.observation_normaliser import ObservationNormaliser
from offnominal.agents.state_dicts import check_action_scale, linear_layers, read_state_dict
from offnominal.core.checks import positive_integer, require_shape
from offnominal.core.compilation import compiled
from offnominal.core.dense_product import Matrix, blocks, dense
from offnominal.core.deterministic_math import tanh
from offnominal.core.errors import InvalidParameter
from offnominal.core.policy import Policy
from offnominal.core.streams import Stream
from offnominal.core.types import Array, FloatArray

Activation = Literal["relu", "tanh"]
LINEAR, RELU, TANH = range(3)


class NetworkPolicy(Policy):
    """Multilayer perceptron with deterministic actions.

    Continuous actions are squashed by tanh and scaled to the bounds of the action space, or clipped to them. Discrete
    actions are those with the largest output. The order of additions is fixed, so the action for an observation does
    not depend on the batch.

    Args:
        layers: (weight, bias) pairs; weights are (inputs, outputs).
        space: Action space.
        activation: Activation function of the hidden layers.
        squash: Whether continuous actions pass through tanh and are scaled; otherwise they are clipped.
        normaliser: Normalisation of the observations before the first layer.

    Example:
        >>> policy = NetworkPolicy.random(4, Box(-1, 1, (2,)), hidden=(8,), seed=0)
        >>> policy.act(np.ones((3, 4), np.float32), None)[0].shape
        (3, 2)
    """

    def __init__(
        self,
        layers: Sequence[tuple[Array, Array]],
        space: Box | Discrete,
        *,
        activation: Activation = "relu",
        squash: bool = True,
        normaliser: ObservationNormaliser | None = None,
    ) -> None:
        if activation not in ("relu", "tanh"):
            raise InvalidParameter(f"activation is {activation!r}; choose 'relu' or 'tanh'.")
        if not isinstance(space, Box | Discrete):
            raise InvalidParameter(f"the action space is {space}; expected a Box or a Discrete space.")
        discrete = isinstance(space, Discrete)
        if squash and isinstance(space, Box) and not (np.isfinite(space.low).all() and np.isfinite(space.high).all()):
            raise InvalidParameter(f"a squashed output needs finite bounds; the space is {space}.")
        self.space = space
        self.squash = squash and not discrete
        self.activation = activation
        self.normaliser = normaliser
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
        if width != (int(space.n) if isinstance(space, Discrete) else int(np.prod(space.shape))):
            raise InvalidParameter(
                f"the network has {width} outputs for {space}."
                if discrete
                else f"the network has {width} outputs for an action of shape {space.shape}."
            )
        if normaliser is not None and len(normaliser.mean) != len(self._layers[0][0]):
            raise InvalidParameter(
                f"the normaliser has {len(normaliser.mean)} channels, the network {len(self._layers[0][0])} inputs."
            )
        self._middle, self._reach = _middle_and_reach(space, width)

    @classmethod
    def random(cls, inputs: int, space: Box, *, hidden: Sequence[int] = (256, 256), seed: int = 0) -> NetworkPolicy:
        """Return an untrained network, for tests and benchmarks."""
        positive_integer("inputs", inputs)
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

    @classmethod
    def from_state_dict(
        cls,
        state: Mapping[str, Any] | str | Path,
        space: Box | Discrete,
        *,
        activation: Activation,
        squash: bool = False,
        layers: Sequence[str] | str | None = None,
        normaliser: ObservationNormaliser | Mapping[str, Any] | str | Path | None = None,
    ) -> NetworkPolicy:
        """Return the policy of a torch state dict, such as that of a CleanRL agent or of an ``nn.Sequential``.

        The tensors do not say which function lies between the layers, so `activation` and `squash` must be given. A
        file is read without unpickling; only tensors are accepted.

        Args:
            state: Tensors or arrays by name, or a file that ``torch.save`` or safetensors wrote.
            space: Action space. Discrete actions are those with the largest output.
            activation: Activation function of the hidden layers, ``"relu"`` or ``"tanh"``.
            squash: Whether actions pass through tanh and are scaled to the bounds (SAC, TD3, DDPG); otherwise they are
                clipped to them (PPO).
            layers: Names of the linear layers from observation to action, or the prefix of their names, such as
                ``"actor_mean"``. None takes all layers.
            normaliser: As for :func:`~offnominal.agents.import_sb3`.

        Example:
            >>> state = {"net.0.weight": np.ones((8, 4)), "net.0.bias": np.zeros(8)}
            >>> state |= {"net.2.weight": np.ones((2, 8)), "net.2.bias": np.zeros(2)}
            >>> NetworkPolicy.from_state_dict(state, Discrete(2), activation="tanh")(np.ones(4))
            np.int64(0)
        """
        tensors = read_state_dict(state)
        check_action_scale(tensors, space)
        normalised = None if normaliser is None else ObservationNormaliser.of(normaliser)
        return cls(linear_layers(tensors, layers), space, activation=activation, squash=squash, normaliser=normalised)

    @property
    def layers(self) -> list[tuple[Matrix, Matrix]]:
        """The (weight, bias) pairs."""
        return [(weight, bias) for weight, bias, _ in self._layers]

    def act(self, observations: Array, state: Any) -> tuple[Array, Any]:
        """Return the network's action for every row."""
        require_shape("observations", observations, "n", "...")
        n, width = len(observations), int(np.prod(observations.shape[1:]))
        if width != len(self._layers[0][0]):
            raise InvalidParameter(f"the network has {len(self._layers[0][0])} inputs; observations have {width}.")
        flat = observations.reshape(n, -1)
        values = np.zeros((blocks(n), width), np.float32)
        values[:n] = flat if self.normaliser is None else self.normaliser(flat)
        for weight, bias, activation in self._layers:
            out = np.empty((len(values), weight.shape[1]), np.float32)
            dense(values, weight, bias, out)
            if activation != LINEAR:
                activate(out, activation)
            values = out
        if isinstance(self.space, Discrete):
            best: Array = self.space.start + np.argmax(values[:n], axis=1)
            return best, state
        actions = np.empty((n, values.shape[1]), np.float32)
        scale(values, self.squash, self._middle, self._reach, actions)
        shaped = actions.reshape(n, *self.space.shape)
        if not self.squash:
            shaped = np.clip(shaped, self.space.low, self.space.high)
        return shaped.astype(self.space.dtype, copy=False), state


def _middle_and_reach(space: Box | Discrete, width: int) -> tuple[FloatArray, FloatArray]:
    """Return the middle and half the width of the bounds of every channel; zeros for discrete actions."""
    if isinstance(space, Discrete):
        return np.zeros(width), np.zeros(width)
    low, high = space.low.astype(np.float64).ravel(), space.high.astype(np.float64).ravel()
    with np.errstate(invalid="ignore"):
        return (high + low) / 2, (high - low) / 2


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
