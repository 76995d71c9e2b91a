"""Recipe of a NovelCraft set: which episodes are played, and with which novelties."""

from __future__ import annotations

from dataclasses import dataclass

from offnominal.core.checks import integer_in, number_in, one_of, positive_integer
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter
from offnominal.core.streams import check_seed
from offnominal.datasets.novelcraft.classes import (
    ALL_CLASSES,
    CLASSES,
    NORMAL,
    PLUS,
    PLUS_EPISODES,
    CraftClass,
    craft_class,
)
from offnominal.worlds.craft.agents.agent_mixture import mixture
from offnominal.worlds.craft.novelties import NOVELTIES
from offnominal.worlds.craft.planner import MOST_COMMANDS
from offnominal.worlds.craft.rules import RULES, Version

FORMAT = 2
SPACING = 100_000
"""Distance between the numbers of the first episodes of two classes, by which their random numbers differ."""
PLUS_NUMBER = 90
COPIES, MOST_COPIES = 3, 50
"""Copies of an inserted item: with 3, as many images are kept per episode as in the released tables."""
FEWEST = 3
"""Fewest episodes of a class: one per split."""


@dataclass(frozen=True)
class EpisodePlan:
    """An episode to play.

    Args:
        id: ``class/episode``.
        version: Version of the task.
        seed: Seed of the set.
        number: Number of the episode among all with this seed.
        max_frames: Largest number of frames.
        novelty: Novelty from the first frame on; empty for none.
        level: Level of the novelty.
        agents: Mixture of agents, one of which plays the episode.
        copies: Number of copies of an inserted item; 0 for 3 to 8.
    """

    id: str
    version: Version
    seed: int
    number: int
    max_frames: int
    novelty: str = ""
    level: int = 0
    agents: str = "published"
    copies: int = 0


@dataclass(frozen=True)
class NovelCraftRecipe(Config):
    """Complete description of a NovelCraft set. The default has the published numbers of episodes.

    Args:
        version: Version of the task, ``"v1"`` or ``"v2"``. Version 1 has no thief.
        seed: Seed of the set. The levels of an episode depend on the seed, its class and its number only.
        plus: Whether to add the training episodes of NovelCraft+.
        share: Share of the published numbers of episodes, for smaller sets; each class has at least 3.
        classes: Names of the classes; those with published results if empty.
        max_frames: Largest number of frames of an episode.
        agents: Mixture of agents; `MIXTURES` of `offnominal.worlds.craft.agents` has them. With ``"former"`` the frames
            and tables are those of earlier versions.
        copies: Number of copies of an inserted item; 0 for 3 to 8, as always with the agents ``"former"``.
        format: Version of the files.

    Example:
        >>> len(NovelCraftRecipe().plans()), len(NovelCraftRecipe(plus=True).plans())
        (1003, 3578)
        >>> NovelCraftRecipe(share=0.1, classes=("fence",)).sizes()
        {'fence': (9, 1)}
    """

    version: Version = "v2"
    seed: int = 0
    plus: bool = False
    share: float = 1.0
    classes: tuple[str, ...] = ()
    max_frames: int = MOST_COMMANDS + 1
    agents: str = "published"
    copies: int = COPIES
    format: int = FORMAT

    def __post_init__(self) -> None:
        one_of("version", self.version, tuple(RULES))
        check_seed(self.seed)
        positive_integer("max_frames", self.max_frames)
        mixture(self.agents)
        integer_in("copies", self.copies, 0, MOST_COPIES)
        number_in("share", self.share, 0.0, 1.0, open_low=True)
        for name in self.classes:
            if not self._has(craft_class(name)):
                raise InvalidParameter(f"version {self.version} has no {name}; leave it out, or choose version 'v2'.")
        if self.plus and self.classes and NORMAL not in self.classes:
            raise InvalidParameter("plus adds episodes of the class 'normal'; add this class, or leave out plus.")

    def _has(self, kind: CraftClass) -> bool:
        return not kind.novelty or self.version in NOVELTIES[kind.novelty].versions

    def sizes(self) -> dict[str, tuple[int, int]]:
        """Return the number of episodes and the first one with the novelty, by class and in the published order."""
        kinds = [kind for kind in ALL_CLASSES.values() if kind.name in (self.classes or CLASSES) and self._has(kind)]
        return {kind.name: self._size(kind) for kind in kinds}

    def _size(self, kind: CraftClass) -> tuple[int, int]:
        first = max(1, round(kind.first_novel * self.share)) if kind.first_novel else 0
        return first + max(FEWEST, round((kind.episodes - kind.first_novel) * self.share)), first

    def plans(self) -> list[EpisodePlan]:
        """Return the episodes, class by class."""
        found = []
        for name, (episodes, first) in self.sizes().items():
            kind = ALL_CLASSES[name]
            for number in range(episodes):
                novelty = (kind.novelty, kind.level) if number >= first else ("", 0)
                found.append(self._plan(f"{name}/{number}", kind.number * SPACING + number, *novelty))
        extra = max(FEWEST, round(PLUS_EPISODES * self.share)) if self.plus else 0
        plus = [self._plan(f"{NORMAL}/{PLUS}{number}", PLUS_NUMBER * SPACING + number) for number in range(extra)]
        return found + plus

    def _plan(self, id: str, number: int, novelty: str = "", level: int = 0) -> EpisodePlan:
        copies = self.copies if novelty == "inserted_item" and not mixture(self.agents).reads_map else 0
        return EpisodePlan(id, self.version, self.seed, number, self.max_frames, novelty, level, self.agents, copies)
