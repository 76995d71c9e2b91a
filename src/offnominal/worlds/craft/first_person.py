"""Images of the player's view, with the exact block or actor of every pixel."""

from __future__ import annotations

from offnominal.sensing import VoxelCamera, VoxelEntity, VoxelImage, VoxelLight, render_blocks
from offnominal.worlds.craft.hot_bar import IMAGE, draw_hot_bar
from offnominal.worlds.craft.layout import GROUND
from offnominal.worlds.craft.state import GameState
from offnominal.worlds.craft.textures.models import block_models
from offnominal.worlds.craft.textures.people import FIRST_DROP, KINDS, entity_models

EYE_HEIGHT = 1.60667
"""Height of the camera above the ground, in blocks: the published 1.10667 above the centre of the player's cell."""
FOV = 71.2667
"""Field of view of the published images, degrees."""
FIRST_DROP_IDENTITY = 1_000_000
"""Identity of a dropped item in an image is this number plus its id. That of an actor is its id."""


def first_person(
    state: GameState, *, size: int = IMAGE, hot_bar: bool = True, light: VoxelLight | None = None
) -> VoxelImage:
    """Return the image of the player's view.

    The hot bar covers colours only: block, entity and depth are those of the world behind it, as in the published
    fractions of novel pixels.

    Args:
        state: State of the episode.
        size: Pixels per side.
        hot_bar: Whether to draw the hot bar over the lowest rows, 22 of 256.
        light: Light and sky.

    Example:
        >>> from offnominal.worlds.craft.game import new_game
        >>> image = first_person(new_game("v1", seed=3))
        >>> image.rgb.shape, image.fraction([2]) > 0.2
        ((256, 256, 3), True)
    """
    image = render_blocks(
        state.blocks,
        block_models(),
        player_camera(state, size),
        entities=entities(state),
        entity_models=entity_models(),
        light=light,
    )
    if hot_bar:
        draw_hot_bar(image.rgb, state.inventory)
    return image


def player_camera(state: GameState, size: int = IMAGE) -> VoxelCamera:
    """Return the camera in the place of the player's eyes.

    Args:
        state: State of the episode.
        size: Pixels per side.
    """
    x, z = state.cell
    place = (x + 0.5, GROUND + EYE_HEIGHT, z + 0.5)
    return VoxelCamera(place, float(state.yaw), float(state.pitch), size, size, FOV)


def entities(state: GameState) -> list[VoxelEntity]:
    """Return the actors and the items on the ground."""
    found = [
        VoxelEntity(
            1 + KINDS.index(actor.kind), (actor.cell[0] + 0.5, float(GROUND), actor.cell[1] + 0.5), actor.yaw, actor.id
        )
        for actor in state.actors
    ]
    for (x, z), stacks in state.drops.items():
        for place, (item, _) in enumerate(stacks[:4]):
            spot = (x + 0.35 + 0.3 * (place % 2), float(GROUND), z + 0.35 + 0.3 * (place // 2))
            found.append(VoxelEntity(FIRST_DROP + item, spot, 30.0, FIRST_DROP_IDENTITY + item))
    return found
