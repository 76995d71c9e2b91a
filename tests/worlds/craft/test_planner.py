"""The scripted player: solves nominal levels with the published number of frames, also after surprises."""

from dataclasses import replace

import numpy as np
import pytest

from offnominal.worlds.craft import blocks as b
from offnominal.worlds.craft.commands import run_command
from offnominal.worlds.craft.draws import Draws
from offnominal.worlds.craft.game import new_game
from offnominal.worlds.craft.level import draw_level
from offnominal.worlds.craft.planner import PogoPlanner, solve
from offnominal.worlds.craft.rules import RULES, Recipe


@pytest.mark.parametrize(("version", "walks", "episodes"), [("v1", False, 40), ("v2", False, 100), ("v1", True, 8)])
def test_nominal_levels_are_solved(version, walks, episodes):
    solved, frames = 0, []
    for seed in range(episodes):
        state = draw_level(version, Draws.named(seed, 0, "reset"))
        frames.append(1 + len(solve(state, PogoPlanner(walks=walks))))
        solved += state.solved
    assert solved >= 0.99 * episodes
    if version == "v2":
        assert 45 <= np.mean(frames) <= 56


def test_version_1_has_the_published_trace_of_the_inventory():
    state = new_game("v1", seed=0)
    kinds, trace = (b.LOG, b.PLANKS, b.STICK, b.TREE_TAP, b.RUBBER, b.POGO_STICK), []
    for command in solve(state.copy(), PogoPlanner(walks=True)):
        run_command(state, command)
        counts = tuple(state.inventory.count(kind) for kind in kinds)
        if not trace or trace[-1] != counts:
            trace.append(counts)
    assert trace == [
        (0, 0, 0, 0, 0, 0),
        (1, 0, 0, 0, 0, 0),
        (2, 0, 0, 0, 0, 0),
        (1, 4, 0, 0, 0, 0),
        (0, 8, 0, 0, 0, 0),
        (0, 6, 4, 0, 0, 0),
        (0, 1, 3, 1, 0, 0),
        (0, 1, 3, 0, 0, 0),
        (0, 1, 3, 0, 1, 0),
        (1, 1, 3, 0, 1, 0),
        (0, 5, 3, 0, 1, 0),
        (0, 3, 7, 0, 1, 0),
        (0, 1, 3, 0, 0, 1),
    ]


def test_commands_of_the_planner_replay_to_the_same_state():
    state, planned = new_game("v2", seed=1), new_game("v2", seed=1)
    for command in solve(planned):
        assert run_command(state, command).success
    assert state.digest() == planned.digest()


def test_without_ore_the_planner_takes_the_diamonds_of_the_safe():
    state = new_game("v2", seed=3)
    state.layer[state.layer == b.DIAMOND_ORE] = b.AIR
    commands = solve(state)
    assert state.solved
    assert "SELECT_ITEM polycraft:key" in commands


def test_without_a_table_the_planner_builds_one():
    state = new_game("v1", seed=3)
    state.layer[state.layer == b.CRAFTING_TABLE] = b.AIR
    solve(state)
    assert state.solved


def test_a_changed_recipe_makes_the_planner_sense_the_recipes():
    state = new_game("v1", seed=3)
    other = Recipe("pogo_stick", ((b.STICK, b.PLANKS, b.STICK), (0, b.RUBBER, 0), (0, b.PLANKS, 0)), b.POGO_STICK)
    recipes = tuple(other if each.name == "pogo_stick" else each for each in RULES["v1"].recipes)
    state.rules = replace(state.rules, recipes=recipes)
    assert "SENSE_RECIPES" in solve(state)
    assert state.solved
