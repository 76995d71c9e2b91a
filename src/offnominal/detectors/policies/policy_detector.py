"""Base classes of the policy detectors."""

from __future__ import annotations

import json
import math
import os
from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from gymnasium.spaces import Box, Discrete

from offnominal.agents.uncertainty import UncertainPolicy
from offnominal.agents.uncertainty.convolution import NATURE_CNN
from offnominal.agents.uncertainty.dense_networks import DenseNetworks
from offnominal.agents.uncertainty.files import CRITIC, from_tensors, to_tensors
from offnominal.agents.uncertainty.policy import UNCERTAINTY_KINDS
from offnominal.core.checks import LARGEST_INTEGER, integer_in, number_in, one_of
from offnominal.core.episode import Episode
from offnominal.core.errors import DamagedFile, InvalidParameter, UnsupportedExport
from offnominal.core.files import parse_json
from offnominal.core.printable import shown
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.content_hash import content_keys
from offnominal.detectors.detector import TransitionDetector
from offnominal.detectors.policies.policy_source import PolicySource, policy_name, resolve_policy
from offnominal.detectors.state_arrays import StateArrays

if TYPE_CHECKING:
    from torch import Tensor

    from offnominal.detectors.torch_step import TorchStep


ObservationName = Literal["next_observation", "observation"]
OBSERVATIONS: tuple[ObservationName, ...] = ("next_observation", "observation")
POLICY = "policy."


