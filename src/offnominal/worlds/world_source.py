"""Sources of worlds: an id, an environment, a function that makes one, or a vector environment."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import gymnasium
from gymnasium.spaces import Space
from gymnasium.vector import VectorEnv
from gymnasium.wrappers import OrderEnforcing, PassiveEnvChecker, TimeLimit

from offnominal.core.errors import InvalidParameter, UnsupportedEnvironment
from offnominal.core.printable import shown
from offnominal.worlds.catalogue import NAMESPACE, make_world, worlds
from offnominal.worlds.dm_env_adapter import DmEnvAdapter, is_dm_env
from offnominal.worlds.gymnasium_world import GymnasiumWorld
from offnominal.worlds.single_env import WorldEnv
from offnominal.worlds.spaces import Spaces, checked_spaces
from offnominal.worlds.vector_env import WorldVectorEnv
from offnominal.worlds.vector_env_world import VectorEnvWorld
from offnominal.worlds.world import World

WorldSource = (
    str
    | gymnasium.Env[Any, Any]
    | VectorEnv[Any, Any, Any]
    | Callable[[], gymnasium.Env[Any, Any] | VectorEnv[Any, Any, Any]]
    | Callable[[int], World]
)
"""Id of a world or of a Gymnasium environment, an environment, a vector environment, a function without arguments that
makes one of these, or a function from a number of rows to a world. An object with the interface of dm_env counts as an
environment."""
SpacesSource = WorldSource | World | tuple[Space[Any], Space[Any]]
SEPARATE_ROWS = 32
"""Largest number of rows that are separate objects; more need memory and are not faster."""
PLAIN_WRAPPERS = (OrderEnforcing, PassiveEnvChecker, TimeLimit)


def build_world(source: WorldSource, n: int, **options: Any) -> World:
    """Return a world of n rows, or of fewer if the rows are environments of another package.

    Args:
        source: See :data:`WorldSource`.
        n: Number of rows.
        **options: Keyword arguments of the world or of ``gymnasium.make``, if the source is an id.
    """
    if isinstance(source, str):
        if source.removeprefix(f"{NAMESPACE}/") not in worlds and source in gymnasium.registry:
            return GymnasiumWorld(min(n, SEPARATE_ROWS), id=source, **options)
        return make_world(source, n, **options)
    if options:
        raise InvalidParameter(
            f"{', '.join(options)} can be given with an id only; pass it to the environment, here a "
            f"{type(source).__name__}."
        )
    if not callable(source) or is_given(source):
        return _around(source)
    return _made(source, n)


@contextmanager
def open_world(source: WorldSource, n: int, **options: Any) -> Iterator[World]:
    """Build a world as :func:`build_world` does, and close it at the end unless it was given as an environment."""
    world = build_world(source, n, **options)
    try:
        yield world
    finally:
        if not is_given(source):
            world.close()


def is_given(source: WorldSource) -> bool:
    """Whether a source is an environment itself, which exists once and is not closed."""
    return isinstance(source, gymnasium.Env | VectorEnv) or is_dm_env(source)


def rows_of(source: WorldSource) -> int | None:
    """Return the number of rows of a given environment, or None if any number can be built."""
    if not is_given(source):
        return None
    return source.num_envs if isinstance(source, VectorEnv) else 1


def _around(env: Any) -> World:
    """Return the world of an environment."""
    if isinstance(env, VectorEnv):
        return env.world if isinstance(env, WorldVectorEnv) else VectorEnvWorld(env)
    if is_dm_env(env):
        return GymnasiumWorld.of([DmEnvAdapter(env)])
    if isinstance(env, gymnasium.Env):
        plain = _plain_world(env)
        return GymnasiumWorld.of([env]) if plain is None else plain
    raise UnsupportedEnvironment(
        f"{shown(env)} is a {type(env).__name__}; expected an id, a Gymnasium environment, a vector environment or a "
        "function that makes one."
    )


def _plain_world(env: gymnasium.Env[Any, Any]) -> World | None:
    """Return the world of this package in an environment, if no wrapper changes what it does."""
    inner: Any = env
    while isinstance(inner, PLAIN_WRAPPERS):
        inner = inner.env
    if not isinstance(inner, WorldEnv) or inner.observation_space != inner.world.observation_space:
        return None
    return inner.world


def _made(make: Callable[..., Any], n: int) -> World:
    """Return the world that a function makes: n environments, one vector environment, or a world of n rows."""
    try:
        inspect.signature(make).bind()
    except (TypeError, ValueError):
        world = make(n)
        if not isinstance(world, World):
            raise UnsupportedEnvironment(
                f"the function returned a {type(world).__name__} for {n} rows; expected a World. A function that makes "
                "an environment takes no arguments."
            ) from None
        return world
    first = make()
    if isinstance(first, World):
        if n == first.n:
            return first
        first.close()
        return make(n)  # type: ignore[no-any-return]
    n = min(n, SEPARATE_ROWS)
    if isinstance(first, VectorEnv) or (isinstance(first, gymnasium.Env) and n == 1):
        return _around(first)
    if is_dm_env(first):
        return GymnasiumWorld.of([DmEnvAdapter(env) for env in [first, *(make() for _ in range(n - 1))]])
    if not isinstance(first, gymnasium.Env):
        raise UnsupportedEnvironment(
            f"the function returned a {type(first).__name__}; expected a Gymnasium environment, a vector environment "
            "or a World."
        )
    return GymnasiumWorld.of([first, *(make() for _ in range(n - 1))])


def spaces_of(env: SpacesSource) -> Spaces:
    """Return the spaces of an environment, observations as one flat Box.

    Args:
        env: A source of worlds, a world, or a pair of an observation space and an action space.

    Example:
        >>> from gymnasium.spaces import Discrete
        >>> spaces_of((Discrete(3), Discrete(2))).observation
        Box(0.0, 1.0, (3,), float32)
    """
    if isinstance(env, tuple):
        if len(env) != 2 or not all(isinstance(space, Space) for space in env):
            raise UnsupportedEnvironment(f"{shown(env)} is not a pair of an observation space and an action space.")
        return checked_spaces("the environment", *env)
    if isinstance(env, World):
        return Spaces(env.card.id, env.observation_space, env.action_space)
    with open_world(env, 1) as world:
        return spaces_of(world)
