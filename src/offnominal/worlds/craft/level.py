"""Levels: rooms, trees, ores, containers and actors, drawn from the random stream of an episode."""

from __future__ import annotations

import numpy as np

from offnominal.core.errors import InvalidState
from offnominal.worlds.craft.blocks import (
    AIR,
    BEDROCK,
    CRAFTING_TABLE,
    DIAMOND,
    DIAMOND_ORE,
    DIRT,
    DOOR,
    GRASS,
    IRON_PICKAXE,
    KEY,
    PLASTIC_CHEST,
    PLATINUM,
    SAFE,
)
from offnominal.worlds.craft.draws import Draws, Sequential
from offnominal.worlds.craft.inventory import Inventory
from offnominal.worlds.craft.layout import (
    FLOOR,
    GROUND,
    HEAD,
    HEIGHT,
    MAIN_SIZE,
    SIDE_SIZE,
    STEPS,
    WALL_HEIGHT,
    BlockArray,
    Cell,
    Layout,
    Room,
)
from offnominal.worlds.craft.rules import RULES, TRADES, Version
from offnominal.worlds.craft.state import Actor, GameState
from offnominal.worlds.craft.trees import grow

TREES = 5
TREE_DISTANCE = 6
MARGIN = 3
START_V1: Cell = (27, 27)
PICKAXE_SLOT = 7
SAFE_DIAMONDS = 18
FIRST_TRADER, POGOIST = 101, 105
ATTEMPTS = 10_000
DIAMOND_CLUSTER = ((2, 3, 4), (0.21, 0.56, 0.23))
PLATINUM_CLUSTER = ((2, 3, 4), (0.24, 0.58, 0.18))
ONE_SIDE_ROOM = 0.57


def draw_level(version: Version, draws: Draws, *, attempt: int = 0, actions: Draws | None = None) -> GameState:
    """Return a new episode.

    Args:
        version: Version of the task.
        draws: Random numbers of the level.
        attempt: Number of the level; each has its own lane of the numbers.
        actions: Random numbers of the actors during the episode; None for those of the level.
    """
    sequence = Sequential(draws, lane=attempt)
    layout = _v1_layout() if version == "v1" else _v2_layout(sequence)
    builder = _Builder(layout, sequence)
    state = GameState(
        version, layout, RULES[version], builder.blocks, START_V1, 90, Inventory(), actions or draws, actors=[]
    )
    if version == "v1":
        builder.taken.append(START_V1)
        builder.trees()
        builder.put(CRAFTING_TABLE)
        return state
    builder.trees()
    builder.cluster(DIAMOND_ORE, sequence.weighted(*DIAMOND_CLUSTER))
    builder.cluster(PLATINUM, sequence.weighted(*PLATINUM_CLUSTER))
    builder.put(CRAFTING_TABLE)
    state.contents[builder.put(PLASTIC_CHEST)] = ((KEY, 1),)
    state.contents[builder.safe()] = ((DIAMOND, SAFE_DIAMONDS),)
    state.actors += builder.traders()
    state.actors.append(Actor("Pogoist", POGOIST, builder.place(), _yaw(sequence), "purple", period=2))
    state.cell, state.yaw = builder.place(), _yaw(sequence)
    state.inventory.items[PICKAXE_SLOT], state.inventory.counts[PICKAXE_SLOT] = IRON_PICKAXE, 1
    return state


def _yaw(sequence: Sequential) -> int:
    return 90 * sequence.integer(0, 3)


def _v1_layout() -> Layout:
    edge = MAIN_SIZE - 1
    return Layout((Room((0, 0), (edge, edge)),), (), MAIN_SIZE, 3, whole=True)


