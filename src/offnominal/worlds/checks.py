"""Checks of actions, shared by the single and the vector environment of a world."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete

from offnominal.core.errors import InvalidAction, UnsupportedEnvironment
from offnominal.core.types import Array, IntArray
from offnominal.worlds.world import World


def checked_actions(actions: Any, shape: tuple[int, ...], space: Box | Discrete) -> Array:
    """Return continuous actions as float64 and discrete ones as int64, or raise :class:`InvalidAction`.

    Continuous actions outside the space are allowed: a faulty command may be one. Discrete actions must be inside.
    """
    if isinstance(space, Discrete):
        return _checked_discrete(actions, shape, space)
    try:
        given = np.asarray(actions)
        array = given.astype(np.float64) if given.dtype.kind in "fiub" else None
    except (TypeError, ValueError, OverflowError):
        array = None
    if array is None:
        raise InvalidAction(
            f"the action is not numeric (type {type(actions).__name__}); expected numbers of shape {shape}."
        )
    if array.shape != shape:
        raise InvalidAction(
            f"the action has shape {array.shape}; expected {shape}, each entry within "
            f"[{space.low.min():g}, {space.high.max():g}]."
        )
    # A finite sum has finite terms; the full check is only needed when the sum overflows or is not a number.
    if not math.isfinite(array.sum()) and not np.isfinite(array).all():
        where = np.argwhere(~np.isfinite(array))[0].tolist()
        raise InvalidAction(f"the action is {array[tuple(where)]} at index {where}; expected finite numbers.")
    return array


def continuous_action_space(world: World) -> Box:
    """Return the action space of a world with continuous actions, or raise :class:`UnsupportedEnvironment`.

    Example:
        >>> from offnominal.worlds import make_world
        >>> continuous_action_space(make_world("OOD-CartPole-v0", 1))
        Traceback (most recent call last):
            ...
        offnominal.core.errors.UnsupportedEnvironment: OOD-CartPole-v0 has the actions Discrete(2); only continuous ...
    """
    if not isinstance(world.action_space, Box):
        raise UnsupportedEnvironment(
            f"{world.card.id} has the actions {world.action_space}; only continuous actions (Box) are supported here."
        )
    return world.action_space


def _checked_discrete(actions: Any, shape: tuple[int, ...], space: Discrete) -> IntArray:
    try:
        given = np.asarray(actions)
    except (TypeError, ValueError):
        given = np.empty(0, object)
    if given.dtype.kind not in "iub":
        problem = f"is {actions!r}, which is not an integer"
    elif given.shape != shape:
        problem = f"has shape {given.shape}"
    elif (low := given.min()) < space.start:
        problem = f"is {low}"
    elif (high := given.max()) >= space.start + space.n:
        problem = f"is {high}"
    else:
        return given.astype(np.int64)
    kind = f"integers of shape {shape}" if shape else "an integer"
    raise InvalidAction(f"the action {problem}; expected {kind} within {space.start} .. {space.start + space.n - 1}.")
