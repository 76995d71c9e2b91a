"""Actors besides the player: the pogoist gathers what it needs, the thief steals, traders and suppliers stand still."""

from __future__ import annotations

import numpy as np

from offnominal.worlds.craft.block_commands import ORE_DIAMONDS, remove_block, set_block
from offnominal.worlds.craft.blocks import (
    AIR,
    DIAMOND,
    DIAMOND_BLOCK,
    DIAMOND_ORE,
    DOOR,
    JUNGLE_LOG,
    LOG,
    OPEN_DOOR,
    PLANKS,
    PLASTIC_CHEST,
    PLATINUM,
    RUBBER,
    SAFE,
    STICK,
    TITANIUM,
    UNLOCKED_SAFE,
)
from offnominal.worlds.craft.layout import GROUND, MAIN, STEPS, Cell, yaw_towards
from offnominal.worlds.craft.movement import beside, distance
from offnominal.worlds.craft.state import Actor, GameState

WANDER_LANE, STEAL_LANE = 3000, 4000
_TREES = (LOG, JUNGLE_LOG)
POGOIST_PLAN: tuple[tuple[str, tuple[int, ...], int], ...] = (
    ("BREAK_BLOCK", _TREES, LOG),
    ("COLLECT", _TREES, RUBBER),
    ("BREAK_BLOCK", (DIAMOND_ORE,), DIAMOND_ORE),
    ("BREAK_BLOCK", (PLATINUM,), PLATINUM),
    ("TRADE", (), TITANIUM),
)
"""What the pogoist does, in order: command, blocks that it goes to, and what it gets."""
STOLEN = (STICK, PLANKS, LOG, DIAMOND, DIAMOND_BLOCK, TITANIUM, PLATINUM)
"""Kinds of resources that a thief takes."""
TRADING = ("Trader", "Merchant")
"""Kinds of actors that trade."""
MINED = (DIAMOND_ORE, PLATINUM)
"""Ores of a distributor."""
HUNT, STORE, LEAVE = 0, 1, 2
WAITS = {1: 8, 2: 4, 3: 2}
"""Turns for which a thief waits, by the number of resources that it takes at once."""


def act(state: GameState) -> None:
    """Let every actor act whose turn it is."""
    for actor in state.actors:
        if actor.period and state.turn % actor.period == 0:
            if actor.waits:
                actor.waits -= 1
                actor.last = "NOP"
            elif actor.kind == "Pogoist":
                _gather(state, actor)
            elif actor.kind == "Thief":
                _steal(state, actor)
            elif actor.kind == "Distributor":
                _mine(state, actor)


def _gather(state: GameState, actor: Actor) -> None:
    """Do the next part of the plan of the pogoist; after it, wander."""
    while actor.goal < len(POGOIST_PLAN) and not actor.wanders:
        command, blocks, item = POGOIST_PLAN[actor.goal]
        target = _nearest_trader(state, actor) if command == "TRADE" else _nearest_block(state, actor, blocks)
        if target is None:
            actor.goal += 1
            continue
        if distance(actor.cell, target) > 1:
            if not _approach(state, actor, target):
                _wander(state, actor)
            return
        actor.yaw, actor.last = yaw_towards(actor.cell, target), command
        if command == "BREAK_BLOCK":
            remove_block(state, target)
            state.drops.pop(target, None)
        if command == "TRADE":
            actor.carried = tuple(each for each in actor.carried if each[0] != PLATINUM)
        actor.carried = (*actor.carried, (item, 1))
        actor.goal += 1
        return
    _wander(state, actor)


def _mine(state: GameState, actor: Actor) -> None:
    """Mine the nearest ore and keep what it becomes, to hand it out. Beside the player and without ores, wait."""
    ores = tuple(ore for number, ore in enumerate(MINED, 1) if actor.amount & number)
    is_near = max(abs(actor.cell[0] - state.cell[0]), abs(actor.cell[1] - state.cell[1])) <= 1
    target = None if is_near and actor.gifts else _nearest_block(state, actor, ores)
    if target is None:
        actor.last = "NOP"
        return
    if distance(actor.cell, target) > 1:
        if not _approach(state, actor, target):
            _wander(state, actor)
        return
    ore = state.block(target)
    actor.yaw, actor.last = yaw_towards(actor.cell, target), "BREAK_BLOCK"
    state.blocks[target[0], GROUND, target[1]] = AIR
    actor.gifts = (*actor.gifts, (DIAMOND, ORE_DIAMONDS) if ore == DIAMOND_ORE else (ore, 1))


