"""Policies with uncertainty estimates from an ensemble, MC-Dropout or DropConnect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from gymnasium.spaces import Box, Discrete

from offnominal.agents.uncertainty.dense_networks import DenseNetworks
from offnominal.agents.uncertainty.kernel import ENSEMBLE, mean_and_std_kernel
from offnominal.core.checks import integer_in, number_in, require_shape
from offnominal.core.dense_product import Matrix
from offnominal.core.errors import InvalidParameter, did_you_mean
from offnominal.core.policy import Policy
from offnominal.core.streams import stream_keys
from offnominal.core.types import Array, FloatArray, IntArray, KeyArray

UncertaintyKind = Literal["ensemble", "dropout", "dropconnect"]
UNCERTAINTY_KINDS: tuple[UncertaintyKind, ...] = ("ensemble", "dropout", "dropconnect")
MOST_PASSES = 10_000


class Networks(Protocol):
    """Networks of one shape, evaluated together."""

    @property
    def members(self) -> int:
        """Number of networks."""

    @property
    def inputs(self) -> tuple[int, ...]:
        """Shape of the input of one network."""

    @property
    def outputs(self) -> int:
        """Number of outputs of one network."""

    def passes(
        self, inputs: Array, kind: int, probability: float, count: int, keys: KeyArray | None, steps: IntArray | None
    ) -> Matrix:
        """Return the predictions of members or passes, (count, n, outputs)."""

    def layers(self) -> list[tuple[Matrix, Matrix]]:
        """Return (weight, bias) pairs ; the first axis is the member."""


@dataclass(frozen=True, slots=True)
class _State:
    keys: KeyArray
    step: int


class UncertainPolicy(Policy):
    """Policy that acts on the mean of several predictions and estimates its uncertainty from their spread.

    The predictions are those of the members of an ensemble, or of several passes of one network with random dropout
    masks. For discrete actions the network predicts action values, and the action with the largest mean is taken. For
    continuous actions it predicts the action itself, without bounds; the world clips it. Dropout masks are drawn from
    the episode's own random stream, so an episode does not depend on the batch.

    Args:
        network: The members of the ensemble, or the one network of MC-Dropout and DropConnect.
        space: Action space.
        kind: ``"ensemble"``: independently trained members; ``"dropout"``: random units of hidden layers are dropped
            in every pass; ``"dropconnect"``: random weights are dropped. Biases are never dropped. The remaining units
            or weights are scaled by 1 / (1 - probability).
        probability: Probability of being dropped.
        passes: Number of predictions; if None, all members of an ensemble, otherwise 5 passes.
        critic: Critics that predict the value of an observation and an action; for continuous actions.
        discount: Discount factor of the values.

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
                f"no kind of uncertainty {kind!r}.{did_you_mean(str(kind), UNCERTAINTY_KINDS)} "
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
                f"the critic maps {critic.inputs} inputs to {critic.outputs} outputs; expected ({together},) inputs, "
                "an observation and an action, and 1 output."
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
        """Return the random stream of every episode."""
        return _State(stream_keys(seeds, episodes, "uncertainty"), 0)

    def act(self, observations: Array, state: _State | None) -> tuple[Array, _State]:
        """Return the actions of the mean predictions."""
        state = self.begun(observations, state)
        steps = np.full(len(observations), state.step)
        mean, _ = self.predict(observations, state.keys, steps)
        return self.select_actions(mean), _State(state.keys, state.step + 1)

    def take(self, state: _State, rows: IntArray) -> _State:
        """Return the streams of the given rows."""
        return _State(state.keys[rows], state.step)

    def select_actions(self, mean: FloatArray) -> Array:
        """Return the actions of mean predictions: the largest value if discrete, else the mean itself."""
        require_shape("mean", mean, "n", self.network.outputs)
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
        """Return all predictions, (passes, n, outputs): action values if discrete, actions if continuous.

        Args:
            observations: (n, ...).
            keys: (n,): random stream of each row's dropout masks; not used by an ensemble.
            steps: (n,): position of each row in its stream.
            passes: Number of passes, or of the first members of an ensemble; the policy's own number if None.
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
        """Return the mean of the critics' values, (n,): the expected discounted return."""
        if self.critic is None:
            raise InvalidParameter("the policy has no critic; train it with `offnominal train --algorithm ddpg`.")
        n = len(observations)
        both = np.concatenate([np.asarray(part, np.float32).reshape(n, -1) for part in (observations, actions)], axis=1)
        return mean_and_std(self.critic.passes(both, ENSEMBLE, 0.0, self.critic.members))[0][:, 0]

    def _require_width(self, observations: Array) -> None:
        given = np.shape(observations)[1:]
        if int(np.prod(given)) != int(np.prod(self.network.inputs)):
            raise InvalidParameter(f"the policy takes observations of shape {self.network.inputs}; got {given}.")


def mean_and_std(outputs: Matrix) -> tuple[FloatArray, FloatArray]:
    """Return mean and standard deviation over the first axis, summed in its order for every shape."""
    mean, deviation = (np.empty(outputs.shape[1:]) for _ in range(2))
    mean_and_std_kernel(outputs, mean, deviation)
    return mean, deviation
