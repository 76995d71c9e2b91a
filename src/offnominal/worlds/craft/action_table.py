"""Discrete actions: the commands of the interface with their arguments, numbered."""

from __future__ import annotations

from functools import cache

from offnominal.worlds.craft.blocks import (
    AIR,
    BY_ID,
    CRAFTING_TABLE,
    LOG,
    PLANKS,
    SAPLING,
    TASK_ITEMS,
    TREE_TAP,
)
from offnominal.worlds.craft.inventory import KIND
from offnominal.worlds.craft.layout import GROUND, MAIN_SIZE, SIDE_SIZE
from offnominal.worlds.craft.movement import ANGLE, DIRECTIONS
from offnominal.worlds.craft.rules import POGO_VARIANTS, RULES, TRADES, Recipe, Version

TRADERS = (101, 102, 112, 113, 114, 115)
"""Ids of the traders, with those of the novelty ``extra_traders``."""
ACTORS = (*TRADERS, 105, 110, 111)
"""Ids of all actors."""
SIZES: dict[Version, int] = {"v1": MAIN_SIZE, "v2": MAIN_SIZE + SIDE_SIZE}
"""Cells per side of the block array."""
BASES: dict[Version, int] = {"v1": 3, "v2": 16}
"""Height of the floor in the coordinates of the interface."""


@cache
def commands_of(version: Version) -> tuple[str, ...]:
    """Return the command of every action of a version.

    Example:
        >>> commands_of("v1")[:3], commands_of("v2")[-1]
        (('NOP', 'MOVE w', 'MOVE x'), 'TP_TO 47,17,47 2')
    """
    names = {id: BY_ID[id].name for id in BY_ID}
    listed = ["NOP", *(f"MOVE {key}" for key in DIRECTIONS)]
    listed += [f"TURN {angle}" for angle in range(-165, 181, ANGLE) if angle]
    listed += ["TILT -15", "TILT 15", "BREAK_BLOCK", "COLLECT", "USE", "SENSE_RECIPES"]
    listed += [f"PLACE {names[item]}" for item in (TREE_TAP, SAPLING, CRAFTING_TABLE, LOG, PLANKS)]
    listed += [f"SELECT_ITEM {names[item]}" for item in sorted(TASK_ITEMS) if KIND[item] == item]
    recipes = dict.fromkeys((*RULES[version].recipes, *POGO_VARIANTS[version]))
    listed += [craft_command(recipe) for recipe in recipes]
    if version == "v2":
        listed += [f"TRADE {id} {names[trade.given]} {trade.given_count}" for id in TRADERS for trade in TRADES]
    listed += [f"INTERACT {id}" for id in ACTORS] + [f"TP_TO {id}" for id in ACTORS]
    size, y = SIZES[version], BASES[version] + GROUND
    cells = [f"TP_TO {x},{y},{z}" for x in range(size) for z in range(size)]
    return (*listed, *cells, *(f"{cell} 2" for cell in cells))


@cache
def action_numbers(version: Version) -> dict[str, int]:
    """Return the number of the action of every command of a version."""
    return {command: number for number, command in enumerate(commands_of(version))}


def craft_command(recipe: Recipe) -> str:
    """Return the command that crafts a recipe once, with the published names."""
    return " ".join(["CRAFT 1", *("0" if item == AIR else BY_ID[item].name for item in recipe.slots())])
