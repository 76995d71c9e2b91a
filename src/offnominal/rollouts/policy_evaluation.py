"""Evaluation of policies on fresh episodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.anomalies.fault import FaultsPerRow
from offnominal.anomalies.fault_injection import row_faults
from offnominal.core.checks import integer_in
from offnominal.core.policy import Policy
from offnominal.core.streams import row_seeds
from offnominal.core.types import Array
from offnominal.rollouts.collection import MOST_EPISODES, collect
from offnominal.worlds.catalogue import worlds
from offnominal.worlds.world_source import WorldSource


@dataclass(frozen=True, slots=True)
class PolicyEvaluation:
    """Result of :func:`evaluate_policy`.

    Args:
        episodes: Number of episodes.
        mean_return: Mean return.
        return_interval: Half the width of its 95 % confidence interval.
        success: Share of successful episodes.
        mean_length: Mean length of the episodes.
    """

    episodes: int
    mean_return: float
    return_interval: float
    success: float
    mean_length: float


def evaluate_policy(
    world: WorldSource,
    policy: Policy | Callable[[Array], Array],
    n: int = 1000,
    *,
    seed: int = 50_000_000,
    faults: FaultsPerRow = None,
    **options: object,
) -> PolicyEvaluation:
    """Evaluate a policy on fresh episodes.

    Args:
        world: As for :func:`collect`.
        policy: As for :func:`collect`.
        n: Number of episodes.
        seed: Seed of the first episode.
        faults: As for :func:`collect`.
        **options: Other arguments of :func:`collect`.

    Example:
        >>> from offnominal.agents import PotentialField
        >>> evaluate_policy("SAP-Goal0-v0", PotentialField(), 100).success > 0.9
        True
    """
    rows = row_faults(faults, integer_in("the number of episodes", n, 1, MOST_EPISODES))
    arguments: dict[str, Any] = dict(options)
    row_seeds(seed, n)
    batch = (worlds.evaluation_terms(world).batch_size if isinstance(world, str) else None) or n
    outcomes = []
    for first in range(0, n, batch):
        some = rows[first : first + batch]
        episodes = collect(world, policy, len(some), faults=some, seed=seed + first, **arguments)
        outcomes += [(episode.total_reward, episode.success, len(episode)) for episode in episodes]
    returns, success, lengths = np.array(outcomes, np.float64).T
    spread = float(returns.std(ddof=1)) if n > 1 else 0.0
    return PolicyEvaluation(
        episodes=n,
        mean_return=float(returns.mean()),
        return_interval=1.96 * spread / float(np.sqrt(n)),
        success=float(success.mean()),
        mean_length=float(lengths.mean()),
    )


def evaluation_options(world: str, n: int, *, during_training: bool = False) -> dict[str, Any]:
    """Return the arguments of :func:`evaluate_policy` for the policies of a world, as its card sets them.

    Args:
        world: Id of the world.
        n: Number of episodes, unless the card sets another one.
        during_training: Whether this is an evaluation during training.

    Example:
        >>> evaluation_options("OOD-CartPole-v0", 1000), evaluation_options("OOD-Pong-v0", 1000)
        ({'n': 1000}, {'n': 30, 'max_steps': 10000, 'noops': 30})
    """
    terms = worlds.evaluation_terms(world)
    episodes, max_steps = terms.episodes, terms.max_steps
    if during_training:
        episodes, max_steps = terms.training_episodes, terms.training_max_steps
    return {"n": episodes or n, **({"max_steps": max_steps} if max_steps else {}), **terms.options}
