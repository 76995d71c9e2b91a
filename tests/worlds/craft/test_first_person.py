"""Images of the player's view: blocks, actors, dropped items, hot bar."""

import hashlib

import numpy as np
import pytest

from offnominal.sensing import VoxelCamera, render_blocks
from offnominal.worlds.craft.blocks import (
    AIR,
    BLOCKS,
    BY_ID,
    DIAMOND,
    GRASS,
    ITEMS,
    LEAVES,
    NOVEL_ITEMS,
    STICK,
    inserted_item,
)
from offnominal.worlds.craft.first_person import FIRST_DROP_IDENTITY, first_person
from offnominal.worlds.craft.game import new_game
from offnominal.worlds.craft.layout import GROUND
from offnominal.worlds.craft.state import Actor
from offnominal.worlds.craft.textures.icons import icon
from offnominal.worlds.craft.textures.models import block_model, block_models
from offnominal.worlds.craft.textures.people import KINDS

SIZE = 64


@pytest.fixture(scope="module")
def level():
    """A level with free cells before the player, who looks west."""
    state = new_game("v1", seed=3)
    state.blocks[20:27, GROUND:, 25:30] = AIR
    return state


def facing(level, **changes):
    state = level.copy()
    for name, value in changes.items():
        setattr(state, name, value)
    return state


def test_every_block_and_item_has_its_own_appearance():
    models = {block.texture: block_model(block.texture) for block in BLOCKS if block.id != AIR}
    looks = {name: b"".join(face.tobytes() for part in model for face in part.faces) for name, model in models.items()}
    doors = {"wooden_door_open", "wooden_door"}
    assert len(set(looks.values())) == len(looks) - len(doors) + 1
    icons = {id: icon(id).tobytes() for id in BY_ID if id != AIR}
    assert len(set(icons.values())) == len(icons)
    assert all(icon(item.id)[..., 3].mean() > 20.0 for item in ITEMS)


def test_opaque_blocks_are_opaque_cubes():
    for block in BLOCKS:
        if block.id != AIR:
            model = block_model(block.texture)
            assert block.opaque == (len(model) == 1 and model[0].is_opaque_cube), block.texture


@pytest.mark.parametrize("name", NOVEL_ITEMS)
def test_inserted_item_before_the_player_is_visible(level, name):
    block = inserted_item(name).id
    nominal = first_person(level, size=SIZE, hot_bar=False)
    state = level.copy()
    state.blocks[state.cell[0] - 2, GROUND, state.cell[1]] = block
    image = first_person(state, size=SIZE, hot_bar=False)
    assert nominal.fraction([block]) == 0.0
    assert image.fraction([block]) >= 0.005
    changed = (image.rgb != nominal.rgb).any(axis=-1)
    assert changed[image.block == block].mean() > 0.9


def test_actors_and_dropped_items_have_their_identities(level):
    x, z = level.cell
    for number, kind in enumerate(KINDS):
        actor = Actor(kind, 100 + number, (x - 2, z), yaw=270)
        image = first_person(facing(level, actors=[actor]), size=SIZE)
        assert image.fraction(entities=[100 + number]) > 0.03
    image = first_person(facing(level, drops={(x - 2, z): ((STICK, 1), (DIAMOND, 2))}), size=SIZE)
    assert {FIRST_DROP_IDENTITY + STICK, FIRST_DROP_IDENTITY + DIAMOND} <= set(np.unique(image.entity).tolist())


def test_hot_bar_is_in_the_lowest_22_rows(level):
    state = level.copy()
    without = first_person(state, hot_bar=False)
    state.inventory.add(STICK, 12)
    state.inventory.add(LEAVES, 1)
    image = first_person(state)
    changed = (image.rgb != without.rgb).any(axis=-1)
    assert not changed[:-22].any()
    assert changed[-22:, 37:219].mean() > 0.9
    assert not changed[:, :37].any()
    assert not changed[:, 219:].any()
    np.testing.assert_array_equal(image.block, without.block)
    state.inventory.selected = 1
    assert (first_person(state).rgb != image.rgb).any(axis=(1, 2)).nonzero()[0].min() == 256 - 22


def test_yaw_and_pitch_turn_the_camera(level):
    down = first_person(facing(level, pitch=80), size=SIZE)
    assert down.fraction([GRASS]) == 1.0
    np.testing.assert_array_equal(
        first_person(facing(level, yaw=-90), size=SIZE).rgb, first_person(facing(level, yaw=270), size=SIZE).rgb
    )


def test_image_of_all_blocks_is_the_same_on_every_machine():
    blocks = np.zeros((20, 2, 10), np.uint8)
    blocks[:, 0] = GRASS
    for place, block in enumerate(BLOCKS):
        blocks[1 + 2 * (place // 9) % 20, 1, 1 + place % 9] = block.id
    camera = VoxelCamera((9.3, 9.1, -3.2), 4.0, 48.0, 96, 96)
    image = render_blocks(blocks, block_models(), camera)
    found = hashlib.sha256(image.rgb.tobytes() + image.block.tobytes() + image.depth.tobytes()).hexdigest()
    assert len(np.unique(image.block)) > 70
    assert found[:16] == "24a284eb4c1eaa9d"
