"""What the player senses, as JSON data with the published keys."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import numpy as np

from offnominal.worlds.craft.blocks import AIR, BY_ID, DOOR, IRON_PICKAXE, KEY, LOCKED_DOOR, OPEN_DOOR, POGO_STICK
from offnominal.worlds.craft.layout import FACINGS, GROUND, MAIN, BlockArray, Layout, Room, facing
from offnominal.worlds.craft.refusal import name_of
from offnominal.worlds.craft.rules import POGO_VARIANTS, Recipe
from offnominal.worlds.craft.state import GameState
from offnominal.worlds.craft.trees import LOGS

PICKAXE_DAMAGE = 250
FIRST_DROP = 10_000


def sensed_rooms(state: GameState) -> tuple[Room, ...]:
    """Return the rooms that the player senses: all of them in version 1, otherwise the one the player is in."""
    if state.layout.whole:
        return state.layout.rooms
    return (state.layout.rooms[state.layout.room_of(state.cell) - MAIN],)


def properties(block: int) -> dict[str, Any]:
    """Return the published properties of a block besides its name."""
    found: dict[str, Any] = {}
    if BY_ID[block].variant:
        found["variant"] = BY_ID[block].variant
    if block in LOGS:
        found["axis"] = "y"
    if block in (DOOR, OPEN_DOOR, LOCKED_DOOR):
        found["open"] = block == OPEN_DOOR
    if block == KEY:
        found["color"] = "blue"
    return found


def everything(state: GameState, *, navigation: bool = False) -> dict[str, Any]:
    """Return all that SENSE_ALL gives, without the result of the command.

    Args:
        state: The episode.
        navigation: Whether the map is a list of names, as without ``NONAV``, and not a table of cells.
    """
    return {**without_map(state), "map": listed_map(state) if navigation else cell_map(state)}


def without_map(state: GameState) -> dict[str, Any]:
    """Return all that SENSE_ALL gives, without the map and the result of the command."""
    front = state.block(state.front)
    return {
        "blockInFront": {"name": name_of(state, front), **properties(front)},
        "inventory": inventory(state),
        "player": player(state),
        "destinationPos": [0, 0, 0],
        "entities": entities(state),
    }


def goal(state: GameState) -> dict[str, Any]:
    """Return the goal and whether it is achieved."""
    return {"goalType": "ITEM", "goalAchieved": state.solved, "Distribution": "Uninformed"}


def player(state: GameState) -> dict[str, Any]:
    """Return position and direction of the player."""
    x, z = state.cell
    return {
        "pos": [x, state.layout.base + GROUND, z],
        "facing": FACINGS[facing(state.yaw)],
        "yaw": float(state.yaw),
        "pitch": float(state.pitch),
    }


def _stack(state: GameState, item: int, count: int) -> dict[str, Any]:
    if item == AIR:
        return {"item": "", "count": 0, "damage": 0, "maxdamage": 0}
    most = PICKAXE_DAMAGE if item == IRON_PICKAXE else 0
    return {"item": name_of(state, item), "count": count, "damage": 0, "maxdamage": most, **properties(item)}


def inventory(state: GameState) -> dict[str, Any]:
    """Return the filled slots and the selected item."""
    slots = zip(state.inventory.items, state.inventory.counts, strict=True)
    found: dict[str, Any] = {str(slot): _stack(state, item, count) for slot, (item, count) in enumerate(slots) if item}
    held = state.inventory.selected
    chosen = _stack(state, state.inventory.items[held], state.inventory.counts[held])
    found["selectedItem"] = {"slot": held, **chosen}
    return found


def entities(state: GameState) -> dict[str, Any]:
    """Return the actors and the items on the ground in the sensed rooms."""
    found: dict[str, Any] = {}
    height, rooms = state.layout.base + GROUND, sensed_rooms(state)
    for actor in state.actors:
        if any(room.holds(actor.cell) for room in rooms):
            found[str(actor.id)] = {
                "type": f"Entity{actor.kind}",
                "name": f"entity.polycraft.{actor.kind}.name",
                "id": actor.id,
                "pos": [actor.cell[0], height, actor.cell[1]],
                "color": actor.color,
                "equipment": [],
            }
    for cell, lying in sorted(state.drops.items()):
        if any(room.holds(cell) for room in rooms):
            for item, count in lying:
                number = FIRST_DROP + len(found)
                found[str(number)] = {
                    "type": "EntityItem",
                    "name": f"item.{name_of(state, item).partition(':')[2]}",
                    "id": number,
                    "pos": [cell[0], height, cell[1]],
                    "color": "",
                    "equipment": [],
                    **_stack(state, item, count),
                }
    return found


@lru_cache(maxsize=64)
def _keys(layout: Layout, room: Room) -> tuple[str, ...]:
    (x0, z0), (x1, z1), y = room.first, room.last, layout.base + GROUND
    return tuple(f"{x},{y},{z}" for x in range(x0, x1 + 1) for z in range(z0, z1 + 1))


def accessible(layer: BlockArray) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return whether each cell of a room has a horizontal neighbour that is air."""
    air, found = layer == AIR, np.zeros(layer.shape, np.bool_)
    found[1:] |= air[:-1]
    found[:-1] |= air[1:]
    found[:, 1:] |= air[:, :-1]
    found[:, :-1] |= air[:, 1:]
    return found


