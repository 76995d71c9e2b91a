"""What a first-person camera needs to know of an episode."""

from __future__ import annotations

from dataclasses import dataclass

from offnominal.worlds.craft.inventory import HOT_BAR
from offnominal.worlds.craft.layout import GROUND, BlockArray
from offnominal.worlds.craft.state import GameState

EYE_HEIGHT = 1.10667 + 0.5
"""Height of the eyes above the floor, in blocks: the published value counts from the centre of a block."""


@dataclass(frozen=True)
class PlayerView:
    """The view of the player. Coordinates are indices of the block array; a block spans [x, x + 1).

    Args:
        blocks: (x, y, z): ids of the blocks.
        position: Position of the eyes.
        yaw: Direction, degrees: 0 south (+z), 90 west (-x), 180 north, 270 east.
        pitch: Degrees, positive down.
        entities: Kind, position of the feet and yaw of every actor and, as ``"Item:<id>"``, of every item on the
            ground.
        hot_bar: Ids of the nine items of the hot bar; 0 for an empty slot.
        selected: Selected slot of the hot bar.
    """

    blocks: BlockArray
    position: tuple[float, float, float]
    yaw: float
    pitch: float
    entities: tuple[tuple[str, tuple[float, float, float], float], ...]
    hot_bar: tuple[int, ...]
    selected: int


def player_view(state: GameState) -> PlayerView:
    """Return the view of the player of an episode."""
    x, z = state.cell
    entities = [
        (actor.kind, (actor.cell[0] + 0.5, float(GROUND), actor.cell[1] + 0.5), float(actor.yaw))
        for actor in state.actors
    ]
    entities += [
        (f"Item:{items[-1][0]}", (cell[0] + 0.5, float(GROUND), cell[1] + 0.5), 0.0)
        for cell, items in sorted(state.drops.items())
    ]
    return PlayerView(
        state.blocks,
        (x + 0.5, GROUND + EYE_HEIGHT, z + 0.5),
        float(state.yaw),
        float(state.pitch),
        tuple(entities),
        tuple(state.inventory.items[:HOT_BAR]),
        state.inventory.selected,
    )
