"""Commands that lead nowhere: mistakes, detours, and exploration at random."""

from __future__ import annotations

from offnominal.worlds.craft.blocks import AIR
from offnominal.worlds.craft.draws import Sequential
from offnominal.worlds.craft.layout import GROUND, MAIN, Cell
from offnominal.worlds.craft.refusal import name_of
from offnominal.worlds.craft.sense import sensed_rooms
from offnominal.worlds.craft.state import GameState

_TURNS = ("TURN 90", "TURN -90", "TURN 180")
_MOVES = ("MOVE w", "MOVE a", "MOVE d", "MOVE x")


def mistake(state: GameState, sequence: Sequential) -> str:
    """Return a useless command: a wrong turn, a step aside, a blow at the air, another item in the hand, or a pause."""
    options = ["NOP", sequence.choice(_TURNS), sequence.choice(_MOVES)]
    if state.block(state.front) == AIR:
        options.append("BREAK_BLOCK")
    owned = sorted(state.inventory.totals())
    if owned:
        options.append(f"SELECT_ITEM {name_of(state, sequence.choice(owned))}")
    return sequence.choice(options)


def detour(state: GameState, sequence: Sequential, *, walks: bool) -> list[str]:
    """Return the commands of a detour: a look around, another place, or another actor."""
    kinds = ["look"] if walks else ["look", "place", "actor"]
    kind = sequence.choice(kinds)
    if kind == "look":
        return [sequence.choice(_TURNS[:2])] * sequence.integer(2, 4)
    if kind == "place":
        return [_teleport(state, sequence), sequence.choice(_TURNS)]
    rooms = sensed_rooms(state)
    near = [actor for actor in state.actors if any(room.holds(actor.cell) for room in rooms)]
    return [_to(state, sequence.choice(near).cell) if near else "NOP"]


def random_command(state: GameState, sequence: Sequential, *, walks: bool) -> str:
    """Return a command at random. It never breaks, places or crafts anything: what the task needs stays."""
    kind = sequence.weighted(("turn", "move", "place", "mistake"), (0.3, 0.3, 0.0 if walks else 0.25, 0.15))
    if kind == "turn":
        return sequence.choice(_TURNS)
    if kind == "move":
        return sequence.choice(_MOVES)
    return _teleport(state, sequence) if kind == "place" else mistake(state, sequence)


def _teleport(state: GameState, sequence: Sequential) -> str:
    """Return the command that goes to a cell of the current room."""
    number = state.layout.room_of(state.cell)
    xs, zs = state.layout.rooms[max(number, MAIN) - MAIN].interior
    return _to(state, (sequence.choice(xs), sequence.choice(zs)))


def _to(state: GameState, cell: Cell) -> str:
    return f"TP_TO {cell[0]},{state.layout.base + GROUND},{cell[1]}"
