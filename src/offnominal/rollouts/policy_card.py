"""The card of a trained policy with its evaluation on fresh episodes."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from gymnasium.spaces import Discrete

from offnominal.agents.files import PolicyCard, TrainedPolicy
from offnominal.agents.uncertainty import UncertainPolicy
from offnominal.rollouts.policy_evaluation import evaluate_policy, evaluation_options


def evaluated_card(
    world: str, algorithm: str, policy: TrainedPolicy, *, episodes: int = 1000, seed: int = 50_000_000, **about: Any
) -> PolicyCard:
    """Evaluate a policy on fresh nominal episodes and return its card.

    Args:
        world: Id of the world.
        algorithm: Name of the algorithm that trained it.
        policy: The policy.
        episodes: Number of episodes, unless the world's card sets another one; see
            :func:`~offnominal.rollouts.policy_evaluation.evaluation_options`.
        seed: Seed of the first episode.
        **about: Other fields of the card.

    Example:
        >>> from offnominal.agents import expert
        >>> evaluated_card("OOD-CartPole-v0", "dqn-ensemble", expert("OOD-CartPole-v0"), episodes=20).mean_return
        200.0
    """
    found = evaluate_policy(world, policy, seed=seed, **evaluation_options(world, episodes))
    return PolicyCard(world=world, algorithm=algorithm, **_described(policy), **asdict(found), **about)


def _described(policy: TrainedPolicy) -> dict[str, Any]:
    """Return the fields of a card that describe the policy itself."""
    space = policy.space
    if isinstance(space, Discrete):
        actions = {"low": (), "high": (), "n_actions": int(space.n)}
    else:
        actions = {"low": tuple(space.low.tolist()), "high": tuple(space.high.tolist())}
    if isinstance(policy, UncertainPolicy):
        numbers = {"probability": policy.probability, "passes": policy.passes, "discount": policy.discount}
        return {**actions, **numbers, "squash": False, "uncertainty": policy.kind}
    return {**actions, "activation": policy.activation, "squash": policy.squash}
