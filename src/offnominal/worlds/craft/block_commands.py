"""Commands that act on the block in front of the player: BREAK_BLOCK, PLACE, COLLECT and USE."""

from __future__ import annotations

from offnominal.worlds.craft.blocks import (
    AIR,
    BY_ID,
    DIAMOND,
    DIAMOND_ORE,
    DOOR,
    IRON_AXE,
    IRON_PICKAXE,
    JUNGLE_LOG,
    KEY,
    LOCKED_DOOR,
    LOG,
    OPEN_DOOR,
    PLASTIC_CHEST,
    PLATINUM,
    ROTTEN_LOG,
    RUBBER,
    SAFE,
    TREE_TAP,
    UNLOCKED_SAFE,
)
from offnominal.worlds.craft.inventory import KIND
from offnominal.worlds.craft.layout import GROUND, HEAD, STEPS, Cell
from offnominal.worlds.craft.refusal import Refusal, expect, item_named
from offnominal.worlds.craft.state import GameState
from offnominal.worlds.craft.trees import LOG_OF, LOGS, SAPLING_OF, fell, grow

ORES = frozenset({DIAMOND_ORE, PLATINUM})
ORE_DIAMONDS = 9
AXE_SHARE, AXE_NEEDED = 0.2, 3
"""Share of the step cost of a tree with an axe, and level of the novelty ``axe`` from which trees need one."""
SAPLING_TURNS = (4, 7)
SAPLING_LANE = 1


def break_block(state: GameState, words: list[str]) -> float:
    """Break the block in front; what it becomes lies in its cell: ``BREAK_BLOCK``."""
    expect(words, 0, 0, "BREAK_BLOCK without arguments")
    cell, block = state.front, state.block(state.front)
    cost = state.rules.costs.break_ore if block in ORES else state.rules.costs.break_block
    if block in LOGS and "axe" in state.levels:
        if state.inventory.count(IRON_AXE):
            cost *= AXE_SHARE
        elif state.levels["axe"] >= AXE_NEEDED:
            raise Refusal("this tree needs an axe in the inventory", cost)
    if not BY_ID[block].breakable:
        raise Refusal("nothing to break" if block == AIR else "the block cannot be broken", cost)
    if block in ORES and state.inventory.held != IRON_PICKAXE:
        raise Refusal("this block needs the iron pickaxe in the hand", cost)
    if state.layout.room_of(cell) == 0:
        raise Refusal("the block is outside of all rooms", cost)
    remove_block(state, cell)
    return cost


def remove_block(state: GameState, cell: Cell) -> None:
    """Remove a block or a whole tree, and put on the ground what it becomes."""
    block = state.block(cell)
    if block in LOGS:
        fell(state.blocks, cell)
        if block != ROTTEN_LOG:
            low, high = SAPLING_TURNS
            due = state.turn + low + state.draws.index(high - low + 1, state.turn, SAPLING_LANE)
            state.saplings = (*state.saplings, (due, cell, SAPLING_OF[block]))
            state.drop(cell, block, state.rules.log_drop)
        return
    state.blocks[cell[0], GROUND, cell[1]] = AIR
    if block == DIAMOND_ORE:
        state.drop(cell, DIAMOND, ORE_DIAMONDS)
    else:
        state.drop(cell, block, 1)


def place(state: GameState, words: list[str]) -> float:
    """Put a block of the inventory into the cell in front: ``PLACE minecraft:sapling``."""
    expect(words, 1, 1, "PLACE item")
    kind, cost, cell = item_named(state, words[0]), state.rules.costs.place, state.front
    item = state.inventory.first(kind)
    if item == AIR:
        raise Refusal("the inventory has no such item", cost)
    if not BY_ID[item].is_block:
        raise Refusal("this item is no block", cost)
    if not state.is_free(cell) or state.block(cell) != AIR or cell in state.drops:
        raise Refusal("the cell in front is not free", cost)
    if item == TREE_TAP and not logs_beside(state, cell):
        raise Refusal("a tree tap must touch a tree", cost)
    state.inventory.remove(kind, 1)
    if item in LOG_OF:
        grow(state.blocks, cell, LOG_OF[item])
    else:
        state.blocks[cell[0], GROUND, cell[1]] = item
    return cost


