"""A scripted player: it works backwards from the pogo stick and plans again after every command."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Self

from offnominal.worlds.craft.actors import TRADING
from offnominal.worlds.craft.block_commands import ORE_DIAMONDS, kinds_on_ground, logs_beside
from offnominal.worlds.craft.blocks import (
    AIR,
    CRAFTING_TABLE,
    DIAMOND,
    DIAMOND_BLOCK,
    DIAMOND_ORE,
    IRON_AXE,
    IRON_PICKAXE,
    JUNGLE_LOG,
    KEY,
    LOG,
    PLASTIC_CHEST,
    PLATINUM,
    POGO_STICK,
    RUBBER,
    SAFE,
    SAPLING,
    TITANIUM,
    TREE_TAP,
    UNLOCKED_SAFE,
)
from offnominal.worlds.craft.commands import run_command
from offnominal.worlds.craft.layout import MAIN, MAIN_SIZE, Cell
from offnominal.worlds.craft.movement import beside, distance
from offnominal.worlds.craft.navigator import Navigator
from offnominal.worlds.craft.planner_memory import UNKNOWN, PlannerMemory
from offnominal.worlds.craft.refusal import name_of
from offnominal.worlds.craft.rules import Recipe, Trade
from offnominal.worlds.craft.sense import sensed_rooms
from offnominal.worlds.craft.state import GameState

MOST_COMMANDS = 400
PATIENCE = 12
DEEPEST = 8
LOG_STOCK = 3
"""Logs that the planner takes in version 2: the two of the recipes and one in reserve."""
USEFUL = frozenset({LOG, DIAMOND, PLATINUM, TITANIUM, DIAMOND_BLOCK, IRON_AXE})


class PogoPlanner:
    """Plays the pogo-stick task from what the player senses: the current room, the inventory and its own commands.

    Every call plans anew from the state: the planner asks what the pogo stick needs, what that needs, and so on, and
    returns the first command of the answer. A recipe that fails makes it sense the recipes. An actor that it does not
    know makes it ask. Items that vanish make it look into the safe and the chest.

    Args:
        walks: Whether it uses unit moves and not TP_TO.
        asks: Whether it asks actors of unknown kinds for something.

    Example:
        >>> from offnominal.worlds.craft.game import new_game
        >>> state = new_game("v2", seed=1)
        >>> len(solve(state)) < 70, state.solved
        (True, True)
    """

    def __init__(self, *, walks: bool = False, asks: bool = True) -> None:
        self._asks = asks
        self._navigator = Navigator(walks=walks)
        self._memory = PlannerMemory()
        self._has_logs = False
        self._waited = 0

    def next_command(self, state: GameState, success: bool = True) -> str:
        """Return the next command.

        Args:
            state: What the player senses.
            success: Whether the latest command was carried out.
        """
        memory = self._memory
        if memory.command:
            memory.learn(state, success)
        memory.perceive(state)
        command = self._wanted(state)
        if command is None or memory.is_hopeless(command):
            self._waited += 1
            command = self._ask_again(state) or ("NOP" if self._waited <= PATIENCE else "GIVE_UP")
        elif not success and command == memory.command and command.startswith("TRADE"):
            command = "NOP"
        else:
            self._waited = 0
        memory.command = command
        return command

    def replace_command(self, command: str) -> None:
        """Take notice that another command was carried out than the latest one of the planner."""
        self._memory.command = command

    @property
    def thefts(self) -> int:
        """How often items have vanished."""
        return self._memory.thefts

    def copy(self) -> Self:
        """Return an independent copy that continues in the same way."""
        twin = copy.copy(self)
        twin._navigator, twin._memory = self._navigator.copy(), self._memory.copy()
        return twin

    def _wanted(self, state: GameState) -> str | None:
        if self._memory.wants_recipes:
            self._memory.wants_recipes = False
            return "SENSE_RECIPES"
        return (
            self._ask_strangers(state)
            or self._pick_up(state, USEFUL)
            or self._stock_up(state)
            or self._get(state, POGO_STICK, 1, 0)
        )

    def _effort(self, state: GameState, cell: Cell) -> float:
        """Return what it takes to reach a tree or an ore; the least comes first."""
        return distance(cell, state.cell)

    def _ask_strangers(self, state: GameState) -> str | None:
        """Interact with actors of unknown kinds as long as they give something."""
        for actor in self._memory.actors(state) if self._asks else ():
            if actor.kind not in (*TRADING, "Pogoist") and not self._memory.was_refused(f"INTERACT {actor.id}"):
                return self._navigator.stand_near(state, actor.cell) or f"INTERACT {actor.id}"
        return None

    def _ask_again(self, state: GameState) -> str | None:
        """Ask a distributor again if nothing else is left to do."""
        givers = [actor for actor in self._memory.actors(state) if actor.kind == "Distributor"]
        if not givers or self._waited > PATIENCE:
            return None
        return self._navigator.stand_near(state, givers[0].cell) or f"INTERACT {givers[0].id}"

    def _stock_up(self, state: GameState) -> str | None:
        """Get the resources first that another actor could take away."""
        recipe = self._memory.recipe(POGO_STICK)
        if recipe is None:
            return None
        needs = recipe.ingredients
        has = state.inventory.count
        platinum = needs.get(TITANIUM, 0) - has(TITANIUM) - has(PLATINUM)
        diamonds = ORE_DIAMONDS * (needs.get(DIAMOND_BLOCK, 0) - has(DIAMOND_BLOCK)) - has(DIAMOND)
        if platinum > 0 and self._memory.blocks(state, PLATINUM):
            return self._mine(state, PLATINUM)
        if diamonds > 0 and self._memory.blocks(state, DIAMOND_ORE):
            return self._mine(state, DIAMOND_ORE)
        if state.version == "v2" and not self._has_logs:
            self._has_logs = has(LOG) >= LOG_STOCK
            trees = self._memory.blocks(state, LOG, JUNGLE_LOG)
            return self._cut(state) if len(trees) > 1 and not self._has_logs else None
        return None

    def _get(self, state: GameState, item: int, count: int, depth: int) -> str | None:
        """Return the next command towards some items; None if they are there or cannot be had."""
        if state.inventory.count(item) >= count or depth > DEEPEST:
            return None
        lying = self._pick_up(state, (item,))
        if lying is not None:
            return lying
        if item in (PLATINUM, DIAMOND):
            return self._get_ore(state, item, count, depth)
        if item == LOG:
            return self._cut(state)
        if item == RUBBER:
            return self._tap(state, depth) or self._search(state)
        if item == KEY:
            return self._open(state, (PLASTIC_CHEST,))
        if item == TITANIUM:
            return self._trade_for(state, item, count, depth) or self._search(state)
        recipe = self._memory.recipe(item)
        if recipe is not None:
            return self._craft(state, recipe, count, depth) or self._search(state)
        return self._trade_for(state, item, count, depth) or self._search(state)

    def _get_ore(self, state: GameState, item: int, count: int, depth: int) -> str | None:
        ore = DIAMOND_ORE if item == DIAMOND else item
        if self._memory.blocks(state, ore):
            return self._mine(state, ore)
        return self._search(state) or self._trade_for(state, item, count, depth)

    def _craft(self, state: GameState, recipe: Recipe, count: int, depth: int) -> str | None:
        """Return the next command towards a crafted item."""
        times = -(-(count - state.inventory.count(recipe.output)) // recipe.count)
        # What takes longest comes first, so that nothing that is ready is used up for something else.
        for item, needed in sorted(recipe.ingredients.items(), key=lambda pair: _ORDER.get(pair[0], 9)):
            if state.inventory.count(item) < needed * times:
                missing = self._get(state, item, needed * times, depth + 1)
                if missing is not None or state.inventory.count(item) < needed:
                    return missing
        if recipe.needs_table:
            tables = self._memory.blocks(state, CRAFTING_TABLE)
            if not tables:
                return self._build_table(state, depth)
            reached = self._navigator.stand_beside(state, tables[0])
            if reached is not None:
                return reached
        names = ["0" if item == AIR else name_of(state, item) for item in recipe.slots()]
        return f"CRAFT 1 {' '.join(names)}"

    def _build_table(self, state: GameState, depth: int) -> str | None:
        if not state.inventory.count(CRAFTING_TABLE):
            return self._get(state, CRAFTING_TABLE, 1, depth + 1)
        return self._put(state, CRAFTING_TABLE)

    def _put(self, state: GameState, item: int) -> str:
        """Return the command that places a block in front, or turns to a free cell."""
        is_clear = state.is_free(state.front) and state.block(state.front) == AIR and state.front not in state.drops
        return f"PLACE {name_of(state, item)}" if is_clear else "TURN 90"

    def _trade_for(self, state: GameState, item: int, count: int, depth: int) -> str | None:
        """Return the next command towards an item of a trader."""
        for id, cell in self._memory.traders.items():
            if id not in self._memory.trades and not self._memory.was_refused(f"INTERACT {id}"):
                return self._navigator.stand_near(state, cell) or f"INTERACT {id}"
        offers = [(id, trade) for id in self._memory.traders for trade in self._memory.trades.get(id, ())]
        for id, trade in sorted(offers, key=lambda offer: _PREFERENCE.get(offer[1].given, 9)):
            if trade.received != item:
                continue
            missing = self._get(state, trade.given, trade.given_count, depth + 1)
            if missing is not None:
                return missing
            if state.inventory.count(trade.given) >= trade.given_count:
                return self._navigator.stand_near(state, self._memory.traders[id]) or self._offer(state, id, trade)
        return None

    def _offer(self, state: GameState, id: int, trade: Trade) -> str:
        """Return the command that talks to a trader who stands beside the player, then the one that trades."""
        if self._memory.talked != (id, state.cell):
            return f"INTERACT {id}"
        return f"TRADE {id} {name_of(state, trade.given)} {trade.given_count}"

    def _cut(self, state: GameState) -> str | None:
        """Return the next command towards a log: a tree, or a sapling that grows into one."""
        trees = self._memory.blocks(state, LOG, JUNGLE_LOG)
        for tree in sorted(trees, key=lambda cell: (not beside(state, cell), self._effort(state, cell))):
            command = self._navigator.stand_beside(state, tree)
            if command is not None or state.front == tree:
                return command or "BREAK_BLOCK"
        if state.inventory.count(SAPLING):
            return self._put(state, SAPLING)
        return self._pick_up(state, (SAPLING,))

    def _mine(self, state: GameState, ore: int) -> str | None:
        """Return the next command that breaks the nearest ore."""
        if state.inventory.held != IRON_PICKAXE and state.inventory.count(IRON_PICKAXE):
            return f"SELECT_ITEM {name_of(state, IRON_PICKAXE)}"
        for cell in sorted(self._memory.blocks(state, ore), key=lambda cell: self._effort(state, cell)):
            command = self._navigator.stand_beside(state, cell)
            if command is not None or state.front == cell:
                return command or "BREAK_BLOCK"
        return None

    def _tap(self, state: GameState, depth: int) -> str | None:
        """Return the next command towards rubber."""
        for tap in self._memory.blocks(state, TREE_TAP):
            if logs_beside(state, tap):
                return self._navigator.stand_beside(state, tap) or "COLLECT"
        if not state.inventory.count(TREE_TAP):
            return self._get(state, TREE_TAP, 1, depth + 1)
        trees = self._memory.blocks(state, LOG, JUNGLE_LOG)
        if logs_beside(state, state.front) and state.is_free(state.front):
            if state.front in state.drops:
                return "MOVE w"
            if state.inventory.held != TREE_TAP:
                return f"SELECT_ITEM {name_of(state, TREE_TAP)}"
            return f"PLACE {name_of(state, TREE_TAP)}"
        for tree in sorted(trees, key=lambda tree: (not beside(state, tree, 2), self._effort(state, tree))):
            command = self._navigator.stand_beside(state, tree, offset=2)
            if command is not None:
                return command
        if state.inventory.count(SAPLING):
            return self._put(state, SAPLING)
        return self._pick_up(state, (SAPLING,))

    def _search(self, state: GameState) -> str | None:
        """Return the next command towards what safes and chests hold."""
        return self._open(state, (UNLOCKED_SAFE, SAFE)) or (
            self._open(state, (PLASTIC_CHEST,)) if self._memory.was_robbed else None
        )

    def _open(self, state: GameState, kinds: Iterable[int]) -> str | None:
        """Return the next command that takes the contents of a container; unknown rooms are entered to find it."""
        kinds = tuple(kinds)
        for cell in self._memory.blocks(state, *kinds):
            if cell in self._memory.visited:
                continue
            if self._memory.known[cell] == SAFE and not state.inventory.count(KEY):
                return self._open(state, (PLASTIC_CHEST,))
            reached = self._navigator.stand_beside(state, cell)
            if reached is not None:
                return reached
            if state.block(cell) == SAFE:
                held = state.inventory.held == KEY
                return "USE" if held else f"SELECT_ITEM {name_of(state, KEY)}"
            return "COLLECT"
        if SAFE in kinds:
            return self._explore(state)
        return None

    def _explore(self, state: GameState) -> str | None:
        """Return the next command that enters a room whose blocks are not known."""
        if not state.inventory.count(KEY) and self._memory.blocks(state, PLASTIC_CHEST):
            chest = self._open(state, (PLASTIC_CHEST,))
            if chest is not None:
                return chest
        for number, door in enumerate(state.layout.doors):
            inside = _beyond(door)
            if self._memory.known[inside] == UNKNOWN:
                if MAIN + 1 + number not in state.rooms_in_reach(state.cell):
                    return self._navigator.open_door(state, door)
                return self._navigator.stand_in(state, inside)
        return None

    def _pick_up(self, state: GameState, kinds: Iterable[int]) -> str | None:
        """Return the command that moves onto the nearest item of some kinds."""
        if not state.drops:
            return None
        wanted = set(kinds)
        rooms = sensed_rooms(state)
        cells = [
            cell
            for cell in state.drops
            if kinds_on_ground(state, cell) & wanted and any(room.holds(cell) for room in rooms)
        ]
        for cell in sorted(cells, key=lambda cell: distance(cell, state.cell)):
            command = self._navigator.stand_in(state, cell)
            if command is not None:
                return command
        return None


_ORDER = {TITANIUM: 0, RUBBER: 1, DIAMOND_BLOCK: 2}
_PREFERENCE = {PLATINUM: 0, DIAMOND: 1, LOG: 2}


def _beyond(door: Cell) -> Cell:
    """Return the cell behind a door of the main room."""
    x, z = door
    return (x + 1, z) if x == MAIN_SIZE - 1 else (x, z + 1)


def solve(state: GameState, planner: PogoPlanner | None = None, *, limit: int = MOST_COMMANDS) -> list[str]:
    """Play an episode to its end and return the commands.

    Args:
        state: The episode; it is changed.
        planner: The planner; None for one that uses TP_TO.
        limit: Largest number of commands.
    """
    player = planner or PogoPlanner()
    commands: list[str] = []
    success = True
    while not state.over and len(commands) < limit:
        commands.append(player.next_command(state, success))
        success = run_command(state, commands[-1]).success
    return commands
