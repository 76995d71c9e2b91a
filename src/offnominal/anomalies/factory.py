"""Worlds with faults in one call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, overload

import gymnasium

from offnominal.anomalies.anomaly import Anomaly
from offnominal.anomalies.fault import Fault, Faults, FaultsPerRow
from offnominal.anomalies.fault_injection import ScheduleLike, inject
from offnominal.anomalies.injected_envs import InjectedEnv, InjectedVectorEnv
from offnominal.core.types import Array, Observation
from offnominal.worlds.catalogue import gymnasium_id, versions_side_by_side
from offnominal.worlds.pixel_observations import CameraKind, ObservationKind


@overload
def make(
    id: str,
    anomaly: str | Anomaly,
    *,
    strength: float | str | None = None,
    schedule: ScheduleLike = "random",
    channels: Sequence[int | str] | None = None,
    faults: None = None,
    observation: ObservationKind = "vector",
    camera: CameraKind = "clean",
    **options: object,
) -> InjectedEnv: ...


@overload
def make(
    id: str,
    anomaly: None = None,
    *,
    strength: None = None,
    schedule: ScheduleLike = "random",
    channels: None = None,
    faults: Fault | Iterable[Fault],
    observation: ObservationKind = "vector",
    camera: CameraKind = "clean",
    **options: object,
) -> InjectedEnv: ...


@overload
def make(
    id: str,
    anomaly: None = None,
    *,
    strength: None = None,
    schedule: ScheduleLike = "random",
    channels: None = None,
    faults: Faults = None,
    observation: ObservationKind = "vector",
    camera: CameraKind = "clean",
    **options: object,
) -> gymnasium.Env[Observation, Array]: ...


def make(
    id: str,
    anomaly: str | Anomaly | None = None,
    *,
    strength: float | str | None = None,
    schedule: ScheduleLike = "random",
    channels: Sequence[int | str] | None = None,
    faults: Faults = None,
    observation: ObservationKind = "vector",
    camera: CameraKind = "clean",
    **options: object,
) -> gymnasium.Env[Observation, Array]:
    """Return a world as a Gymnasium environment, nominal or with faults.

    Args:
        id: A world's id, such as ``"SAP-Goal0-v0"``.
        anomaly: An anomaly or its id, as for :func:`inject`; None for the nominal world.
        strength: As for :func:`inject`.
        schedule: As for :func:`inject`.
        channels: As for :func:`inject`.
        faults: Instead of `anomaly`: a `Fault`, or a tuple of several that act together.
        observation: The observation: the ``"vector"``, the ``"image"`` of (3, 128, 128) bytes, or ``"both"`` as a
            dictionary.
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
    nominal = anomaly is None and faults is None and strength is None and channels is None and camera == "clean"
    if nominal and observation != "vector":
        options["observation"] = observation
    arguments: dict[str, Any] = dict(options)
    with versions_side_by_side():
        env: gymnasium.Env[Observation, Array] = gymnasium.make(gymnasium_id(id), **arguments)
    if nominal:
        return env
    return inject(
        env,
        anomaly,
        strength=strength,
        schedule=schedule,
        channels=channels,
        faults=faults,
        observation=observation,
        camera=camera,
    )


def make_vec(
    id: str,
    num_envs: int,
    anomaly: str | Anomaly | None = None,
    *,
    strength: float | str | None = None,
    schedule: ScheduleLike = "random",
    channels: Sequence[int | str] | None = None,
    faults: FaultsPerRow = None,
    observation: ObservationKind = "vector",
    camera: CameraKind = "clean",
    **options: object,
) -> InjectedVectorEnv:
    """Return a world as a native vector environment.

    Args:
        id: A world's id.
        num_envs: Number of rows.
        anomaly: As for :func:`inject`; None for the nominal world.
        strength: As for :func:`inject`.
        schedule: As for :func:`inject`.
        channels: As for :func:`inject`.
        faults: As for :func:`inject`; a list has one entry per row.
        observation: As for :func:`make`.
        camera: As for :func:`inject`.
        **options: Passed to `gymnasium.make_vec`.

    Example:
        >>> envs = make_vec("SAP-Goal0-v0", 3, "dynamics/mass", strength=4.0, schedule="start")
        >>> envs.reset(seed=0)[0].shape
        (3, 26)
    """
    arguments: dict[str, Any] = dict(options)
    with versions_side_by_side():
        envs = gymnasium.make_vec(gymnasium_id(id), num_envs=num_envs, **arguments)
    return inject(
        envs,
        anomaly,
        strength=strength,
        schedule=schedule,
        channels=channels,
        faults=faults,
        observation=observation,
        camera=camera,
    )
