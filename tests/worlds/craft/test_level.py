"""Levels of the pogo-stick task: what the facts say is in them, and reproducible by the seed."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.worlds.craft import blocks as b
from offnominal.worlds.craft.draws import Draws
from offnominal.worlds.craft.game import new_game
from offnominal.worlds.craft.layout import FLOOR, GROUND
from offnominal.worlds.craft.level import draw_level
from offnominal.worlds.craft.trees import fell, grow

LEVELS = [draw_level("v2", Draws.named(seed, 0, "reset")) for seed in range(60)]


def test_ids_names_and_textures_are_unique():
    every = (*b.BLOCKS, *b.ITEMS)
    assert len({each.id for each in every}) == len({each.texture for each in every}) == len(every)
    assert len({(each.name, each.texture) for each in every}) == len(every)
    assert len(b.NOVEL_ITEMS) == len(set(b.NOVEL_ITEMS)) == 51
    assert b.BLOCKS[0].id == b.AIR == 0
    assert all(b.inserted_item(name).is_block for name in b.NOVEL_ITEMS)
    assert b.BY_ID[b.JUNGLE_LOG].label == "log_var_jungle"


def test_unknown_names_are_answered_with_the_nearest():
    with pytest.raises(UnknownName, match="minecraft:log"):
        b.block_named("minecraft:lag")
    with pytest.raises(UnknownName, match="anvil"):
        b.inserted_item("anvill")


def test_version_2_has_the_published_contents():
    rooms = [len(level.layout.rooms) - 1 for level in LEVELS]
    assert set(rooms) == {1, 2}
    for level in LEVELS:
        counts = np.bincount(level.layer.ravel(), minlength=256)
        assert (counts[b.LOG], counts[b.CRAFTING_TABLE], counts[b.PLASTIC_CHEST], counts[b.SAFE]) == (5, 1, 1, 1)
        assert 2 <= counts[b.DIAMOND_ORE] <= 4
        assert 2 <= counts[b.PLATINUM] <= 4
        assert counts[b.DOOR] == len(level.layout.rooms) - 1
        assert [actor.kind for actor in level.actors] == ["Trader", "Trader", "Pogoist"]
        assert len({trade for actor in level.actors for trade in actor.trades}) == 4
        assert level.inventory.items[7] == b.IRON_PICKAXE
        safe = tuple(int(i) for i in np.argwhere(level.layer == b.SAFE)[0])
        assert level.layout.room_of(safe) > 1
        assert level.contents[safe] == ((b.DIAMOND, 18),)


def test_every_cell_of_a_room_has_a_floor_and_the_walls_are_bedrock():
    for level in LEVELS[:10]:
        for number, room in enumerate(level.layout.rooms):
            xs, zs = room.interior
            floor = level.blocks[xs[0] : xs[-1] + 1, FLOOR, zs[0] : zs[-1] + 1]
            assert (floor == (b.GRASS if number == 0 else b.DIRT)).all()
            edge = level.blocks[room.first[0], GROUND, room.first[1] : room.last[1] + 1]
            assert set(np.unique(edge)) <= {b.BEDROCK, b.DOOR}


def test_nothing_stands_in_the_same_cell():
    for level in LEVELS:
        places = [level.cell, *(actor.cell for actor in level.actors)]
        assert len(set(places)) == len(places)
        assert all(level.block(place) == b.AIR for place in places)


def test_seed_and_episode_fix_the_level():
    for version in ("v1", "v2"):
        first, again, later = (new_game(version, seed=4, episode=episode) for episode in (0, 0, 1))
        assert first.digest() == again.digest() != later.digest()
        assert first.digest() != new_game(version, seed=5).digest()


def test_a_copy_is_independent():
    level = new_game("v2", seed=2)
    before = level.digest()
    twin = level.copy()
    twin.blocks[:] = 0
    twin.inventory.add(b.STICK, 3)
    twin.actors[0].cell = (1, 1)
    twin.drop((4, 4), b.LOG, 1)
    twin.contents.clear()
    assert level.digest() == before != twin.digest()


def test_a_felled_tree_leaves_nothing():
    blocks = np.zeros((9, 10, 9), np.uint8)
    for log in (b.LOG, b.JUNGLE_LOG, b.ROTTEN_LOG):
        grow(blocks, (4, 4), log)
        assert (blocks[4, 1:4, 4] == log).all()
        assert (blocks[:, :3] != 0).sum() == 2
        fell(blocks, (4, 4))
        assert not blocks.any()


def test_unknown_version_is_refused():
    with pytest.raises(InvalidParameter, match="version"):
        new_game("v3")
