"""A split: episodes on disk that behave like a sequence of episodes."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, overload

from offnominal.core.episode import Episode, Event
from offnominal.core.errors import DamagedFile, MissingDependency, MissingFile
from offnominal.core.types import IntArray
from offnominal.datasets.manifest import AGAIN, SplitEntry
from offnominal.datasets.parquet import EpisodeFile

Verify = Literal["hash", "size"]


class Split(Sequence[Episode]):
    """The episodes of one split, read when they are asked for.

    Iteration holds one row group (some 65,000 observations) at a time; `list(split)` holds all. The arrays of an
    episode are views of those of its group and cannot be written to; copy what you want to change.

    Args:
        name: Of the split.
        path: Its file.
        entry: What the manifest says of it.
        world: Id of the world.
        verify: What is compared with the manifest before the first episode is read.
    """

    def __init__(self, name: str, path: Path, entry: SplitEntry, *, world: str, verify: Verify = "hash") -> None:
        self.name = name
        self.path = path
        self.entry = entry
        self.world = world
        self.verify: Verify = verify
        self._held: tuple[int, list[Episode]] | None = None

    def __len__(self) -> int:
        return self.entry.episodes

    @overload
    def __getitem__(self, index: int) -> Episode: ...
    @overload
    def __getitem__(self, index: slice) -> list[Episode]: ...
    def __getitem__(self, index: int | slice) -> Episode | list[Episode]:
        """Return an episode, or a list of some."""
        if isinstance(index, slice):
            return [self._episode(number) for number in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        return self._episode(number)

    def _episode(self, number: int) -> Episode:
        group: int = bisect_right(self._file.bounds, number) - 1
        held = self._held
        if held is None or held[0] != group:
            held = self._held = group, self._file.group(group)
        return held[1][number - self._file.bounds[group]]

    def __iter__(self) -> Iterator[Episode]:
        for group in range(len(self._file.bounds) - 1):
            yield from self._file.group(group)

    def __repr__(self) -> str:
        return f"Split({self.name!r}, {counted(len(self), 'episode')}, {counted(self.entry.steps, 'step')})"

    def __getstate__(self) -> dict[str, Any]:
        return {**{key: value for key, value in vars(self).items() if key != "_file"}, "_held": None}

    @property
    def lengths(self) -> IntArray:
        """Transitions of each episode."""
        return self._file.facts.lengths

    @property
    def seeds(self) -> IntArray:
        """Seed of each episode."""
        return self._file.facts.seeds

    @property
    def events(self) -> tuple[tuple[Event, ...], ...]:
        """What was injected into each episode."""
        return self._file.facts.events

    def to_arrow(self) -> Any:
        """Return the table as it is stored: a row per observation, a column per channel."""
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
        self.check(self.verify)
        return EpisodeFile(self.path)

    def check(self, verify: Verify = "hash") -> None:
        """Compare the file with what the manifest says of it; raise :class:`DamagedFile` if it is another.

        Args:
            verify: ``"size"`` asks the file system only; ``"hash"`` reads the file.
        """
        if not self.path.is_file():
            raise MissingFile(f"{self.path} of split {self.name!r} is not there; {AGAIN}.")
        size = self.path.stat().st_size
        if size != self.entry.size:
            raise DamagedFile(f"{self.path} has {size:,} bytes, the manifest says {self.entry.size:,}; {AGAIN}.")
        if verify == "hash" and (found := sha256_of(self.path)) != self.entry.sha256:
            raise DamagedFile(
                f"{self.path} has SHA-256 {found[:12]}…, the manifest says {self.entry.sha256[:12]}…; {AGAIN}."
            )


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    Example:
        >>> counted(1, "episode"), counted(2000, "step")
        ('1 episode', '2,000 steps')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


def sha256_of(path: Path) -> str:
    """Return the hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
