"""Observation and action spaces of any environment, observations as one flat Box."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Space, Tuple, flatten_space

from offnominal.core.errors import UnsupportedEnvironment

FLATTENED = (Discrete, MultiDiscrete, MultiBinary, Dict, Tuple)


@dataclass(frozen=True, slots=True)
class Spaces:
    """Spaces of an environment.

    Args:
        name: Name of the environment in messages.
        observation: Space of one observation; flattened if the environment's own is not a Box.
        action: Space of one action.
    """

    name: str
    observation: Box
    action: Box | Discrete


def checked_spaces(name: str, observation: Space[Any], action: Space[Any]) -> Spaces:
    """Return flat spaces, or raise :class:`UnsupportedEnvironment` with the reason."""
    if not isinstance(action, Box | Discrete):
        raise UnsupportedEnvironment(f"{name} has actions in {action}; actions must be in a Box or Discrete space.")
    return Spaces(name, flat_observation_space(name, observation), action)


def flat_observation_space(name: str, space: Space[Any]) -> Box:
    """Return a Box as it is and the flattened form of another space, as Gymnasium's ``flatten`` orders it.

    Args:
        name: Name of the environment in messages.
        space: Observation space.

    Raises:
        UnsupportedEnvironment: The space has no fixed length, or has images among other parts.
    """
    if isinstance(space, Box):
        return space
    flat = flatten_space(space) if isinstance(space, FLATTENED) and space.is_np_flattenable else None
    if not isinstance(flat, Box):
        raise UnsupportedEnvironment(
            f"{name} has observations in {space}; a Box, Discrete, MultiDiscrete, MultiBinary, Dict or Tuple space of "
            "fixed length is needed. Write a gymnasium.ObservationWrapper that returns an array."
        )
    if any(_is_image(part) for part in _parts(space)):
        raise UnsupportedEnvironment(
            f"{name} has images beside other observations ({space}); keep one of them with "
            "gymnasium.wrappers.FilterObservation, or render the images with frames=True."
        )
    # In float32, so that a fault of an observation is not rounded to 0 or 1.
    return Box(flat.low.astype(np.float32), flat.high.astype(np.float32), dtype=np.float32)


def _parts(space: Space[Any]) -> list[Space[Any]]:
    """Return the spaces inside a Dict or Tuple space."""
    if isinstance(space, Dict):
        inside = list(space.spaces.values())
    elif isinstance(space, Tuple):
        inside = list(space.spaces)
    else:
        return [space]
    return [part for each in inside for part in _parts(each)]


def _is_image(space: Space[Any]) -> bool:
    return isinstance(space, Box) and space.dtype == np.uint8 and len(space.shape) >= 2
