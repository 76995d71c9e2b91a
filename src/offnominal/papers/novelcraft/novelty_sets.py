"""The NovelCraft set of a study in the data home, and its images with fewer pixels."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from offnominal.core.directories import data_home
from offnominal.core.files import atomic_write, sha256_of
from offnominal.core.types import Frames
from offnominal.datasets.novelcraft import (
    CraftEpisode,
    LabelledImages,
    NovelCraft,
    make_novelcraft,
    read_novelcraft_manifest,
)
from offnominal.datasets.novelcraft.lazy_images import LazyImages
from offnominal.papers.novelcraft.novelty_data import NoveltyData
from offnominal.papers.novelcraft.released_set import open_released, released_hash

FOLDER = "novelcraft-sets"
DIGITS = 16
"""Length of the hash in the name of a folder."""
Split = Literal["train", "valid", "test"]


@dataclass(frozen=True, eq=False)
class NoveltySets:
    """The set of a study. Shrunk images are computed once and then read from the data home.

    Args:
        data: Description of the set.
        files: The set.
    """

    data: NoveltyData
    files: NovelCraft

    @cached_property
    def content_hash(self) -> str:
        """Hash of all episodes; of the released set that of its tables and of the names and sizes of its files."""
        if self.data.released:
            return released_hash(self.files.folder)
        episodes = read_novelcraft_manifest(self.files.folder).episodes
        return sha256_of(json.dumps({id: entry.sha256 for id, entry in episodes.items()}, sort_keys=True))

    def labelled(self, split: Split, *, plus: bool = False) -> LabelledImages:
        """Return the labelled images of a split, not decoded."""
        return self.files.images(split, plus=plus)

    def pixels(self, split: Split, *, plus: bool = False) -> Frames:
        """Return the labelled images of a split, (n, side, side, 3)."""
        return self._shrunk(f"{split}+" if plus else split, self.labelled(split, plus=plus))

    def episodes(self, split: Split) -> list[CraftEpisode]:
        """Return the episodes of the episode task; those without a transition are left out."""
        return [episode for episode in self.files.episode_task(split) if len(episode) > 1]

    def episode_pixels(self, split: Split) -> list[Frames]:
        """Return the frames of each episode of the episode task."""
        episodes = self.episodes(split)
        sources = [source for episode in episodes for source in episode.sources]
        frames = self._shrunk(f"episodes-{split}", LazyImages(sources))
        return np.split(frames, np.cumsum([len(episode) for episode in episodes])[:-1])

    @property
    def cache(self) -> Path:
        """Folder of everything that is computed from the set."""
        return data_home() / FOLDER / f"{self.content_hash[:DIGITS]}-computed"

    def _shrunk(self, name: str, images: LazyImages) -> Frames:
        path = self.cache / f"{name}-{self.data.side}.npy"
        if not path.exists():
            shrunk = images.shrunk(self.data.side)
            path.parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(path) as file:
                np.save(file, shrunk)
        found: Frames = np.load(path, mmap_mode="r", allow_pickle=False)
        return found


_OPEN: dict[str, NoveltySets] = {}


def open_novelty_sets(data: NoveltyData, *, workers: int = 1) -> NoveltySets:
    """Return the set of some data, recorded on first use or released; it stays open for cells with the same data.

    An interrupted recording resumes with the same call.

    Args:
        data: Description of the set.
        workers: Number of processes of a recording.
    """
    key = f"{data_home()} {data.digest()}"
    if key not in _OPEN and data.released:
        _OPEN.clear()
        _OPEN[key] = NoveltySets(data, open_released(plus=data.plus))
    if key not in _OPEN:
        _OPEN.clear()
        recipe = data.recipe()
        folder = data_home() / FOLDER / recipe.digest()[:DIGITS]
        _OPEN[key] = NoveltySets(data, make_novelcraft(recipe, folder, workers=workers, report=warnings.warn))
    return _OPEN[key]


def class_names(images: LabelledImages) -> Sequence[str]:
    """Return the name of the class of each image."""
    return [images.classes[label] for label in images.labels.tolist()]
