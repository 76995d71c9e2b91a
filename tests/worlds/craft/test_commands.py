"""The command interface: published keys, exact bookkeeping of items, and commands that are not possible."""

import json

import numpy as np
import pytest

from offnominal.worlds.craft import blocks as b
from offnominal.worlds.craft.commands import VERBS, execute, run_command
from offnominal.worlds.craft.draws import Draws
from offnominal.worlds.craft.game import new_game
from offnominal.worlds.craft.layout import STEPS
from offnominal.worlds.craft.level import draw_level
from offnominal.worlds.craft.rules import RULES, trimmed

LOG_NAME, PLANKS_NAME, STICK_NAME = "minecraft:log", "minecraft:planks", "minecraft:stick"
PLATINUM_NAME = "polycraft:block_of_platinum"


@pytest.fixture
def state():
    return draw_level("v2", Draws.named(3, 0, "reset"))


def beside_block(state, block):
    """Put the player in front of a block."""
    x, z = (int(i) for i in np.argwhere(state.layer == block)[0])
    for index, (dx, dz) in enumerate(STEPS):
        if state.is_free((x - dx, z - dz)):
            state.cell, state.yaw = (x - dx, z - dz), 90 * index
            return x, z
    raise AssertionError("no free side")


def test_sense_all_has_exactly_the_published_keys(state):
    answer = execute(state, "SENSE_ALL NONAV")
    assert list(answer) == [
        *("blockInFront", "inventory", "player", "destinationPos", "entities", "map", "goal", "command_result"),
        *("step", "gameOver"),
    ]
    assert set(answer["player"]) == {"pos", "facing", "yaw", "pitch"}
    assert set(answer["goal"]) == {"goalType", "goalAchieved", "Distribution"}
    assert set(answer["command_result"]) == {"command", "argument", "result", "message", "stepCost"}
    assert answer["command_result"]["stepCost"] == 114.0
    assert answer["inventory"]["7"]["item"] == "minecraft:iron_pickaxe"
    assert set(answer["inventory"]["selectedItem"]) == {"slot", "item", "count", "damage", "maxdamage"}
    assert answer["inventory"]["selectedItem"]["item"] == ""
    entity = answer["entities"]["101"]
    assert list(entity) == ["type", "name", "id", "pos", "color", "equipment"]
    assert entity["name"] == "entity.polycraft.Trader.name"
    assert all({"name", "isAccessible"} <= set(entry) for entry in answer["map"].values())
    assert len(answer["map"]) == 1024
    json.dumps(answer)


def test_map_as_list_agrees_with_the_map_of_cells(state):
    table, listed = (execute(state, text)["map"] for text in ("SENSE_ALL NONAV", "SENSE_ALL"))
    assert listed["blocks"] == [entry["name"] for entry in table.values()]
    assert (listed["size"], listed["origin"]) == ([32, 1, 32], [0, 17, 0])


def test_only_the_current_room_is_sensed_in_version_2(state):
    assert not any(entry["name"] == "polycraft:safe" for entry in execute(state, "SENSE_ALL NONAV")["map"].values())
    x, z = beside_block(state, b.SAFE)
    assert execute(state, "SENSE_ALL NONAV")["map"][f"{x},17,{z}"]["name"] == "polycraft:safe"
    assert execute(new_game("v1"), "SENSE_ALL NONAV")["player"]["pos"] == [27, 4, 27]


