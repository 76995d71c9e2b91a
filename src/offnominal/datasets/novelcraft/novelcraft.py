"""Reading of NovelCraft sets: selection of labelled images and of episodes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import numpy as np

from offnominal.core.checks import number_in, one_of
from offnominal.core.errors import InvalidParameter, MissingFile, UnknownName, did_you_mean
from offnominal.core.files import file_errors
from offnominal.datasets.novelcraft.classes import ALL_CLASSES, CLASSES, EPISODE_CLASSES, NORMAL, PLUS, craft_class
from offnominal.datasets.novelcraft.craft_episode import CraftEpisode
from offnominal.datasets.novelcraft.craft_tables import (
    SPLITS_FILE,
    TARGETS,
    EpisodeFractions,
    SplitRow,
    read_splits,
    read_targets,
)
from offnominal.datasets.novelcraft.episode_files import (
    ARCHIVE,
    EpisodeArchive,
    EpisodeFiles,
    EpisodeFolder,
)
from offnominal.datasets.novelcraft.lazy_images import LabelledImages
from offnominal.datasets.novelcraft.novelcraft_manifest import AGAIN, MANIFEST, read_novelcraft_manifest
from offnominal.datasets.novelcraft.split_rule import SPLITS
from offnominal.worlds.craft.novelty_truth import LEAST
from offnominal.worlds.craft.rules import Version


class NovelCraft(Mapping[str, CraftEpisode]):
    """A set of episodes by ``class/episode``. Opening it reads the tables only.

    Args:
        folder: Folder of the set.
        targets: Fractions of novel pixels by episode.
        splits: Splits of the normal classes by episode.
        ids: Episodes of the set.
        first_novel: First episode with the novelty, by class.
        version: Version of the task.
    """

    def __init__(
        self,
        folder: Path,
        targets: Mapping[str, EpisodeFractions],
        splits: Mapping[str, SplitRow],
        ids: Collection[str],
        first_novel: Mapping[str, int],
        version: Version = "v2",
    ) -> None:
        self.folder = folder
        self.version: Version = version
        self._targets, self._splits, self._first = targets, splits, first_novel
        self._episodes: dict[str, CraftEpisode] = {id: self._opened(id) for id in sorted(ids, key=_order)}

    def _opened(self, id: str) -> CraftEpisode:
        archive = self.folder / f"{id}{ARCHIVE}"
        files: EpisodeFiles = EpisodeArchive(archive) if archive.exists() else EpisodeFolder(self.folder / id)
        first = self._first.get(id.partition("/")[0], 0)
        return CraftEpisode(id, files, self._targets.get(id), first, self._splits.get(id), self.version)

    def __repr__(self) -> str:
        return f"NovelCraft({str(self.folder)!r}, {len(self)} episodes of {len(self.classes)} classes)"

    def __getitem__(self, id: str) -> CraftEpisode:
        if id not in self._episodes:
            raise UnknownName(f"{self.folder} has no episode {id!r}.{did_you_mean(str(id), self._episodes)}")
        return self._episodes[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._episodes)

    def __len__(self) -> int:
        return len(self._episodes)

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes that have episodes."""
        return tuple(dict.fromkeys(episode.kind.name for episode in self._episodes.values()))

    def episodes(
        self,
        *,
        classes: Collection[str] | None = None,
        split: str | None = None,
        novel: bool | None = None,
        plus: bool = False,
    ) -> list[CraftEpisode]:
        """Return episodes, without reading their frames.

        Args:
            classes: Names of classes; all if None.
            split: Only those of the normal classes in this split.
            novel: Only those with or without the novelty of their class.
            plus: Whether to include the additional episodes of NovelCraft+.
        """
        names = set(ALL_CLASSES if classes is None else (craft_class(name).name for name in classes))
        if split is not None:
            one_of("split", split, SPLITS)
        return [
            episode
            for episode in self._episodes.values()
            if episode.kind.name in names
            and (split is None or episode.split == split)
            and (novel is None or episode.novel == novel)
            and (plus or not episode.is_plus)
        ]

    def episode_task(self, split: str, *, plus: bool = False) -> list[CraftEpisode]:
        """Return the episodes of the task to detect novel episodes; `novel` of an episode is its label.

        Training and validation have normal episodes. The test has normal episodes, and all episodes with fence, jungle
        trees, supplier and thief. The first of these are nominal: they were played before the novelty began.

        Args:
            split: ``train``, ``valid`` or ``test``.
            plus: Whether training includes the additional episodes of NovelCraft+.
        """
        found = self.episodes(classes=[NORMAL], split=split, plus=plus)
        return found + (self.episodes(classes=EPISODE_CLASSES) if split == "test" else [])

    def images(
        self, split: str, *, novel: bool | None = None, plus: bool = False, least: float = LEAST
    ) -> LabelledImages:
        """Return the labelled images of a split that the filter keeps, without decoding them.

        The normal classes are split by episode. All images of a novel class are in validation or all are in the test.
        The filter keeps every image of the class ``normal``, and those of other classes with enough novel pixels.

        Args:
            split: ``train``, ``valid`` or ``test``.
            novel: Only images of the novel or of the normal classes.
            plus: Whether training includes the additional images of NovelCraft+.
            least: Smallest fraction of novel pixels, included.
        """
        one_of("split", split, SPLITS)
        number_in("least", least, 0.0, 1.0)
        chosen = [
            episode
            for episode in self.episodes(plus=plus)
            if split in (episode.split, episode.kind.role) and novel in (None, episode.kind.is_novel)
        ]
        rows = [(episode, row) for episode in chosen for row in episode.kept(least).tolist()]
        sources = {episode.id: episode.sources for episode in chosen}
        return LabelledImages(
            [sources[episode.id][row] for episode, row in rows],
            [f"{episode.id}/{episode.frame_ids[row]}" for episode, row in rows],
            np.array([episode.kind.number for episode, _ in rows], np.int64),
            np.array([episode.kind.is_novel for episode, _ in rows], np.bool_),
            np.array([episode.fractions[row] for episode, row in rows], np.float64),
            tuple(CLASSES),
        )


