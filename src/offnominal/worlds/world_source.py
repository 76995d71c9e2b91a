"""Sources of worlds: an id of this package or of Gymnasium, or a function that builds a world."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
from gymnasium.spaces import Space
from gymnasium.vector import VectorEnv

from offnominal.core.checks import shown
from offnominal.core.errors import UnsupportedEnvironment
from offnominal.worlds.catalogue import NAMESPACE, make_world, worlds
from offnominal.worlds.gymnasium_world import GymnasiumWorld
from offnominal.worlds.spaces import Spaces, checked_spaces
from offnominal.worlds.world import World

WorldSource = str | Callable[[int], World]
SpacesSource = WorldSource | gymnasium.Env[Any, Any] | VectorEnv[Any, Any, Any] | World | tuple[Space[Any], Space[Any]]


def build_world(world: WorldSource, n: int, **options: Any) -> World:
    """Return n rows of a world that is given by id or by function."""
    if not isinstance(world, str):
        return world(n)
    if world.removeprefix(f"{NAMESPACE}/") not in worlds and world in gymnasium.registry:
        return GymnasiumWorld(n, id=world, **options)
    return make_world(world, n, **options)


def spaces_of(env: SpacesSource) -> Spaces:
    """Return the spaces of an environment, observations as one flat Box.

    Args:
        env: Id of a world or of a Gymnasium environment, an environment, a vector environment, a world, a function that
            makes one, or a pair of an observation space and an action space.

    Example:
        >>> from gymnasium.spaces import Discrete
        >>> spaces_of((Discrete(3), Discrete(2))).observation
        Box(0, 1, (3,), int64)
    """
    if isinstance(env, tuple):
        if len(env) != 2 or not all(isinstance(space, Space) for space in env):
            raise UnsupportedEnvironment(f"{shown(env)} is not a pair of an observation space and an action space.")
        return checked_spaces("the environment", *env)
    if isinstance(env, World):
        return Spaces(env.card.id, env.observation_space, env.action_space)
    if isinstance(env, VectorEnv):
        return checked_spaces(str(env), env.single_observation_space, env.single_action_space)
    if isinstance(env, gymnasium.Env):
        return checked_spaces(str(env), env.observation_space, env.action_space)
    world = build_world(env, 1)
    try:
        return spaces_of(world)
    finally:
        world.close()
