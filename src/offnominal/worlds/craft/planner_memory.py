"""What the planner keeps in mind: sensed blocks, trades, refused commands, and signs of theft."""

from __future__ import annotations

import copy

import numpy as np

from offnominal.worlds.craft.actors import TRADING
from offnominal.worlds.craft.layout import Cell
from offnominal.worlds.craft.movement import distance
from offnominal.worlds.craft.rules import RULES, Recipe, Rules, Trade
from offnominal.worlds.craft.sense import sensed_rooms
from offnominal.worlds.craft.state import Actor, GameState

UNKNOWN = 255
MOST_FAILURES, MOST_TRADES = 3, 40
"""Refusals after which the planner tries something else; a trader can be busy for long."""
_CONSUMING = ("CRAFT", "TRADE", "PLACE", "PLACE_TREE_TAP", "DELETE")


class PlannerMemory:
    """Knowledge of the planner within one episode.

    Attributes:
        rules: Rules that the planner believes in: the nominal ones until it has sensed the recipes.
        known: (x, z): sensed blocks; `UNKNOWN` elsewhere.
        traders: Where each trader was last seen.
        trades: Trades of the traders that were asked.
        talked: Trader of the latest conversation, and where the player stood.
        visited: Containers and tree taps from which the planner has collected.
        wants_recipes: Whether a recipe has failed.
        thefts: How often items have vanished.
        command: The latest command.
    """

    def __init__(self) -> None:
        self.rules: Rules | None = None
        self.known = np.zeros((0, 0), np.uint8)
        self.traders: dict[int, Cell] = {}
        self.trades: dict[int, tuple[Trade, ...]] = {}
        self.talked: tuple[int, Cell] | None = None
        self.visited: set[Cell] = set()
        self.wants_recipes = False
        self.thefts = 0
        self.command = ""
        self._refused: dict[str, int] = {}
        self._totals: dict[int, int] = {}

    def copy(self) -> PlannerMemory:
        """Return an independent copy."""
        twin = copy.copy(self)
        twin.known, twin.visited = self.known.copy(), set(self.visited)
        twin.traders, twin.trades = dict(self.traders), dict(self.trades)
        twin._refused, twin._totals = dict(self._refused), dict(self._totals)
        return twin

    def learn(self, state: GameState, success: bool) -> None:
        """Take notice of what the latest command did."""
        verb, _, argument = self.command.partition(" ")
        if verb == "COLLECT":
            self.visited.add(state.front)
        if success:
            self._refused.pop(self.command, None)
            actor = state.actor(int(argument)) if verb == "INTERACT" else None
            if actor is not None:
                self.trades[actor.id] = actor.trades
                self.talked = (actor.id, state.cell)
            elif verb == "SENSE_RECIPES":
                self.rules = state.rules
            return
        self._refused[self.command] = self._refused.get(self.command, 0) + 1
        if verb == "CRAFT" and self.rules != state.rules:
            self.wants_recipes = True
        elif verb == "INTERACT":
            self._refused[self.command] = MOST_FAILURES

    def perceive(self, state: GameState) -> None:
        """Update the map of known blocks and notice items that have vanished."""
        if not self.known.size:
            self.known = np.full(state.layer.shape, UNKNOWN, np.uint8)
            self.rules = RULES[state.version]
        for room in sensed_rooms(state):
            part = (slice(room.first[0], room.last[0] + 1), slice(room.first[1], room.last[1] + 1))
            self.known[part] = state.layer[part]
        self.traders |= {actor.id: actor.cell for actor in self.actors(state) if actor.kind in TRADING}
        totals = state.inventory.totals()
        vanished = any(totals.get(kind, 0) < count for kind, count in self._totals.items())
        if vanished and not self.command.startswith(_CONSUMING):
            self.thefts += 1
            self.visited.clear()
        self._totals = totals

    @property
    def was_robbed(self) -> bool:
        """Whether items have vanished."""
        return self.thefts > 0

    def was_refused(self, command: str) -> bool:
        """Whether a command was refused since it last succeeded."""
        return self._refused.get(command, 0) > 0

    def is_hopeless(self, command: str) -> bool:
        """Whether a command was refused so often that something else must be tried."""
        most = MOST_TRADES if command.startswith("TRADE") else MOST_FAILURES
        return self._refused.get(command, 0) >= most

    def recipe(self, item: int) -> Recipe | None:
        """Return the recipe of an item that the planner believes in; None if there is none."""
        assert self.rules is not None
        return self.rules.recipe_for(item)

    def actors(self, state: GameState) -> list[Actor]:
        """Return the actors in the sensed rooms."""
        rooms = sensed_rooms(state)
        return [actor for actor in state.actors if any(room.holds(actor.cell) for room in rooms)]

    def blocks(self, state: GameState, *kinds: int) -> list[Cell]:
        """Return the known cells with some blocks, nearest first."""
        mask = self.known == kinds[0]
        for kind in kinds[1:]:
            mask |= self.known == kind
        xs, zs = np.nonzero(mask)
        cells = list(zip(xs.tolist(), zs.tolist(), strict=True))
        return sorted(cells, key=lambda cell: distance(cell, state.cell))
