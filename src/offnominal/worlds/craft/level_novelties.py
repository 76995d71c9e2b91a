"""Novelties of the level: inserted items, fences, other trees, walls, doors and an axe."""

from __future__ import annotations

from collections.abc import Callable

from offnominal.worlds.craft.block_commands import set_block
from offnominal.worlds.craft.blocks import (
    AIR,
    BEDROCK,
    DOOR,
    FENCE,
    GRASS,
    IRON_AXE,
    JUNGLE_LOG,
    LOCKED_DOOR,
    LOG,
    NOVEL_ITEMS,
    OPEN_DOOR,
    SAPLING,
    inserted_item,
)
from offnominal.worlds.craft.draws import Sequential
from offnominal.worlds.craft.layout import FLOOR, MAIN_SIZE, WALL_HEIGHT
from offnominal.worlds.craft.novelty import Start, Stop, clear_cells, put_block, shuffled_trees, undo_blocks
from offnominal.worlds.craft.state import GameState
from offnominal.worlds.craft.trees import fell, grow

COPIES = (3, 8)
ON_GROUND = 2


def insert_item(state: GameState, level: int, sequence: Sequential, *, copies: tuple[int, int] = COPIES) -> None:
    """Put copies of an inserted item on free cells: fewest and most of them."""
    block = inserted_item(NOVEL_ITEMS[level - 1]).id
    for _ in range(sequence.integer(*copies)):
        cells = clear_cells(state)
        if cells:
            put_block(state, "inserted_item", [sequence.choice(cells)], block)


def fence(state: GameState, level: int, sequence: Sequential) -> None:
    """Put fences around trees; the pogoist wanders."""
    trees = shuffled_trees(state, sequence, (LOG, JUNGLE_LOG))
    count = {1: sequence.integer(1, 2), 2: sequence.integer(3, 5)}.get(level, len(trees))
    radius = 2 if level == 3 else 1
    for x, z in trees[:count]:
        around = [(x + dx, z + dz) for dx in range(-radius, radius + 1) for dz in range(-radius, radius + 1)]
        free = [cell for cell in around if state.is_free(cell) and state.block(cell) == AIR and cell not in state.drops]
        put_block(state, "fence", free, FENCE)
    for actor in state.actors:
        actor.wanders = actor.kind == "Pogoist"


def remove_fence(state: GameState) -> None:
    """Remove the fences that are left."""
    undo_blocks("fence", FENCE)(state)
    for actor in state.actors:
        actor.wanders = False


def change_trees(name: str, log: int, counts: Callable[[int, Sequential], int]) -> Start:
    """Return the function that turns oaks into other trees."""

    def start(state: GameState, level: int, sequence: Sequential) -> None:
        chosen = shuffled_trees(state, sequence)[: counts(level, sequence)]
        state.placed[name] = tuple((cell, LOG) for cell in chosen)
        for cell in chosen:
            fell(state.blocks, cell)
            grow(state.blocks, cell, log)

    return start


def restore_trees(name: str, log: int) -> Stop:
    """Return the function that turns trees back into oaks."""

    def stop(state: GameState) -> None:
        for cell, _ in state.placed.get(name, ()):
            if state.block(cell) == log:
                fell(state.blocks, cell)
                grow(state.blocks, cell, LOG)

    return stop


def jungle_count(level: int, sequence: Sequential) -> int:
    """Return the number of jungle trees of a level."""
    return {1: 4, 2: sequence.integer(2, 3)}.get(level, 1)


def walls(state: GameState, level: int, sequence: Sequential) -> None:
    """Turn columns of the walls of the main room into grass."""
    share = {1: 0.01 + 0.49 * sequence.uniform(), 2: 0.51 + 0.49 * sequence.uniform()}.get(level, 1.0)
    edge = MAIN_SIZE - 1
    columns = [(x, z) for x in range(MAIN_SIZE) for z in range(MAIN_SIZE) if x in (0, edge) or z in (0, edge)]
    bedrock = [cell for cell in columns if state.block(cell) == BEDROCK]
    chosen = sequence.shuffled(bedrock)[: max(1, round(share * len(bedrock)))]
    state.placed["walls"] = tuple((cell, BEDROCK) for cell in chosen)
    for x, z in chosen:
        state.blocks[x, FLOOR:WALL_HEIGHT, z] = GRASS


def restore_walls(state: GameState) -> None:
    """Turn the walls back into bedrock."""
    for (x, z), _ in state.placed.get("walls", ()):
        state.blocks[x, FLOOR:WALL_HEIGHT, z] = BEDROCK


def lock_doors(state: GameState, level: int, sequence: Sequential) -> None:
    """Lock the doors in which no actor and no player stands."""
    for door in state.layout.doors:
        if state.block(door) == DOOR or (state.block(door) == OPEN_DOOR and state.is_free(door)):
            set_block(state, door, LOCKED_DOOR)


def unlock_doors(state: GameState) -> None:
    """Unlock the doors."""
    for door in state.layout.doors:
        if state.block(door) == LOCKED_DOOR:
            set_block(state, door, DOOR)


def only_saplings(state: GameState, level: int, sequence: Sequential) -> None:
    """Turn trees into saplings on the ground."""
    chosen = shuffled_trees(state, sequence)[:level]
    state.placed["only_saplings"] = tuple((cell, LOG) for cell in chosen)
    for cell in chosen:
        fell(state.blocks, cell)
        state.drop(cell, SAPLING, 1)


def restore_saplings(state: GameState) -> None:
    """Turn the saplings that still lie where trees stood back into trees."""
    for cell, log in state.placed.get("only_saplings", ()):
        if state.take_drop(cell, SAPLING) and state.is_free(cell) and state.block(cell) == AIR:
            grow(state.blocks, cell, log)


def add_axe(state: GameState, level: int, sequence: Sequential) -> None:
    """Give the player an axe, or put it on the ground."""
    cells = clear_cells(state)
    if level < ON_GROUND:
        state.inventory.add(IRON_AXE, 1)
    elif cells:
        cell = sequence.choice(cells)
        state.placed["axe"] = ((cell, AIR),)
        state.drop(cell, IRON_AXE, 1)


def remove_axe(state: GameState) -> None:
    """Take the axe away, wherever it is."""
    lying = [cell for cell, _ in state.placed.get("axe", ())]
    if not any(state.take_drop(cell, IRON_AXE) for cell in lying):
        state.inventory.remove(IRON_AXE, 1)
