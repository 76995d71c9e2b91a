"""How much of a novelty the player sees: the exact fraction of novel pixels, by which published frames were chosen."""

from __future__ import annotations

from offnominal.sensing import VoxelImage
from offnominal.worlds.craft.blocks import (
    FENCE,
    JUNGLE_LEAVES,
    JUNGLE_LOG,
    LOCKED_DOOR,
    NOVEL_ITEMS,
    ROTTEN_LOG,
    inserted_item,
)
from offnominal.worlds.craft.level import FIRST_TRADER
from offnominal.worlds.craft.novelties import FIRST_EXTRA, SUPPLIER, THIEF
from offnominal.worlds.craft.state import GameState

LEAST = 0.01
"""Smallest fraction of novel pixels of a published frame, included."""
_BLOCKS = {
    "fence": (FENCE,),
    "jungle_trees": (JUNGLE_LOG, JUNGLE_LEAVES),
    "rotten_trees": (ROTTEN_LOG,),
    "locked_doors": (LOCKED_DOOR,),
}
_ACTORS = {
    "thief": (THIEF,),
    "supplier": (SUPPLIER,),
    "extra_traders": tuple(range(FIRST_EXTRA, FIRST_EXTRA + 4)),
    "moved_traders": (FIRST_TRADER, FIRST_TRADER + 1),
}


def novel_parts(state: GameState) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the ids of the blocks and of the actors that belong to the novelties of an episode.

    Novelties of the rules have none. Walls of grass have none either: the ground has the same block.

    Example:
        >>> from offnominal.worlds.craft import new_game, set_novelty
        >>> state = new_game("v2", seed=0)
        >>> set_novelty(state, "fence", 1)
        >>> set_novelty(state, "thief", 1)
        >>> novel_parts(state)
        ((20,), (110,))
    """
    blocks: list[int] = []
    actors: list[int] = []
    for name, level in state.levels.items():
        if name == "inserted_item":
            blocks.append(inserted_item(NOVEL_ITEMS[int(level) - 1]).id)
        blocks += _BLOCKS.get(name, ())
        actors += _ACTORS.get(name, ())
    return tuple(blocks), tuple(actors)


def novel_fraction(state: GameState, image: VoxelImage) -> float:
    """Return the fraction of the pixels of an image that show a novelty, from 0 to 1.

    As in the published data, a block counts by its kind, and the rows of the hot bar count as what is behind them.

    Args:
        state: The episode.
        image: Its image, by :func:`~offnominal.worlds.craft.first_person.first_person`.
    """
    blocks, actors = novel_parts(state)
    return image.fraction(blocks, actors) if blocks or actors else 0.0