def place_tree_tap(state: GameState, words: list[str]) -> float:
    """Put a tree tap into the cell in front: ``PLACE_TREE_TAP``."""
    expect(words, 0, 0, "PLACE_TREE_TAP without arguments")
    name = next((name for id, name in state.rules.renamed if id == TREE_TAP), BY_ID[TREE_TAP].name)
    return place(state, [name])


def logs_beside(state: GameState, cell: Cell) -> list[int]:
    """Return the ids of the living trees that touch a cell horizontally."""
    beside = [state.block((cell[0] + dx, cell[1] + dz)) for dx, dz in STEPS]
    return [block for block in beside if block in (LOG, JUNGLE_LOG)]


def collect(state: GameState, words: list[str]) -> float:
    """Take rubber from a tree tap, or all items from a chest or an open safe: ``COLLECT``."""
    expect(words, 0, 0, "COLLECT without arguments")
    cell, block = state.front, state.block(state.front)
    if block == TREE_TAP:
        return _collect_rubber(state, cell)
    cost = state.rules.costs.collect
    if block not in (PLASTIC_CHEST, UNLOCKED_SAFE):
        raise Refusal("nothing to collect from", cost)
    stored = state.contents.get(cell, ())
    if not stored:
        raise Refusal("it is empty", cost)
    trial = state.inventory.copy()
    if not all(trial.add(item, count) for item, count in stored):
        raise Refusal("the inventory is full", cost)
    state.inventory = trial
    del state.contents[cell]
    return cost


def _collect_rubber(state: GameState, cell: Cell) -> float:
    logs = logs_beside(state, cell)
    cost = state.rules.costs.rubber * (0.5 if JUNGLE_LOG in logs else 1.0)
    if not logs:
        raise Refusal("the tree tap touches no tree", state.rules.costs.collect)
    if not state.inventory.add(RUBBER, 1):
        raise Refusal("the inventory is full", cost)
    return cost


def use(state: GameState, words: list[str]) -> float:
    """Open or close a door, or unlock a safe or a door with the key in the hand: ``USE``."""
    expect(words, 0, 0, "USE without arguments")
    cell, block, cost = state.front, state.block(state.front), state.rules.costs.use
    if block in (SAFE, LOCKED_DOOR) and state.inventory.held != KEY:
        raise Refusal("it is locked; the key must be in the hand", cost)
    if block == OPEN_DOOR and not state.is_free(cell):
        raise Refusal("an actor or the player stands in the door", cost)
    become = {SAFE: UNLOCKED_SAFE, LOCKED_DOOR: OPEN_DOOR, DOOR: OPEN_DOOR, OPEN_DOOR: DOOR}.get(block)
    if become is None:
        raise Refusal("nothing to use", cost)
    set_block(state, cell, become)
    return cost


def set_block(state: GameState, cell: Cell, block: int) -> None:
    """Change the block of a cell; a door is two blocks high."""
    top = HEAD if block in (DOOR, OPEN_DOOR, LOCKED_DOOR) else GROUND
    state.blocks[cell[0], GROUND : top + 1, cell[1]] = block


def pick_up(state: GameState) -> None:
    """Take what lies in the cell of the player, as far as the inventory has room."""
    lying = state.drops.pop(state.cell, None)
    if lying:
        left = tuple((item, count) for item, count in lying if not state.inventory.add(item, count))
        if left:
            state.drops[state.cell] = left


def kinds_on_ground(state: GameState, cell: Cell) -> set[int]:
    """Return the kinds of items that lie in a cell."""
    return {KIND[item] for item, _ in state.drops.get(cell, ())}
