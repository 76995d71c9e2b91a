"""Faults that overwrite the commanded action: the recorded action is the one that they made of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from offnominal.anomalies.fault import Fault
from offnominal.core.episode import Episode
from offnominal.core.types import Array, FloatArray

ACCELERATION, STEERING = 0, 1
"""Channels of the actions of lane keeping."""


def _weaker_braking(actions: Array, factors: FloatArray) -> None:
    braking = actions[:, ACCELERATION] < 0.0
    actions[braking, ACCELERATION] *= factors[braking]


def _weaker_steering(actions: Array, factors: FloatArray) -> None:
    actions[:, STEERING] *= factors


OVERWRITING: Mapping[str, Callable[[Array, FloatArray], None]] = {
    "dynamics/brake_fail": _weaker_braking,
    "dynamics/steer_fail": _weaker_steering,
}
"""What each anomaly of the physics that acts on actions does to them, given its parameter in every transition."""


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
    actions = episode.actions.copy()
    for fault, factors in zip(faults, episode.extras["applied"].T, strict=True):
        OVERWRITING[fault.id](actions, factors.astype(actions.dtype))
    return replace(episode, actions=actions)
