"""Shipped worlds with faults in one call."""

from __future__ import annotations

from typing import Any

import gymnasium

from offnominal.anomalies.fault_injection import inject
from offnominal.anomalies.injected_envs import InjectedVectorEnv
from offnominal.worlds.catalogue import gymnasium_id
from offnominal.worlds.pixel_observations import CameraKind, ObservationKind


def make(
    id: str,
    anomaly: Any = None,
    *,
    strength: float | str | None = None,
    schedule: Any = "random",
    channels: Any = None,
    observation: ObservationKind = "vector",
    camera: CameraKind = "clean",
    **options: Any,
) -> gymnasium.Env[Any, Any]:
    """Return a shipped world as a Gymnasium environment, with faults if asked for.

    Args:
        id: A world's id, such as ``"SAP-Goal0-v0"``.
        anomaly: As for :func:`inject`; None for the nominal world.
        strength: As for :func:`inject`.
        schedule: As for :func:`inject`.
        channels: As for :func:`inject`.
        observation: What is seen: the ``"vector"``, the picture as ``"image"`` of (3, 128, 128) bytes, or ``"both"``
            as a dictionary.
        camera: As for :func:`inject`.
        **options: Passed to `gymnasium.make`, such as ``render_mode="rgb_array"``.

    Example:
        >>> env = make("SAP-Goal0-v0", "action/offset", strength="medium", schedule=4)
        >>> observation, info = env.reset(seed=1)
        >>> info["active"]
        False
        >>> make("SAP-Goal0-v0", "camera/blur", strength=2.0, observation="image").observation_space.shape
        (3, 128, 128)
    """
    if anomaly is None and strength is None and channels is None and camera == "clean":
        if observation != "vector":
            options["observation"] = observation
        return gymnasium.make(gymnasium_id(id), **options)
    env = gymnasium.make(gymnasium_id(id), **options)
    fault: dict[str, Any] = {"strength": strength, "schedule": schedule, "channels": channels}
    faulty: gymnasium.Env[Any, Any] = inject(env, anomaly, **fault, observation=observation, camera=camera)
    return faulty


def make_vec(
    id: str,
    num_envs: int,
    anomaly: Any = None,
    *,
    strength: float | str | None = None,
    schedule: Any = "random",
    channels: Any = None,
    observation: ObservationKind = "vector",
    camera: CameraKind = "clean",
    **options: Any,
) -> InjectedVectorEnv:
    """Return a shipped world as a native vector environment; a list of faults gives every row its own.

    Example:
        >>> envs = make_vec("SAP-Goal0-v0", 3, "dynamics/mass", strength=4.0, schedule="start")
        >>> envs.reset(seed=0)[0].shape
        (3, 26)
    """
    envs = gymnasium.make_vec(gymnasium_id(id), num_envs=num_envs, **options)
    fault: dict[str, Any] = {"strength": strength, "schedule": schedule, "channels": channels}
    faulty: InjectedVectorEnv = inject(envs, anomaly, **fault, observation=observation, camera=camera)
    return faulty
