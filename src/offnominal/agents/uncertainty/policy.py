"""Policies that ask several networks, or one network several times, and tell how far the answers lie apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from gymnasium.spaces import Box, Discrete

from offnominal.agents.policy import Policy
from offnominal.agents.uncertainty.dense_networks import DenseNetworks
from offnominal.agents.uncertainty.kernel import ENSEMBLE, mean_and_std_kernel
from offnominal.core.checks import integer_in, number_in
from offnominal.core.dense_product import Matrix
from offnominal.core.errors import InvalidParameter, did_you_mean
from offnominal.core.streams import stream_keys
from offnominal.core.types import Array, FloatArray, IntArray, KeyArray

UncertaintyKind = Literal["ensemble", "dropout", "dropconnect"]
UNCERTAINTY_KINDS: tuple[UncertaintyKind, ...] = ("ensemble", "dropout", "dropconnect")
MOST_PASSES = 10_000


class Networks(Protocol):
    """Networks of one shape, evaluated together."""

    @property
    def members(self) -> int:
        """How many there are."""

    @property
    def inputs(self) -> tuple[int, ...]:
        """Shape of what one takes."""

    @property
    def outputs(self) -> int:
        """How many numbers one gives."""

    def passes(
        self, inputs: Array, kind: int, probability: float, count: int, keys: KeyArray | None, steps: IntArray | None
    ) -> Matrix:
        """Return (count, n, outputs)."""

    def layers(self) -> list[tuple[Matrix, Matrix]]:
        """Return (weight, bias) pairs with the members first."""


@dataclass(frozen=True, slots=True)
class _State:
    keys: KeyArray
    step: int


class UncertainPolicy(Policy):
    """Acts on the mean of several predictions: of members of an ensemble, or of passes of one network with gaps.

    For choices the network gives a value per choice, and the one with the largest mean is taken. For numbers it gives
    the action itself, without limits; the world applies its own. Gaps come from the episode's own stream: what one
    episode sees never depends on the batch.

    Args:
        network: The members; one if there are gaps.
        space: Action space.
        kind: ``"ensemble"``: members trained independently; ``"dropout"``: units of hidden layers are dropped at
            random, each time anew; ``"dropconnect"``: weights are. Biases never are, and what stays is scaled by
            1 / (1 - probability).
        probability: Of being dropped.
        passes: How many predictions are made; all members of an ensemble if None, 5 passes otherwise.
        critic: For actions that are numbers: what members think an action is worth, given observation and action.
        discount: Of the values.

    Example:
        >>> policy = UncertainPolicy(DenseNetworks.random((4, 16, 2)), Discrete(2), kind="ensemble")
        >>> policy.outputs(np.zeros((3, 4))).shape
        (5, 3, 2)
        >>> policy.act(np.zeros((3, 4)), policy.start(np.arange(3), np.zeros(3, int)))[0].shape
        (3,)
    """

    def __init__(
        self,
        network: Networks,
        space: Box | Discrete,
        *,
        kind: UncertaintyKind,
        probability: float = 0.0,
        passes: int | None = None,
        critic: DenseNetworks | None = None,
        discount: float = 0.99,
    ) -> None:
        if kind not in UNCERTAINTY_KINDS:
            raise InvalidParameter(
                f"no kind {kind!r}.{did_you_mean(str(kind), UNCERTAINTY_KINDS)} "
                f"Choose from {', '.join(UNCERTAINTY_KINDS)}."
            )
        number_in("probability", probability, 0.0, 1.0, open_high=True)
        number_in("discount", discount, 0.0, 1.0)
        expected = int(space.n) if isinstance(space, Discrete) else int(np.prod(space.shape))
        if network.outputs != expected:
            raise InvalidParameter(f"the network has {network.outputs} outputs; {space} needs {expected}.")
        together = int(np.prod(network.inputs)) + int(np.prod(space.shape or ()))
        if critic is not None and (critic.inputs, critic.outputs) != ((together,), 1):
            raise InvalidParameter(
                f"the critic maps {critic.inputs} to {critic.outputs} values; an observation and an action are "
                f"{together} numbers, and they have one value."
            )
        self.network = network
        self.space = space
        self.kind: UncertaintyKind = kind
        self.probability = float(probability)
        self.critic = critic
        self.discount = float(discount)
        self.passes = self._checked(passes if passes is not None else network.members if kind == "ensemble" else 5)

    def _checked(self, passes: int) -> int:
        most = self.network.members
        if integer_in("passes", passes, 1, MOST_PASSES) > most and self.kind == "ensemble":
            raise InvalidParameter(f"passes is {passes}; the ensemble has {most} members.")
        return passes

    def start(self, seeds: IntArray, episodes: IntArray) -> _State:
        """Name a stream per episode."""
        return _State(stream_keys(seeds, episodes, "uncertainty"), 0)

    def act(self, observations: Array, state: _State | None) -> tuple[Array, _State]:
        """Return the action that the mean of the predictions calls for."""
        state = self.begun(observations, state)
        steps = np.full(len(observations), state.step)
        mean, _ = self.predict(observations, state.keys, steps)
        return self.select_actions(mean), _State(state.keys, state.step + 1)

    def take(self, state: _State, rows: IntArray) -> _State:
        """Keep the streams of some rows."""
        return _State(state.keys[rows], state.step)

    def select_actions(self, mean: FloatArray) -> Array:
        """Return the actions of mean predictions: the best choices, or the numbers themselves."""
        if isinstance(self.space, Discrete):
            best: Array = self.space.start + np.argmax(mean, axis=1)
            return best
        return mean.reshape(len(mean), *self.space.shape).astype(self.space.dtype)

    def outputs(
        self,
        observations: Array,
        keys: KeyArray | None = None,
        steps: IntArray | None = None,
        *,
        passes: int | None = None,
    ) -> Matrix:
        """Return every prediction, (passes, n, outputs): a value per choice, or an action.

        Args:
            observations: (n, ...).
            keys: (n,): the stream that each row's gaps come from; an ensemble has none.
            steps: (n,): where in its stream each row is.
            passes: How many; as the policy has it if None. Of an ensemble, the first so many members.
        """
        count = self.passes if passes is None else self._checked(passes)
        self._require_width(observations)
        return self.network.passes(
            observations, UNCERTAINTY_KINDS.index(self.kind), self.probability, count, keys, steps
        )

    def predict(
        self,
        observations: Array,
        keys: KeyArray | None = None,
        steps: IntArray | None = None,
        *,
        passes: int | None = None,
    ) -> tuple[FloatArray, FloatArray]:
        """Return the mean of the predictions and their standard deviation, (n, outputs) each; see :meth:`outputs`."""
        return mean_and_std(self.outputs(observations, keys, steps, passes=passes))

    def action_value(self, observations: Array, actions: Array) -> FloatArray:
        """Return what the critics think actions are worth on average, (n,): the return to come, discounted."""
        if self.critic is None:
            raise InvalidParameter("the policy has no critic; train it with `offnominal train --algorithm ddpg`.")
        n = len(observations)
        both = np.concatenate([np.asarray(each, np.float32).reshape(n, -1) for each in (observations, actions)], axis=1)
        return mean_and_std(self.critic.passes(both, ENSEMBLE, 0.0, self.critic.members))[0][:, 0]

    def _require_width(self, observations: Array) -> None:
        given = np.shape(observations)[1:]
        if int(np.prod(given)) != int(np.prod(self.network.inputs)):
            raise InvalidParameter(f"the policy takes observations of shape {self.network.inputs}; given are {given}.")


def mean_and_std(outputs: Matrix) -> tuple[FloatArray, FloatArray]:
    """Return mean and standard deviation over the first axis, added in its order whatever the shape."""
    mean, deviation = (np.empty(outputs.shape[1:]) for _ in range(2))
    mean_and_std_kernel(outputs, mean, deviation)
    return mean, deviation