def _steal(state: GameState, actor: Actor) -> None:
    """Do what a thief does next: come close, steal, hide the loot, leave."""
    if actor.goal == HUNT:
        near = max(abs(actor.cell[0] - state.cell[0]), abs(actor.cell[1] - state.cell[1])) <= 1
        if near and _take(state, actor):
            actor.goal, actor.last = STORE, "STEAL"
        elif not near and state.layout.room_of(state.cell) == MAIN:
            _approach(state, actor, state.cell)
    elif actor.goal == STORE:
        store = _store(state, actor)
        if store is None or distance(actor.cell, store) > 1:
            if store is None or not _approach(state, actor, store):
                _wander(state, actor)
            return
        state.contents[store] = (*state.contents.get(store, ()), *actor.carried)
        traders = [each.cell for each in state.actors if each.kind in TRADING]
        actor.target = max(traders, key=lambda cell: distance(cell, actor.cell), default=None)
        actor.carried, actor.goal, actor.last = (), LEAVE, "STORE"
        if state.block(store) == UNLOCKED_SAFE:
            set_block(state, store, SAFE)
    elif actor.target is None or distance(actor.cell, actor.target) <= 1:
        actor.goal, actor.waits, actor.last = HUNT, WAITS[actor.amount], "NOP"
    elif not _approach(state, actor, actor.target):
        _wander(state, actor)


def _take(state: GameState, actor: Actor) -> bool:
    """Take all of some kinds of resources from the player; False if there are none."""
    owned = [kind for kind in STOLEN if state.inventory.count(kind)]
    for number in range(min(actor.amount, len(owned))):
        kind = owned.pop(state.draws.index(len(owned), state.turn, STEAL_LANE + number))
        count = state.inventory.count(kind)
        state.inventory.remove(kind, count)
        actor.carried = (*actor.carried, (kind, count))
    return bool(actor.carried)


def _store(state: GameState, actor: Actor) -> Cell | None:
    """Return where a thief hides its loot: the safe or the chest, otherwise the other one."""
    places = ((SAFE, UNLOCKED_SAFE), (PLASTIC_CHEST,))
    for blocks in reversed(places) if actor.uses_chest else places:
        found = np.argwhere(np.isin(state.layer, blocks))
        if len(found):
            return int(found[0, 0]), int(found[0, 1])
    return None


def _nearest_block(state: GameState, actor: Actor, blocks: tuple[int, ...]) -> Cell | None:
    """Return the nearest block of some kinds in the main room that has a free cell beside it."""
    known = actor.target
    if (
        known is not None
        and state.block(known) in blocks
        and (distance(known, actor.cell) == 1 or beside(state, known))
    ):
        return known
    layer = state.layer
    mask = layer == blocks[0]
    for block in blocks[1:]:
        mask |= layer == block
    cells = [(int(x), int(z)) for x, z in zip(*np.nonzero(mask), strict=True)]
    for cell in sorted(cells, key=lambda cell: distance(cell, actor.cell)):
        if distance(cell, actor.cell) == 1 or beside(state, cell):
            actor.target = cell
            return cell
    return None


def _nearest_trader(state: GameState, actor: Actor) -> Cell | None:
    cells = [each.cell for each in state.actors if each.kind in TRADING]
    return min(cells, key=lambda cell: distance(cell, actor.cell), default=None)


def _approach(state: GameState, actor: Actor, target: Cell) -> bool:
    """Move towards a target as the player moves: at once, or by one cell. False if the way is blocked."""
    if state.teleports:
        places = [cell for cell in beside(state, target) if cell != state.cell]
        if not places:
            return False
        actor.cell = min(places, key=lambda cell: distance(cell, actor.cell))
        actor.yaw, actor.last = yaw_towards(actor.cell, target), f"TP_TO {target[0]},{target[1]}"
        return True
    layout = state.layout
    rooms = layout.room_of(actor.cell), layout.room_of(target)
    if rooms[0] != rooms[1] and actor.cell not in layout.doors:
        door = layout.doors[max(rooms) - MAIN - 1]
        if distance(actor.cell, door) == 1 and state.block(door) == DOOR:
            set_block(state, door, OPEN_DOOR)
            actor.last = "USE"
            return True
        target = door
    return _step(state, actor, target)


def _step(state: GameState, actor: Actor, target: Cell) -> bool:
    """Step to the free neighbour that is nearest to a target, unless it is farther away."""
    cells = [(actor.cell[0] + dx, actor.cell[1] + dz) for dx, dz in STEPS]
    free = [cell for cell in cells if state.is_free(cell)]
    best = min(free, key=lambda cell: distance(cell, target), default=None)
    if best is None or distance(best, target) > distance(actor.cell, target):
        return False
    actor.yaw, actor.cell, actor.last = yaw_towards(actor.cell, best), best, "MOVE"
    return True


def _wander(state: GameState, actor: Actor) -> None:
    """Step in a random direction within the room."""
    dx, dz = STEPS[state.draws.index(4, state.turn, WANDER_LANE + actor.id)]
    cell = (actor.cell[0] + dx, actor.cell[1] + dz)
    actor.last = "NOP"
    if state.is_free(cell) and state.block(cell) == AIR:
        actor.yaw, actor.cell, actor.last = yaw_towards(actor.cell, cell), cell, "MOVE"