def test_crafting_conserves_items():
    """8 planks become 6 planks and 4 sticks, then 1 plank, 3 sticks and a tree tap."""
    state = draw_level("v1", Draws.named(0, 0, "reset"))
    beside_block(state, b.CRAFTING_TABLE)
    state.inventory.add(b.LOG, 2)
    seen = []
    for name in ("planks", "planks", "stick", "tree_tap"):
        recipe = RULES["v1"].recipe(name)
        words = ["0" if item == 0 else b.BY_ID[item].name for item in recipe.slots()]
        before = state.inventory.totals()
        assert run_command(state, f"CRAFT 1 {' '.join(words)}").success
        after = state.inventory.totals()
        for item in {*before, *after}:
            change = recipe.count * (item == recipe.output) - recipe.ingredients.get(item, 0)
            assert after.get(item, 0) - before.get(item, 0) == change
        seen.append(tuple(after.get(item, 0) for item in (b.LOG, b.PLANKS, b.STICK, b.TREE_TAP)))
    assert seen == [(1, 4, 0, 0), (0, 8, 0, 0), (0, 6, 4, 0), (0, 1, 3, 1)]


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_recipes_have_the_published_ingredients(version):
    rules = RULES[version]
    assert all(rules.matching(trimmed(recipe.slots())) is recipe for recipe in rules.recipes)
    pogo = rules.recipe("pogo_stick").ingredients
    expected = {b.STICK: 4, b.PLANKS: 2, b.RUBBER: 1}
    if version == "v2":
        expected = {b.STICK: 2, b.TITANIUM: 2, b.DIAMOND_BLOCK: 2, b.RUBBER: 1}
    assert pogo == expected


def test_a_trade_exchanges_exactly_its_items(state):
    trader = next(actor for actor in state.actors if any(t.given == b.DIAMOND for t in actor.trades))
    command = f"TRADE {trader.id} minecraft:diamond 18"
    state.inventory.add(b.DIAMOND, 17)
    assert run_command(state, command).message == "the actor is too far away"
    assert run_command(state, f"TP_TO {trader.id}").success
    assert run_command(state, command).message == "the inventory has too few items"
    assert state.inventory.count(b.DIAMOND) == 17
    state.inventory.add(b.DIAMOND, 1)
    assert run_command(state, command).success
    assert (state.inventory.count(b.DIAMOND), state.inventory.count(b.PLATINUM)) == (0, 1)


def test_ores_need_the_pickaxe_in_the_hand(state):
    cell = beside_block(state, b.DIAMOND_ORE)
    refused = run_command(state, "BREAK_BLOCK")
    assert (refused.success, refused.cost) == (False, 600.0)
    run_command(state, "SELECT_ITEM minecraft:iron_pickaxe")
    assert run_command(state, "BREAK_BLOCK").success
    assert state.drops[cell] == ((b.DIAMOND, 9),)
    assert run_command(state, "MOVE w").success
    assert state.inventory.count(b.DIAMOND) == 9
    assert not state.drops


def test_key_opens_the_safe(state):
    beside_block(state, b.SAFE)
    assert not run_command(state, "USE").success
    state.inventory.add(b.KEY, 1)
    for command in ("SELECT_ITEM polycraft:key", "USE", "COLLECT"):
        assert run_command(state, command).success, command
    assert state.inventory.count(b.DIAMOND) == 18
    assert run_command(state, "COLLECT").message == "it is empty"


def test_a_door_leads_into_its_room(state):
    door = state.layout.doors[0]
    state.cell, state.yaw = (door[0] - 1, door[1]), 270
    assert state.front == door
    x, z = np.argwhere(state.layer == b.SAFE)[0]
    assert not run_command(state, f"TP_TO {x},17,{z}").success
    assert run_command(state, "USE").success
    assert state.block(door) == b.OPEN_DOOR
    assert run_command(state, f"TP_TO {x},17,{z}").success
    assert state.layout.room_of(state.cell) == 2


def test_a_cut_tree_leaves_a_log_and_later_a_sapling(state):
    tree = beside_block(state, b.LOG)
    run_command(state, "BREAK_BLOCK")
    assert state.drops[tree] == ((b.LOG, 1),)
    due = state.saplings[0][0]
    assert 4 <= due <= 7
    while state.turn < due:
        run_command(state, "NOP")
    assert (b.SAPLING, 1) in state.drops[tree]
    run_command(state, "MOVE w")
    run_command(state, "TURN 90")
    assert run_command(state, "PLACE minecraft:sapling").success
    assert state.block(state.front) == b.LOG


