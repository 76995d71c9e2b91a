"""Normalised scores of our policies: under published fault parameters, and of other policies under strong faults."""

from __future__ import annotations

from functools import cache

import numpy as np

from offnominal.agents.experts import EXPERT, expert
from offnominal.anomalies.fault import Fault
from offnominal.anomalies.schedule import Schedule
from offnominal.anomalies.strengths import strengths_of
from offnominal.core.streams import row_seeds
from offnominal.core.types import FloatArray
from offnominal.papers.anomaly_gym.published_numbers import ADDED_FAULTS, PAPER, world_id
from offnominal.papers.anomaly_gym.strength_table import anomaly_of, exact_parameter
from offnominal.papers.printed_values import printed_values
from offnominal.rollouts.collection import returns
from offnominal.rollouts.policy_evaluation import evaluate_policy
from offnominal.worlds import worlds

FIRST_SEED = 20_000_000
NORMAL = 1.96


def published_parameter_scores(world: str, episodes: int) -> list[dict[str, object]]:
    """Return the score of our expert under each published parameter of Table 9, with the fault on from the start.

    Args:
        world: Id of the world.
        episodes: Number of episodes per parameter.
    """
    found = []
    for row in printed_values(PAPER, "table_9"):
        if row["value"] and world_id(row["env"]) == world:
            parameter = exact_parameter(row)
            fault = Fault(anomaly_of(row), parameter, Schedule("start"))
            labels = {
                "world": world,
                "anomaly": anomaly_of(row),
                "level": row["strength"],
                "parameter": f"{parameter:g}",
            }
            found.append(labels | _interval(_paired_scores(world, fault, episodes)))
    return found


def strong_fault_scores(world: str, policy: str, episodes: int) -> dict[str, object]:
    """Return the mean score of a policy over the strong faults of a world, with random onsets as in datasets.

    Args:
        world: Id of the world.
        policy: Id of the shipped policy.
        episodes: Number of episodes per fault.
    """
    strong = [
        Fault(anomaly, parameter, Schedule())
        for (anomaly, level), parameter in strengths_of(world).items()
        if level == "strong" and anomaly not in ADDED_FAULTS.get(world, ())
    ]
    found = np.stack([_scores(world, policy, fault, episodes) for fault in strong])
    return {"world": world, "policy": policy, **_interval(found.mean(axis=0))}


def published_success(episodes: int) -> dict[str, object]:
    """Return the success rate of our expert of the reaching arm with the test of the public code.

    Args:
        episodes: Number of episodes.
    """
    world = "MJC-Reacher3D-v0"
    found = evaluate_policy(world, expert(world, EXPERT), episodes, success="published")
    return {"world": world, "episodes": episodes, "success": f"{found.success:.3f}"}


def _scores(world: str, policy: str, fault: Fault, episodes: int) -> FloatArray:
    """Return the normalised score of each episode: 1 is the expert without a fault, 0 random actions."""
    scores: FloatArray = 1.0 + (_returns(world, policy, fault, episodes) - _nominal(world, episodes).mean()) / _range(
        world, episodes
    )
    return scores


def _paired_scores(world: str, fault: Fault, episodes: int) -> FloatArray:
    """Return the same of the expert, each episode compared with that of the same seed without the fault.

    The mean is the same, and what the fault costs does not drown in the spread over seeds.
    """
    lost = _nominal(world, episodes) - _returns(world, EXPERT, fault, episodes)
    scores: FloatArray = 1.0 - lost / _range(world, episodes)
    return scores


@cache
def _nominal(world: str, episodes: int) -> FloatArray:
    """Return the returns of the expert without a fault."""
    return _returns(world, EXPERT, None, episodes)


def _range(world: str, episodes: int) -> float:
    """Return the difference between the expert and random actions."""
    random = worlds.card(world).random_return
    assert random is not None
    return float(_nominal(world, episodes).mean()) - random


def _returns(world: str, policy: str, fault: Fault | None, episodes: int) -> FloatArray:
    faults: list[tuple[Fault, ...]] = [() if fault is None else (fault,)] * episodes
    return returns(world, expert(world, policy), row_seeds(FIRST_SEED, episodes), faults)


def _interval(scores: FloatArray) -> dict[str, object]:
    mean, error = float(scores.mean()), float(scores.std(ddof=1)) / len(scores) ** 0.5
    ends = {"score": mean, "low": mean - NORMAL * error, "high": mean + NORMAL * error}
    return {name: f"{value:.4f}" for name, value in ends.items()}
