"""Splits: sequences of episodes on disk."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from offnominal.core.episode import Episode, Event
from offnominal.core.errors import DamagedFile, InvalidState, MissingDependency, MissingFile
from offnominal.core.files import sha256_of
from offnominal.core.lazy_sequence import LazySequence
from offnominal.core.types import Frames, IntArray
from offnominal.datasets.frames import FramesFile, LazyFrames
from offnominal.datasets.manifest import AGAIN, FramesEntry, SplitEntry
from offnominal.datasets.parquet import EpisodeFile

OPEN = ("_file", "_frames")

Verify = Literal["hash", "size"]


class Split(LazySequence[Episode]):
    """The episodes of one split, read on demand.

    Iteration keeps one row group (about 65,000 observations) in memory; `list(split)` keeps all. The arrays of an
    episode are read-only views of those of its group; copy an array before you change it. Frames are decoded on access
    to ``extras["frames"]``.

    Args:
        name: Name of the split.
        folder: Folder of the dataset.
        entry: Entry of the manifest.
        world: Id of the world.
        verify: Whether to compare the hash or only the size of the file before the first read.
    """

    def __init__(self, name: str, folder: Path, entry: SplitEntry, *, world: str, verify: Verify = "hash") -> None:
        self.name = name
        self.folder = folder
        self.entry = entry
        self.world = world
        self.verify: Verify = verify
        self._held: tuple[int, list[Episode]] | None = None

    def __len__(self) -> int:
        return self.entry.episodes

    def _item(self, number: int) -> Episode:
        group: int = bisect_right(self._file.bounds, number) - 1
        held = self._held
        if held is None or held[0] != group:
            held = self._held = group, self._file.group(group)
        return self._complete(number, held[1][number - self._file.bounds[group]])

    def __iter__(self) -> Iterator[Episode]:
        for group, first in enumerate(self._file.bounds[:-1]):
            episodes = self._file.group(group)
            if self.entry.frames is None:
                yield from episodes
            else:
                yield from (self._complete(number, episode) for number, episode in enumerate(episodes, first))

    def _complete(self, number: int, episode: Episode) -> Episode:
        """Return an episode of the table with its frames, if there are any."""
        if self.entry.frames is None:
            return episode
        return replace(episode, extras=LazyFrames(episode.extras, self._read_frames, number, len(episode) + 1))

    def _read_frames(self, number: int, count: int) -> Frames:
        return self._frames.episode(number, count)

    def __repr__(self) -> str:
        sizes = f"{counted(len(self), 'episode')}, {counted(self.entry.steps, 'step')}"
        return f"{type(self).__name__}({self.name!r}, {sizes})"

    def __getstate__(self) -> dict[str, Any]:
        return {**{key: value for key, value in vars(self).items() if key not in OPEN}, "_held": None}

    @property
    def path(self) -> Path:
        """Parquet file of the split."""
        return self.folder / self.entry.file

    def images(self) -> FrameSplit:
        """Return the episodes with frames as observations; see :meth:`Episode.images`.

        Iteration keeps the frames of one episode in memory at a time.

        Raises:
            InvalidState: No frames were recorded.
        """
        if self.entry.frames is None:
            raise InvalidState(f"split {self.name!r} has no frames; generate the dataset with frames=True.")
        split = FrameSplit(self.name, self.folder, self.entry, world=self.world, verify=self.verify)
        vars(split).update({key: value for key, value in vars(self).items() if key in OPEN})
        return split

    @property
    def lengths(self) -> IntArray:
        """Number of transitions of each episode."""
        return self._file.metadata.lengths

    @property
    def seeds(self) -> IntArray:
        """Seed of each episode."""
        return self._file.metadata.seeds

    @property
    def events(self) -> tuple[tuple[Event, ...], ...]:
        """Faults of each episode."""
        return self._file.metadata.events

    @property
    def frame_shape(self) -> tuple[int, ...] | None:
        """Height, width and channels of the frames; None if there are none."""
        return None if self.entry.frames is None else self._frames.shape

    def to_arrow(self) -> Any:
        """Return the stored Arrow table: a row per observation, a column per channel."""
        return self._file.table()

    def to_pandas(self) -> Any:
        """Return the table as a data frame; labels of the last observations are missing (``pd.NA``)."""
        try:
            import pandas as pd
            import pyarrow as pa
        except ImportError:
            raise MissingDependency("this needs pandas; install it with `pip install offnominal[pandas]`.") from None
        return self.to_arrow().to_pandas(types_mapper={pa.bool_(): pd.BooleanDtype()}.get)

    @cached_property
    def _file(self) -> EpisodeFile:
        _check(self.path, self.entry, self.name, self.verify)
        return EpisodeFile(self.path)

    @cached_property
    def _frames(self) -> FramesFile:
        assert self.entry.frames is not None
        path = self.folder / self.entry.frames.file
        _check(path, self.entry.frames, self.name, self.verify)
        return FramesFile(path, len(self))

    def check(self, verify: Verify = "hash") -> None:
        """Compare the files with the manifest; raise :class:`DamagedFile` if one differs.

        Args:
            verify: ``"size"`` compares only the size; ``"hash"`` reads the files.
        """
        for entry in (self.entry, self.entry.frames):
            if entry is not None:
                _check(self.folder / entry.file, entry, self.name, verify)


class FrameSplit(Split):
    """The episodes of one split with their frames as observations; see :meth:`Split.images`."""

    def _complete(self, number: int, episode: Episode) -> Episode:
        return super()._complete(number, episode).images()


def _check(path: Path, entry: SplitEntry | FramesEntry, split: str, verify: Verify) -> None:
    if not path.is_file():
        raise MissingFile(f"{path} of split {split!r} does not exist; {AGAIN}.")
    size = path.stat().st_size
    if size != entry.size:
        raise DamagedFile(f"{path} has {size:,} bytes, the manifest says {entry.size:,}; {AGAIN}.")
    if verify == "hash" and (found := sha256_of(path)) != entry.sha256:
        raise DamagedFile(f"{path} has SHA-256 {found[:12]}…, the manifest says {entry.sha256[:12]}…; {AGAIN}.")


def counted(number: int, noun: str) -> str:
    """Return a number with a noun, in the plural if needed.

    Example:
        >>> counted(1, "episode"), counted(2000, "step")
        ('1 episode', '2,000 steps')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"
