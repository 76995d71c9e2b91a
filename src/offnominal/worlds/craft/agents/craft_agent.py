"""An agent: a planner that makes detours and mistakes, explores, and gives up."""

from __future__ import annotations

from collections import deque

import numpy as np

from offnominal.worlds.craft.agents.ordered_planner import GATHERED, GOALS, OrderedPlanner
from offnominal.worlds.craft.agents.style import Reactions, Style
from offnominal.worlds.craft.blocks import AIR, FIRST_NOVELTY, JUNGLE_LOG, LOG, ROTTEN_LOG
from offnominal.worlds.craft.draws import Draws, Sequential
from offnominal.worlds.craft.layout import GROUND, MAIN, BlockArray, Cell
from offnominal.worlds.craft.planner import PogoPlanner
from offnominal.worlds.craft.refusal import name_of
from offnominal.worlds.craft.sense import sensed_rooms
from offnominal.worlds.craft.state import GameState

UNKNOWN_TREES = (JUNGLE_LOG, ROTTEN_LOG)
CHARACTER_LANE, MOMENT_LANE, COMMAND_LANE = 20_000, 20_001, 20_002
MAKING = ("CRAFT", "INTERACT", "TRADE")
"""Commands with which an agent begins to make something of what it has gathered."""
LATEST_DETOUR = 40
"""Last command before which a detour can begin."""


class CraftAgent:
    """Plays one episode.

    Everything about it is drawn before the episode begins. What it does is a function of that, of the states it was
    given, and of the moment at which it was told of a novelty.

    Args:
        style: How it plays.
        draws: Its random numbers.
        reactions: What it does about a novelty.
        walks: Whether it uses unit moves and not TP_TO.

    Example:
        >>> from offnominal.worlds.craft.agents.style import STYLES
        >>> from offnominal.worlds.craft.game import new_game
        >>> agent = CraftAgent(STYLES["shuffled"], Draws.named(0, 0, "policy"))
        >>> agent.next_command(new_game("v2", seed=0)).split()[0]
        'SELECT_ITEM'
    """

    def __init__(self, style: Style, draws: Draws, *, reactions: Reactions | None = None, walks: bool = False) -> None:
        self.style = style
        self._reactions = reactions or Reactions()
        self._walks = walks
        drawn = Sequential(draws, CHARACTER_LANE)
        # The number of draws is the same for every style, so that agents of two mixtures differ in nothing else.
        goals, logs = drawn.shuffled(GOALS), drawn.integer(*style.logs)
        if style.order == "gathering first":
            goals.sort(key=lambda goal: GOALS.index(goal) >= GATHERED)
        self._patience = drawn.integer(*style.patience)
        self._gives_up = drawn.uniform() < self._reactions.gives_up
        self._explores = drawn.uniform() < self._reactions.explores
        self._while = _log_uniform(drawn.uniform(), self._reactions.shortest, self._reactions.longest)
        self._hasty = drawn.uniform() < self._reactions.hasty
        moments = [drawn.integer(1, LATEST_DETOUR) for _ in range(drawn.integer(min(1, style.detours), style.detours))]
        self._detours = sorted(moments)
        self._moments, self._commands = draws, Sequential(draws, COMMAND_LANE)
        self._planner: PogoPlanner = (
            PogoPlanner(walks=walks, asks=style.asks)
            if style.order == "fixed"
            else OrderedPlanner(goals, logs=logs, draws=draws, walks=walks)
        )
        self._queue: deque[str] = deque()
        self._count = self._thefts = 0
        self._knows_of_novelty = self._saw_unknown = False
        self._explores_until = 0

    def next_command(self, state: GameState, success: bool = True, *, novelty: bool = False) -> str:
        """Return the next command.

        Args:
            state: What the agent perceives.
            success: Whether the latest command was carried out.
            novelty: Whether it has perceived a novelty.
        """
        self._count += 1
        self._knows_of_novelty = self._knows_of_novelty or novelty
        planned = self._planner.next_command(state, success)
        command = self._instead(state, planned)
        if command != planned:
            self._planner.replace_command(command)
        return command

    def _instead(self, state: GameState, planned: str) -> str:
        """Return what the agent does in place of what its planner wants."""
        if self._count > self._patience or self._leaves(state, planned):
            return "GIVE_UP"
        if self.style.explores or self._count <= self._explores_until:
            return random_command(state, self._commands, walks=self._walks)
        if not self._queue and self._detours and self._count >= self._detours[0]:
            self._detours.pop(0)
            self._queue.extend(detour(state, self._commands, walks=self._walks))
        if self._queue:
            return self._queue.popleft()
        if self._moments.at(self._count, MOMENT_LANE) < self.style.mistake:
            return mistake(state, self._commands)
        return planned

    def _leaves(self, state: GameState, planned: str) -> bool:
        """Whether the agent gives up; it may also begin to explore."""
        for theft in range(self._thefts, self._planner.thefts):
            self._thefts += 1
            if self._moments.at(theft, MOMENT_LANE + 100) < self._reactions.leaves_after_theft:
                return True
        if not self._knows_of_novelty:
            return False
        seen = _sensed_blocks(state)
        if not self._saw_unknown and (seen >= FIRST_NOVELTY).any():
            self._saw_unknown = True
            if self._explores:
                self._explores_until = self._count + self._while
        verb, _, rest = planned.partition(" ")
        if verb not in MAKING or not (self._hasty or rest.startswith(f"1 {name_of(state, LOG)} ")):
            return False
        return (self._gives_up and self._saw_unknown) or (
            self._reactions.leaves_unknown_trees and bool(np.isin(seen, UNKNOWN_TREES).any())
        )


def _sensed_blocks(state: GameState) -> BlockArray:
    """Return the blocks of the sensed rooms."""
    parts = [
        state.layer[room.first[0] : room.last[0] + 1, room.first[1] : room.last[1] + 1].ravel()
        for room in sensed_rooms(state)
    ]
    return np.concatenate(parts)


def _log_uniform(position: float, low: int, high: int) -> int:
    found: float = low * (high / low) ** position
    return round(found)


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
