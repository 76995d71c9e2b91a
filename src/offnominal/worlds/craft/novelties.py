"""Novelties of the pogo-stick task: changes of the level, the actors and the rules that can be undone."""

from __future__ import annotations

from offnominal.worlds.craft import actor_novelties, level_novelties
from offnominal.worlds.craft.blocks import JUNGLE_LOG, NOVEL_ITEMS, ROTTEN_LOG, inserted_item
from offnominal.worlds.craft.draws import Sequential
from offnominal.worlds.craft.novelty import V2, Novelty, Start, Stop, undo_blocks
from offnominal.worlds.craft.rules import POGO_VARIANTS, RENAMED, changed_rules
from offnominal.worlds.craft.state import GameState


def _with_rules(state: GameState, levels: dict[str, float]) -> None:
    """Set the rules that belong to some levels."""
    state.rules = changed_rules(
        state.version,
        variant=int(levels.get("recipe", 0)),
        cost_factor=1.0 + levels.get("step_cost", 0),
        log_drop=1 + int(levels.get("log_yield", 0)),
        renamed=int(levels.get("renamed_items", 0)),
        has_pogo="missing_recipe" not in levels,
    )


def change_rules(state: GameState, level: int, sequence: Sequential) -> None:
    """Set the rules that belong to the levels of an episode."""
    _with_rules(state, state.levels)


def restore_rules(name: str) -> Stop:
    """Return the function that removes the changes of one novelty from the rules."""

    def stop(state: GameState) -> None:
        _with_rules(state, {other: level for other, level in state.levels.items() if other != name})

    return stop


FIRST_LANE = 5000


def set_novelty(state: GameState, name: str, level: int, *, start: Start | None = None) -> None:
    """Switch a novelty on at a level, or off at level 0. Everything that is still there of an earlier level is undone.

    What is drawn depends on the seed, the turn and the novelty, so other random numbers of the episode stay the same.

    Args:
        state: The episode; it is changed.
        name: Name of the novelty.
        level: Its level; 0 is without it.
        start: Switches it on in another way than usual, for example with another number of copies.
    """
    if int(state.levels.get(name, 0)) == level:
        return
    novelty = NOVELTIES[name]
    if name in state.levels:
        novelty.stop(state)
        del state.levels[name]
        state.placed.pop(name, None)
    if level:
        state.levels[name] = level
        lane = FIRST_LANE + 4096 * list(NOVELTIES).index(name) + min(state.turn, 4095)
        (start or novelty.start)(state, level, Sequential(state.draws, lane))


