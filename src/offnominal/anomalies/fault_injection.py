"""Faults in any Gymnasium environment, ours or not, single or vector."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
from gymnasium.vector import VectorEnv

from offnominal.anomalies.anomaly import Anomaly
from offnominal.anomalies.environment_description import colour_axis
from offnominal.anomalies.fault import Fault, fault_tuple
from offnominal.anomalies.final_state_env import FinalStateVectorEnv
from offnominal.anomalies.image_envs import ImageEnv, ImageVectorEnv
from offnominal.anomalies.injected_envs import InjectedEnv, InjectedVectorEnv
from offnominal.anomalies.schedule import Schedule
from offnominal.core.errors import InvalidParameter, UnsupportedEnvironment
from offnominal.worlds.camera import PixelCamera
from offnominal.worlds.pixel_observations import CameraKind, ObservationBuilder, ObservationKind
from offnominal.worlds.single_env import WorldEnv
from offnominal.worlds.vector_env import WorldVectorEnv


def inject(
    env: Any,
    anomaly: str | Anomaly | Fault | Iterable[Any] | None = None,
    *,
    strength: float | str | None = None,
    schedule: Schedule | str | int | tuple[int, int] = "random",
    channels: Sequence[int | str] | None = None,
    observation: ObservationKind = "vector",
    camera: CameraKind = "clean",
) -> Any:
    """Return the environment with faults switched on as scheduled.

    Works on every environment with Box spaces. Dynamics faults need a world of this package, or an environment whose
    ``unwrapped`` has a MuJoCo ``model`` and ``data``. Camera faults need pictures: observations that are images of
    bytes, (H, W, 3) or (3, H, W), or a world of this package of which pictures are asked for.

    Args:
        env: A Gymnasium environment or vector environment.
        anomaly: An anomaly or its id, with the strength and so on below; or a `Fault`, or several, that say it all.
            For a vector environment a *list* has one entry per row, each None, a fault or a tuple of several.
        strength: The raw parameter, or a name such as ``"medium"`` for worlds that have a table.
        schedule: When it acts; see :class:`Schedule`.
        channels: Which channels it touches; None for all.
        observation: What is seen of a world of this package: its ``"vector"``, its picture (``"image"``), or
            ``"both"``.
        camera: What its picture shows while the vector is faulty: the true state (``"clean"``), or the one that the
            vector reports (``"affected"``).

    Returns:
        The wrapped environment. Its ``info`` also holds ``active``, ``clean_observation``, ``executed_action`` and
        ``applied``, the parameter of each fault in force during the transition.

    Example:
        >>> env = inject(gymnasium.make("Pendulum-v1"), "observation/drift", strength=0.01, schedule=50)
        >>> observation, info = env.reset(seed=0)
        >>> env.events
        (Event(anomaly='observation/drift', parameter=0.01, onset=50, end=None, channels=(0, 1, 2)),)
    """
    if isinstance(anomaly, str | Anomaly):
        if strength is None:
            raise InvalidParameter(f"{anomaly} needs a strength: a number, or a name such as 'medium'.")
        anomaly = Fault(anomaly, strength, schedule, channels)
    elif strength is not None or channels is not None or schedule != "random":
        raise InvalidParameter("strength, schedule and channels belong to an anomaly id; a Fault says them itself.")
    if not isinstance(env, VectorEnv | gymnasium.Env):
        raise UnsupportedEnvironment(
            f"{env!r} is a {type(env).__name__}; expected a Gymnasium environment or vector environment."
        )
    faults = row_faults(anomaly, env.num_envs) if isinstance(env, VectorEnv) else [fault_tuple(anomaly)]
    observation_builder = _make_observation_builder(env, faults, observation, camera)
    if isinstance(env, VectorEnv):
        if observation_builder is not None:
            return ImageVectorEnv(env, faults, observation_builder)
        return FinalStateVectorEnv(env, faults) if _has_pixel_observations(env) else InjectedVectorEnv(env, faults)
    return InjectedEnv(env, faults[0]) if observation_builder is None else ImageEnv(env, faults[0], observation_builder)


def _has_pixel_observations(env: Any) -> bool:
    """Return whether the environment is a world of this package with pixel observations."""
    return isinstance(env.unwrapped, WorldEnv | WorldVectorEnv) and isinstance(env.unwrapped.world.camera, PixelCamera)


def _make_observation_builder(
    env: Any, faults: list[tuple[Fault, ...]], observation: ObservationKind, camera: CameraKind
) -> ObservationBuilder | None:
    """Return who draws the pictures, or None if none are to be drawn; raise if what is asked for makes no sense."""
    inner = env.unwrapped
    ours = isinstance(inner, WorldEnv | WorldVectorEnv)
    space = env.single_observation_space if isinstance(env, VectorEnv) else env.observation_space
    numbers = any(fault.kind.target == "observation" for row in faults for fault in row)
    if observation == "vector":
        if camera != "clean":
            raise InvalidParameter(f"camera={camera!r} says what pictures show; ask for observation='image' or 'both'.")
        if ours and numbers and colour_axis(space) is not None:
            raise UnsupportedEnvironment(
                f"{env} shows pictures, and faults of its observation act on its vector; make it without pictures and "
                "ask for them here: inject(env, ..., observation='image', camera='affected') or observation='both'."
            )
        return None
    if _has_pixel_observations(env):
        raise UnsupportedEnvironment(
            f"observation={observation!r} asks for another picture, and what {env} observes is made of pictures "
            "already; leave it out. Faults of the camera act on them."
        )
    if not ours or space.shape != inner.world.observation_space.shape:
        raise UnsupportedEnvironment(
            f"observation={observation!r} needs the plain vector of a world of this package, and {env} is something "
            "else. Leave it out; observations that are images are taken as they are."
        )
    if observation == "image" and camera == "clean" and numbers:
        raise InvalidParameter(
            "a fault of the observation acts on the vector, which is not seen with observation='image', and "
            "camera='clean' shows the true state. Choose camera='affected' or observation='both'."
        )
    return ObservationBuilder(inner.world, observation, camera=camera)


def row_faults(faults: Any, n: int) -> list[tuple[Fault, ...]]:
    """Return one tuple of faults per row: a list says it row by row, anything else holds for every row."""
    if not isinstance(faults, list):
        return [fault_tuple(faults)] * n
    if len(faults) != n:
        raise InvalidParameter(
            f"a list of {len(faults)} entries was given for {n} rows; give one entry per row, or a tuple for faults "
            "that act together in every row."
        )
    return [fault_tuple(each) for each in faults]
