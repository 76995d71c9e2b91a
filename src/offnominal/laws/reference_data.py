"""Reference data of the law of learning: three tables and two worlds, whose faults a Gaussian hardly notices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from offnominal.anomalies.fault import Fault
from offnominal.core.episode import Episode
from offnominal.core.policy import RandomPolicy
from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray
from offnominal.rollouts.collection import collect
from offnominal.worlds.world_source import build_world

ROWS, FRESH_ROWS = 600, 400
"""Number of nominal rows for training; of nominal rows, and of anomalous ones, to score."""
COLUMNS = 4
EPISODES, FRESH_EPISODES = 60, 30
"""The same of episodes."""


@dataclass(frozen=True, slots=True)
class ReferenceTable:
    """Nominal rows, and anomalous ones from a normal distribution with the same mean and covariance.

    Args:
        training: Nominal rows to learn from.
        nominal: Other nominal rows.
        anomalous: Anomalous rows.
    """

    training: FloatArray
    nominal: FloatArray
    anomalous: FloatArray


@dataclass(frozen=True, slots=True)
class ReferenceEpisodes:
    """Episodes of random actions with and without a fault.

    Args:
        training: Nominal episodes to learn from.
        nominal: Nominal twins of the faulty episodes.
        faulty: Episodes with the fault from the onset on.
        onset: Step of the onset. Earlier steps are not compared.
        needs_transition: Whether the fault changes how observations follow each other rather than what they are.
    """

    training: list[Episode]
    nominal: list[Episode]
    faulty: list[Episode]
    onset: int
    needs_transition: bool


def _ring(rng: np.random.Generator, n: int) -> FloatArray:
    """Rows on a noisy circle."""
    angle, radius = rng.uniform(0.0, 2.0 * np.pi, n), rng.normal(1.0, 0.05, n)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def _clusters(rng: np.random.Generator, n: int) -> FloatArray:
    """Rows in three clusters."""
    angle = 2.0 * np.pi / 3.0 * rng.integers(3, size=n)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1) + rng.normal(0.0, 0.15, (n, 2))


def _product(rng: np.random.Generator, n: int) -> FloatArray:
    """Rows whose last column is the product of the others; they are uncorrelated."""
    factors = rng.normal(size=(n, 2))
    return np.column_stack([factors, factors.prod(axis=1) + rng.normal(0.0, 0.1, n)])


_TABLES: dict[str, Callable[[np.random.Generator, int], FloatArray]] = {
    "ring": _ring,
    "clusters": _clusters,
    "product": _product,
}
REFERENCE_TABLES = tuple(_TABLES)
"""Names of the tables."""

_FAULTS = {
    "OOD-Pendulum-v0": ("observation/offset", 0.1, 20, False),
    "OOD-CartPole-v0": ("dynamics/push_force", 5.0, 10, True),
}
"""Anomaly, strength and onset of the fault in each world, and whether only transitions show it."""
REFERENCE_WORLDS = tuple(_FAULTS)
"""Ids of the worlds."""


@cache
def reference_table(name: str) -> ReferenceTable:
    """Return a table by its name, with columns of zero mean and unit deviation.

    Further columns are normal; all columns are rotated, so that every one depends on every other.

    Example:
        >>> reference_table("ring").training.shape
        (600, 4)
    """
    rng = Stream.named(0, 0, f"reference/{name}").generator()
    rows = _TABLES[name](rng, ROWS + FRESH_ROWS)
    noise = rng.normal(0.0, rows.std(), (len(rows), COLUMNS - rows.shape[1]))
    rotation = np.linalg.qr(rng.normal(size=(COLUMNS, COLUMNS)))[0]
    rows = np.column_stack([rows, noise]) @ rotation
    training = rows[:ROWS]
    mean, deviation = training.mean(axis=0), training.std(axis=0)
    anomalous = rng.multivariate_normal(mean, np.cov(training.T), FRESH_ROWS)
    return ReferenceTable(*((part - mean) / deviation for part in (training, rows[ROWS:], anomalous)))


@cache
def reference_episodes(world: str) -> ReferenceEpisodes:
    """Return the episodes of a world by its id.

    Example:
        >>> found = reference_episodes("OOD-Pendulum-v0")
        >>> len(found.training), len(found.nominal), len(found.faulty), found.onset
        (60, 30, 30, 20)
    """
    anomaly, strength, onset, needs_transition = _FAULTS[world]
    fault = Fault(anomaly, strength, onset)
    policy = RandomPolicy(build_world(world, 1).action_space)
    training = collect(world, policy, EPISODES, seed=0, max_steps=60)
    nominal, faulty = (
        collect(world, policy, FRESH_EPISODES, faults=each, seed=900, max_steps=60) for each in (None, fault)
    )
    return ReferenceEpisodes(training, nominal, faulty, onset, needs_transition)
