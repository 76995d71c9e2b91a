"""Observations with faults: their space, their range, and the images among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import VectorEnv

from offnominal.anomalies.environment_description import colour_axis
from offnominal.anomalies.fault import Fault
from offnominal.anomalies.injection import Injection
from offnominal.core.errors import InvalidParameter, UnsupportedEnvironment
from offnominal.core.types import Array, IntArray
from offnominal.worlds.pixel_observations import CameraKind, ObservationKind
from offnominal.worlds.single_env import WorldEnv
from offnominal.worlds.vector_env import WorldVectorEnv


def require_startable(env: Any, fault: object, observation: ObservationKind, camera: CameraKind) -> None:
    """Raise unless the argument is a fault that can be observed in the environment."""
    if not isinstance(fault, Fault):
        raise InvalidParameter(f"{fault!r} is a {type(fault).__name__}; expected a Fault.")
    require_visible(env, (fault,), observation, camera)


def require_visible(env: Any, faults: Sequence[Fault], observation: ObservationKind, camera: CameraKind) -> None:
    """Raise if a fault of the observation could not be observed; arguments as for :func:`inject`."""
    if not any(fault.kind.target == "observation" for fault in faults):
        return
    space = env.single_observation_space if isinstance(env, VectorEnv) else env.observation_space
    ours = isinstance(env.unwrapped, WorldEnv | WorldVectorEnv)
    if observation == "vector" and ours and colour_axis(space) is not None:
        raise UnsupportedEnvironment(
            f"{env} has image observations, and faults of the observation act on the vector; make it without "
            "images and pass observation='image' and camera='affected', or observation='both', here."
        )
    if observation == "image" and camera == "clean":
        raise InvalidParameter(
            "a fault of the observation acts on the vector, which observation='image' leaves out, and camera='clean' "
            "shows the true state. Choose camera='affected' or observation='both'."
        )


def unbounded(space: gymnasium.Space[Any]) -> Box:
    """Return the space of faulty observations: the same shape and type without bounds."""
    assert isinstance(space, Box)
    if not np.issubdtype(space.dtype, np.floating):
        return space
    return Box(-np.inf, np.inf, space.shape, space.dtype.type)


def within(observations: Array, space: gymnasium.Space[Any]) -> Array:
    """Return observations of integer type, clipped to the bounds of their space; floats are not clipped."""
    assert isinstance(space, Box)
    return observations if observations.dtype.kind == "f" else np.clip(observations, space.low, space.high)


def with_camera_faults(injection: Injection, colours: int | None, observations: Array, rows: IntArray) -> Array:
    """Return image observations with the camera faults of some rows applied.

    Args:
        injection: The faults.
        colours: Axis of the colours in an image; None if the observations are not images.
        observations: (n, ...); not changed.
        rows: Indices of the rows that were started or stepped.
    """
    if colours is None or not injection.uses_images or not rows.size:
        return observations
    faulty = observations.copy()
    faulty[rows] = np.moveaxis(
        injection.apply_camera_faults(np.moveaxis(observations[rows], colours, -1), rows), -1, colours
    )
    return faulty
