"""How much of a novelty the player sees: the exact fraction of novel pixels, by which published frames were chosen."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from offnominal.sensing import VoxelImage
from offnominal.worlds.craft.blocks import (
    FENCE,
    GRASS,
    IRON_AXE,
    JUNGLE_LEAVES,
    JUNGLE_LOG,
    LOCKED_DOOR,
    NOVEL_ITEMS,
    ROTTEN_LOG,
    SAPLING,
    inserted_item,
)
from offnominal.worlds.craft.first_person import FIRST_DROP_IDENTITY, player_camera
from offnominal.worlds.craft.layout import GROUND
from offnominal.worlds.craft.state import GameState

Mask: TypeAlias = NDArray[np.bool_]

LEAST = 0.01
"""Smallest fraction of novel pixels of a published frame, included."""
_ABOVE = 1e-4
_BLOCKS = {
    "fence": (FENCE,),
    "jungle_trees": (JUNGLE_LOG, JUNGLE_LEAVES),
    "rotten_trees": (ROTTEN_LOG,),
    "locked_doors": (LOCKED_DOOR,),
}
_ACTORS = ("thief", "chest_thief", "supplier", "distributor", "extra_traders", "moved_traders")
_DROPS = {"axe": IRON_AXE, "only_saplings": SAPLING}


def novel_parts(state: GameState, *, leaves: bool = True) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the ids of the blocks and the identities of the entities that belong to the novelties of an episode.

    Novelties of the rules have none. The blocks of walls of grass are told from the ground by their place;
    see :func:`wall_pixels`.

    Args:
        state: The episode.
        leaves: Whether the leaves of new trees are new, too. The published masks only have their trunks.

    Example:
        >>> from offnominal.worlds.craft import new_game, set_novelty
        >>> state = new_game("v2", seed=0)
        >>> set_novelty(state, "fence", 1)
        >>> set_novelty(state, "thief", 1)
        >>> novel_parts(state)
        ((20,), (110,))
    """
    blocks: list[int] = []
    entities: list[int] = []
    for name, level in state.levels.items():
        if name == "inserted_item":
            blocks.append(inserted_item(NOVEL_ITEMS[int(level) - 1]).id)
        blocks += _BLOCKS.get(name, ())
        if name in _ACTORS:
            entities += [id for _, id in state.placed.get(name, ())]
        if name in _DROPS:
            entities.append(FIRST_DROP_IDENTITY + _DROPS[name])
        if name == "merchants":
            entities += [actor.id for actor in state.actors if actor.kind == "Merchant"]
    if not leaves:
        blocks = [block for block in blocks if block != JUNGLE_LEAVES]
    return tuple(blocks), tuple(entities)


def wall_pixels(state: GameState, image: VoxelImage) -> Mask:
    """Return which pixels show walls of grass: grass above the ground.

    Args:
        state: The episode.
        image: Its image, by :func:`~offnominal.worlds.craft.first_person.first_person`.
    """
    height = image.block.shape[0]
    camera = player_camera(state, height)
    _, up, forward = camera.axes()
    half = np.tan(np.radians(0.5 * camera.fov))
    rise = forward[1] + up[1] * half * (1.0 - (2.0 * np.arange(height) + 1.0) / height)
    with np.errstate(invalid="ignore"):
        place = camera.position[1] + image.depth * rise[:, None]
    is_wall: Mask = (image.block == GRASS) & (place > GROUND + _ABOVE)
    return is_wall


def novel_fraction(state: GameState, image: VoxelImage, *, leaves: bool = True) -> float:
    """Return the fraction of the pixels of an image that show a novelty, from 0 to 1.

    As in the published data, a block counts by its kind, and the rows of the hot bar count as what is behind them.

    Args:
        state: The episode.
        image: Its image, by :func:`~offnominal.worlds.craft.first_person.first_person`.
        leaves: Whether the leaves of new trees count. They do not in the published masks.
    """
    blocks, entities = novel_parts(state, leaves=leaves)
    fraction = image.fraction(blocks, entities) if blocks or entities else 0.0
    if "walls" in state.levels:
        fraction += float(wall_pixels(state, image).mean())
    return fraction
