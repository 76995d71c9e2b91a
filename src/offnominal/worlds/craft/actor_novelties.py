"""Novelties of the actors: new ones, and traders and pogoists who change."""

from __future__ import annotations

from dataclasses import replace

from offnominal.worlds.craft.actors import TRADING
from offnominal.worlds.craft.blocks import LOG, PLANKS, POGO_STICK, STICK
from offnominal.worlds.craft.draws import Sequential
from offnominal.worlds.craft.novelty import Stop, clear_cells
from offnominal.worlds.craft.rules import TRADES
from offnominal.worlds.craft.state import Actor, GameState, Stack

THIEF, SUPPLIER, FIRST_EXTRA = 110, 111, 112
IDS = (THIEF, SUPPLIER, *range(FIRST_EXTRA, FIRST_EXTRA + 4))
"""Ids of the actors of novelties: those of the numbered commands."""
HARD_GIFTS = (11, 14)
BUSY = {1: 0.5, 2: 0.75}


def _add_actor(state: GameState, name: str, sequence: Sequential, actor: Actor) -> None:
    """Put an actor into the main room. If its id is taken, it gets the last free one."""
    cells = clear_cells(state)
    ids = [id for id in (actor.id, *reversed(IDS)) if state.actor(id) is None]
    if cells and ids:
        added = replace(actor, id=ids[0], cell=sequence.choice(cells), yaw=90 * sequence.integer(0, 3))
        state.actors.append(added)
        state.placed[name] = (*state.placed.get(name, ()), (added.cell, added.id))


def remove_actors(name: str) -> Stop:
    """Return the function that removes the actors of a novelty; what they carry stays on the ground."""

    def stop(state: GameState) -> None:
        for _, id in state.placed.get(name, ()):
            actor = state.actor(id)
            if actor is not None:
                for item, count in actor.gifts if actor.kind == "Distributor" else actor.carried:
                    state.drop(actor.cell, item, count)
                state.actors.remove(actor)

    return stop


def add_thief(state: GameState, level: int, sequence: Sequential) -> None:
    """Add a thief who hides loot in the safe."""
    _add_actor(state, "thief", sequence, Actor("Thief", THIEF, (0, 0), color="black", period=1, amount=level))


def add_chest_thief(state: GameState, level: int, sequence: Sequential) -> None:
    """Add a thief who hides loot in the chest."""
    actor = Actor("Thief", THIEF, (0, 0), color="black", period=1, amount=level, uses_chest=True)
    _add_actor(state, "chest_thief", sequence, actor)


def add_supplier(state: GameState, level: int, sequence: Sequential) -> None:
    """Add a supplier."""
    junk = {1: 0, 2: 1}.get(level, sequence.integer(*HARD_GIFTS))
    gifts: list[Stack] = [(sequence.choice((PLANKS, STICK, LOG)), 1) for _ in range(junk)]
    gifts.append((POGO_STICK, 1))
    _add_actor(state, "supplier", sequence, Actor("Supplier", SUPPLIER, (0, 0), color="black", gifts=tuple(gifts)))


def add_distributor(state: GameState, level: int, sequence: Sequential) -> None:
    """Add a distributor, who collects ores and hands out what they become."""
    actor = Actor("Distributor", SUPPLIER, (0, 0), color="blue", period=2, amount=level)
    _add_actor(state, "distributor", sequence, actor)


def add_traders(state: GameState, level: int, sequence: Sequential) -> None:
    """Add traders."""
    for number in range(level):
        trades = tuple(sequence.shuffled(TRADES)[:2])
        actor = Actor("Trader", FIRST_EXTRA + number, (0, 0), color="red", trades=trades)
        _add_actor(state, "extra_traders", sequence, actor)


def move_traders(state: GameState, level: int, sequence: Sequential) -> None:
    """Let traders stand elsewhere."""
    traders = [actor for actor in state.actors if actor.kind in TRADING]
    state.placed["moved_traders"] = tuple((actor.cell, actor.id) for actor in traders)
    for actor in traders:
        cells = clear_cells(state)
        if cells:
            actor.cell = sequence.choice(cells)


def move_traders_back(state: GameState) -> None:
    """Let traders stand where they stood."""
    for cell, id in state.placed.get("moved_traders", ()):
        actor = state.actor(id)
        if actor is not None and state.is_free(cell):
            actor.cell = cell


def keep_traders_busy(state: GameState, level: int, sequence: Sequential) -> None:
    """Let traders refuse trades."""
    for actor in state.actors:
        if actor.kind in TRADING:
            actor.busy = BUSY[level]


def free_traders(state: GameState) -> None:
    """Let traders trade always."""
    for actor in state.actors:
        actor.busy = 0.0


def dress_merchants(state: GameState, level: int, sequence: Sequential) -> None:
    """Let traders look like merchants."""
    for actor in state.actors:
        if actor.kind == "Trader":
            actor.kind = "Merchant"


def dress_traders(state: GameState) -> None:
    """Let merchants look like traders."""
    for actor in state.actors:
        if actor.kind == "Merchant":
            actor.kind = "Trader"


def let_pogoist_trade(state: GameState, level: int, sequence: Sequential) -> None:
    """Let the pogoist offer all trades."""
    for actor in state.actors:
        if actor.kind == "Pogoist":
            actor.trades = TRADES


def end_trades_of_pogoist(state: GameState) -> None:
    """Let the pogoist offer no trade."""
    for actor in state.actors:
        if actor.kind == "Pogoist":
            actor.trades = ()
    state.known_trades = tuple(id for id in state.known_trades if getattr(state.actor(id), "trades", ()))
