"""Selection of the policy of a policy detector."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from gymnasium.spaces import Discrete

from offnominal.agents.experts import expert, expert_cards
from offnominal.agents.files import load_policy, policy_hash
from offnominal.agents.uncertainty import UncertainPolicy
from offnominal.core.discrete_actions import are_discrete
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.core.policy import Policy

PolicySource = UncertainPolicy | Path | str | None
"""A policy; its file; the name of a shipped policy, as ``"OOD-CartPole-v0"`` or ``"OOD-CartPole-v0--dqn-dropout"``; or
None for the shipped ensemble that is compatible with the episodes."""


def resolve_policy(source: PolicySource, episode: Episode) -> UncertainPolicy:
    """Return the policy; raise :class:`InvalidParameter` if it is not compatible with an episode."""
    if source is None:
        return _compatible_ensemble(episode)
    policy = source if isinstance(source, UncertainPolicy) else _read(source)
    if not is_compatible(policy, episode):
        raise InvalidParameter(
            f"the policy takes observations of shape {policy.network.inputs} and acts in {policy.space}; the episodes "
            f"have {episode.observations.shape[1:]} and {episode.actions.dtype} actions of shape "
            f"{episode.actions.shape[1:]}. Give the policy of these episodes."
        )
    return policy


def is_compatible(policy: UncertainPolicy, episode: Episode) -> bool:
    """Return whether an episode has the observation shape and the kind of actions of a policy."""
    shape, actions = episode.observations.shape[1:], episode.actions
    if np.prod(shape) != np.prod(policy.network.inputs) or are_discrete(actions) != isinstance(policy.space, Discrete):
        return False
    return are_discrete(actions) or actions.shape[1:] == policy.space.shape


def policy_name(source: PolicySource) -> str | None:
    """Return the name of a policy in a saved card; a policy object is named by the hash of its weights."""
    if isinstance(source, UncertainPolicy):
        return f"weights-{policy_hash(source)[:16]}"
    return None if source is None else str(source)


def _read(source: Path | str) -> UncertainPolicy:
    if isinstance(source, Path) or Path(source).with_suffix(".json").exists():
        policy: Policy = load_policy(Path(source))[0]
    else:
        world, _, algorithm = source.partition("--")
        policy = expert(world, algorithm or None)
    if not isinstance(policy, UncertainPolicy):
        raise InvalidParameter(
            f"{source} is a policy without uncertainty estimates; give an ensemble, or one with dropout or dropconnect."
        )
    return policy


def _compatible_ensemble(episode: Episode) -> UncertainPolicy:
    cards = [card for card in expert_cards() if card.uncertainty == "ensemble"]
    for card in cards:
        policy = expert(card.world, card.algorithm)
        if isinstance(policy, UncertainPolicy) and is_compatible(policy, episode):
            return policy
    raise InvalidParameter(
        f"no shipped ensemble has observations of shape {episode.observations.shape[1:]} and "
        f"{episode.actions.dtype} actions of shape {episode.actions.shape[1:]}, only those of "
        f"{', '.join(card.world for card in cards)}; give one with policy=."
    )
