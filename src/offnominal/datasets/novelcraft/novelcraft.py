"""Reading of NovelCraft: labelled images, and episodes with frames and symbols."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np

from offnominal.core.checks import number_in, one_of
from offnominal.core.errors import InvalidParameter, MissingFile, UnknownName, did_you_mean
from offnominal.core.files import file_errors, parse_json
from offnominal.core.types import FloatArray, IntArray
from offnominal.datasets.novelcraft.classes import CLASSES, EPISODE_CLASSES, NORMAL, PLUS, CraftClass, craft_class
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
    SENSED,
    EpisodeArchive,
    EpisodeFiles,
    EpisodeFolder,
)
from offnominal.datasets.novelcraft.lazy_images import LabelledImages, LazyImages, Source
from offnominal.datasets.novelcraft.novelcraft_manifest import MANIFEST, read_novelcraft_manifest
from offnominal.datasets.novelcraft.split_rule import SPLITS
from offnominal.datasets.novelcraft.symbolic import SYMBOLIC_NAMES, read_symbolic_vector
from offnominal.worlds.craft.novelty_truth import LEAST


class LazySymbols(Sequence[dict[str, Any]]):
    """What the player sensed in each frame, read when it is used.

    Args:
        sources: Where each frame is stored.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources

    def __len__(self) -> int:
        return len(self._sources)

    @overload
    def __getitem__(self, row: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, row: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, row: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        if isinstance(row, slice):
            return [self._sensed(source) for source in self._sources[row]]
        return self._sensed(self._sources[row])

    def _sensed(self, source: Source) -> dict[str, Any]:
        files, frame = source
        found: dict[str, Any] = parse_json(files.read(frame, SENSED), f"frame {frame} of {files.path}")
        return found


class CraftEpisode:
    """An episode: frames and symbols, aligned by frame id.

    Args:
        id: ``class/episode``.
        files: Its files.
        known: Its frame ids and fractions of novel pixels; None if no table has them.
        first_novel: First episode of the class with the novelty.
        row: Its row of ``splits.csv``; None if it has none.

    Attributes:
        id: ``class/episode``.
        kind: Class.
        novel: Whether the novelty of the class is in this episode.
        split: ``train``, ``valid`` or ``test``; None for an episode that has no row.
    """

    def __init__(
        self, id: str, files: EpisodeFiles, known: EpisodeFractions | None, first_novel: int, row: SplitRow | None
    ) -> None:
        self.id = id
        self.name = id.partition("/")[2]
        self.kind: CraftClass = craft_class(id.partition("/")[0])
        self.novel = bool(self.kind.novelty) and int(self.name) >= first_novel
        self.split = "train" if self.is_plus else None if row is None else row.split
        self._files = files
        self._known = known
        self._row = row

    def __repr__(self) -> str:
        return f"CraftEpisode({self.id!r}, {len(self)} frames)"

    def __len__(self) -> int:
        return len(self.frame_ids)

    @property
    def is_plus(self) -> bool:
        """Whether the episode is one of the additional episodes of NovelCraft+."""
        return self.name.startswith(PLUS)

    @cached_property
    def frame_ids(self) -> IntArray:
        """(T,): ids of the frames, in increasing order."""
        if self._known is not None:
            return self._known.frame_ids
        if self._files.path.exists() or self._row is None:
            return np.array(self._files.frame_ids, np.int64)
        return np.arange(self._row.frames)

    @property
    def fractions(self) -> FloatArray:
        """(T,): fraction of the pixels that show the novelty, from 0 to 1."""
        return np.zeros(len(self)) if self._known is None else self._known.fractions

    @property
    def sources(self) -> list[Source]:
        """Where each frame is stored."""
        return [(self._files, frame) for frame in self.frame_ids.tolist()]

    @property
    def images(self) -> LazyImages:
        """Images of the frames, decoded when they are used."""
        return LazyImages(self.sources)

    @property
    def symbols(self) -> LazySymbols:
        """What the player sensed in each frame, as the data of ``SENSE_ALL NONAV``, read when it is used."""
        return LazySymbols(self.sources)

    @cached_property
    def vectors(self) -> IntArray:
        """(T, 24): symbolic vector of each frame; `SYMBOLIC_NAMES` names its entries."""
        rows = [read_symbolic_vector(files.read(frame, SENSED), files.path) for files, frame in self.sources]
        return np.array(rows, np.int64).reshape(len(rows), len(SYMBOLIC_NAMES))

    @property
    def commands(self) -> list[str]:
        """Command that led to each frame, with its argument; that of the first frame is ``SENSE_ALL NONAV``."""
        results = (sensed["command_result"] for sensed in self.symbols)
        return [f"{each['command']} {each['argument']}".strip() for each in results]

    def kept(self, least: float = LEAST) -> IntArray:
        """Return the rows of the frames that the filter keeps: all of a normal episode, else by their fractions."""
        if self.kind.name == NORMAL:
            return np.arange(len(self))
        return np.flatnonzero(self.fractions >= least)


class NovelCraft(Mapping[str, CraftEpisode]):
    """A set of episodes by ``class/episode``. Opening it reads the tables only.

    Args:
        folder: Folder of the set.
        targets: Fractions of novel pixels by episode.
        splits: Splits of the normal classes by episode.
        ids: Episodes of the set.
        first_novel: First episode with the novelty, by class.
    """

    def __init__(
        self,
        folder: Path,
        targets: Mapping[str, EpisodeFractions],
        splits: Mapping[str, SplitRow],
        ids: Collection[str],
        first_novel: Mapping[str, int],
    ) -> None:
        self.folder = folder
        self._targets, self._splits, self._first = targets, splits, first_novel
        self._episodes: dict[str, CraftEpisode] = {id: self._opened(id) for id in sorted(ids, key=_order)}

    def _opened(self, id: str) -> CraftEpisode:
        archive = self.folder / f"{id}{ARCHIVE}"
        files: EpisodeFiles = EpisodeArchive(archive) if archive.exists() else EpisodeFolder(self.folder / id)
        first = self._first.get(id.partition("/")[0], 0)
        return CraftEpisode(id, files, self._targets.get(id), first, self._splits.get(id))

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
        names = set(CLASSES if classes is None else (craft_class(name).name for name in classes))
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

    Args:
        folder: Folder with ``targets.csv`` and ``splits.csv``. Frames are only needed when they are used.

    Raises:
        MissingFile: A table is missing.
        DamagedFile: A table is invalid.
    """
    if not isinstance(folder, Path | str):
        raise InvalidParameter(f"folder is {folder!r}; give the path of a set.")
    path = Path(folder)
    if not (path / TARGETS).exists():
        raise MissingFile(f"{path / TARGETS} does not exist; a NovelCraft set is a folder with {TARGETS}.")
    targets, splits = read_targets(path / TARGETS), read_splits(path / SPLITS_FILE)
    if (path / MANIFEST).exists():
        manifest = read_novelcraft_manifest(path)
        first = {name: number for name, (_, number) in manifest.recipe.sizes().items()}
        nominal = {id: _nominal(entry.frames) for id, entry in manifest.episodes.items() if id not in targets}
        return NovelCraft(path, targets | nominal, splits, manifest.episodes, first)
    with file_errors(path):
        normal = [file.stem for file in (path / NORMAL).iterdir()] if (path / NORMAL).is_dir() else []
    ids = {id for id in (*targets, *splits, *(f"{NORMAL}/{name}" for name in normal)) if _known(id)}
    return NovelCraft(path, targets, splits, ids, {each.name: each.first_novel for each in CLASSES.values()})


def _nominal(frames: int) -> EpisodeFractions:
    """Return the frames of an episode without a novelty."""
    return EpisodeFractions(np.arange(frames), np.zeros(frames))


def _known(id: str) -> bool:
    """Whether an episode belongs to a class of a split or of the episode task."""
    name, _, episode = id.partition("/")
    return name in CLASSES and episode.removeprefix(PLUS).isdecimal()