def test_sensing_and_turning_take_no_time(state):
    for command in (
        "SENSE_ALL",
        "SENSE_RECIPES",
        "SENSE_INVENTORY",
        "SENSE_LOCATIONS",
        "CHECK_COST",
        "TURN 15",
        "TILT 15",
    ):
        assert run_command(state, command).success
    assert state.turn == 0
    assert run_command(state, "NOP").success
    assert (state.turn, state.step) == (1, 8)
    assert execute(state, "SENSE_ACTOR_ACTIONS")["actorActions"].keys() == {"101", "102", "105"}


def test_the_budget_ends_an_episode(state):
    state.cost = 999_900.0
    run_command(state, "NOP")
    assert state.over
    assert not state.solved
    assert run_command(state, "NOP").message == "the episode has ended"
    assert run_command(state, "SENSE_ALL").success


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("FLY up", "unknown command"),
        ("", "unknown command"),
        ("MOVE", "expected MOVE"),
        ("MOVE k", "direction 'k'"),
        ("TURN 7", "multiple of 15"),
        ("TURN ten", "expected an integer"),
        ("TP_TO 3,4", "expected TP_TO"),
        ("TP_TO 999", "no actor"),
        ("TP_TO 500,17,500", "cannot be reached|can be reached"),
        ("CRAFT 1 minecraft:log", "4 or 9 slots"),
        ("CRAFT 1 minecraft:cheese 0 0 0", "unknown item"),
        ("CRAFT 1 minecraft:log 0 0 0", "too few ingredients"),
        ("SELECT_ITEM minecraft:stick", "no such item"),
        ("TRADE 101 minecraft:log", "expected TRADE"),
        ("INTERACT 101", "too far"),
        ("COLLECT", "nothing to collect"),
    ],
)
def test_commands_that_are_not_possible_change_nothing(state, command, message):
    before = state.digest(counters=False)
    result = run_command(state, command)
    assert not result.success
    assert np.any([each in result.message for each in message.split("|")])
    assert state.digest(counters=False) == before


def test_random_commands_never_crash_and_refused_ones_change_nothing():
    """10,000 random lines: known and unknown verbs with too few, too many, right and senseless arguments."""
    rng = np.random.default_rng(0)
    verbs = [verb for verb in VERBS if verb not in ("GIVE_UP", "SENSE_ALL", "SENSE_LOCATIONS")]
    verbs += ["", "move", "FLY", "SENSE_ALL\0", "☃", "CRAFT;", "-1"]
    words = [*b.BY_NAME, "0", "1", "2", "9", "18", "-1", "1e9", "w", "a", "d", "x", "q", "e", "z", "c", "15", "90"]
    words += ["101", "102", "105", "5,17,5", "12,17,20", "1,2", "NaN", "9" * 5000, "\u0663", "';--", "NONAV"]
    state = draw_level("v2", Draws.named(7, 0, "reset"))
    digest, before, successes = state.digest(counters=False), quick(state), 0
    for number in range(10_000):
        arguments = [words[i] for i in rng.integers(len(words), size=rng.integers(5))]
        text = " ".join([verbs[rng.integers(len(verbs))], *arguments])
        result = run_command(state, text)
        if result.success or state.over:
            successes += result.success
            if state.over:
                state = draw_level("v2", Draws.named(7, successes, "reset"))
            digest, before = state.digest(counters=False), quick(state)
        else:
            assert quick(state) == before, text
            assert number % 16 or state.digest(counters=False) == digest, text
    assert successes > 300


def quick(state):
    """Return what most commands change; the digest takes ten times as long."""
    pose = (state.cell, state.yaw, state.pitch, state.turn, state.inventory.selected)
    assert min(state.inventory.counts) >= 0
    return pose, tuple(state.inventory.items), tuple(state.inventory.counts), len(state.drops), len(state.contents)
