"""Faults that overwrite the commanded action: the recorded action is the one that they made of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from offnominal.anomalies.fault import Fault
from offnominal.core.episode import Episode
from offnominal.core.errors import UnknownName
from offnominal.datasets.plan import Plan
from offnominal.datasets.recording_changes import ChangedRecipe, EpisodeChange, RecordingChange
from offnominal.worlds.road.vehicle import action_factors
from offnominal.worlds.world_source import WorldSource

OVERWRITING = ("dynamics/brake_fail", "dynamics/steer_fail")
"""Anomalies of lane keeping that act on actions."""


class OverwrittenActions(RecordingChange):
    """The changed action is recorded in place of the commanded one."""

    def check(self, recipe: ChangedRecipe) -> None:
        """Raise an error for anomalies that do not act on actions."""
        for id in self.anomalies:
            if id not in OVERWRITING:
                raise UnknownName(f"{id!r} changes no actions. Choose from {', '.join(OVERWRITING)}.")

    def episode_change(self, plan: Plan, world: WorldSource, max_steps: int | None) -> EpisodeChange | None:
        """Return what changes the actions of an episode."""
        return (lambda episode, _: overwritten(episode, plan.faults)) if self.affects(plan.faults) else None


def overwritten(episode: Episode, faults: tuple[Fault, ...]) -> Episode:
    """Return an episode with the actions that its faults made of the commanded ones.

    Args:
        episode: Episode with its ``applied`` parameters.
        faults: Its faults, in the order of these parameters.

    Example:
        >>> applied = {"applied": [[1.0], [0.1]]}
        >>> episode = Episode([[0.0], [0.1], [0.2]], [[0.5, 1.0], [0.5, 1.0]], [0, 0], [0, 1], extras=applied)
        >>> overwritten(episode, (Fault("dynamics/steer_fail", 0.1),)).actions
        array([[0.5, 1. ],
               [0.5, 0.1]])
    """
    given = episode.actions
    applied = dict(zip((fault.id for fault in faults), episode.extras["applied"].T.astype(given.dtype), strict=True))
    unchanged = np.ones(len(episode), given.dtype)
    braking, steering = (applied.get(id, unchanged) for id in OVERWRITING)
    factors = [action_factors(*step) for step in zip(given[:, 0], braking, steering, strict=True)]
    return replace(episode, actions=given * np.array(factors, given.dtype).reshape(given.shape))
