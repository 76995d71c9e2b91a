"""Numbers of episodes and images of a NovelCraft set, by split and by class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from offnominal.datasets.novelcraft.classes import ALL_CLASSES
from offnominal.datasets.novelcraft.craft_episode import CraftEpisode
from offnominal.datasets.novelcraft.novelcraft import NovelCraft
from offnominal.datasets.novelcraft.split_rule import SPLITS


class SetSize(NamedTuple):
    """Size of a part of a set.

    Attributes:
        part: Split and kind of the classes, such as ``train Normal``, or a class.
        classes: Number of classes with images after the filter.
        episodes: Number of episodes.
        kept_episodes: Number of episodes with images after the filter.
        images: Number of images.
        kept_images: Number of images after the filter.
    """

    part: str
    classes: int
    episodes: int
    kept_episodes: int
    images: int
    kept_images: int


def split_sizes(data: NovelCraft) -> list[SetSize]:
    """Return the rows of the published table of splits. Rows without episodes are left out.

    Args:
        data: The set.
    """
    rows = []
    for split in SPLITS:
        plus = [episode for episode in data.episodes(plus=True) if episode.is_plus and episode.split == split]
        novel = [episode for episode in data.episodes() if episode.kind.role == split]
        parts = {"Normal": data.episodes(split=split), "Normal+": plus, "Novel": novel}
        rows += [_size(f"{split} {kind}", episodes) for kind, episodes in parts.items() if episodes]
    return rows


def class_sizes(data: NovelCraft) -> list[SetSize]:
    """Return the sizes of all classes, in the order of their numbers.

    Args:
        data: The set.
    """
    return [_size(name, data.episodes(classes=[name])) for name in ALL_CLASSES if name in data.classes]


def _size(part: str, episodes: Sequence[CraftEpisode]) -> SetSize:
    kept = {episode.id: len(episode.kept()) for episode in episodes}
    classes = {episode.kind.name for episode in episodes if kept[episode.id]}
    images = sum(len(episode) for episode in episodes)
    return SetSize(
        part, len(classes), len(episodes), sum(count > 0 for count in kept.values()), images, sum(kept.values())
    )