def _order(id: str) -> tuple[int, bool, int]:
    """Return the sort key of an episode: by class, those of NovelCraft+ last, by number."""
    name, _, episode = id.partition("/")
    return craft_class(name).number, episode.startswith(PLUS), int(episode.removeprefix(PLUS))


def open_novelcraft(folder: Path | str) -> NovelCraft:
    """Open a set of :func:`make_novelcraft`, or a folder in the published layout.

    The tables of a set are compared with the SHA-256 in its manifest; a folder in the published layout has none.

    Args:
        folder: Folder with ``targets.csv`` and ``splits.csv``. Frames are only needed when they are used.

    Raises:
        MissingFile: A table is missing, or the manifest of a set with archives.
        DamagedFile: A table is invalid, or is not the one that the manifest lists.
    """
    if not isinstance(folder, Path | str):
        raise InvalidParameter(f"folder is {folder!r}; give the path of a set.")
    path = Path(folder)
    if not (path / TARGETS).exists():
        raise MissingFile(f"{path / TARGETS} does not exist; a NovelCraft set is a folder with {TARGETS}.")
    targets, splits = read_targets(path / TARGETS), read_splits(path / SPLITS_FILE)
    if (path / MANIFEST).exists():
        manifest = read_novelcraft_manifest(path)
        manifest.check_tables(path, (TARGETS, SPLITS_FILE))
        first = {name: number for name, (_, number) in manifest.recipe.sizes().items()}
        nominal = {id: _nominal(entry.frames) for id, entry in manifest.episodes.items() if id not in targets}
        known = [id for id in manifest.episodes if _known(id)]
        return NovelCraft(path, targets | nominal, splits, known, first, manifest.recipe.version)
    with file_errors(path):
        if any(_known(f"{file.parent.name}/{file.stem}") for file in path.glob(f"*/*{ARCHIVE}")):
            raise MissingFile(f"{path} has archives of make_novelcraft, but no {MANIFEST}; {AGAIN}.")
        # The tables do not list NovelCraft+, and no episodes of classes that are only used as whole episodes.
        untold = [NORMAL, *(each.name for each in ALL_CLASSES.values() if each.role == "episodes")]
        listed = [
            f"{name}/{file.stem}" for name in untold if (path / name).is_dir() for file in (path / name).iterdir()
        ]
    ids = {id for id in (*targets, *splits, *listed) if _known(id)}
    return NovelCraft(path, targets, splits, ids, {each.name: each.first_novel for each in ALL_CLASSES.values()})


def _nominal(frames: int) -> EpisodeFractions:
    """Return the frames of an episode without a novelty."""
    return EpisodeFractions(np.arange(frames), np.zeros(frames))


def _known(id: str) -> bool:
    """Whether an episode belongs to a class of a split or of the episode task."""
    name, _, episode = id.partition("/")
    return name in ALL_CLASSES and episode.removeprefix(PLUS).isdecimal()
