"""Commands that move the player: MOVE, TURN, TILT and TP_TO."""

from __future__ import annotations

from offnominal.worlds.craft.layout import GROUND, STEPS, Cell, facing
from offnominal.worlds.craft.refusal import Refusal, expect, whole_number
from offnominal.worlds.craft.state import GameState

DIRECTIONS = {"w": (1, 0), "x": (-1, 0), "a": (0, -1), "d": (0, 1), "q": (1, -1), "e": (1, 1), "z": (-1, -1)}
"""Keys of MOVE: cells forward and cells to the right."""
DIRECTIONS["c"] = (-1, 1)
ANGLE = 15
STEEPEST = 90
FARTHEST = 8


def move(state: GameState, words: list[str]) -> float:
    """Step to one of the eight neighbouring cells: ``MOVE w``."""
    expect(words, 1, 1, "MOVE w|a|d|x|q|e|z|c")
    if words[0] not in DIRECTIONS:
        raise Refusal(f"direction {words[0][:60]!r}; expected one of {' '.join(DIRECTIONS)}")
    cost = state.rules.costs.move
    x, z = state.cell
    ahead, right = DIRECTIONS[words[0]]
    (fx, fz), (rx, rz) = STEPS[facing(state.yaw)], STEPS[(facing(state.yaw) + 1) % 4]
    target = (x + ahead * fx + right * rx, z + ahead * fz + right * rz)
    free = state.is_free(target)
    if free and ahead and right:
        free = state.is_free((x + ahead * fx, z + ahead * fz)) and state.is_free((x + right * rx, z + right * rz))
    if not free:
        raise Refusal("the way is blocked", cost)
    state.cell = target
    return cost


def turn(state: GameState, words: list[str]) -> float:
    """Turn by a multiple of 15 degrees, positive to the right: ``TURN 90``."""
    state.yaw = (state.yaw + _angle(words, "TURN")) % 360
    return state.rules.costs.look


def tilt(state: GameState, words: list[str]) -> float:
    """Tilt the view by a multiple of 15 degrees, positive down: ``TILT 15``."""
    pitch = state.pitch + _angle(words, "TILT")
    if not -STEEPEST <= pitch <= STEEPEST:
        raise Refusal("the pitch is limited to 90 degrees", state.rules.costs.look)
    state.pitch = pitch
    return state.rules.costs.look


def _angle(words: list[str], verb: str) -> int:
    expect(words, 1, 1, f"{verb} degrees")
    angle = whole_number(words[0], "the angle")
    if angle % ANGLE or abs(angle) > 360:
        raise Refusal(f"the angle must be a multiple of {ANGLE} up to 360")
    return angle


def teleport(state: GameState, words: list[str]) -> float:
    """Go to a cell or beside a block or actor: ``TP_TO x,y,z [offset]`` or ``TP_TO id [offset]``.

    Without an offset the player stands in the cell if it is free, otherwise in the nearest free cell next to it. An
    offset is the number of cells between player and target, in a straight line without obstacles. The yaw stays.
    """
    expect(words, 1, 2, "TP_TO x,y,z [offset] or TP_TO id [offset]")
    cost = state.rules.costs.teleport
    target = _cell(state, words[0]) if "," in words[0] else _actor_cell(state, words[0])
    offset = whole_number(words[1], "the offset") if len(words) == 2 else 0
    if not 0 <= offset <= FARTHEST:
        raise Refusal(f"the offset must be 0 to {FARTHEST}")
    reach = state.rooms_in_reach(state.cell)
    if state.layout.room_of(target) not in reach:
        raise Refusal("the target is not in a room that can be reached", cost)
    if offset == 0 and (state.is_free(target) or target == state.cell):
        state.cell = target
    else:
        places = [place for place in beside(state, target, max(1, offset)) if state.layout.room_of(place) in reach]
        if not places:
            raise Refusal("no free cell beside the target", cost)
        state.cell = min(places, key=lambda place: distance(place, state.cell))
    state.teleports = True
    return cost


def beside(state: GameState, target: Cell, offset: int = 1) -> list[Cell]:
    """Return the cells at an offset from a target from which a straight line to it is free."""
    found = []
    for dx, dz in STEPS:
        cell = target
        for _ in range(offset):
            cell = (cell[0] + dx, cell[1] + dz)
            if not state.is_free(cell) and cell != state.cell:
                break
        else:
            found.append(cell)
    return found


def distance(first: Cell, second: Cell) -> int:
    """Return the number of steps between two cells in an empty room."""
    return abs(first[0] - second[0]) + abs(first[1] - second[1])


def _cell(state: GameState, word: str) -> Cell:
    parts = word.split(",")
    if len(parts) != 3:
        raise Refusal("expected TP_TO x,y,z [offset] or TP_TO id [offset]")
    x, y, z = (whole_number(part, "a coordinate") for part in parts)
    if y != state.layout.base + GROUND:
        raise Refusal(f"y must be {state.layout.base + GROUND}")
    return x, z


def _actor_cell(state: GameState, word: str) -> Cell:
    actor = state.actor(whole_number(word, "the id of an actor"))
    if actor is None:
        raise Refusal("no actor with this id")
    return actor.cell
