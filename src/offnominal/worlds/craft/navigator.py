"""How the planner gets to a block, an item or an actor: by TP_TO, or by unit moves along a shortest path."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from offnominal.worlds.craft.blocks import BY_ID, KEY, LOCKED_DOOR
from offnominal.worlds.craft.layout import GROUND, MAIN, STEPS, Cell, facing, yaw_towards
from offnominal.worlds.craft.movement import beside, distance
from offnominal.worlds.craft.refusal import name_of
from offnominal.worlds.craft.state import GameState

_KEYS = ("w", "d", "x", "a")
DEEPEST = 3


class Navigator:
    """Commands that bring the player to a place, one at a time.

    Args:
        walks: Whether the player moves by one cell at a time and does not use TP_TO.
    """

    def __init__(self, *, walks: bool) -> None:
        self.walks = walks
        self._path: list[Cell] = []

    def copy(self) -> Navigator:
        """Return an independent copy."""
        twin = Navigator(walks=self.walks)
        twin._path = self._path.copy()
        return twin

    def face(self, state: GameState, target: Cell) -> str | None:
        """Return the command that turns the player towards a neighbouring cell; None if it is in front."""
        if state.front == target:
            return None
        angle = (yaw_towards(state.cell, target) - int(state.yaw)) % 360
        return f"TURN {angle if angle <= 180 else angle - 360}"

    def stand_in(self, state: GameState, target: Cell) -> str | None:
        """Return the command that brings the player into a free cell; None if there is no way."""
        if state.front == target and state.is_free(target):
            return "MOVE w"
        door = self._door(state, target)
        if door is not None:
            return self.open_door(state, door)
        if self.walks:
            return self._walk(state, lambda cell: cell == target, target)
        return self._teleport(state, target) if state.is_free(target) else None

    def stand_beside(self, state: GameState, target: Cell, *, offset: int = 1, depth: int = 0) -> str | None:
        """Return the command that brings the player to a cell in line with a target; None if it is there and faces it.

        An obstacle that can be broken is broken if there is no free cell.
        """
        places = beside(state, target, offset)
        if state.cell in places:
            return self.face(state, target)
        door = self._door(state, target)
        if door is not None and door != target:
            return self.open_door(state, door)
        if not places:
            return self._clear(state, target, depth)
        if self.walks:
            return self._walk(state, lambda cell: cell in places, target) or self._clear(state, target, depth)
        return self._teleport(state, target) + (f" {offset}" if offset > 1 else "")

    def stand_near(self, state: GameState, target: Cell) -> str | None:
        """Return the command that brings the player next to an actor, also diagonally; None if it is there."""
        if max(abs(target[0] - state.cell[0]), abs(target[1] - state.cell[1])) <= 1:
            return None
        door = self._door(state, target)
        if door is not None:
            return self.open_door(state, door)
        if self.walks:
            return self._walk(state, lambda cell: distance(cell, target) == 1, target)
        return self._teleport(state, target)

    def open_door(self, state: GameState, door: Cell) -> str | None:
        """Return the next command that opens a door."""
        if state.block(door) == LOCKED_DOOR and state.inventory.held != KEY:
            return f"SELECT_ITEM {name_of(state, KEY)}" if state.inventory.count(KEY) else None
        return self.stand_beside(state, door) or "USE"

    def _door(self, state: GameState, target: Cell) -> Cell | None:
        """Return the closed door between the player and a target; None if there is none."""
        reach = state.rooms_in_reach(state.cell)
        room = state.layout.room_of(target)
        if room in reach or room == 0:
            return None
        side = room if room != MAIN else next(iter(reach))
        return state.layout.doors[side - MAIN - 1]

    def _teleport(self, state: GameState, target: Cell) -> str:
        return f"TP_TO {target[0]},{state.layout.base + GROUND},{target[1]}"

    def _clear(self, state: GameState, target: Cell, depth: int) -> str | None:
        """Return the next command that breaks a block beside a target that cannot be reached."""
        if depth == DEEPEST:
            return None
        around = [(target[0] + dx, target[1] + dz) for dx, dz in STEPS]
        for cell in sorted(around, key=lambda cell: distance(cell, state.cell)):
            if BY_ID[state.block(cell)].breakable and state.layout.room_of(cell):
                command = self.stand_beside(state, cell, depth=depth + 1)
                if command is not None or state.front == cell:
                    return command or "BREAK_BLOCK"
        return None

    def _walk(self, state: GameState, is_goal: Callable[[Cell], bool], target: Cell) -> str | None:
        """Return the next unit move on a shortest path to a cell that is a goal; None if there is none."""
        path = self._path
        if not (path and is_goal(path[-1]) and distance(state.cell, path[0]) == 1 and state.is_free(path[0])):
            path = self._path = shortest_path(state, is_goal)
        if not path:
            return None
        step = path.pop(0)
        direction = facing(yaw_towards(state.cell, step))
        return f"MOVE {_KEYS[(direction - facing(state.yaw)) % 4]}"


def shortest_path(state: GameState, is_goal: Callable[[Cell], bool]) -> list[Cell]:
    """Return the cells of a shortest path of the player to a cell that is a goal; empty if there is none."""
    came: dict[Cell, Cell] = {state.cell: state.cell}
    queue = deque([state.cell])
    while queue:
        cell = queue.popleft()
        if is_goal(cell) and cell != state.cell:
            path = [cell]
            while came[path[-1]] != state.cell:
                path.append(came[path[-1]])
            return path[::-1]
        for dx, dz in STEPS:
            other = (cell[0] + dx, cell[1] + dz)
            if other not in came and state.is_free(other):
                came[other] = cell
                queue.append(other)
    return []
