"""The symbolic observation: what the player senses as one vector, and back."""

from __future__ import annotations

from array import array
from functools import lru_cache

import numpy as np

from offnominal.core.streams import Stream
from offnominal.core.types import Array, IntArray
from offnominal.worlds.craft.action_table import BASES, SIZES
from offnominal.worlds.craft.blocks import (
    AIR,
    APPLE,
    BEDROCK,
    BY_ID,
    CRAFTING_TABLE,
    DIAMOND,
    DIAMOND_BLOCK,
    DIAMOND_ORE,
    DOOR,
    IRON_PICKAXE,
    KEY,
    LOG,
    PLANKS,
    PLASTIC_CHEST,
    PLATINUM,
    POGO_STICK,
    RUBBER,
    SAFE,
    SAPLING,
    STICK,
    TITANIUM,
    TREE_TAP,
    UNLOCKED_SAFE,
    WHEAT_SEEDS,
)
from offnominal.worlds.craft.draws import Draws
from offnominal.worlds.craft.inventory import KIND, Inventory
from offnominal.worlds.craft.item_commands import is_busy
from offnominal.worlds.craft.layout import GROUND, HEIGHT, MAIN, MAIN_SIZE, BlockArray, Layout, Room
from offnominal.worlds.craft.rules import BUDGET, POGO_VARIANTS, TRADES, Version, changed_rules
from offnominal.worlds.craft.sense import sensed_rooms
from offnominal.worlds.craft.state import Actor, GameState
from offnominal.worlds.world_card import Channel

COUNTED = (
    *(BEDROCK, DOOR, SAFE, PLASTIC_CHEST, TREE_TAP, LOG, DIAMOND_ORE, IRON_PICKAXE, CRAFTING_TABLE, PLATINUM),
    *(TITANIUM, SAPLING, PLANKS, STICK, DIAMOND, DIAMOND_BLOCK, RUBBER, POGO_STICK, KEY, UNLOCKED_SAFE),
    *(WHEAT_SEEDS, APPLE),
)
"""Ids of the 22 inventory counts, the first entries of the vector."""
_COUNT_PLACES = {id: place for place, id in enumerate(COUNTED)}
HELD, FRONT = 22, 23
X, Z, YAW, PITCH, SUCCESS, COST, ROOM, RECIPE = range(24, 32)
SIDE_ROOMS, ACTORS, DROPS = 32, 44, 100
MAP = 132
KINDS = ("", "Trader", "Pogoist", "Thief", "Supplier", "Distributor", "Merchant")
"""Kinds of actors by their number in the vector."""
SLOTS = 8
SIZE = MAP + MAIN_SIZE * MAIN_SIZE
_LARGEST = 1_000_000
_IS_BLOCK = np.array([id in BY_ID and BY_ID[id].is_block for id in range(256)])


def channels() -> tuple[Channel, ...]:
    """Return the channels of the vector."""
    counts = [Channel(f"number of {BY_ID[id].name}") for id in COUNTED]
    rest = ["held item", "block in front", "x", "z", "yaw", "pitch", "success of the command", "step cost", "room"]
    named = [*counts, *(Channel(name) for name in rest), Channel("recipe of the pogo stick")]
    named += _numbered("side room", 2, ("door x", "door z", "first x", "first z", "last x", "last z"))
    named += _numbered("actor", SLOTS, ("kind", "id", "x", "z", "yaw", "known trades", "busy"))
    named += _numbered("item on the ground", SLOTS, ("item", "count", "x", "z"))
    return (*named, *(Channel(f"block {x},{z} of the room") for x in range(MAIN_SIZE) for z in range(MAIN_SIZE)))


def _numbered(name: str, count: int, parts: tuple[str, ...]) -> list[Channel]:
    return [Channel(f"{name} {number}: {part}") for number in range(1, count + 1) for part in parts]


def encode(state: GameState, out: Array, *, success: bool = True) -> None:
    """Write what the player senses.

    Args:
        state: The episode.
        out: (SIZE,): the vector to fill.
        success: Whether the latest command was carried out.
    """
    # One assignment of all numbers is faster than many of a few.
    head: list[float] = [0.0] * MAP
    totals = state.inventory.totals()
    for item, count in totals.items():
        if item in _COUNT_PLACES:
            head[_COUNT_PLACES[item]] = count
    variant = int(state.levels.get("recipe", 0))
    room = state.layout.room_of(state.cell)
    held, front = state.inventory.held, state.block(state.front)
    head[HELD:SIDE_ROOMS] = (
        held, front, *state.cell, state.yaw, state.pitch, success, state.cost / BUDGET, room, variant
    )  # fmt: skip
    sides = state.layout.sides
    head[SIDE_ROOMS : SIDE_ROOMS + len(sides)] = sides
    rooms = sensed_rooms(state)
    first = ACTORS
    for actor in state.actors:
        if first < DROPS and any(each.holds(actor.cell) for each in rooms):
            trades = sum(1 << TRADES.index(trade) for trade in actor.trades) if actor.id in state.known_trades else 0
            pose = (KINDS.index(actor.kind), actor.id, *actor.cell, actor.yaw, trades, is_busy(state, actor))
            head[first : first + 7] = pose
            first += 7
    if state.drops:
        _encode_drops(state, head, rooms)
    out[:MAP] = np.frombuffer(array("f", head), np.float32)
    seen = rooms[0]
    layer = state.layer[seen.first[0] : seen.last[0] + 1, seen.first[1] : seen.last[1] + 1]
    if layer.size < SIZE - MAP:
        out[MAP:] = 0.0
    out[MAP:].reshape(MAIN_SIZE, MAIN_SIZE)[: layer.shape[0], : layer.shape[1]] = layer