class PolicyDetector(TransitionDetector):
    """A detector that scores the predictions of a policy with uncertainty estimates.

    `fit` selects the policy and learns nothing else. Dropout masks are drawn from streams of the detector, which depend
    on the seed of `fit` and on the observation. Scoring never changes the policy, and an observation has the same score
    online and in a batch.

    Args:
        policy: Policy to use; see :data:`~offnominal.detectors.policies.policy_source.PolicySource`.
        passes: Number of predictions per observation; that of the policy if None.
    """

    default_world: ClassVar[str | None] = "OOD-CartPole-v0"
    raw_discrete_actions: ClassVar[bool] = True
    export_tolerance: ClassVar[float] = 1e-4
    """Values of about 100 in single precision are subtracted."""

    def __init__(self, policy: PolicySource = None, *, passes: int | None = None) -> None:
        if policy is not None and not isinstance(policy, UncertainPolicy | str | os.PathLike):
            raise InvalidParameter(f"policy is {shown(policy)}; expected an UncertainPolicy, its file or its name.")
        self.policy = policy
        self.passes = None if passes is None else integer_in("passes", passes, 1, MOST_PASSES)

    def _fit(self, episodes: Sequence[Episode], validation: Sequence[Episode] | None, seed: int) -> None:
        self.policy_ = resolve_policy(self.policy, episodes[0])
        self.seed_ = seed

    def _score(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        # One episode at a time: the images of all episodes may not fit into memory.
        return [super(PolicyDetector, self)._score([episode])[0] for episode in episodes]

    def predicted(self, observations: Array) -> tuple[FloatArray, FloatArray]:
        """Return mean and standard deviation of the policy's predictions, (n, outputs) each."""
        return self.policy_.predict(observations, *self._streams(observations), passes=self.passes)

    def _streams(self, observations: Array) -> tuple[Any, Any]:
        """Return keys and counters of the streams of dropout masks; None if the policy draws none."""
        policy = self.policy_
        if policy.kind == "ensemble" or len(policy.network.inputs) > 1:
            return None, None
        return content_keys(observations, self.seed_, "policy-detector"), np.zeros(len(observations), np.int64)

    def _torch_outputs(self, observations: Tensor) -> Tensor:
        """Return the predictions of the ensemble, (members, n, outputs) double, by torch operators."""
        if self.policy_.kind != "ensemble" or not isinstance(self.policy_.network, DenseNetworks):
            raise UnsupportedExport(
                f"{self.name} uses a {self.policy_.kind} policy with inputs {self.policy_.network.inputs}; only "
                "ensembles on vectors have an ONNX form, because dropout masks are drawn from streams of this package."
            )
        count = self.policy_.passes if self.passes is None else self.passes
        return _torch_networks(self.policy_.network, observations, count)

    def _torch_predicted(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return the same as :meth:`predicted` by torch operators."""
        outputs = self._torch_outputs(observations)
        mean = outputs.mean(0)
        return mean, (outputs - mean).square().mean(0).sqrt()

    def _torch_values(self, mean: Tensor, observations: Tensor) -> Tensor:
        """Return the same as :func:`values_of` by torch operators."""
        if isinstance(self.policy_.space, Discrete):
            return mean.amax(1)
        return self._torch_action_value(observations, mean)

    def _torch_action_value(self, observations: Tensor, actions: Tensor) -> Tensor:
        """Return the mean of the critics' values by torch operators."""
        import torch

        critic = self.policy_.critic
        if critic is None:
            raise UnsupportedExport(f"the policy of {self.name} has no critic, so that there are no values.")
        both = torch.cat([observations, actions], dim=1)
        return _torch_networks(critic, both, critic.members).mean(0)[:, 0]

    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments."""
        return {"policy": policy_name(self.policy), "passes": self.passes}

    def _state_dict(self) -> dict[str, Array]:
        """Return the policy; a saved detector needs no other file."""
        policy = self.policy_
        space = policy.space
        about = {
            "kind": policy.kind,
            "probability": policy.probability,
            "passes": policy.passes,
            "discount": policy.discount,
            "space": [int(space.n)] if isinstance(space, Discrete) else [space.low.tolist(), space.high.tolist()],
        }
        return {
            "seed": np.array([self.seed_]),
            "about": np.frombuffer(json.dumps(about).encode(), np.uint8).copy(),
            **{f"{POLICY}{name}": values for name, values in to_tensors(policy).items()},
        }

    def _load_state_dict(self, state: StateArrays) -> None:
        self.seed_ = state.integer("seed", low=-LARGEST_INTEGER, high=LARGEST_INTEGER)
        self.policy_ = load_saved_policy(state, POLICY)
        inputs, space = self.policy_.network.inputs, self.policy_.space
        if self.widths_ != (math.prod(inputs), math.prod(space.shape or ())):
            raise DamagedFile(
                f"the policy takes observations of shape {inputs} and acts in {space}; {state.owner} was fitted "
                f"to widths {self.widths_[0]} and {self.widths_[1]}."
            )


class ObservationDetector(PolicyDetector):
    """A policy detector that scores one observation of each transition.

    Args:
        policy: Policy to use; see :data:`~offnominal.detectors.policies.policy_source.PolicySource`.
        passes: Number of predictions per observation; that of the policy if None.
        view: Whether to score the ``"next_observation"`` or the ``"observation"`` of each transition.
    """

    def __init__(
        self, policy: PolicySource = None, *, passes: int | None = None, view: ObservationName = "next_observation"
    ) -> None:
        super().__init__(policy, passes=passes)
        self.view: ObservationName = one_of("view", view, OBSERVATIONS)

    def _score_transitions(self, observations: Array, actions: Array, after: Array) -> FloatArray:
        return self._anomaly_scores(after if self.view == "next_observation" else observations)

    @abstractmethod
    def _anomaly_scores(self, observations: Array) -> FloatArray:
        """Return the anomaly scores of observations (n, ...)."""

    def _torch_scores(self, observations: Tensor) -> Tensor:
        """Return the same as :meth:`_anomaly_scores` by torch operators."""
        raise UnsupportedExport(f"{self.name} has no ONNX form: it does not implement `_torch_scores`.")

    def _torch_update(self, state: None, step: TorchStep) -> tuple[None, Tensor]:
        is_next = self.view == "next_observation"
        return None, self._torch_scores(step.next_observation if is_next else step.observation)

    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments."""
        return {**super().get_params(), "view": self.view}


def _torch_networks(networks: DenseNetworks, inputs: Tensor, count: int) -> Tensor:
    """Return the predictions of the first members, (count, n, outputs) double, by torch operators."""
    import torch

    *hidden, (weight, bias) = ((torch.from_numpy(w[:count]), torch.from_numpy(b[:count])) for w, b in networks.layers())
    values = inputs.float().expand(count, -1, -1)
    for inner, offset in hidden:
        values = torch.relu(values @ inner + offset[:, None])
    return (values @ weight + bias[:, None]).double()


def values_of(policy: UncertainPolicy, mean: FloatArray, observations: Array) -> FloatArray:
    """Return the values of the policy's own actions, (n,).

    Args:
        policy: Policy with a value function.
        mean: (n, outputs): mean prediction of the policy.
        observations: (n, ...).
    """
    if isinstance(policy.space, Discrete):
        best: FloatArray = mean.max(axis=1)
        return best
    return policy.action_value(observations, mean)


MOST_PASSES = 10_000
ABOUT = {"kind", "probability", "passes", "discount", "space"}
MAX_BYTES = 2**20
"""Largest size of the description of a policy."""


def load_saved_policy(state: StateArrays, prefix: str) -> UncertainPolicy:
    """Return a policy from its description and the arrays whose names have a prefix.

    Raises:
        DamagedFile: Layers do not match each other or the action space, or the description is invalid.
    """
    text = state.take("about", ("bytes",), np.uint8)
    about = parse_json(text.tobytes()[:MAX_BYTES], "the description of the policy")
    if not isinstance(about, dict) or about.keys() != ABOUT:
        raise DamagedFile(f"the description of the policy has invalid keys; expected {', '.join(sorted(ABOUT))}.")
    about["kind"] = one_of("kind", about["kind"], UNCERTAINTY_KINDS)
    about["probability"] = number_in("probability", about["probability"], 0.0, 1.0, open_high=True)
    about["discount"] = number_in("discount", about["discount"], 0.0, 1.0)
    about["passes"] = integer_in("passes", about["passes"], 1, MOST_PASSES)
    space = _space(about.pop("space"))
    tensors = _layers(state, prefix, "")
    if not tensors:
        raise DamagedFile("the policy has no layers.")
    critic = _layers(state, prefix, CRITIC)
    policy = from_tensors(tensors | critic, space, **about)
    if critic and policy.critic is not None:
        inputs = int(np.prod(policy.network.inputs)) + policy.network.outputs
        if policy.critic.inputs != (inputs,) or policy.critic.outputs != 1:
            raise DamagedFile(f"the critic has inputs {policy.critic.inputs}; expected {inputs}, and one output.")
    return policy


def _space(limits: Any) -> Box | Discrete:
    """Return the action space from the number of discrete actions, or from the lower and upper bounds."""
    if isinstance(limits, list) and len(limits) == 1:
        return Discrete(integer_in("the number of actions", limits[0], 1, 10**6))
    bounds = np.array(limits, np.float32)
    if bounds.ndim < 2 or len(bounds) != 2 or not (bounds[0] <= bounds[1]).all():
        raise DamagedFile(f"the actions of the policy go from {bounds[:1]} to {bounds[1:2]}; expected two bounds.")
    return Box(*bounds)


def _layers(state: StateArrays, prefix: str, part: str) -> dict[str, Array]:
    """Return the weights of all layers of a network; the widths of consecutive layers must match."""
    tensors: dict[str, Array] = {}
    index = 0
    images = state.dimensions(f"{prefix}{part}0.weight") == 5
    dtype = np.float16 if images else np.float32
    while f"{prefix}{part}{index}.weight" in state:
        stem, inputs, outputs = f"{part}{index}", f"{part}{index} units", f"{part}{index + 1} units"
        filters = images and index < len(NATURE_CNN)
        sides: tuple[int | str, ...] = (NATURE_CNN[index].side,) * 2 if filters else ()
        if images and index == len(NATURE_CNN):
            inputs = "features"
        shape = (f"{part}members", inputs, *sides, outputs)
        tensors[f"{stem}.weight"] = state.take(f"{prefix}{stem}.weight", shape, dtype)
        tensors[f"{stem}.bias"] = state.take(f"{prefix}{stem}.bias", (f"{part}members", outputs), dtype)
        index += 1
    return tensors
