"""Sources of worlds: an id of this package or of Gymnasium, or a function that builds a world."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium

from offnominal.worlds.catalogue import NAMESPACE, make_world, worlds
from offnominal.worlds.gymnasium_world import GymnasiumWorld
from offnominal.worlds.world import World

WorldSource = str | Callable[[int], World]


def build_world(world: WorldSource, n: int, **options: Any) -> World:
    """Return n rows of a world that is given by id or by function."""
    if not isinstance(world, str):
        return world(n)
    if world.removeprefix(f"{NAMESPACE}/") not in worlds and world in gymnasium.registry:
        return GymnasiumWorld(n, id=world, **options)
    return make_world(world, n, **options)
