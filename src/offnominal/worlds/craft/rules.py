"""Rules of the pogo-stick task: recipes, trades and step costs of both versions."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from typing import Literal, TypeAlias

from offnominal.worlds.craft.blocks import (
    AIR,
    CRAFTING_TABLE,
    DIAMOND,
    DIAMOND_BLOCK,
    LOG,
    PLANKS,
    PLATINUM,
    POGO_STICK,
    RUBBER,
    STICK,
    TITANIUM,
    TREE_TAP,
)

Version: TypeAlias = Literal["v1", "v2"]
Grid: TypeAlias = tuple[tuple[int, ...], ...]
"""Rows of a recipe, without empty rows and columns at the edges."""
BUDGET = 1_000_000.0
"""Step cost at which an episode ends."""
HAND_SIZE = 2
"""Rows and columns of the recipes that need no crafting table."""


@dataclass(frozen=True)
class Recipe:
    """Ingredients in a grid of crafting slots, and what they become.

    Args:
        name: Short name.
        grid: Rows of ids; 0 is an empty slot.
        output: Id of the product.
        count: Number of products.
    """

    name: str
    grid: Grid
    output: int
    count: int = 1

    @property
    def needs_table(self) -> bool:
        """Whether the recipe is larger than 2 × 2."""
        return len(self.grid) > HAND_SIZE or len(self.grid[0]) > HAND_SIZE

    @cached_property
    def ingredients(self) -> dict[int, int]:
        """Number of each ingredient, by id."""
        found: dict[int, int] = {}
        for row in self.grid:
            for item in row:
                if item != AIR:
                    found[item] = found.get(item, 0) + 1
        return found

    def slots(self) -> tuple[int, ...]:
        """Return the ids of the 4 or 9 crafting slots, row by row."""
        size = 3 if self.needs_table else HAND_SIZE
        rows = [(*row, *(AIR,) * (size - len(row))) for row in self.grid]
        rows += [(AIR,) * size] * (size - len(rows))
        return tuple(item for row in rows for item in row)


@dataclass(frozen=True, slots=True)
class Trade:
    """What a trader takes and gives.

    Args:
        given: Id of what the trader takes.
        given_count: Its number.
        received: Id of what the trader gives.
        received_count: Its number.
    """

    given: int
    given_count: int
    received: int
    received_count: int


@dataclass(frozen=True, slots=True)
class StepCosts:
    """Step cost of the commands. One second of the original game costs 120."""

    move: float = 27.906975
    look: float = 24.0
    teleport: float = 120.0
    break_block: float = 120.0
    break_ore: float = 120.0
    craft_item: float = 120.0
    select: float = 120.0
    place: float = 30.0
    collect: float = 120.0
    rubber: float = 120.0
    use: float = 120.0
    trade: float = 120.0
    wait: float = 120.0
    sense_all: float = 114.0
    sense: float = 6.0
    sense_recipes: float = 1200.0


@dataclass(frozen=True, slots=True)
class Rules:
    """Everything about the task that is not in the level.

    Args:
        recipes: All recipes.
        trades: Trades that the traders share.
        costs: Step costs.
        log_drop: Number of logs of a cut tree.
        renamed: Names that the interface uses for ids instead of the published ones.
    """

    recipes: tuple[Recipe, ...]
    trades: tuple[Trade, ...] = ()
    costs: StepCosts = StepCosts()
    log_drop: int = 1
    renamed: tuple[tuple[int, str], ...] = field(default=())

    def recipe(self, name: str) -> Recipe | None:
        """Return the recipe of a short name; None if the rules have none."""
        return next((recipe for recipe in self.recipes if recipe.name == name), None)

    def recipe_for(self, item: int) -> Recipe | None:
        """Return the recipe of a product; None if it cannot be crafted."""
        return next((recipe for recipe in self.recipes if recipe.output == item), None)

    def matching(self, grid: Grid) -> Recipe | None:
        """Return the recipe of the trimmed rows of a crafting grid; None if there is none."""
        return next((recipe for recipe in self.recipes if recipe.grid == grid), None)


@lru_cache(maxsize=256)
def trimmed(slots: tuple[int, ...]) -> Grid:
    """Return the rows of 4 or 9 crafting slots without empty rows and columns at the edges.

    Example:
        >>> trimmed((0, 8, 0, 8))
        ((8,), (8,))
    """
    size = 3 if len(slots) == 9 else HAND_SIZE
    cells = [(index // size, index % size) for index, item in enumerate(slots) if item != AIR]
    if not cells:
        return ()
    rows = range(min(row for row, _ in cells), max(row for row, _ in cells) + 1)
    columns = range(min(column for _, column in cells), max(column for _, column in cells) + 1)
    return tuple(tuple(slots[row * size + column] for column in columns) for row in rows)


_P, _S, _R, _T, _D = PLANKS, STICK, RUBBER, TITANIUM, DIAMOND_BLOCK
_COMMON = (
    Recipe("planks", ((LOG,),), PLANKS, 4),
    Recipe("stick", ((_P,), (_P,)), STICK, 4),
    Recipe("crafting_table", ((_P, _P), (_P, _P)), CRAFTING_TABLE),
    Recipe("tree_tap", ((_P, _S, _P), (_P, AIR, _P), (AIR, _P, AIR)), TREE_TAP),
)
_POGO_V1 = Recipe("pogo_stick", ((_S, _S, _S), (_P, _S, _P), (AIR, _R, AIR)), POGO_STICK)
_POGO_V2 = Recipe("pogo_stick", ((_S, _T, _S), (_D, _T, _D), (AIR, _R, AIR)), POGO_STICK)
_DIAMOND_BLOCK = Recipe("diamond_block", ((DIAMOND,) * 3,) * 3, DIAMOND_BLOCK)
POGO_VARIANTS: dict[Version, tuple[Recipe, ...]] = {
    "v1": (
        _POGO_V1,
        Recipe("pogo_stick", ((_S, _P, _S), (AIR, _R, AIR), (AIR, _P, AIR)), POGO_STICK),
        Recipe("pogo_stick", ((_S, _S, _S), (AIR, _P, AIR), (_R, _P, _R)), POGO_STICK),
    ),
    "v2": (
        _POGO_V2,
        Recipe("pogo_stick", ((_S, _S, _S), (_D, _T, _D), (AIR, _R, AIR)), POGO_STICK),
        Recipe("pogo_stick", ((_S, _T, _S), (_P, _T, _P), (AIR, _R, AIR)), POGO_STICK),
    ),
}
"""Recipes of the pogo stick: the nominal one, and those of the novelty ``recipe``."""
TRADES = (
    Trade(PLATINUM, 1, TITANIUM, 1),
    Trade(LOG, 10, TITANIUM, 1),
    Trade(PLATINUM, 2, DIAMOND, 9),
    Trade(DIAMOND, 18, PLATINUM, 1),
)
"""The trades of version 2; each of the two traders has two of them."""
_COSTS_V2 = StepCosts(
    break_block=3600.0,
    break_ore=600.0,
    craft_item=1200.0,
    place=300.0,
    collect=1200.0,
    rubber=50_000.0,
    use=300.0,
    trade=300.0,
)
RULES: dict[Version, Rules] = {
    "v1": Rules((*_COMMON, _POGO_V1)),
    "v2": Rules((*_COMMON, _DIAMOND_BLOCK, _POGO_V2), TRADES, _COSTS_V2),
}
"""Nominal rules by version."""


RENAMED = (
    (STICK, "minecraft:rod"),
    (PLANKS, "minecraft:boards"),
    (LOG, "minecraft:timber"),
    (DIAMOND, "minecraft:crystal"),
)
"""Other names of items, for the novelty ``renamed_items``."""


def changed_rules(
    version: Version,
    *,
    variant: int = 0,
    cost_factor: float = 1.0,
    log_drop: int = 1,
    renamed: int = 0,
    has_pogo: bool = True,
) -> Rules:
    """Return the rules of a version with another recipe, other step costs, more logs per tree or other names.

    Args:
        version: Version of the task.
        variant: Index in `POGO_VARIANTS`.
        cost_factor: Factor on all step costs.
        log_drop: Number of logs of a cut tree.
        renamed: Number of items of `RENAMED` that have another name.
        has_pogo: Whether there is a recipe of the pogo stick.
    """
    nominal = RULES[version]
    if (variant, cost_factor, log_drop, renamed, has_pogo) == (0, 1.0, 1, 0, True):
        return nominal
    pogo = POGO_VARIANTS[version][variant]
    recipes = tuple(pogo if recipe.output == POGO_STICK else recipe for recipe in nominal.recipes)
    if not has_pogo:
        recipes = tuple(recipe for recipe in recipes if recipe.output != POGO_STICK)
    costs = StepCosts(*(cost_factor * getattr(nominal.costs, each.name) for each in fields(StepCosts)))
    return Rules(recipes, nominal.trades, costs, log_drop, RENAMED[:renamed])
