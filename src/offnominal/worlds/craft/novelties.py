"""Novelties of the pogo-stick task: changes of the level, the actors and the rules that can be undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from offnominal.worlds.craft.block_commands import set_block
from offnominal.worlds.craft.blocks import (
    AIR,
    BEDROCK,
    DOOR,
    FENCE,
    GRASS,
    JUNGLE_LOG,
    LOCKED_DOOR,
    LOG,
    NOVEL_ITEMS,
    OPEN_DOOR,
    PLANKS,
    POGO_STICK,
    ROTTEN_LOG,
    STICK,
    inserted_item,
)
from offnominal.worlds.craft.draws import Sequential
from offnominal.worlds.craft.layout import FLOOR, GROUND, MAIN_SIZE, WALL_HEIGHT, Cell
from offnominal.worlds.craft.rules import POGO_VARIANTS, RENAMED, TRADES, Version, changed_rules
from offnominal.worlds.craft.state import Actor, GameState, Stack
from offnominal.worlds.craft.trees import fell, grow

Start: TypeAlias = Callable[[GameState, int, Sequential], None]
Stop: TypeAlias = Callable[[GameState], None]
FIRST_LANE = 5000
THIEF, SUPPLIER, FIRST_EXTRA = 110, 111, 112
COPIES = (3, 8)
HARD_GIFTS = (11, 14)
BUSY = {1: 0.5, 2: 0.75}
DIFFICULTIES = {"easy": 1, "medium": 2, "hard": 3}
BOTH: tuple[Version, ...] = ("v1", "v2")


@dataclass(frozen=True)
class Novelty:
    """One kind of novelty.

    Args:
        name: Name of the physics parameter; the anomaly is ``dynamics/<name>``.
        summary: Effect at its level.
        highest: Largest level; 0 is without the novelty.
        start: Switches it on at a level.
        stop: Undoes it.
        versions: Versions of the task that have it.
        typical: A level with a visible effect.
        is_sensed: Whether the player senses it when it begins. If not, it has no physics parameter.
        difficulties: Whether its levels are the published ones: easy, medium and hard.
    """

    name: str
    summary: str
    highest: int
    start: Start
    stop: Stop
    versions: tuple[Version, ...] = BOTH
    typical: int = 1
    is_sensed: bool = True
    difficulties: bool = False

    @property
    def named_levels(self) -> dict[str, int]:
        """Levels by name: the published ones, or the typical one."""
        return dict(DIFFICULTIES) if self.difficulties else {"typical": self.typical}


def set_novelty(state: GameState, name: str, level: int) -> None:
    """Switch a novelty on at a level, or off at level 0. Everything that is still there of an earlier level is undone.

    What is drawn depends on the seed, the turn and the novelty, so other random numbers of the episode stay the same.
    """
    if int(state.levels.get(name, 0)) == level:
        return
    novelty = NOVELTIES[name]
    if name in state.levels:
        novelty.stop(state)
        del state.levels[name]
        state.placed.pop(name, None)
    if level:
        state.levels[name] = level
        lane = FIRST_LANE + 4096 * list(NOVELTIES).index(name) + min(state.turn, 4095)
        novelty.start(state, level, Sequential(state.draws, lane))


def _clear_cells(state: GameState, *, margin: int = 1) -> list[Cell]:
    """Return the cells of the main room around which everything is free."""
    clear = state.layer[:MAIN_SIZE, :MAIN_SIZE] == AIR
    for x, z in (state.cell, *(actor.cell for actor in state.actors), *state.drops):
        if x < MAIN_SIZE and z < MAIN_SIZE:
            clear[x, z] = False
    for _ in range(margin):
        inner = np.pad(clear, 1)
        clear = clear.copy()
        for dx in (0, 1, 2):
            for dz in (0, 1, 2):
                clear &= inner[dx : dx + MAIN_SIZE, dz : dz + MAIN_SIZE]
    return [(int(x), int(z)) for x, z in np.argwhere(clear)]


def _trees(state: GameState, sequence: Sequential, logs: Sequence[int] = (LOG,)) -> list[Cell]:
    """Return the trees in random order."""
    return sequence.shuffled([(int(x), int(z)) for x, z in np.argwhere(np.isin(state.layer, logs))])


def _put(state: GameState, name: str, cells: Sequence[Cell], block: int) -> None:
    """Put a block into cells and remember what was there."""
    state.placed[name] = (*state.placed.get(name, ()), *((cell, state.block(cell)) for cell in cells))
    for x, z in cells:
        state.blocks[x, GROUND, z] = block


def _undo(name: str, *blocks: int) -> Stop:
    """Return the function that restores the cells of a novelty that still have some blocks."""

    def stop(state: GameState) -> None:
        for (x, z), before in state.placed.get(name, ()):
            if not blocks or state.blocks[x, GROUND, z] in blocks:
                state.blocks[x, GROUND, z] = before

    return stop


def _insert_item(state: GameState, level: int, sequence: Sequential) -> None:
    block = inserted_item(NOVEL_ITEMS[level - 1]).id
    for _ in range(sequence.integer(*COPIES)):
        cells = _clear_cells(state)
        if cells:
            _put(state, "inserted_item", [sequence.choice(cells)], block)


def _fence(state: GameState, level: int, sequence: Sequential) -> None:
    trees = _trees(state, sequence, (LOG, JUNGLE_LOG))
    count = {1: sequence.integer(1, 2), 2: sequence.integer(3, 5)}.get(level, len(trees))
    radius = 2 if level == 3 else 1
    for x, z in trees[:count]:
        around = [(x + dx, z + dz) for dx in range(-radius, radius + 1) for dz in range(-radius, radius + 1)]
        free = [cell for cell in around if state.is_free(cell) and state.block(cell) == AIR and cell not in state.drops]
        _put(state, "fence", free, FENCE)
    for actor in state.actors:
        actor.wanders = actor.kind == "Pogoist"


def _remove_fence(state: GameState) -> None:
    _undo("fence", FENCE)(state)
    for actor in state.actors:
        actor.wanders = False


def _change_trees(name: str, log: int, counts: Callable[[int, Sequential], int]) -> Start:
    """Return the function that turns oaks into other trees."""

    def start(state: GameState, level: int, sequence: Sequential) -> None:
        chosen = _trees(state, sequence)[: counts(level, sequence)]
        state.placed[name] = tuple((cell, LOG) for cell in chosen)
        for cell in chosen:
            fell(state.blocks, cell)
            grow(state.blocks, cell, log)

    return start


def _restore_trees(name: str, log: int) -> Stop:
    """Return the function that turns trees back into oaks."""

    def stop(state: GameState) -> None:
        for cell, _ in state.placed.get(name, ()):
            if state.block(cell) == log:
                fell(state.blocks, cell)
                grow(state.blocks, cell, LOG)

    return stop


def _jungle_count(level: int, sequence: Sequential) -> int:
    return {1: 4, 2: sequence.integer(2, 3)}.get(level, 1)


def _add_actor(state: GameState, sequence: Sequential, actor: Actor) -> None:
    cells = _clear_cells(state)
    if cells:
        state.actors.append(replace(actor, cell=sequence.choice(cells), yaw=90 * sequence.integer(0, 3)))


def _remove_actors(*ids: int) -> Stop:
    """Return the function that removes actors; what they carry stays on the ground."""

    def stop(state: GameState) -> None:
        for actor in [actor for actor in state.actors if actor.id in ids]:
            for item, count in actor.carried:
                state.drop(actor.cell, item, count)
            state.actors.remove(actor)

    return stop


def _thief(state: GameState, level: int, sequence: Sequential) -> None:
    _add_actor(state, sequence, Actor("Thief", THIEF, (0, 0), color="black", period=1, amount=level))


def _supplier(state: GameState, level: int, sequence: Sequential) -> None:
    junk = {1: 0, 2: 1}.get(level, sequence.integer(*HARD_GIFTS))
    gifts: list[Stack] = [(sequence.choice((PLANKS, STICK, LOG)), 1) for _ in range(junk)]
    gifts.append((POGO_STICK, 1))
    _add_actor(state, sequence, Actor("Supplier", SUPPLIER, (0, 0), color="black", gifts=tuple(gifts)))


def _extra_traders(state: GameState, level: int, sequence: Sequential) -> None:
    for number in range(level):
        trades = tuple(sequence.shuffled(TRADES)[:2])
        _add_actor(state, sequence, Actor("Trader", FIRST_EXTRA + number, (0, 0), color="red", trades=trades))


def _walls(state: GameState, level: int, sequence: Sequential) -> None:
    share = {1: 0.01 + 0.49 * sequence.uniform(), 2: 0.51 + 0.49 * sequence.uniform()}.get(level, 1.0)
    edge = MAIN_SIZE - 1
    columns = [(x, z) for x in range(MAIN_SIZE) for z in range(MAIN_SIZE) if x in (0, edge) or z in (0, edge)]
    bedrock = [cell for cell in columns if state.block(cell) == BEDROCK]
    chosen = sequence.shuffled(bedrock)[: max(1, round(share * len(bedrock)))]
    state.placed["walls"] = tuple((cell, BEDROCK) for cell in chosen)
    for x, z in chosen:
        state.blocks[x, FLOOR:WALL_HEIGHT, z] = GRASS


def _restore_walls(state: GameState) -> None:
    for (x, z), _ in state.placed.get("walls", ()):
        state.blocks[x, FLOOR:WALL_HEIGHT, z] = BEDROCK


def _move_traders(state: GameState, level: int, sequence: Sequential) -> None:
    traders = [actor for actor in state.actors if actor.kind == "Trader"]
    state.placed["moved_traders"] = tuple((actor.cell, actor.id) for actor in traders)
    for actor in traders:
        cells = _clear_cells(state)
        if cells:
            actor.cell = sequence.choice(cells)


def _move_traders_back(state: GameState) -> None:
    for cell, id in state.placed.get("moved_traders", ()):
        actor = state.actor(id)
        if actor is not None and state.is_free(cell):
            actor.cell = cell


def _busy_traders(state: GameState, level: int, sequence: Sequential) -> None:
    for actor in state.actors:
        if actor.kind == "Trader":
            actor.busy = BUSY[level]


def _idle_traders(state: GameState) -> None:
    for actor in state.actors:
        actor.busy = 0.0


def _lock_doors(state: GameState, level: int, sequence: Sequential) -> None:
    for door in state.layout.doors:
        if state.block(door) == DOOR or (state.block(door) == OPEN_DOOR and state.is_free(door)):
            set_block(state, door, LOCKED_DOOR)


def _unlock_doors(state: GameState) -> None:
    for door in state.layout.doors:
        if state.block(door) == LOCKED_DOOR:
            set_block(state, door, DOOR)


def _with_rules(state: GameState, levels: dict[str, float]) -> None:
    """Set the rules that belong to some levels."""
    state.rules = changed_rules(
        state.version,
        variant=int(levels.get("recipe", 0)),
        cost_factor=1.0 + levels.get("step_cost", 0),
        log_drop=1 + int(levels.get("log_yield", 0)),
        renamed=int(levels.get("renamed_items", 0)),
    )


def _change_rules(state: GameState, level: int, sequence: Sequential) -> None:
    _with_rules(state, state.levels)


def _restore_rules(name: str) -> Stop:
    """Return the function that removes the changes of one novelty from the rules."""

    def stop(state: GameState) -> None:
        _with_rules(state, {other: level for other, level in state.levels.items() if other != name})

    return stop


_V2: tuple[Version, ...] = ("v2",)
_ITEMS = tuple(inserted_item(name).id for name in NOVEL_ITEMS)
_EXTRA = tuple(range(FIRST_EXTRA, FIRST_EXTRA + 4))
_VARIANTS = len(POGO_VARIANTS["v2"]) - 1
# The place in this list chooses the random numbers of a novelty, so new ones are added at its end.
_ALL = (
    Novelty(
        "inserted_item",
        "3 to 8 copies of an inserted item; b is the number of the item, from 1",
        len(NOVEL_ITEMS),
        _insert_item,
        _undo("inserted_item", *_ITEMS),
    ),
    Novelty(
        "fence",
        "fences: 1 around one or two trees, 2 around three to five, 3 two rings around all",
        3,
        _fence,
        _remove_fence,
        difficulties=True,
    ),
    Novelty(
        "jungle_trees",
        "jungle trees, whose rubber costs half: 1 four, 2 two or three, 3 one",
        3,
        _change_trees("jungle_trees", JUNGLE_LOG, _jungle_count),
        _restore_trees("jungle_trees", JUNGLE_LOG),
        difficulties=True,
    ),
    Novelty(
        "rotten_trees",
        "b rotten trees, which give neither logs nor rubber",
        5,
        _change_trees("rotten_trees", ROTTEN_LOG, lambda level, _: level),
        _restore_trees("rotten_trees", ROTTEN_LOG),
        typical=2,
    ),
    Novelty(
        "thief",
        "a thief who takes b kinds of resources at once",
        3,
        _thief,
        _remove_actors(THIEF),
        _V2,
        difficulties=True,
    ),
    Novelty(
        "supplier",
        "a supplier: 1 gives a pogo stick, 2 one other item first, 3 eleven to fourteen others first",
        3,
        _supplier,
        _remove_actors(SUPPLIER),
        difficulties=True,
    ),
    Novelty(
        "walls",
        "walls of grass: 1 up to half of them, 2 more than half, 3 all",
        3,
        _walls,
        _restore_walls,
        difficulties=True,
    ),
    Novelty("recipe", "recipe b of the pogo stick", _VARIANTS, _change_rules, _restore_rules("recipe")),
    Novelty(
        "log_yield",
        "b additional logs of a cut tree",
        5,
        _change_rules,
        _restore_rules("log_yield"),
        is_sensed=False,
    ),
    Novelty("step_cost", "step costs multiplied by 1 + b", 9, _change_rules, _restore_rules("step_cost")),
    Novelty("extra_traders", "b additional traders", 4, _extra_traders, _remove_actors(*_EXTRA), _V2),
    Novelty("moved_traders", "traders who stand elsewhere", 1, _move_traders, _move_traders_back, _V2),
    Novelty(
        "busy_traders",
        "traders who refuse half of the trades (1) or three quarters (2)",
        2,
        _busy_traders,
        _idle_traders,
        _V2,
    ),
    Novelty("locked_doors", "locked doors", 1, _lock_doors, _unlock_doors, _V2),
    Novelty(
        "renamed_items",
        "b items with another name in the interface",
        len(RENAMED),
        _change_rules,
        _restore_rules("renamed_items"),
        is_sensed=False,
    ),
)
NOVELTIES: dict[str, Novelty] = {novelty.name: novelty for novelty in _ALL}
"""Novelties by name."""