_ITEMS = tuple(inserted_item(name).id for name in NOVEL_ITEMS)
_VARIANTS = len(POGO_VARIANTS["v2"]) - 1
# The place in this list chooses the random numbers of a novelty, so new ones are added at its end.
_ALL = (
    Novelty(
        "inserted_item",
        "3 to 8 copies of an inserted item; b is the number of the item, from 1",
        len(NOVEL_ITEMS),
        level_novelties.insert_item,
        undo_blocks("inserted_item", *_ITEMS),
    ),
    Novelty(
        "fence",
        "fences: 1 around one or two trees, 2 around three to five, 3 two rings around all",
        3,
        level_novelties.fence,
        level_novelties.remove_fence,
        difficulties=True,
    ),
    Novelty(
        "jungle_trees",
        "jungle trees, whose rubber costs half: 1 four, 2 two or three, 3 one",
        3,
        level_novelties.change_trees("jungle_trees", JUNGLE_LOG, level_novelties.jungle_count),
        level_novelties.restore_trees("jungle_trees", JUNGLE_LOG),
        difficulties=True,
    ),
    Novelty(
        "rotten_trees",
        "b rotten trees, which give neither logs nor rubber",
        5,
        level_novelties.change_trees("rotten_trees", ROTTEN_LOG, lambda level, _: level),
        level_novelties.restore_trees("rotten_trees", ROTTEN_LOG),
        typical=2,
    ),
    Novelty(
        "thief",
        "a thief who takes b kinds of resources at once",
        3,
        actor_novelties.add_thief,
        actor_novelties.remove_actors("thief"),
        V2,
        difficulties=True,
    ),
    Novelty(
        "supplier",
        "a supplier: 1 gives a pogo stick, 2 one other item first, 3 eleven to fourteen others first",
        3,
        actor_novelties.add_supplier,
        actor_novelties.remove_actors("supplier"),
        difficulties=True,
    ),
    Novelty(
        "walls",
        "walls of grass: 1 up to half of them, 2 more than half, 3 all",
        3,
        level_novelties.walls,
        level_novelties.restore_walls,
        difficulties=True,
    ),
    Novelty(
        "recipe",
        "recipe b of the pogo stick",
        _VARIANTS,
        change_rules,
        restore_rules("recipe"),
    ),
    Novelty(
        "log_yield",
        "b additional logs of a cut tree",
        5,
        change_rules,
        restore_rules("log_yield"),
        is_sensed=False,
    ),
    Novelty(
        "step_cost",
        "step costs multiplied by 1 + b",
        9,
        change_rules,
        restore_rules("step_cost"),
    ),
    Novelty(
        "extra_traders",
        "b additional traders",
        4,
        actor_novelties.add_traders,
        actor_novelties.remove_actors("extra_traders"),
        V2,
    ),
    Novelty(
        "moved_traders",
        "traders who stand elsewhere",
        1,
        actor_novelties.move_traders,
        actor_novelties.move_traders_back,
        V2,
    ),
    Novelty(
        "busy_traders",
        "traders who refuse half of the trades (1) or three quarters (2)",
        2,
        actor_novelties.keep_traders_busy,
        actor_novelties.free_traders,
        V2,
    ),
    Novelty("locked_doors", "locked doors", 1, level_novelties.lock_doors, level_novelties.unlock_doors, V2),
    Novelty(
        "renamed_items",
        "b items with another name in the interface",
        len(RENAMED),
        change_rules,
        restore_rules("renamed_items"),
        is_sensed=False,
    ),
    Novelty(
        "distributor",
        "a distributor who hands out what it mines: 1 diamonds, 2 platinum, 3 both",
        3,
        actor_novelties.add_distributor,
        actor_novelties.remove_actors("distributor"),
        V2,
    ),
    Novelty(
        "axe",
        "an axe, with which a tree costs a fifth: 1 in the inventory, 2 on the ground, 3 needed for trees",
        3,
        level_novelties.add_axe,
        level_novelties.remove_axe,
        typical=2,
    ),
    Novelty(
        "chest_thief",
        "a thief who takes b kinds of resources at once and hides them in the chest",
        3,
        actor_novelties.add_chest_thief,
        actor_novelties.remove_actors("chest_thief"),
        V2,
        difficulties=True,
    ),
    Novelty(
        "missing_recipe",
        "no recipe of the pogo stick, which only a supplier has",
        1,
        change_rules,
        restore_rules("missing_recipe"),
        is_sensed=False,
    ),
    Novelty(
        "wrong_recipes",
        "another recipe of the pogo stick in the answer to SENSE_RECIPES",
        1,
        lambda *_: None,
        lambda _: None,
        is_sensed=False,
    ),
    Novelty(
        "only_saplings",
        "b saplings on the ground in place of trees",
        5,
        level_novelties.only_saplings,
        level_novelties.restore_saplings,
        typical=3,
    ),
    Novelty(
        "merchants",
        "traders who look like merchants",
        1,
        actor_novelties.dress_merchants,
        actor_novelties.dress_traders,
        V2,
    ),
    Novelty(
        "trading_pogoist",
        "a pogoist who offers all trades",
        1,
        actor_novelties.let_pogoist_trade,
        actor_novelties.end_trades_of_pogoist,
        V2,
        is_sensed=False,
    ),
)
NOVELTIES: dict[str, Novelty] = {novelty.name: novelty for novelty in _ALL}
"""Novelties by name."""