def _v2_layout(sequence: Sequential) -> Layout:
    """Return a main room with one or two side rooms, to the east and to the south."""
    edge = MAIN_SIZE - 1
    rooms, doors = [Room((0, 0), (edge, edge))], []
    sides = sequence.shuffled(("east", "south"))[: 1 if sequence.uniform() < ONE_SIDE_ROOM else 2]
    for side in sides:
        deep, wide = sequence.choice((SIDE_SIZE // 2, SIDE_SIZE)), sequence.choice((SIDE_SIZE // 2, SIDE_SIZE))
        along = sequence.integer(1, edge - wide)
        door = sequence.integer(along + 2, along + wide - 3)
        if side == "east":
            rooms.append(Room((edge, along), (edge + deep - 1, along + wide - 1)))
            doors.append((edge, door))
        else:
            rooms.append(Room((along, edge), (along + wide - 1, edge + deep - 1)))
            doors.append((door, edge))
    return Layout(tuple(rooms), tuple(doors), MAIN_SIZE + SIDE_SIZE, 16, whole=False)


class _Builder:
    """Fills a layout with blocks and keeps account of the taken cells."""

    def __init__(self, layout: Layout, sequence: Sequential) -> None:
        self.layout = layout
        self.sequence = sequence
        self.blocks: BlockArray = np.zeros((layout.size, HEIGHT, layout.size), np.uint8)
        self.taken: list[Cell] = list(layout.doors)
        for number, room in enumerate(layout.rooms):
            self._walls(room, GRASS if number == 0 else DIRT)
        for x, z in layout.doors:
            self.blocks[x, GROUND : HEAD + 1, z] = DOOR

    def _walls(self, room: Room, floor: int) -> None:
        (x0, z0), (x1, z1) = room.first, room.last
        self.blocks[x0 : x1 + 1, FLOOR, z0 : z1 + 1] = floor
        top = FLOOR + WALL_HEIGHT
        for x in (x0, x1):
            self.blocks[x, FLOOR:top, z0 : z1 + 1] = BEDROCK
        for z in (z0, z1):
            self.blocks[x0 : x1 + 1, FLOOR:top, z] = BEDROCK

    def place(self, distance: int = 3, room: int = 0, margin: int = MARGIN) -> Cell:
        """Return a cell of a room that is at least some cells away from everything else."""
        xs, zs = self.layout.rooms[room].interior
        for _ in range(ATTEMPTS):
            x = self.sequence.integer(xs[0] + margin - 1, xs[-1] - margin + 1)
            z = self.sequence.integer(zs[0] + margin - 1, zs[-1] - margin + 1)
            if all(max(abs(x - a), abs(z - b)) >= distance for a, b in self.taken):
                self.taken.append((x, z))
                return x, z
        raise InvalidState(f"no free cell in the level after {ATTEMPTS} draws.")

    def put(self, block: int) -> Cell:
        """Put a block on a free cell of the main room."""
        cell = self.place()
        self.blocks[cell[0], GROUND, cell[1]] = block
        return cell

    def trees(self) -> None:
        """Plant the trees, far from each other."""
        for _ in range(TREES):
            grow(self.blocks, self.place(TREE_DISTANCE))

    def cluster(self, block: int, count: int) -> None:
        """Put adjacent blocks of one kind into the main room."""
        cells = [self.place(5)]
        while len(cells) < count:
            x, z = self.sequence.choice(cells)
            dx, dz = self.sequence.choice(STEPS)
            if (x + dx, z + dz) not in cells:
                cells.append((x + dx, z + dz))
        self.taken += cells[1:]
        for x, z in cells:
            self.blocks[x, GROUND, z] = block

    def safe(self) -> Cell:
        """Put the safe into a side room."""
        room = self.sequence.integer(1, len(self.layout.rooms) - 1)
        cell = self.place(3, room, margin=2)
        self.blocks[cell[0], GROUND, cell[1]] = SAFE
        return cell

    def traders(self) -> list[Actor]:
        """Return two traders near each other, each with two of the four trades."""
        first = self.place(5)
        offsets = [(dx, dz) for dx in (-3, 0, 3) for dz in (-3, 0, 3) if (dx, dz) != (0, 0)]
        others = [(first[0] + dx, first[1] + dz) for dx, dz in self.sequence.shuffled(offsets)]
        second = next((cell for cell in others if self._is_clear(cell)), None) or self.place()
        self.taken.append(second)
        trades = self.sequence.shuffled(TRADES)
        return [
            Actor("Trader", FIRST_TRADER + number, cell, _yaw(self.sequence), "red", tuple(trades[2 * number :][:2]))
            for number, cell in enumerate((first, second))
        ]

    def _is_clear(self, cell: Cell) -> bool:
        x, z = cell
        inside = 2 <= x <= MAIN_SIZE - 3 and 2 <= z <= MAIN_SIZE - 3
        far = all(max(abs(x - a), abs(z - b)) >= 3 for a, b in self.taken)
        return inside and far and self.blocks[x, GROUND, z] == AIR
