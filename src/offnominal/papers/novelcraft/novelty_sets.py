"""The NovelCraft set of a study in the data home, and its images with fewer pixels."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from offnominal.core.directories import DATA_VARIABLE, data_home
from offnominal.core.errors import MissingFile
from offnominal.core.files import atomic_write, file_errors, sha256_of
from offnominal.core.types import Frames
from offnominal.datasets.novelcraft import (
    CraftEpisode,
    LabelledImages,
    NovelCraft,
    make_novelcraft,
    open_novelcraft,
    read_novelcraft_manifest,
)
from offnominal.datasets.novelcraft.classes import PLUS
from offnominal.datasets.novelcraft.craft_tables import SPLITS_FILE, TARGETS
from offnominal.datasets.novelcraft.episode_files import IMAGE
from offnominal.datasets.novelcraft.lazy_images import LazyImages
from offnominal.papers.novelcraft.novelty_data import NoveltyData

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


RELEASED = Path("novelcraft")
"""Folder of the released set in the data home."""
REPOSITORY = "https://github.com/tufts-ai-robotics-group/polycraft-novelty-data, branch TMLR"


def open_released(*, plus: bool = False) -> NovelCraft:
    """Open the released set, and check that its images are there.

    Args:
        plus: Whether the training episodes of NovelCraft+ are needed too.

    Raises:
        MissingFile: A table, the images, or the episodes of NovelCraft+ are missing; the message says what to place.
    """
    folder = data_home() / RELEASED
    where = f"place the released set of {REPOSITORY}, at {folder}; ${DATA_VARIABLE} sets the data home."
    if not (folder / TARGETS).exists() or not (folder / SPLITS_FILE).exists():
        raise MissingFile(f"{folder} lacks {TARGETS} or {SPLITS_FILE}: {where}")
    found = open_novelcraft(folder)
    expected = [id for id, episode in found.items() if episode.split or episode.kind.is_novel]
    missing = [id for id in expected if not (folder / id).is_dir()]
    if missing:
        raise MissingFile(
            f"{folder} has no images of {len(missing)} of {len(expected)} episodes, such as {missing[0]}: expected "
            f"<class>/<episode>/<frame>.{IMAGE} and .json; {where}"
        )
    if plus and not any(episode.is_plus for episode in found.values()):
        raise MissingFile(f"{folder} has no episodes normal/{PLUS}<n> of NovelCraft+; {where}")
    return found


def released_hash(folder: Path) -> str:
    """Return the hash of the tables of a released set, and of the names and sizes of all files of its episodes."""
    lines = [sha256_of(folder / name) for name in (TARGETS, SPLITS_FILE)]
    with file_errors(folder):
        for place, folders, files in os.walk(folder):
            folders.sort()
            if Path(place) != folder:
                lines += [
                    f"{Path(place, name).relative_to(folder)} {Path(place, name).stat().st_size}"
                    for name in sorted(files)
                ]
    return sha256_of("\n".join(lines))
