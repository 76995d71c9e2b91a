"""Layers from observation to deterministic action in the networks of Stable-Baselines3, by algorithm."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from offnominal.agents.network import Activation
from offnominal.agents.state_dicts import Layers
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array

SUPPORTED = "TQC, SAC, TD3, DDPG, PPO, A2C or DQN"


@dataclass(frozen=True, slots=True)
class Family:
    """Algorithms whose policies have the same networks.

    Args:
        stem: Name of the hidden layers, which are numbered 0, 2, 4 and so on.
        output: Name of the output layer; empty if it is the last of the numbered layers.
        own: Pattern of all tensors between observation and action.
        activation: Default activation function of the hidden layers.
        squash: Whether actions pass through tanh.
    """

    stem: str
    output: str
    own: re.Pattern[str]
    activation: Activation
    squash: bool


STOCHASTIC = Family(
    "actor.latent_pi", "actor.mu", re.compile(r"actor\.(latent_pi\.\d+|mu|log_std)\.(weight|bias)"), "relu", True
)
DETERMINISTIC = Family("actor.mu", "", re.compile(r"actor\.mu\.\d+\.(weight|bias)"), "relu", True)
ACTOR_CRITIC = Family(
    "mlp_extractor.policy_net",
    "action_net",
    re.compile(r"(mlp_extractor\.(policy|value)_net\.\d+|action_net|value_net)\.(weight|bias)|log_std"),
    "tanh",
    False,
)
Q_NETWORK = Family("q_net.q_net", "", re.compile(r"q_net(_target)?\.q_net\.\d+\.(weight|bias)"), "relu", False)


def family_of(tensors: Mapping[str, Array]) -> Family:
    """Return the family of algorithms to which the tensors of a policy belong."""
    if any(name.startswith("q_net.") for name in tensors):
        return Q_NETWORK
    if "action_net.weight" in tensors:
        return ACTOR_CRITIC
    stochastic = not {"actor.mu.weight", "actor.latent_pi.0.weight"}.isdisjoint(tensors)
    return STOCHASTIC if stochastic else DETERMINISTIC


def actor_layers(tensors: Mapping[str, Array]) -> Layers:
    """Return the (weight, bias) pairs from observation to greedy action, weights as (inputs, outputs).

    Args:
        tensors: Tensors by their names in Stable-Baselines3; those of critics are not used.
    """
    family = family_of(tensors)
    names = {name for name in tensors if not name.startswith(("critic", "actor_target"))}
    unexpected = sorted(name for name in names if not family.own.fullmatch(name))
    hidden = [name for name in tensors if re.fullmatch(rf"{re.escape(family.stem)}\.\d+\.weight", name)]
    path = [f"{family.stem}.{2 * index}" for index in range(len(hidden))] + [family.output] * bool(family.output)
    ranks = {f"{step}.weight": 2 for step in path} | {f"{step}.bias": 1 for step in path}
    if unexpected or not path or any(name not in names or tensors[name].ndim != rank for name, rank in ranks.items()):
        found = ", ".join((unexpected or sorted(names) or sorted(tensors))[:4])
        raise InvalidParameter(
            f"the agent is built from {found or 'nothing'}; expected the plain layers of {SUPPORTED} "
            "(MlpPolicy, no images, no state-dependent exploration of an off-policy agent)."
        )
    if not all(np.isfinite(tensors[name]).all() for name in ranks):
        raise InvalidParameter("the agent has weights that are not finite; train it again.")
    return [(tensors[f"{step}.weight"].T, tensors[f"{step}.bias"]) for step in path]


def algorithm_of(tensors: Mapping[str, Array], stated: str = "") -> str:
    """Return the algorithm of a policy.

    Args:
        tensors: Tensors by their names in Stable-Baselines3.
        stated: Text of the description from which PPO is told from A2C.
    """
    family = family_of(tensors)
    if family is Q_NETWORK:
        return "dqn"
    if family is ACTOR_CRITIC:
        return stated or "ppo"
    if family is DETERMINISTIC:
        return "td3" if "critic.qf1.0.weight" in tensors else "ddpg"
    outputs = [bias.size for name, bias in tensors.items() if re.fullmatch(r"critic\.qf0\.\d+\.bias", name)]
    return "tqc" if outputs and outputs[-1] > 1 else "sac"
