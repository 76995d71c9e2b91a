"""A planner that pursues its goals, and visits trees and ores, in the order that it was given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from offnominal.worlds.craft.block_commands import ORE_DIAMONDS
from offnominal.worlds.craft.blocks import (
    DIAMOND,
    DIAMOND_BLOCK,
    DIAMOND_ORE,
    JUNGLE_LOG,
    LOG,
    PLATINUM,
    POGO_STICK,
    RUBBER,
    TITANIUM,
)
from offnominal.worlds.craft.draws import Draws
from offnominal.worlds.craft.layout import Cell
from offnominal.worlds.craft.planner import PogoPlanner
from offnominal.worlds.craft.state import GameState

Goal: TypeAlias = Literal["platinum", "diamonds", "logs", "titanium", "rubber", "diamond blocks"]
GOALS: tuple[Goal, ...] = ("platinum", "diamonds", "logs", "titanium", "rubber", "diamond blocks")
"""Goals before the pogo stick itself. Each brings about what it needs, so every order is possible."""
GATHERED = 3
"""Number of the first goals, which are gathered; the others are made."""
NEEDED = 2
"""Platinum and diamond ores that a pogo stick needs."""
_ORES: dict[Goal, int] = {"platinum": PLATINUM, "diamonds": DIAMOND_ORE}
CELL_LANE = 10_000
_WIDTH = 64


class OrderedPlanner(PogoPlanner):
    """Plays as :class:`PogoPlanner`, in another order. Ores of which there are not more than it needs come first.

    Args:
        goals: Goals in their order; those that are left out are pursued as the pogo stick needs them.
        logs: Number of logs of the goal ``"logs"``.
        draws: Random numbers by which it chooses among trees and ores; None for the nearest.
        walks: Whether it uses unit moves and not TP_TO.

    Example:
        >>> from offnominal.worlds.craft.game import new_game
        >>> from offnominal.worlds.craft.planner import solve
        >>> solve(new_game("v2", seed=1), OrderedPlanner(("logs", "rubber")))[2]
        'BREAK_BLOCK'
    """

    def __init__(
        self, goals: Sequence[Goal] = GOALS, *, logs: int = 3, draws: Draws | None = None, walks: bool = False
    ) -> None:
        super().__init__(walks=walks, asks=False)
        self._goals = tuple(goals)
        self._logs = logs
        self._draws = draws

    def _effort(self, state: GameState, cell: Cell) -> float:
        if self._draws is None:
            return super()._effort(state, cell)
        return self._draws.at(cell[0] * _WIDTH + cell[1], CELL_LANE)

    def _stock_up(self, state: GameState) -> str | None:
        recipe = self._memory.recipe(POGO_STICK)
        if recipe is None:
            return None
        for goal in sorted(self._goals, key=lambda goal: not self._is_scarce(goal)):
            command = self._towards(state, goal, recipe.ingredients)
            if command is not None and not self._memory.is_hopeless(command):
                return command
        return None

    def _is_scarce(self, goal: Goal) -> bool:
        """Whether there is not more of an ore than the pogo stick needs, so that another actor must not take any."""
        ore = _ORES.get(goal)
        return ore is not None and int((self._memory.known == ore).sum()) <= NEEDED

    def _towards(self, state: GameState, goal: Goal, needs: dict[int, int]) -> str | None:
        """Return the next command towards a goal; None if it is reached or cannot be."""
        has = state.inventory.count
        if goal == "platinum":
            missing = needs.get(TITANIUM, 0) - has(TITANIUM) - has(PLATINUM)
            return self._mine(state, PLATINUM) if missing > 0 and self._memory.blocks(state, PLATINUM) else None
        if goal == "diamonds":
            missing = ORE_DIAMONDS * (needs.get(DIAMOND_BLOCK, 0) - has(DIAMOND_BLOCK)) - has(DIAMOND)
            return self._mine(state, DIAMOND_ORE) if missing > 0 and self._memory.blocks(state, DIAMOND_ORE) else None
        if goal == "logs":
            self._has_logs = self._has_logs or has(LOG) >= self._logs
            trees = self._memory.blocks(state, LOG, JUNGLE_LOG)
            return self._cut(state) if len(trees) > 1 and not self._has_logs else None
        item = {"titanium": TITANIUM, "rubber": RUBBER, "diamond blocks": DIAMOND_BLOCK}[goal]
        return self._get(state, item, needs[item], 0) if item in needs else None
