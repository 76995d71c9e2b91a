"""Description of any Gymnasium environment for an injection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import VectorEnv

from offnominal.anomalies.environment_info import EnvironmentInfo
from offnominal.core.errors import UnsupportedEnvironment
from offnominal.worlds.environment_physics import physics_of
from offnominal.worlds.single_env import WorldEnv
from offnominal.worlds.vector_env import WorldVectorEnv


def describe_environment(
    env: Any, inner: Any, simulations: Sequence[Any] | None, *, has_images: bool = False
) -> EnvironmentInfo:
    """Return the description of an environment.

    Args:
        env: The environment, with its wrappers.
        inner: The same without wrappers.
        simulations: Its single environments, if they are accessible.
        has_images: Whether images of it are rendered. An environment with image observations has images anyway.
    """
    spec = getattr(env, "spec", None)
    limit = getattr(inner, "max_episode_steps", None) or getattr(spec, "max_episode_steps", None)
    vector = isinstance(env, VectorEnv)
    observation_space = env.single_observation_space if vector else env.observation_space
    action_space = env.single_action_space if vector else env.action_space
    if not isinstance(observation_space, Box):
        raise UnsupportedEnvironment(
            f"{env} has observations in {observation_space}; faults need a Box space. "
            "Flatten it first, for example with gymnasium.wrappers.FlattenObservation. For the vector and the image "
            "of a world of this package, make it plain and pass observation='both' here."
        )
    has_images = has_images or colour_axis(observation_space) is not None
    if isinstance(inner, WorldEnv | WorldVectorEnv):
        environment = EnvironmentInfo.of(inner.world, limit, has_images=has_images)
        if environment.pixel_world is not None and observation_space != inner.world.observation_space:
            raise UnsupportedEnvironment(
                f"{env} changes the images of {environment.name}, and camera faults come before that; "
                "inject into the plain world and wrap the result."
            )
        if observation_space.shape != inner.world.observation_space.shape:
            environment = replace(environment, observation=channel_names(observation_space))
        if action_space.shape != inner.world.action_space.shape:
            environment = replace(environment, action=channel_names(action_space))
        return environment
    return EnvironmentInfo(
        observation=channel_names(observation_space),
        action=channel_names(action_space) if isinstance(action_space, Box) else (),
        physics=physics_of([getattr(env, "unwrapped", env) for env in simulations or ()]),
        limit=limit,
        has_images=has_images,
        name=getattr(spec, "id", None) or type(inner).__name__,
    )


def channel_names(space: Any) -> tuple[str, ...]:
    """Return a name for every entry of a space: its index."""
    return tuple(str(index) for index in range(int(np.prod(space.shape))))


def colour_axis(space: gymnasium.Space[Any]) -> int | None:
    """Return the axis of the three colours of an image, the last or the first; None if the space has no images.

    Example:
        >>> colour_axis(Box(0, 255, (210, 160, 3), np.uint8)), colour_axis(Box(0, 255, (3, 128, 128), np.uint8))
        (-1, -3)
    """
    if not isinstance(space, Box) or space.dtype != np.uint8 or len(space.shape) != 3:
        return None
    return -1 if space.shape[-1] == 3 else -3 if space.shape[0] == 3 else None