def _encode_drops(state: GameState, head: list[float], rooms: tuple[Room, ...]) -> None:
    lying = [
        (item, count, *cell)
        for cell, items in sorted(state.drops.items())
        for item, count in items
        if any(room.holds(cell) for room in rooms)
    ]
    for number, entry in enumerate(lying[:SLOTS]):
        head[DROPS + 4 * number : DROPS + 4 * number + 4] = entry


@lru_cache(maxsize=256)
def _layout(version: Version, sides: tuple[tuple[int, ...], ...]) -> Layout:
    edge = MAIN_SIZE - 1
    rooms, doors = [Room((0, 0), (edge, edge))], []
    for door_x, door_z, x0, z0, x1, z1 in sides:
        rooms.append(Room((x0, z0), (x1, z1)))
        doors.append((door_x, door_z))
    return Layout(tuple(rooms), tuple(doors), SIZES[version], BASES[version], whole=version == "v1")


@lru_cache(maxsize=1)
def _no_draws() -> Draws:
    return Draws(Stream(np.uint64(0)))


def belief(vector: Array, version: Version, known: BlockArray) -> GameState | None:
    """Return the state that a vector reports, as far as the player senses it; None if it reports no possible place.

    Args:
        vector: (SIZE,): the observation.
        version: Version of the task.
        known: (cells, cells): blocks that were sensed before; the blocks of the current room are written into it.
    """
    with np.errstate(invalid="ignore"):
        numbers: IntArray = np.clip(np.rint(np.nan_to_num(vector)), -_LARGEST, _LARGEST).astype(np.int64)
    sides = [tuple(numbers[first : first + 6].tolist()) for first in (SIDE_ROOMS, SIDE_ROOMS + 6)]
    layout = _layout(version, tuple(side for side in sides if _is_room(side, SIZES[version])))
    cell = (int(numbers[X]), int(numbers[Z]))
    room = layout.room_of(cell)
    if room == 0:
        return None
    if cell in layout.doors and not layout.whole:
        room = MAIN
    seen = layout.rooms[room - MAIN]
    width, depth = seen.last[0] - seen.first[0] + 1, seen.last[1] - seen.first[1] + 1
    window = numbers[MAP:].reshape(MAIN_SIZE, MAIN_SIZE)[:width, :depth]
    blocks = np.where((window >= 0) & (window < 256) & _IS_BLOCK[window & 255], window, AIR)
    known[seen.first[0] : seen.last[0] + 1, seen.first[1] : seen.last[1] + 1] = blocks
    cells: BlockArray = np.zeros((SIZES[version], HEIGHT, SIZES[version]), np.uint8)
    cells[:, GROUND, :] = known
    variant = int(np.clip(numbers[RECIPE], 0, len(POGO_VARIANTS[version]) - 1))
    state = GameState(
        version,
        layout,
        changed_rules(version, variant=variant),
        cells,
        cell,
        int(numbers[YAW]) % 360,
        _inventory(numbers),
        _no_draws(),
        pitch=int(numbers[PITCH]),
        actors=_actors(numbers),
    )
    for item, count, x, z in numbers[DROPS:MAP].reshape(SLOTS, 4).tolist():
        if item in BY_ID and item != AIR and count > 0:
            state.drop((x, z), item, count)
    return state


def reported(state: GameState, vector: Array) -> GameState | None:
    """Return an episode as a vector reports it, and as it is in everything else; None without a possible place.

    Args:
        state: The episode.
        vector: (SIZE,): an observation.
    """
    if not np.isfinite(vector).all():
        return None
    found = belief(vector, state.version, state.layer.copy())
    if found is None:
        return None
    twin = state.copy()
    twin.layer[:] = found.layer
    twin.cell, twin.yaw, twin.pitch = found.cell, float(vector[YAW]) % 360.0, max(-90, min(90, found.pitch))
    owned = {item: count for item, count in state.inventory.totals().items() if item in COUNTED}
    if (found.inventory.totals(), found.inventory.held) != (owned, state.inventory.held):
        twin.inventory = found.inventory
    rooms = sensed_rooms(state)
    twin.actors = [*found.actors, *(each for each in twin.actors if not any(room.holds(each.cell) for room in rooms))]
    elsewhere = {cell: lying for cell, lying in state.drops.items() if not any(room.holds(cell) for room in rooms)}
    twin.drops = {**found.drops, **elsewhere}
    return twin


def _is_room(side: tuple[int, ...], size: int) -> bool:
    door_x, door_z, x0, z0, x1, z1 = side
    within = 0 <= x0 < x1 < size and 0 <= z0 < z1 < size and x1 - x0 < MAIN_SIZE and z1 - z0 < MAIN_SIZE
    return within and 0 < door_x < size - 1 and 0 < door_z < size - 1


def _inventory(numbers: IntArray) -> Inventory:
    found = Inventory()
    for slot, (item, count) in enumerate(zip(COUNTED, numbers[: len(COUNTED)].tolist(), strict=True)):
        if count > 0:
            found.items[slot], found.counts[slot] = item, count
    held = int(numbers[HELD])
    if held in BY_ID and held != AIR and found.count(KIND[held]):
        found.select(KIND[held])
    else:
        found.selected = len(COUNTED)
    return found


def _actors(numbers: IntArray) -> list[Actor]:
    found = []
    for kind, id, x, z, yaw, trades, busy in numbers[ACTORS:DROPS].reshape(SLOTS, 7).tolist():
        if 0 < kind < len(KINDS):
            offered = tuple(trade for bit, trade in enumerate(TRADES) if trades >> bit & 1)
            found.append(Actor(KINDS[kind], id, (x, z), yaw, trades=offered, busy=float(busy)))
    return found
