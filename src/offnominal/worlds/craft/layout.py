"""The rooms of a level: extents, doors and the room of every cell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

BlockArray: TypeAlias = NDArray[np.uint8]
Cell: TypeAlias = tuple[int, int]
"""x and z of a cell of the object layer."""
FLOOR, GROUND, HEAD = 0, 1, 2
"""Indices of the floor, of the object layer and of the layer above it in a block array."""
HEIGHT = 10
WALL_HEIGHT = 8
MAIN_SIZE = 32
SIDE_SIZE = 16
MAIN = 1
"""Number of the main room; the others follow, and 0 is outside of all rooms."""
STEPS: tuple[Cell, ...] = ((0, 1), (-1, 0), (0, -1), (1, 0))
"""Step to the south, west, north and east: yaw 0, 90, 180 and 270."""
FACINGS = ("SOUTH", "WEST", "NORTH", "EAST")


@dataclass(frozen=True, slots=True)
class Room:
    """One room with its walls.

    Args:
        first: Smallest x and z, in the wall.
        last: Largest x and z, in the wall.
    """

    first: Cell
    last: Cell

    @property
    def interior(self) -> tuple[range, range]:
        """Ranges of x and z inside the walls."""
        return range(self.first[0] + 1, self.last[0]), range(self.first[1] + 1, self.last[1])

    def holds(self, cell: Cell) -> bool:
        """Whether a cell is in the room or in its walls."""
        return self.first[0] <= cell[0] <= self.last[0] and self.first[1] <= cell[1] <= self.last[1]


@dataclass(frozen=True)
class Layout:
    """Rooms and doors of a level. It does not change during an episode.

    Args:
        rooms: Rooms; the first is the main room.
        doors: Cell of the door between the main room and each other room.
        size: Number of cells per side of the block array.
        base: Height of the floor in the coordinates of the interface.
        whole: Whether the player senses all rooms at once.
    """

    rooms: tuple[Room, ...]
    doors: tuple[Cell, ...]
    size: int
    base: int
    whole: bool

    def room_of(self, cell: Cell) -> int:
        """Return the number of the room of a cell; a door and a wall belong to the first room that has them."""
        x, z = cell
        return self._numbers[x][z] if 0 <= x < self.size and 0 <= z < self.size else 0

    @cached_property
    def sides(self) -> tuple[int, ...]:
        """Doors and corners of the side rooms, six numbers each."""
        rooms = zip(self.doors, self.rooms[1:], strict=True)
        return tuple(part for door, room in rooms for part in (*door, *room.first, *room.last))

    @cached_property
    def _numbers(self) -> list[list[int]]:
        """Number of the room of every cell."""
        table = np.zeros((self.size, self.size), np.int64)
        for number in range(len(self.rooms), 0, -1):
            room = self.rooms[number - MAIN]
            table[room.first[0] : room.last[0] + 1, room.first[1] : room.last[1] + 1] = number
        found: list[list[int]] = table.tolist()
        return found

    def connected(self, cell: Cell, layer: BlockArray, open_door: int) -> set[int]:
        """Return the rooms that can be entered from a cell through open doors.

        Args:
            cell: Where to start.
            layer: Object layer of the blocks.
            open_door: Id of an open door.
        """
        found = {self.room_of(cell)}
        if cell in self.doors:
            found.add(MAIN + 1 + self.doors.index(cell))
        for number, door in enumerate(self.doors):
            if layer[door] == open_door:
                pair = {MAIN, MAIN + 1 + number}
                if found & pair:
                    found |= pair
        if MAIN in found:
            found |= {MAIN + 1 + number for number, door in enumerate(self.doors) if layer[door] == open_door}
        return found


def facing(yaw: float) -> int:
    """Return the index in `STEPS` of the direction that is nearest to a yaw.

    Example:
        >>> [FACINGS[facing(yaw)] for yaw in (0, 90, 100, 350, -90)]
        ['SOUTH', 'WEST', 'WEST', 'SOUTH', 'EAST']
    """
    return int((yaw + 45) // 90) % 4


def yaw_towards(origin: Cell, target: Cell) -> int:
    """Return the yaw, a multiple of 90, that faces a cell."""
    dx, dz = target[0] - origin[0], target[1] - origin[1]
    if abs(dx) > abs(dz):
        return 270 if dx > 0 else 90
    return 0 if dz >= 0 else 180
