"""The episodes of a trial: unmodified ones, and their twins in every setting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.anomalies.fault import Fault
from offnominal.core.episode import Episode
from offnominal.core.policy import Policy
from offnominal.papers.ood_rl.cell import OODCell
from offnominal.papers.ood_rl.settings import OODSetting, settings
from offnominal.rollouts.collection import collect, rollout
from offnominal.worlds.catalogue import worlds
from offnominal.worlds.world_source import build_world

TRAIN_SEED = 70_000_000
TRIAL_SEED = 60_000_000
BETWEEN = 100_000
"""Seeds between the first episodes of two trials."""
BATCH = 1024
HELD = 800_000_000
"""Bytes of observations that are held at once."""


@dataclass(frozen=True, slots=True)
class EpisodeGroup:
    """Some episodes of a trial.

    Args:
        setting: The modification; None for unmodified episodes.
        episodes: As many as a trial has; episode i has the same initial state in every part.
    """

    setting: OODSetting | None
    episodes: list[Episode]


def chosen_settings(cell: OODCell) -> list[OODSetting]:
    """Return the settings that a cell is about, in the order of Table 1.

    Example:
        >>> cell = OODCell("OOD-CartPole-v0", "ensemble", (), anomalies=("dynamics/gravity",), max_settings=3)
        >>> [setting.published for setting in chosen_settings(cell)]
        ['0.98', '4.9', '98']
    """
    found: dict[str, list[OODSetting]] = {}
    for each in settings(cell.world):
        if cell.anomalies is None or each.anomaly in cell.anomalies:
            found.setdefault(each.anomaly, []).append(each)
    return [each for group in found.values() for each in _spread(group, cell.max_settings)]


def _spread(group: list[OODSetting], max_settings: int | None) -> list[OODSetting]:
    if max_settings is None or max_settings >= len(group):
        return group
    places = np.linspace(0, len(group) - 1, max_settings).astype(int)
    return [group[place] for place in places]


def training_episodes(cell: OODCell, policy: Policy) -> list[Episode]:
    """Return unmodified episodes for training; no trial has them."""
    return collect(cell.world, policy, cell.train, seed=TRAIN_SEED, **_conditions(cell, _rows(cell)))


def trial_parts(cell: OODCell, policy: Policy, trial: int) -> Iterator[EpisodeGroup]:
    """Yield the unmodified episodes of a trial, then those of each setting.

    As many settings are simulated together as fit into memory; that changes nothing but the speed.

    Args:
        cell: The cell.
        policy: Its agent.
        trial: Which, from 0 on.
    """
    parts: list[OODSetting | None] = [None, *chosen_settings(cell)]
    seeds = TRIAL_SEED + BETWEEN * trial + np.arange(cell.episodes)
    rows = _rows(cell)
    conditions = _conditions(cell, rows)
    together = max(1, rows // cell.episodes)
    for first in range(0, len(parts), together):
        some = parts[first : first + together]
        faults: list[tuple[Fault, ...]] = [
            () if each is None else (each.fault(cell.onset),) for each in some for _ in range(cell.episodes)
        ]
        made = rollout(cell.world, policy, np.tile(seeds, len(some)), faults, **conditions)
        for place, setting in enumerate(some):
            yield EpisodeGroup(setting, made[place * cell.episodes : (place + 1) * cell.episodes])


def _conditions(cell: OODCell, rows: int) -> dict[str, Any]:
    """Return how episodes are simulated, so many at once; games that would all be alike begin at different moments."""
    return {"batch": min(BATCH, rows), "max_steps": cell.max_steps, **worlds.evaluation_terms(cell.world).options}


def _rows(cell: OODCell) -> int:
    """Return the number of episodes recorded at once: observations are stored twice, with and without faults."""
    world = build_world(cell.world, 1)
    try:
        limit = world.card.max_steps if cell.max_steps is None else cell.max_steps
        space = world.observation_space
        each = 2 * (limit + 1) * int(np.prod(space.shape)) * np.dtype(space.dtype).itemsize
    finally:
        world.close()
    return max(1, HELD // each)
