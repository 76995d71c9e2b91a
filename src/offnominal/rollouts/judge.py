"""How good a policy is, on episodes it has not seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.agents.policy import Policy
from offnominal.core.types import Array
from offnominal.rollouts.collect import WorldSource, collect


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a policy earned.

    Args:
        episodes: How many it was judged on.
        mean_return: Their mean return.
        return_interval: Half the width of its 95 % interval.
        success: Share that succeeded.
        mean_length: Their mean length.
    """

    episodes: int
    mean_return: float
    return_interval: float
    success: float
    mean_length: float


def judge(
    world: WorldSource,
    policy: Policy | Callable[[Array], Array],
    n: int = 1000,
    *,
    seed: int = 50_000_000,
    anomalies: Any = None,
    **options: Any,
) -> Judgement:
    """Return how well a policy does; arguments are those of :func:`collect`.

    Example:
        >>> from offnominal.agents import PotentialField
        >>> judge("SAP-Goal0-v0", PotentialField(), 100).success > 0.9
        True
    """
    episodes = collect(world, policy, n, anomalies=anomalies, seed=seed, **options)
    returns = np.array([episode.total_reward for episode in episodes])
    spread = float(returns.std(ddof=1)) if n > 1 else 0.0
    return Judgement(
        episodes=n,
        mean_return=float(returns.mean()),
        return_interval=1.96 * spread / float(np.sqrt(n)),
        success=float(np.mean([episode.success for episode in episodes])),
        mean_length=float(np.mean([len(episode) for episode in episodes])),
    )
