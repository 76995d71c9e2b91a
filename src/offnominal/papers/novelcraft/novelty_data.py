"""The NovelCraft set of a study, as data: how much of the published set, and how many pixels an image has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from offnominal.core.checks import positive_integer
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter
from offnominal.datasets.novelcraft import NovelCraftRecipe
from offnominal.datasets.novelcraft.lazy_images import SIDE


@dataclass(frozen=True)
class NoveltyData(Config):
    """A NovelCraft set of the embedded world. The same data give the same set on every machine.

    Args:
        share: Share of the published numbers of episodes; each class has at least 3.
        plus: Whether the set has the additional training episodes of NovelCraft+.
        classes: Names of the classes; all if empty.
        max_frames: Largest number of frames of an episode; None for no limit.
        side: Pixels per side of the images that detectors get: 256 divided by an integer.
        seed: Seed of the set.
        agents: Mixture of agents that play.
        released: Whether it is the set that the authors released, in the data home. Nothing of it is made, so that the
            share, the classes, the frames and the seed say nothing.

    Example:
        >>> len(NoveltyData(share=0.25).recipe().plans())
        277
    """

    share: float = 1.0
    plus: bool = False
    classes: tuple[str, ...] = ()
    max_frames: int | None = None
    side: int = 64
    seed: int = 0
    agents: str = "published"
    released: bool = False

    def __post_init__(self) -> None:
        positive_integer("side", self.side)
        if SIDE % self.side:
            raise InvalidParameter(f"side is {self.side}; expected {SIDE} divided by an integer, such as {SIDE // 4}.")
        self.recipe()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; only that of the released set says so, and results of recorded sets keep their keys."""
        data = super().to_dict()
        if not self.released:
            del data["released"]
        return data

    @property
    def source(self) -> str:
        """Hash of the recipe of the set, or ``"released"``."""
        return "released" if self.released else self.recipe().digest()

    def recipe(self) -> NovelCraftRecipe:
        """Return the recipe of the set, which does not depend on the size of the images."""
        recipe = NovelCraftRecipe(
            seed=self.seed, plus=self.plus, share=self.share, classes=self.classes, agents=self.agents
        )
        return recipe if self.max_frames is None else recipe.replace(max_frames=self.max_frames)
