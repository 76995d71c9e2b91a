"""Commands that act on the inventory: CRAFT, SELECT_ITEM, DELETE, TRADE and INTERACT."""

from __future__ import annotations

from typing import Any

from offnominal.worlds.craft.blocks import AIR, CRAFTING_TABLE
from offnominal.worlds.craft.refusal import Refusal, expect, item_named, name_of, whole_number
from offnominal.worlds.craft.rules import Trade, trimmed
from offnominal.worlds.craft.state import Actor, GameState

MOST = 64
BUSY_LANE = 2000


def craft(state: GameState, words: list[str]) -> float:
    """Craft from 4 or 9 slots, row by row, 0 for an empty one: ``CRAFT 1 minecraft:log 0 0 0``."""
    if len(words) not in (5, 10):
        raise Refusal("expected CRAFT times and 4 or 9 slots")
    times = whole_number(words[0], "the number of times")
    if not 1 <= times <= MOST:
        raise Refusal(f"the number of times must be 1 to {MOST}")
    slots = tuple(AIR if word == "0" else item_named(state, word) for word in words[1:])
    cost = times * state.rules.costs.craft_item * sum(item != AIR for item in slots)
    recipe = state.rules.matching(trimmed(slots))
    if recipe is None:
        raise Refusal("no recipe has these slots", cost)
    if len(slots) == 9 and state.block(state.front) != CRAFTING_TABLE:
        raise Refusal("recipes of 3 × 3 slots need the crafting table in front", cost)
    trial = state.inventory.copy()
    if not all(trial.remove(item, times * count) for item, count in recipe.ingredients.items()):
        raise Refusal("the inventory has too few ingredients", cost)
    if not trial.add(recipe.output, times * recipe.count):
        raise Refusal("the inventory is full", cost)
    state.inventory = trial
    return cost


def select_item(state: GameState, words: list[str]) -> float:
    """Take an item of the inventory into the hand: ``SELECT_ITEM polycraft:key``."""
    expect(words, 1, 1, "SELECT_ITEM item")
    kind, cost = item_named(state, words[0]), state.rules.costs.select
    if not state.inventory.select(kind):
        raise Refusal("the inventory has no such item", cost)
    return cost


def delete(state: GameState, words: list[str]) -> float:
    """Destroy all items of a kind in the inventory: ``DELETE minecraft:sapling``."""
    expect(words, 1, 1, "DELETE item")
    kind, cost = item_named(state, words[0]), state.rules.costs.select
    count = state.inventory.count(kind)
    if not count:
        raise Refusal("the inventory has no such item", cost)
    state.inventory.remove(kind, count)
    return cost


def trade(state: GameState, words: list[str]) -> float:
    """Trade with a trader who stands beside the player: ``TRADE 101 polycraft:block_of_platinum 1``."""
    if len(words) != 3:
        raise Refusal("expected TRADE id item number")
    cost = state.rules.costs.trade
    given, count = item_named(state, words[1]), whole_number(words[2], "the number of items")
    actor = _beside(state, words[0], cost)
    found = next((each for each in actor.trades if (each.given, each.given_count) == (given, count)), None)
    if found is None:
        raise Refusal("the actor does not offer this trade", cost)
    if is_busy(state, actor):
        raise Refusal("the trader is busy", cost)
    trial = state.inventory.copy()
    if not trial.remove(found.given, found.given_count):
        raise Refusal("the inventory has too few items", cost)
    if not trial.add(found.received, found.received_count):
        raise Refusal("the inventory is full", cost)
    state.inventory = trial
    return cost


def interact(state: GameState, words: list[str]) -> tuple[float, dict[str, Any]]:
    """Ask a trader for trades, or a supplier for a gift: ``INTERACT 101``."""
    expect(words, 1, 1, "INTERACT id")
    cost = state.rules.costs.trade
    actor = _beside(state, words[0], cost)
    if actor.gifts:
        if not state.inventory.add(*actor.gifts[0]):
            raise Refusal("the inventory is full", cost)
        actor.gifts = actor.gifts[1:]
        return cost, {}
    if not actor.trades:
        raise Refusal("the actor has nothing to offer", cost)
    if actor.id not in state.known_trades:
        state.known_trades = (*state.known_trades, actor.id)
    return cost, {"trades": [_offer(state, each) for each in actor.trades]}


def is_busy(state: GameState, actor: Actor) -> bool:
    """Whether a trader refuses to trade in this turn."""
    return actor.busy > 0.0 and state.draws.at(state.turn, BUSY_LANE + actor.id) < actor.busy


def _offer(state: GameState, trade: Trade) -> dict[str, Any]:
    return {
        "inputs": [{"item": name_of(state, trade.given), "count": trade.given_count}],
        "outputs": [{"item": name_of(state, trade.received), "count": trade.received_count}],
    }


def _beside(state: GameState, word: str, cost: float) -> Actor:
    actor = state.actor(whole_number(word, "the id of an actor"))
    if actor is None:
        raise Refusal("no actor with this id", cost)
    x, z = actor.cell
    if max(abs(x - state.cell[0]), abs(z - state.cell[1])) > 1:
        raise Refusal("the actor is too far away", cost)
    return actor
