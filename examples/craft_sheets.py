"""Draw the contact sheets of the voxel world: `python examples/craft_sheets.py [folder]`."""

import math
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from offnominal.sensing import VoxelCamera, VoxelEntity, VoxelLight, render_blocks
from offnominal.worlds.craft.blocks import AIR, BLOCKS, DIAMOND, ITEMS, LOG, NOVEL_ITEMS, PLANKS, STICK, inserted_item
from offnominal.worlds.craft.first_person import first_person
from offnominal.worlds.craft.game import new_game
from offnominal.worlds.craft.layout import GROUND
from offnominal.worlds.craft.state import Actor, GameState
from offnominal.worlds.craft.textures.icons import icon
from offnominal.worlds.craft.textures.models import block_models
from offnominal.worlds.craft.textures.people import KINDS, entity_models

SIDE, LABEL, FINE = 104, 13, 3
WHITE = VoxelLight(horizon=(1.0, 1.0, 1.0), zenith=(1.0, 1.0, 1.0))


def portrait(id: int) -> Image.Image:
    """Return an image of one block on white."""
    yaw, away = math.radians(148.0), 3.0
    eye = (0.5 + away * math.sin(yaw), 2.25, 0.5 - away * math.cos(yaw))
    camera = VoxelCamera(eye, 148.0, 30.0, FINE * SIDE, FINE * SIDE, 30.0)
    image = render_blocks(np.full((1, 1, 1), id, np.uint8), block_models(), camera, light=WHITE)
    return Image.fromarray(image.rgb).resize((SIDE, SIDE), Image.Resampling.BOX)


def actor_portrait(kind: str) -> Image.Image:
    """Return an image of an actor on white."""
    camera = VoxelCamera((0.7, 1.25, 4.2), 170.0, 4.0, FINE * SIDE, FINE * SIDE, 29.0)
    actor = VoxelEntity(1 + KINDS.index(kind), (0.0, 0.0, 0.0))
    image = render_blocks(
        np.zeros((1, 1, 1), np.uint8),
        block_models(),
        camera,
        entities=[actor],
        entity_models=entity_models(),
        light=WHITE,
    )
    return Image.fromarray(image.rgb).resize((SIDE, SIDE), Image.Resampling.BOX)


def item_portrait(id: int) -> Image.Image:
    """Return an enlarged icon on white."""
    image = Image.new("RGB", (SIDE, SIDE), "white")
    enlarged = Image.fromarray(icon(id)).resize((80, 80), Image.Resampling.NEAREST)
    image.paste(enlarged, ((SIDE - 80) // 2, (SIDE - 80) // 2), enlarged)
    return image


def sheet(titles: Sequence[str], images: Sequence[Image.Image], columns: int) -> Image.Image:
    """Return images in a grid, each below its title."""
    wide, high = images[0].size[0] + 4, images[0].size[1] + LABEL + 4
    page = Image.new("RGB", (columns * wide, -(-len(images) // columns) * high), "white")
    draw = ImageDraw.Draw(page)
    for k, (title, image) in enumerate(zip(titles, images, strict=True)):
        left, top = k % columns * wide, k // columns * high
        page.paste(image, (left, top + LABEL))
        draw.text((left + 3, top), title, fill="black")
    return page


def block_sheet() -> Image.Image:
    """Return the blocks of the task, actors and items."""
    novel = {inserted_item(name).id for name in NOVEL_ITEMS} - {PLANKS}
    shown = [block for block in BLOCKS if block.id not in novel | {AIR}]
    titles = [*(block.texture for block in shown), *KINDS, *(item.texture[:16] for item in ITEMS)]
    images = [portrait(block.id) for block in shown]
    images += [actor_portrait(kind) for kind in KINDS] + [item_portrait(item.id) for item in ITEMS]
    return sheet(titles, images, 10)


def novelty_sheet() -> Image.Image:
    """Return the inserted items."""
    return sheet(NOVEL_ITEMS, [portrait(inserted_item(name).id) for name in NOVEL_ITEMS], 10)


def widest_view(state: GameState) -> int:
    """Return the direction in which the player sees farthest."""
    depths = {}
    for yaw in (0, 90, 180, 270):
        state.yaw = yaw
        depths[yaw] = float(np.minimum(first_person(state, size=32).depth, 20.0).mean())
    return max(depths, key=lambda yaw: depths[yaw])


def room_with(seed: int, *names: str) -> GameState:
    """Return a level with some inserted items or actors on free cells before the player."""
    state = new_game("v2", seed=seed)
    yaw = state.yaw = widest_view(state)
    for item, count in ((LOG, 5), (PLANKS, 3), (STICK, 4), (DIAMOND, 18)):
        state.inventory.add(item, count)
    ahead, right = {0: ((0, 1), (-1, 0)), 90: ((-1, 0), (0, -1)), 180: ((0, -1), (1, 0)), 270: ((1, 0), (0, 1))}[yaw]
    for name, (far, aside) in zip(names, ((3, -1), (5, 2), (7, -3), (4, 1)), strict=False):
        cell = (
            state.cell[0] + far * ahead[0] + aside * right[0],
            state.cell[1] + far * ahead[1] + aside * right[1],
        )
        if not state.is_free(cell):
            continue
        if name in KINDS:
            state.actors.append(Actor(name, 200 + far, cell, yaw=(yaw + 180) % 360))
        else:
            state.blocks[cell[0], GROUND, cell[1]] = inserted_item(name).id
    return state


def room_sheet() -> Image.Image:
    """Return images of the player's view in eight levels."""
    scenes = {
        "nominal": room_with(0),
        "nominal ": room_with(7),
        "anvil": room_with(1, "anvil", "anvil", "anvil"),
        "pumpkin": room_with(6, "pumpkin", "pumpkin", "pumpkin"),
        "cake": room_with(3, "cake", "cake", "cake"),
        "slime": room_with(5, "slime", "slime", "slime"),
        "thief": room_with(2, "Thief"),
        "supplier": room_with(4, "Supplier"),
    }
    images = [Image.fromarray(first_person(state).rgb) for state in scenes.values()]
    return sheet(list(scenes), images, 4)


def main(folder: Path) -> None:
    """Write all sheets."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in (("blocks", block_sheet()), ("novelties", novelty_sheet()), ("rooms", room_sheet())):
        page.save(folder / f"{name}.png", optimize=True)
        print(f"Written: {folder / f'{name}.png'}")


if __name__ == "__main__":
    main(Path(*sys.argv[1:] or ["docs/assets/craft"]))
