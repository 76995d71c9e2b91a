"""The state of an episode of the pogo-stick task: blocks, player, inventory, actors, and what lies on the ground."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypeAlias

from offnominal.core.checks import require_shape
from offnominal.worlds.craft.blocks import AIR, BY_ID, OPEN_DOOR
from offnominal.worlds.craft.draws import Draws
from offnominal.worlds.craft.inventory import Inventory
from offnominal.worlds.craft.layout import GROUND, STEPS, BlockArray, Cell, Layout, facing
from offnominal.worlds.craft.rules import Rules, Trade, Version

Stack: TypeAlias = tuple[int, int]
"""Id of an item and its number."""
_SOLID = tuple(id in BY_ID and BY_ID[id].is_block and BY_ID[id].solid for id in range(256))
PLAYER_ID = 1


@lru_cache(maxsize=64)
def _text(part: Layout | Rules) -> str:
    return repr(part)


@dataclass(slots=True)
class Actor:
    """An actor besides the player.

    Args:
        kind: ``"Trader"``, ``"Pogoist"``, ``"Thief"``, ``"Supplier"`` and so on.
        id: Number that commands name it by.
        cell: Where it stands.
        yaw: Direction, degrees.
        color: Colour in the interface.
        trades: Trades of a trader.
        gifts: What a supplier gives next.
        carried: Items that it carries.
        waits: Turns for which it does nothing.
        goal: Number of the item of its plan that comes next.
        target: Block that it goes to.
        last: Its latest action, as text.
        period: Turns per action; 0 for an actor that never acts.
        amount: Kinds of resources that a thief takes at once.
        busy: Probability that a trader refuses a trade.
        wanders: Whether it walks about without a plan.
        uses_chest: Whether a thief hides loot in the chest and not in the safe.
    """

    kind: str
    id: int
    cell: Cell
    yaw: int = 0
    color: str = ""
    trades: tuple[Trade, ...] = ()
    gifts: tuple[Stack, ...] = ()
    carried: tuple[Stack, ...] = ()
    waits: int = 0
    goal: int = 0
    target: Cell | None = None
    last: str = "NOP"
    period: int = 0
    amount: int = 1
    busy: float = 0.0
    wanders: bool = False
    uses_chest: bool = False


@dataclass(slots=True)
class GameState:
    """State of one episode. Only plain data: it can be copied, compared by digest and continued from a copy.

    Args:
        version: Version of the task.
        layout: Rooms and doors.
        rules: Recipes, trades and step costs.
        blocks: (x, y, z): id of the block in every cell; y = 0 is the floor.
        cell: Where the player stands.
        yaw: Direction of the player, degrees: 0 south, 90 west, 180 north, 270 east.
        pitch: Pitch of the player, degrees, positive down.
        inventory: Inventory of the player.
        actors: Other actors.
        contents: What chests and safes hold.
        drops: What lies on the ground.
        saplings: Saplings that appear later: turn, cell and id.
        draws: Random numbers of the episode.
        step: Number of commands.
        turn: Number of commands that took time.
        cost: Step cost so far.
        teleports: Whether the player has used TP_TO; the actors then do it too.
        over: Whether the episode has ended.
        solved: Whether the goal has been reached.
        reports: Texts of REPORT_NOVELTY.
        known_trades: Ids of the traders that the player has asked for their trades.
        levels: Levels of the novelties that are switched on.
        placed: What novelties have put into the level, to undo it: cell and the block that was there.
    """

    version: Version
    layout: Layout
    rules: Rules
    blocks: BlockArray
    cell: Cell
    yaw: float
    inventory: Inventory
    draws: Draws
    pitch: int = 0
    actors: list[Actor] = field(default_factory=list)
    contents: dict[Cell, tuple[Stack, ...]] = field(default_factory=dict)
    drops: dict[Cell, tuple[Stack, ...]] = field(default_factory=dict)
    saplings: tuple[tuple[int, Cell, int], ...] = ()
    step: int = 0
    turn: int = 0
    cost: float = 0.0
    teleports: bool = False
    over: bool = False
    solved: bool = False
    reports: tuple[str, ...] = ()
    known_trades: tuple[int, ...] = ()
    levels: dict[str, float] = field(default_factory=dict)
    placed: dict[str, tuple[tuple[Cell, int], ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_shape("blocks", self.blocks, "x", "y", "z")

    @property
    def layer(self) -> BlockArray:
        """(x, z): the blocks of the object layer, as a view."""
        return self.blocks[:, GROUND, :]

    @property
    def front(self) -> Cell:
        """The cell in front of the player."""
        dx, dz = STEPS[facing(self.yaw)]
        return self.cell[0] + dx, self.cell[1] + dz

    def block(self, cell: Cell) -> int:
        """Return the id of the block in a cell of the object layer; outside of the array, that of bedrock."""
        x, z = cell
        if 0 <= x < self.blocks.shape[0] and 0 <= z < self.blocks.shape[2]:
            return int(self.blocks[x, GROUND, z])
        return 1

    def actor_at(self, cell: Cell) -> Actor | None:
        """Return the actor in a cell; None if there is none."""
        for actor in self.actors:
            if actor.cell == cell:
                return actor
        return None

    def actor(self, id: int) -> Actor | None:
        """Return the actor with a number; None if there is none."""
        for actor in self.actors:
            if actor.id == id:
                return actor
        return None

    def is_free(self, cell: Cell) -> bool:
        """Whether a cell is free: no solid block, no actor, not the player, inside a room."""
        if self.layout.room_of(cell) == 0 or _SOLID[self.blocks[cell[0], GROUND, cell[1]]] or cell == self.cell:
            return False
        for actor in self.actors:
            if actor.cell == cell:
                return False
        return True

    def rooms_in_reach(self, cell: Cell) -> set[int]:
        """Return the numbers of the rooms that can be entered from a cell through open doors."""
        return self.layout.connected(cell, self.layer, OPEN_DOOR)

    def drop(self, cell: Cell, item: int, count: int) -> None:
        """Put items on the ground of a cell."""
        if count and item != AIR:
            self.drops[cell] = (*self.drops.get(cell, ()), (item, count))

    def take_drop(self, cell: Cell, item: int) -> bool:
        """Remove one stack of an item from the ground of a cell, and return whether there was one."""
        stacks = list(self.drops.get(cell, ()))
        found = next((stack for stack in stacks if stack[0] == item), None)
        if found is None:
            return False
        stacks.remove(found)
        if stacks:
            self.drops[cell] = tuple(stacks)
        else:
            del self.drops[cell]
        return True

    def copy(self) -> GameState:
        """Return an independent copy that continues with the same random numbers."""
        return replace(
            self,
            blocks=self.blocks.copy(),
            inventory=self.inventory.copy(),
            actors=[replace(actor) for actor in self.actors],
            contents=dict(self.contents),
            drops=dict(self.drops),
            levels=dict(self.levels),
            placed=dict(self.placed),
        )

    def digest(self, *, counters: bool = True) -> str:
        """Return a SHA-256 of the state.

        Args:
            counters: Whether to include the number of commands and the step cost, which also invalid commands change.
        """
        rest = (
            (
                self.version,
                _text(self.layout),
                _text(self.rules),
                self.cell,
                self.yaw,
                self.pitch,
                self.inventory.items,
            ),
            (self.inventory.counts, self.inventory.selected, self.actors, sorted(self.contents.items())),
            (sorted(self.drops.items()), self.saplings, self.draws.key, self.turn, self.teleports),
            (self.over, self.solved, self.reports, self.known_trades, sorted(self.levels.items())),
            (sorted(self.placed.items()), (self.step, self.cost) if counters else ()),
        )
        found = hashlib.sha256(self.blocks.tobytes())
        found.update(repr(rest).encode())
        return found.hexdigest()
