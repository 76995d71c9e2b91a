"""Injection of faults into any Gymnasium environment, single or vector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar, overload

import gymnasium
from gymnasium.vector import VectorEnv

from offnominal.anomalies.anomaly import Anomaly
from offnominal.anomalies.fault import Fault, Faults, FaultsPerRow, fault_tuple
from offnominal.anomalies.faulty_observations import require_visible
from offnominal.anomalies.final_state_env import FinalStateVectorEnv
from offnominal.anomalies.image_envs import ImageEnv, ImageVectorEnv
from offnominal.anomalies.injected_envs import InjectedEnv, InjectedVectorEnv
from offnominal.anomalies.schedule import Schedule
from offnominal.core.errors import InvalidParameter, UnsupportedEnvironment
from offnominal.worlds.camera import PixelCamera
from offnominal.worlds.pixel_observations import CameraKind, ObservationBuilder, ObservationKind
from offnominal.worlds.single_env import WorldEnv
from offnominal.worlds.vector_env import WorldVectorEnv

ObsT = TypeVar("ObsT")
ActT = TypeVar("ActT")
ArrayT = TypeVar("ArrayT")
ScheduleLike: TypeAlias = Schedule | str | int | tuple[int, int]


@overload
def inject(
    env: VectorEnv[ObsT, ActT, ArrayT],
    anomaly: str | Anomaly | None = None,
    *,
    strength: float | str | None = None,
    schedule: ScheduleLike = "random",
    channels: Sequence[int | str] | None = None,
    faults: FaultsPerRow = None,
    observation: ObservationKind = "vector",
    camera: CameraKind = "clean",
) -> InjectedVectorEnv: ...


@overload
def inject(
    env: gymnasium.Env[ObsT, ActT],
    anomaly: str | Anomaly | None = None,
    *,
    strength: float | str | None = None,
    schedule: ScheduleLike = "random",
    channels: Sequence[int | str] | None = None,
    faults: Faults = None,
    observation: ObservationKind = "vector",
    camera: CameraKind = "clean",
) -> InjectedEnv: ...


def inject(
    env: VectorEnv[ObsT, ActT, ArrayT] | gymnasium.Env[ObsT, ActT],
    anomaly: str | Anomaly | None = None,
    *,
    strength: float | str | None = None,
    schedule: ScheduleLike = "random",
    channels: Sequence[int | str] | None = None,
    faults: FaultsPerRow = None,
    observation: ObservationKind = "vector",
    camera: CameraKind = "clean",
) -> InjectedVectorEnv | InjectedEnv:
    """Return the environment with faults, which act as scheduled.

    Works on every environment with Box observations. Dynamics faults need a world of this package, or an environment
    whose ``unwrapped`` has a MuJoCo ``model`` and ``data``. Camera faults need images: observations of uint8 with shape
    (H, W, 3) or (3, H, W), or a world of this package with ``observation="image"`` or ``"both"``.

    Args:
        env: A Gymnasium environment or vector environment.
        anomaly: An anomaly or its id, with the strength, schedule and channels below.
        strength: The parameter itself, or a name such as ``"medium"`` for worlds with a table of strengths.
        schedule: When the anomaly acts; see :class:`Schedule`.
        channels: Affected channels; None for all.
        faults: Instead of `anomaly`: a `Fault`, or a tuple of several that act together. For a vector environment a
            *list* has one entry per row, each None, a fault or a tuple. An empty tuple prepares the environment for
            every fault that ``start_fault`` may start at run time: its observation space has no bounds, and recent
            signals and images are kept for delays.
        observation: Observation of a world of this package: its ``"vector"``, its ``"image"``, or ``"both"``.
        camera: State that the image shows while the vector is faulty: the true one (``"clean"``), or the one that the
            vector reports (``"affected"``).

    Returns:
        The wrapped environment. Its ``info`` also has ``active``, ``clean_observation``, ``executed_action`` and
        ``applied``, the parameter of each fault in the transition.

    Example:
        >>> env = inject(gymnasium.make("Pendulum-v1"), "observation/drift", strength=0.01, schedule=50)
        >>> observation, info = env.reset(seed=0)
        >>> env.events
        (Event(anomaly='observation/drift', parameter=0.01, onset=50, end=None, channels=(0, 1, 2)),)
    """
    faults = _merged_faults(anomaly, strength, schedule, channels, faults)
    if not isinstance(env, VectorEnv | gymnasium.Env):
        raise UnsupportedEnvironment(
            f"{env!r} is a {type(env).__name__}; expected a Gymnasium environment or vector environment."
        )
    rows = row_faults(faults, env.num_envs) if isinstance(env, VectorEnv) else [fault_tuple(faults)]
    builder = _make_observation_builder(env, rows, observation, camera)
    later = faults is not None and not any(rows)
    if isinstance(env, VectorEnv):
        if builder is not None:
            return ImageVectorEnv(env, rows, builder, runtime_faults=later)
        kind = FinalStateVectorEnv if _has_pixel_observations(env) else InjectedVectorEnv
        return kind(env, rows, runtime_faults=later)
    if builder is not None:
        return ImageEnv(env, rows[0], builder, runtime_faults=later)
    return InjectedEnv(env, rows[0], runtime_faults=later)


def _merged_faults(
    anomaly: str | Anomaly | None,
    strength: float | str | None,
    schedule: ScheduleLike,
    channels: Sequence[int | str] | None,
    faults: FaultsPerRow,
) -> FaultsPerRow:
    """Return the faults, given as such or by an anomaly with its strength, schedule and channels."""
    if anomaly is None:
        if strength is not None or channels is not None or schedule != "random":
            raise InvalidParameter("strength, schedule and channels need an anomaly; a Fault has its own.")
        return faults
    if not isinstance(anomaly, str | Anomaly):
        raise InvalidParameter(
            f"anomaly is {anomaly!r}; expected an anomaly or its id. Pass a Fault, or several, as faults=."
        )
    if faults is not None:
        raise InvalidParameter("an anomaly and faults were given; give one of them.")
    if strength is None:
        raise InvalidParameter(f"{anomaly} needs a strength: a number, or a name such as 'medium'.")
    return Fault(anomaly, strength, schedule, channels)


def _has_pixel_observations(env: Any) -> bool:
    """Return whether the environment is a world of this package with pixel observations."""
    return isinstance(env.unwrapped, WorldEnv | WorldVectorEnv) and isinstance(env.unwrapped.world.camera, PixelCamera)


def _make_observation_builder(
    env: Any, faults: list[tuple[Fault, ...]], observation: ObservationKind, camera: CameraKind
) -> ObservationBuilder | None:
    """Return the builder of image observations, or None if there are none; raise if the arguments contradict."""
    inner = env.unwrapped
    ours = isinstance(inner, WorldEnv | WorldVectorEnv)
    space = env.single_observation_space if isinstance(env, VectorEnv) else env.observation_space
    every = [fault for row in faults for fault in row]
    if observation == "vector":
        if camera != "clean":
            raise InvalidParameter(f"camera={camera!r} needs images; pass observation='image' or 'both'.")
        require_visible(env, every, observation, camera)
        return None
    if _has_pixel_observations(env):
        raise UnsupportedEnvironment(
            f"observation={observation!r} asks for an image, and {env} has pixel observations already; leave it out. "
            "Camera faults act on them."
        )
    if not ours or space.shape != inner.world.observation_space.shape:
        raise UnsupportedEnvironment(
            f"observation={observation!r} needs the plain vector of a world of this package, which {env} has not. "
            "Leave it out; observations that are images are used as they are."
        )
    require_visible(env, every, observation, camera)
    return ObservationBuilder(inner.world, observation, camera=camera)


def row_faults(faults: FaultsPerRow, n: int) -> list[tuple[Fault, ...]]:
    """Return one tuple of faults per row; a list has one entry per row, anything else holds for every row."""
    if not isinstance(faults, list):
        return [fault_tuple(faults)] * n
    if len(faults) != n:
        raise InvalidParameter(
            f"a list of {len(faults)} entries was given for {n} rows; give one entry per row, or a tuple for faults "
            "that act together in every row."
        )
    return [fault_tuple(entry) for entry in faults]
