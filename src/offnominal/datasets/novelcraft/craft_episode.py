"""Episodes of NovelCraft: frames and symbols, aligned by frame id."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from offnominal.core.episode import Episode, Event
from offnominal.core.files import parse_json
from offnominal.core.lazy_sequence import LazySequence
from offnominal.core.types import FloatArray, Frames, IntArray
from offnominal.datasets.frames import LazyFrames
from offnominal.datasets.novelcraft.classes import NORMAL, PLUS, CraftClass, craft_class
from offnominal.datasets.novelcraft.craft_tables import EpisodeFractions, SplitRow
from offnominal.datasets.novelcraft.episode_files import SENSED, EpisodeFiles
from offnominal.datasets.novelcraft.lazy_images import LazyImages, Source
from offnominal.datasets.novelcraft.novelcraft_recipe import PLUS_NUMBER, SPACING
from offnominal.datasets.novelcraft.symbolic import SymbolicRecord, read_symbolic_record
from offnominal.worlds.craft.action_table import action_numbers
from offnominal.worlds.craft.novelty_truth import LEAST
from offnominal.worlds.craft.rules import BUDGET, Version


class LazySymbols(LazySequence[dict[str, Any]]):
    """What the player sensed in each frame, read when it is used.

    Args:
        sources: Where each frame is stored.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources

    def __len__(self) -> int:
        return len(self._sources)

    def _item(self, number: int) -> dict[str, Any]:
        files, frame = self._sources[number]
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
        version: Version of the task.

    Attributes:
        id: ``class/episode``.
        kind: Class.
        novel: Whether the novelty of the class is in this episode.
        split: ``train``, ``valid`` or ``test``; None for an episode that has no row.
    """

    def __init__(
        self,
        id: str,
        files: EpisodeFiles,
        known: EpisodeFractions | None = None,
        first_novel: int = 0,
        row: SplitRow | None = None,
        version: Version = "v2",
    ) -> None:
        self.id = id
        self.name = id.partition("/")[2]
        self.kind: CraftClass = craft_class(id.partition("/")[0])
        self.novel = bool(self.kind.novelty) and int(self.name) >= first_novel
        self.split = "train" if self.is_plus else None if row is None else row.split
        self._files = files
        self._known = known
        self._row = row
        self._version: Version = version

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
    def _record(self) -> SymbolicRecord:
        return read_symbolic_record((files.read(frame, SENSED), files.path) for files, frame in self.sources)

    @property
    def vectors(self) -> IntArray:
        """(T, 24): symbolic vector of each frame; `SYMBOLIC_NAMES` names its entries."""
        return self._record.vectors

    @property
    def commands(self) -> tuple[str, ...]:
        """Command that led to each frame, with its argument; that of the first frame is ``SENSE_ALL NONAV``."""
        return self._record.commands

    def to_episode(self) -> Episode:
        """Return the episode for detectors of transitions and images.

        The observations are the symbolic vectors, the actions the numbers of the commands, and the extra ``frames`` the
        images, which are decoded on access. A transition is active if the novelty is in the episode.
        """
        record = self._record
        numbers = action_numbers(self._version)
        first = PLUS_NUMBER if self.is_plus else self.kind.number
        event = Event(f"dynamics/{self.kind.novelty}", float(self.kind.level), 0)
        return Episode(
            record.vectors.astype(np.float32),
            np.array([numbers.get(command, 0) for command in record.commands[1:]], np.int64),
            np.diff(record.solved, prepend=False)[1:] * 1.0 - record.costs[1:] / BUDGET,
            np.full(len(self) - 1, self.novel),
            (event,) if self.novel else (),
            first * SPACING + int(self.name.removeprefix(PLUS)),
            bool(record.over[-1]),
            LazyFrames({"success": record.solved[1:]}, self._frames, 0, len(self)),
        )

    def _frames(self, number: int, count: int) -> Frames:
        return self.images[:count]

    def kept(self, least: float = LEAST) -> IntArray:
        """Return the rows of the frames that the filter keeps: all of a normal episode, else by their fractions."""
        if self.kind.name == NORMAL:
            return np.arange(len(self))
        return np.flatnonzero(self.fractions >= least)
