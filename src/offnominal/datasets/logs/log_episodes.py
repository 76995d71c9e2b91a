"""The episodes of a log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, overload

import numpy as np
import pyarrow as pa

from offnominal.core.episode import FRAMES, Episode
from offnominal.core.errors import InvalidLog
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.datasets.logs.channel_summary import ChannelSummary
from offnominal.datasets.logs.column_audit import ColumnFinding
from offnominal.datasets.logs.lerobot_video import CameraFrames
from offnominal.datasets.logs.roles import Roles
from offnominal.datasets.logs.row_source import ForwardReader, RowSource, as_numbers
from offnominal.datasets.logs.scan import LogScan
from offnominal.datasets.logs.time_column import TimeColumn
from offnominal.datasets.split import counted

Missing = Literal["error", "previous", "keep"]
TIME = "time"


@dataclass(eq=False)
class LogPart:
    """One of the files of a log.

    Args:
        source: Its rows.
        roles: Columns by role.
        scan: Result of the first pass.
        time: The time column, or None.
        camera: Frames of the episodes, or None.
        first: Number of rows of the files before it.
    """

    source: RowSource
    roles: Roles
    scan: LogScan
    time: TimeColumn | None
    camera: CameraFrames | None = None
    first: int = 0

    @cached_property
    def labelled_before(self) -> IntArray:
        """Number of labelled rows before each row, and of all rows."""
        labels = self.scan.labels
        return np.concatenate([[0], np.cumsum(np.zeros(self.scan.rows) if labels is None else labels)]).astype(np.int64)

    def reader(self) -> ForwardReader:
        """Return a reader of the columns that episodes need."""
        columns = (*self.roles.numeric, *([self.roles.time] if self.roles.time else []))
        return ForwardReader(self.source, columns)


@dataclass(eq=False, repr=False)
class LogEpisodes(Sequence[Episode]):
    """The episodes of a log, read on demand; see :func:`~offnominal.datasets.logs.reading.episodes_from`.

    Args:
        parts: The files of the log; a single one for a data frame and the like.
        spans: File, first row and row after the last of each episode.
        missing: What to do with values that are missing.
        summaries: Content of each channel, over all files.
        left_out: Columns that became no observations, and why.
    """

    parts: tuple[LogPart, ...]
    spans: list[tuple[int, int, int]]
    missing: Missing
    summaries: list[ChannelSummary]
    left_out: tuple[ColumnFinding, ...] = ()
    _readers: dict[int, ForwardReader] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.spans)

    @overload
    def __getitem__(self, index: int) -> Episode: ...
    @overload
    def __getitem__(self, index: slice) -> LogEpisodes: ...
    def __getitem__(self, index: int | slice) -> Episode | LogEpisodes:
        """Return an episode, or some of them as another sequence."""
        if isinstance(index, slice):
            return self.take(range(*index.indices(len(self))))
        return self._read(self._readers, range(len(self))[index])

    def __iter__(self) -> Iterator[Episode]:
        readers: dict[int, ForwardReader] = {}
        for number in range(len(self)):
            # Files are read one after the other, so that one of them is open at a time.
            for done in readers.keys() - {self.spans[number][0]}:
                del readers[done]
            yield self._read(readers, number)

    def take(self, indices: Iterable[int]) -> LogEpisodes:
        """Return the episodes with these indices, in their order."""
        chosen = [range(len(self.spans))[index] for index in indices]
        return replace(self, spans=[self.spans[index] for index in chosen], _readers={})

    @property
    def faulty(self) -> BoolArray:
        """Whether each episode has a labelled transition."""
        counts = [(self.parts[part].labelled_before, start, stop) for part, start, stop in self.spans]
        return np.array([before[stop] > before[start + 1] for before, start, stop in counts], np.bool_)

    @property
    def nominal(self) -> LogEpisodes:
        """Episodes without a labelled transition."""
        return self.take(np.flatnonzero(~self.faulty).tolist())

    @property
    def transitions(self) -> int:
        """Number of transitions of all episodes."""
        return sum(stop - start - 1 for _, start, stop in self.spans)

    @property
    def roles(self) -> Roles:
        """Columns by role; observations and actions are the same in all files."""
        return self.parts[0].roles

    @property
    def channels(self) -> dict[str, list[str]]:
        """Names of the channels, for :func:`~offnominal.datasets.saving.save_dataset`."""
        return {"observations": list(self.roles.observations), "actions": list(self.roles.actions)}

    def source_of(self, number: int) -> str:
        """Return the name of the file that an episode is from."""
        return self.parts[self.spans[number][0]].source.name

    def __repr__(self) -> str:
        sizes = f"{counted(len(self), 'episode')}, {counted(self.transitions, 'transition')}"
        widths = f"{counted(len(self.roles.observations), 'observation')}, {counted(len(self.roles.actions), 'action')}"
        faulty = int(self.faulty.sum())
        return f"LogEpisodes({sizes}, {widths}, {f'{faulty} faulty' if faulty else 'nominal'})"

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_readers": {}}

    def _read(self, readers: dict[int, ForwardReader], number: int) -> Episode:
        which, start, stop = self.spans[number]
        part = self.parts[which]
        if which not in readers:
            readers[which] = part.reader()
        table, steps = readers[which].rows(start, stop), stop - start - 1
        labels, roles = part.scan.labels, part.roles
        rewards = np.zeros(steps)
        extras: dict[str, Array] = {}
        if part.time is not None:
            extras[TIME] = part.time.seconds(table, part.source.name, start)
        if part.camera is not None:
            extras[FRAMES] = part.camera.read(start, stop)
        if roles.reward is not None:
            rewards = self._matrix(table, (roles.reward,), part, start, np.float64)[:-1, 0]
        return Episode(
            observations=self._matrix(table, roles.observations, part, start),
            actions=self._matrix(table, roles.actions, part, start)[:-1],
            rewards=rewards,
            active=np.zeros(steps, np.bool_) if labels is None else labels[start + 1 : stop].copy(),
            seed=part.first + start,
            extras=extras,
        )

    def _matrix(self, table: Any, columns: Sequence[str], part: LogPart, start: int, dtype: Any = None) -> Array:
        """Return some columns as a matrix."""
        dtype = dtype or self._type(columns)
        values = np.empty((table.num_rows, len(columns)), dtype)
        for index, column in enumerate(columns):
            values[:, index] = as_numbers(table[column], dtype)
        if self.missing == "previous" and not np.isfinite(values).all():
            for index, column in enumerate(columns):
                values[:, index] = _filled(values[:, index], f"column {column!r} of {part.source.name}", start)
        return values

    def _type(self, columns: Sequence[str]) -> Any:
        """Return the type of a matrix of some columns: 32 bits if they suffice in every file."""
        kinds = {part.source.kind(column) for part in self.parts for column in columns}
        single = kinds <= {pa.float32(), pa.float16(), pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.bool_()}
        return np.float32 if single and kinds else np.float64


def _filled(values: FloatArray, where: str, start: int) -> FloatArray:
    """Return values with the previous finite one where there is none, or the first one at the beginning."""
    finite = np.isfinite(values)
    if finite.all():
        return values
    if not finite.any():
        raise InvalidLog(
            f"{where} has no values in rows {start} to {start + len(values) - 1}, a whole episode; leave the "
            "column or these rows out."
        )
    previous = np.maximum.accumulate(np.where(finite, np.arange(len(values)), 0))
    previous[: int(np.argmax(finite))] = int(np.argmax(finite))
    return values[previous]
