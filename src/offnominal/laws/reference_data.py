"""Reference data of the law of learning: tables, worlds, moving bars and symbols, whose faults a Gaussian can miss."""

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
SIDE, GREY, STEP, BAR_NOISE = 32, 128.0, 4, 8.0
"""Width of an image, its background, pixels that a bar moves in a step, and standard deviation of the noise."""
BAR_EPISODES, FRESH_BAR_EPISODES, BAR_LENGTH, BAR_ONSET = 24, 12, 20, 8
N_COUNTS, PHASES, SYMBOL_LENGTH, SYMBOL_ONSET = 22, 6, 40, 10
"""Counts of a symbolic observation, phases of the cycle, and length and onset of episodes of symbols."""


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
    """

    training: list[Episode]
    nominal: list[Episode]
    faulty: list[Episode]
    onset: int


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
    "OOD-Pendulum-v0": ("observation/offset", 0.1, 20),
    "OOD-CartPole-v0": ("dynamics/push_force", 5.0, 10),
}
"""Anomaly, strength and onset of the fault in each world."""
REFERENCE_WORLDS = tuple(_FAULTS)
"""Ids of the worlds."""
SHOWN_BY_TRANSITIONS = ("OOD-CartPole-v0",)
"""Worlds whose fault changes how observations follow each other rather than what they are."""


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
    anomaly, strength, onset = _FAULTS[world]
    fault = Fault(anomaly, strength, onset)
    policy = RandomPolicy(build_world(world, 1).action_space)
    training = collect(world, policy, EPISODES, seed=0, max_steps=60)
    nominal, faulty = (
        collect(world, policy, FRESH_EPISODES, faults=each, seed=900, max_steps=60) for each in (None, fault)
    )
    return ReferenceEpisodes(training, nominal, faulty, onset)


REFERENCE_IMAGES = ("bar-actions", "bar-direction", "bar-width")
"""Names of the images of a bar: faults of how it follows actions, of its direction, and of its width."""
REFERENCE_SYMBOLS = ("cycle",)
"""Names of the symbols."""


@cache
def reference_images(name: str) -> ReferenceEpisodes:
    """Return episodes of a bright or dark bar that moves on a grey background with noise.

    The bar moves by its action to one side or the other. In ``"bar-actions"`` a fault reverses it. In
    ``"bar-direction"`` bright bars move right and dark ones left, and a fault reverses that. In ``"bar-width"`` bright
    bars are wide and dark ones narrow, and a fault exchanges the widths. So every position, step, brightness and width
    is nominal; the fault is in how they belong together.

    Example:
        >>> found = reference_images("bar-actions")
        >>> len(found.training), found.training[0].observations.shape
        (24, (21, 3, 32, 32))
    """
    training = [_bar_episode(name, seed, None) for seed in range(BAR_EPISODES)]
    seeds = range(BAR_EPISODES, BAR_EPISODES + FRESH_BAR_EPISODES)
    nominal, faulty = ([_bar_episode(name, seed, onset) for seed in seeds] for onset in (None, BAR_ONSET))
    return ReferenceEpisodes(training, nominal, faulty, BAR_ONSET)


def _bar_episode(name: str, seed: int, onset: int | None) -> Episode:
    """Return an episode; its noise does not depend on the fault."""
    rng = Stream.named(seed, 0, f"reference/{name}").generator()
    actions, active = (
        rng.choice((-1.0, 1.0), BAR_LENGTH),
        np.arange(BAR_LENGTH) >= (BAR_LENGTH if onset is None else onset),
    )
    bright, start = bool(rng.integers(2)), int(rng.integers(SIDE))
    if name == "bar-direction":
        actions = np.full(BAR_LENGTH, 1.0 if bright else -1.0)
    turned = active & (name in ("bar-actions", "bar-direction"))
    positions = start + STEP * np.concatenate([[0.0], np.cumsum(np.where(turned, -actions, actions))])
    given = np.zeros(BAR_LENGTH) if name == "bar-direction" else actions
    wide = np.full(BAR_LENGTH + 1, bright if name == "bar-width" else True)
    wide[1:] ^= active & (name == "bar-width")
    frames = np.full((BAR_LENGTH + 1, SIDE, SIDE), GREY)
    contrast = rng.uniform(60.0, 100.0, BAR_LENGTH + 1) * (1.0 if bright else -1.0)
    for frame, position, width, difference in zip(
        frames, positions.astype(int), np.where(wide, 8, 4), contrast, strict=True
    ):
        frame[:, np.arange(position - width // 2, position + width // 2) % SIDE] += difference
    frames += rng.normal(0.0, BAR_NOISE, frames.shape)
    pixels = np.repeat(frames.clip(0.0, 255.0).astype(np.uint8)[:, None], 3, axis=1)
    return Episode(pixels, given[:, None].astype(np.float32), np.zeros(BAR_LENGTH), active, seed=seed)


@cache
def reference_symbols(name: str) -> ReferenceEpisodes:
    """Return episodes of a cycle of phases, which sometimes waits, beside counts that grow at random.

    An observation has the counts and two categories, the phase and whether it waited. From the onset on the cycle of a
    faulty episode runs backwards, so that every phase and every count is nominal, and mean and covariance of two
    observations are as before.

    Example:
        >>> found = reference_symbols("cycle")
        >>> len(found.training), found.training[0].observations.shape
        (60, (41, 24))
    """
    training = [_symbol_episode(name, seed, None) for seed in range(EPISODES)]
    seeds = range(EPISODES, EPISODES + FRESH_EPISODES)
    nominal, faulty = ([_symbol_episode(name, seed, onset) for seed in seeds] for onset in (None, SYMBOL_ONSET))
    return ReferenceEpisodes(training, nominal, faulty, SYMBOL_ONSET)


def _symbol_episode(name: str, seed: int, onset: int | None) -> Episode:
    """Return an episode; when it waits does not depend on the fault."""
    rng = Stream.named(seed, 0, f"reference/{name}").generator()
    active = np.arange(SYMBOL_LENGTH) >= (SYMBOL_LENGTH if onset is None else onset)
    waits, start = rng.random(SYMBOL_LENGTH) < 0.2, int(rng.integers(PHASES))
    moves = np.where(waits, 0, np.where(active, -1, 1))
    phases = (start + np.concatenate([[0], np.cumsum(moves)])) % PHASES
    counts = rng.random((SYMBOL_LENGTH + 1, N_COUNTS)) < 0.1
    observations = np.column_stack([counts.cumsum(axis=0), phases, np.concatenate([[False], waits])]).astype(np.float32)
    return Episode(observations, np.zeros((SYMBOL_LENGTH, 1), np.float32), np.zeros(SYMBOL_LENGTH), active, seed=seed)
