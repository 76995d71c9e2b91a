"""Shipped worlds with faults in one call."""

from __future__ import annotations

from typing import Any

import gymnasium

from offnominal.anomalies.inject import InjectedVectorEnv, inject
from offnominal.worlds.catalogue import gymnasium_id


def make(
    id: str,
    anomaly: Any = None,
    *,
    strength: float | str | None = None,
    schedule: Any = "random",
    channels: Any = None,
    **options: Any,
) -> gymnasium.Env[Any, Any]:
    """Return a shipped world as a Gymnasium environment, with faults if asked for.

    Args:
        id: A world's id, such as ``"SAP-Goal0-v0"``.
        anomaly: As for :func:`inject`; None for the nominal world.
        strength: As for :func:`inject`.
        schedule: As for :func:`inject`.
        channels: As for :func:`inject`.
        **options: Passed to `gymnasium.make`, such as ``render_mode="rgb_array"``.

    Example:
        >>> env = make("SAP-Goal0-v0", "action/offset", strength="medium", schedule=4)
        >>> observation, info = env.reset(seed=1)
        >>> info["active"]
        False
    """
    env = gymnasium.make(gymnasium_id(id), **options)
    if anomaly is None and strength is None and channels is None:
        return env
    faulty: gymnasium.Env[Any, Any] = inject(env, anomaly, strength=strength, schedule=schedule, channels=channels)
    return faulty


def make_vec(
    id: str,
    num_envs: int,
    anomaly: Any = None,
    *,
    strength: float | str | None = None,
    schedule: Any = "random",
    channels: Any = None,
    **options: Any,
) -> InjectedVectorEnv:
    """Return a shipped world as a native vector environment; a list of faults gives every row its own.

    Example:
        >>> envs = make_vec("SAP-Goal0-v0", 3, "dynamics/mass", strength=4.0, schedule="start")
        >>> envs.reset(seed=0)[0].shape
        (3, 26)
    """
    envs = gymnasium.make_vec(gymnasium_id(id), num_envs=num_envs, **options)
    faulty: InjectedVectorEnv = inject(envs, anomaly, strength=strength, schedule=schedule, channels=channels)
    return faulty