def _cells(state: GameState, room: Room) -> tuple[list[int], dict[int, dict[str, Any]]]:
    """Return the number of the entry of every cell of a room, and the entries by number."""
    layer = state.layer[room.first[0] : room.last[0] + 1, room.first[1] : room.last[1] + 1]
    codes = (2 * layer.astype(np.int64) + accessible(layer)).ravel().tolist()
    entries = {
        code: {"name": name_of(state, code // 2), "isAccessible": bool(code % 2), **properties(code // 2)}
        for code in sorted(set(codes))
    }
    return codes, entries


def cell_map(state: GameState) -> dict[str, Any]:
    """Return name, accessibility and properties of every cell of the sensed rooms. Equal cells share their entry."""
    found: dict[str, Any] = {}
    for room in sensed_rooms(state):
        codes, entries = _cells(state, room)
        found.update(zip(_keys(state.layout, room), map(entries.__getitem__, codes), strict=True))
    return found


def cell_map_text(state: GameState) -> str:
    """Return the JSON text of :func:`cell_map` without spaces. Equal cells are encoded once."""
    parts: list[str] = []
    for room in sensed_rooms(state):
        codes, entries = _cells(state, room)
        texts = {code: json.dumps(entry, separators=(",", ":")) for code, entry in entries.items()}
        parts += [f'"{key}":{texts[code]}' for key, code in zip(_keys(state.layout, room), codes, strict=True)]
    return f"{{{','.join(parts)}}}"


def listed_map(state: GameState) -> dict[str, Any]:
    """Return the blocks of the sensed room as a list of names, with its size and origin."""
    first = tuple(min(room.first[axis] for room in sensed_rooms(state)) for axis in (0, 1))
    last = tuple(max(room.last[axis] for room in sensed_rooms(state)) for axis in (0, 1))
    layer = state.layer[first[0] : last[0] + 1, first[1] : last[1] + 1]
    return {
        "blocks": [name_of(state, int(block)) for block in layer.ravel()],
        "size": [layer.shape[0], 1, layer.shape[1]],
        "origin": [first[0], state.layout.base + GROUND, first[1]],
    }


def recipes(state: GameState) -> list[dict[str, Any]]:
    """Return all recipes. With the novelty ``wrong_recipes``, that of the pogo stick is another one."""
    known = state.rules.recipes
    if "wrong_recipes" in state.levels:
        wrong = POGO_VARIANTS[state.version][-1]
        known = tuple(wrong if recipe.output == POGO_STICK else recipe for recipe in known)
    return [_recipe(state, recipe) for recipe in known]


def _recipe(state: GameState, recipe: Recipe) -> dict[str, Any]:
    slots = [{"item": name_of(state, item), "slot": slot} for slot, item in enumerate(recipe.slots()) if item != AIR]
    return {"inputs": slots, "outputs": [{"item": name_of(state, recipe.output), "count": recipe.count}]}
