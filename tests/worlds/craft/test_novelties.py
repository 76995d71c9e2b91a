"""Novelties: they change what they say, are undone exactly, and do not shift other random numbers."""

import numpy as np
import pytest

from offnominal.worlds.craft import blocks as b
from offnominal.worlds.craft.commands import execute, run_command
from offnominal.worlds.craft.first_person import first_person
from offnominal.worlds.craft.game import new_game
from offnominal.worlds.craft.layout import yaw_towards
from offnominal.worlds.craft.movement import beside
from offnominal.worlds.craft.novelties import NOVELTIES, set_novelty
from offnominal.worlds.craft.novelty_truth import LEAST, novel_fraction, novel_parts, wall_pixels
from offnominal.worlds.craft.planner import solve

NOMINAL = {version: new_game(version, seed=6) for version in ("v1", "v2")}
CASES = [
    (version, name, level)
    for name, novelty in NOVELTIES.items()
    for version in novelty.versions
    for level in sorted({1, novelty.highest})
]


@pytest.mark.parametrize(("version", "name", "level"), CASES)
def test_a_novelty_is_undone_exactly(version, name, level):
    state = NOMINAL[version].copy()
    before = state.digest()
    set_novelty(state, name, level)
    changed = state.digest()
    assert changed != before
    assert state.digest() == changed
    set_novelty(state, name, 0)
    assert state.digest() == before


@pytest.mark.parametrize(("version", "name", "level"), CASES)
def test_the_planner_can_play_with_a_novelty(version, name, level):
    state = NOMINAL[version].copy()
    set_novelty(state, name, level)
    commands = solve(state, limit=150)
    impossible = (name, level) in {
        ("step_cost", 9),
        ("rotten_trees", 5),
        ("thief", 3),
        ("chest_thief", 3),
        ("missing_recipe", 1),
    }
    assert state.solved or impossible, commands[-5:]


def test_what_a_novelty_draws_depends_on_the_seed_alone():
    first, second = (new_game("v2", seed=8) for _ in range(2))
    set_novelty(first, "fence", 2)
    for name in ("thief", "inserted_item", "fence"):
        set_novelty(second, name, 2)
    fences = [state.layer == b.FENCE for state in (first, second)]
    assert fences[0].any()
    assert (fences[0] & fences[1]).sum() >= 0.8 * fences[0].sum()


def test_fences_surround_the_published_number_of_trees():
    for level, counts in ((1, {1, 2}), (2, {3, 4, 5}), (3, {5})):
        for seed in range(6):
            state = new_game("v2", seed=seed)
            set_novelty(state, "fence", level)
            trees = np.argwhere(state.layer == b.LOG)
            rings = [state.layer[x - 1 : x + 2, z - 1 : z + 2] for x, z in trees]
            fenced = sum((ring == b.FENCE).sum() >= 7 for ring in rings)
            assert fenced in counts


def test_a_thief_takes_and_hides_and_nothing_is_lost():
    state = NOMINAL["v2"].copy()
    set_novelty(state, "thief", 1)
    thief = state.actor(110)
    state.inventory.add(b.DIAMOND, 12)
    state.cell = (thief.cell[0] + 1, thief.cell[1])
    state.teleports = True
    run_command(state, "NOP")
    assert (state.inventory.count(b.DIAMOND), thief.carried) == (0, ((b.DIAMOND, 12),))
    for _ in range(3):
        run_command(state, "NOP")
    stored = [item for contents in state.contents.values() for item in contents]
    assert stored.count((b.DIAMOND, 12)) == 1
    assert (state.layer == b.SAFE).sum() == 1
    assert thief.carried == ()


def test_a_supplier_gives_the_pogo_stick():
    state = NOMINAL["v2"].copy()
    set_novelty(state, "supplier", 2)
    run_command(state, "TP_TO 111")
    assert [run_command(state, "INTERACT 111").success for _ in range(2)] == [True, True]
    assert state.solved


def test_a_renamed_item_answers_to_its_new_name_only():
    state = NOMINAL["v1"].copy()
    state.inventory.add(b.STICK, 2)
    set_novelty(state, "renamed_items", 1)
    assert execute(state, "SENSE_INVENTORY")["inventory"]["0"]["item"] == "minecraft:rod"
    assert run_command(state, "SELECT_ITEM minecraft:stick").message == "unknown item 'minecraft:stick'"
    assert run_command(state, "SELECT_ITEM minecraft:rod").success


