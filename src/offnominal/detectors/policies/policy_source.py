"""Which policy a detector looks into."""

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

PolicySource = UncertainPolicy | Path | str | None
"""A policy; its file; the name of a shipped one, as ``"OOD-CartPole-v0"`` or ``"OOD-CartPole-v0--dqn-dropout"``; or
None for the shipped ensemble whose observations and actions are those of the episodes."""


def resolve_policy(source: PolicySource, episode: Episode) -> UncertainPolicy:
    """Return the policy, or say why it cannot be that of an episode."""
    if source is None:
        return _fitting(episode)
    policy = source if isinstance(source, UncertainPolicy) else _read(source)
    if not is_compatible(policy, episode):
        raise InvalidParameter(
            f"the policy takes observations of shape {policy.network.inputs} and acts in {policy.space}; the episodes "
            f"have {episode.observations.shape[1:]} and {episode.actions.dtype} actions of shape "
            f"{episode.actions.shape[1:]}. Give the policy that acts in them."
        )
    return policy


def is_compatible(policy: UncertainPolicy, episode: Episode) -> bool:
    """Whether an episode has the observations and the kind of actions that a policy has."""
    seen, done = episode.observations.shape[1:], episode.actions
    if np.prod(seen) != np.prod(policy.network.inputs) or are_discrete(done) != isinstance(policy.space, Discrete):
        return False
    return are_discrete(done) or done.shape[1:] == policy.space.shape


def policy_name(source: PolicySource) -> str | None:
    """Return how a card names a policy: a given one by its weights."""
    if isinstance(source, UncertainPolicy):
        return f"weights-{policy_hash(source)[:16]}"
    return None if source is None else str(source)


def _read(source: Path | str) -> UncertainPolicy:
    if isinstance(source, Path) or Path(source).with_suffix(".json").exists():
        policy = load_policy(Path(source))[0]
    else:
        world, _, algorithm = source.partition("--")
        policy = expert(world, algorithm or None)
    if not isinstance(policy, UncertainPolicy):
        raise InvalidParameter(f"{source} is a policy without uncertainty; give an ensemble, or one with gaps.")
    return policy


def _fitting(episode: Episode) -> UncertainPolicy:
    cards = [card for card in expert_cards() if card.uncertainty == "ensemble"]
    for card in cards:
        policy = expert(card.world, card.algorithm)
        if isinstance(policy, UncertainPolicy) and is_compatible(policy, episode):
            return policy
    raise InvalidParameter(
        f"no shipped policy with uncertainty has observations of shape {episode.observations.shape[1:]} and "
        f"{episode.actions.dtype} actions of shape {episode.actions.shape[1:]}, only those of "
        f"{', '.join(card.world for card in cards)}; give one with policy=."
    )
