"""Classes of NovelCraft: their published numbers, roles and sizes, and the novelties that they show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.worlds.craft.blocks import NORMAL_ITEMS, NOVEL_ITEMS, TEST_ITEMS, VALIDATION_ITEMS

Role: TypeAlias = Literal["normal", "valid", "test", "episodes"]
"""``normal``, novel classes of ``valid`` or ``test``, or only used as whole ``episodes``."""
NORMAL = "normal"
ITEM_EPISODES = 10


@dataclass(frozen=True, slots=True)
class CraftClass:
    """One class.

    Args:
        name: Published name, which is also that of its folder.
        number: Published number of the class; those from 54 on are only used as whole episodes.
        role: Which images are normal, and in which split a novel class is.
        novelty: Novelty of the world; empty for none.
        level: Level of the novelty.
        episodes: Published number of episodes.
        first_novel: First episode with the novelty; the earlier ones are nominal.

    Example:
        >>> fence = craft_class("fence")
        >>> fence.number, fence.role, fence.novelty, fence.level, fence.episodes, fence.first_novel
        (1, 'normal', 'fence', 3, 94, 14)
    """

    name: str
    number: int
    role: Role
    novelty: str = ""
    level: int = 0
    episodes: int = ITEM_EPISODES
    first_novel: int = 0

    @property
    def is_novel(self) -> bool:
        """Whether the class is novel to a detector that was trained on the five normal classes."""
        return self.role != NORMAL


# The level of the fence is the one whose episodes are as long as the published ones.
_TOURNAMENTS = {
    "fence": ("fence", 3, 94, 14),
    "tree_easy": ("jungle_trees", 1, 100, 15),
    "supplier": ("supplier", 1, 100, 12),
    "thief": ("thief", 1, 100, 16),
}
"""Novelty, level, episodes and first novel episode of the classes whose first episodes are nominal."""


def _described(name: str, number: int, role: Role) -> CraftClass:
    if name == NORMAL:
        return CraftClass(name, number, role, episodes=99)
    if name in _TOURNAMENTS:
        return CraftClass(name, number, role, *_TOURNAMENTS[name])
    return CraftClass(name, number, role, "inserted_item", 1 + NOVEL_ITEMS.index(name.removeprefix("item_")))


def _listed() -> tuple[CraftClass, ...]:
    """Return all classes in the order of their numbers."""
    roles: dict[Role, list[str]] = {
        "normal": [NORMAL, "fence", *(f"item_{item}" for item in NORMAL_ITEMS)],
        "valid": [f"item_{item}" for item in VALIDATION_ITEMS],
        "test": ["tree_easy", *(f"item_{item}" for item in TEST_ITEMS)],
        "episodes": ["supplier", "thief"],
    }
    numbered = enumerate((name, role) for role, names in roles.items() for name in names)
    return tuple(_described(name, number, role) for number, (name, role) in numbered)


CLASSES: dict[str, CraftClass] = {each.name: each for each in _listed()}
"""Classes by name, in the order of their numbers."""
FURTHER_CLASSES: dict[str, CraftClass] = {
    each.name: each
    for each in (
        CraftClass("ArenaBlockHard", len(CLASSES), "episodes", "walls", 3, 100, 15),
        CraftClass("rotten", len(CLASSES) + 1, "episodes", "rotten_trees", 1, 100, 0),
    )
}
"""Classes of episodes that the public code has, but no published result: walls of grass, and rotten trees.

A set has them if its recipe names them. The level of the rotten trees is not published.
"""
ALL_CLASSES = {**CLASSES, **FURTHER_CLASSES}
PLUS_EPISODES = 2575
"""Additional normal training episodes of NovelCraft+."""
PLUS = "normal_"
"""Beginning of the names of the episodes of NovelCraft+."""
EPISODE_CLASSES = ("fence", "tree_easy", "supplier", "thief")
"""Classes whose episodes are scored as a whole."""


def craft_class(name: str) -> CraftClass:
    """Return the class of a name, or raise :class:`UnknownName`."""
    if name not in ALL_CLASSES:
        raise UnknownName(f"NovelCraft has no class {name!r}.{did_you_mean(name, ALL_CLASSES)}")
    return ALL_CLASSES[name]