def test_the_fraction_of_novel_pixels_is_exact():
    state = NOMINAL["v2"].copy()
    set_novelty(state, "supplier", 1)
    supplier = state.actors[-1]
    state.cell, state.yaw = beside(state, supplier.cell)[0], 0
    state.yaw = yaw_towards(state.cell, supplier.cell)
    image = first_person(state, size=32)
    fraction = novel_fraction(state, image)
    assert fraction == (image.entity == supplier.id).mean() > LEAST
    set_novelty(state, "supplier", 0)
    assert novel_fraction(state, first_person(state, size=32)) == 0.0
    for name in ("inserted_item", "recipe"):
        set_novelty(state, name, 2)
    assert novel_parts(state) == ((b.inserted_item("sand").id,), ())


@pytest.mark.parametrize("pitch", [0, 30, -15])
def test_pixels_of_walls_of_grass_are_those_that_were_bedrock(pitch):
    state = NOMINAL["v2"].copy()
    state.pitch = pitch
    before = first_person(state, size=48).block == b.BEDROCK
    set_novelty(state, "walls", 3)
    image = first_person(state, size=48)
    beyond = image.block == b.BEDROCK  # walls of side rooms
    np.testing.assert_array_equal(wall_pixels(state, image), before & ~beyond)
    assert novel_fraction(state, image) == (before & ~beyond).mean()


def test_a_supplier_is_the_only_source_without_a_recipe():
    state = NOMINAL["v2"].copy()
    set_novelty(state, "missing_recipe", 1)
    recipes = execute(state, "SENSE_RECIPES")["recipes"]
    assert "polycraft:wooden_pogo_stick" not in {recipe["outputs"][0]["item"] for recipe in recipes}
    set_novelty(state, "supplier", 3)
    solve(state)
    assert state.solved


def test_a_distributor_hands_out_what_it_mines():
    state = NOMINAL["v2"].copy()
    set_novelty(state, "distributor", 3)
    ores = int(np.isin(state.layer, (b.DIAMOND_ORE, b.PLATINUM)).sum())
    diamonds = 9 * int((state.layer == b.DIAMOND_ORE).sum())
    state.actors = [actor for actor in state.actors if actor.kind == "Distributor"]
    state.teleports = True
    for _ in range(4 * ores + 2):
        run_command(state, "NOP")
    run_command(state, f"TP_TO {state.actors[0].id}")
    while run_command(state, f"INTERACT {state.actors[0].id}").success:
        pass
    assert state.inventory.count(b.DIAMOND) == diamonds
    assert state.inventory.count(b.PLATINUM) == ores - diamonds // 9


def test_an_axe_makes_trees_cheap_or_possible():
    costs = []
    for level, carried in ((0, False), (2, True), (3, False), (3, True)):
        state = NOMINAL["v2"].copy()
        set_novelty(state, "axe", level)
        state.inventory.add(b.IRON_AXE, int(carried))
        tree = next((int(x), int(z)) for x, z in np.argwhere(state.layer == b.LOG))
        run_command(state, f"TP_TO {tree[0]},17,{tree[1]}")
        state.yaw = yaw_towards(state.cell, tree)
        result = run_command(state, "BREAK_BLOCK")
        costs.append((result.success, result.cost))
    assert costs == [(True, 3600.0), (True, 720.0), (False, 3600.0), (True, 720.0)]


def test_many_novelties_at_once_that_begin_and_end_in_mid_episode():
    """Everything at once, begun at different steps of a plan, is undone to what the player alone has changed."""
    state, plan = new_game("v2", seed=9), solve(new_game("v2", seed=9))
    names = ["thief", "chest_thief", "supplier", "distributor", "extra_traders", "merchants", "fence", "axe", "walls"]
    for command, name in zip(plan, names, strict=False):
        run_command(state, command)
        set_novelty(state, name, NOVELTIES[name].highest)
    ids = [actor.id for actor in state.actors]
    assert len(set(ids)) == len(ids)
    assert {actor.kind for actor in state.actors} == {"Merchant", "Pogoist", "Thief", "Supplier", "Distributor"}
    for name in reversed(names):
        set_novelty(state, name, 0)
    assert [actor.kind for actor in state.actors] == ["Trader", "Trader", "Pogoist"]
    assert not np.isin(state.blocks, (b.FENCE,)).any()
    assert not state.levels
    assert not state.placed


def test_rubber_of_a_jungle_tree_costs_half():
    costs = []
    for level in (0, 1):
        state = NOMINAL["v2"].copy()
        set_novelty(state, "jungle_trees", level)
        tree = next((int(x), int(z)) for x, z in np.argwhere(state.layer == (b.JUNGLE_LOG if level else b.LOG)))
        state.inventory.add(b.TREE_TAP, 1)
        run_command(state, f"TP_TO {tree[0]},17,{tree[1]} 2")
        for yaw in (0, 90, 180, 270):
            state.yaw = yaw
            if run_command(state, "PLACE_TREE_TAP").success:
                break
        costs.append(run_command(state, "COLLECT").cost)
    assert costs == [50_000.0, 25_000.0]
