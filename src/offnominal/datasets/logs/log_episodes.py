"""Episodes of a log."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Number
from typing import Any, Literal, get_args, overload

import numpy as np
import pyarrow as pa

from offnominal.core.checks import integer_in, one_of
from offnominal.core.episode import FRAMES, Episode
from offnominal.core.errors import InvalidLog, InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.types import Array, BoolArray, FloatArray
from offnominal.datasets.logs.boundary import QuestionableLog
from offnominal.datasets.logs.lerobot_log import LeRobotRows
from offnominal.datasets.logs.lerobot_video import CameraFrames
from offnominal.datasets.logs.likely_roles import warn_of_roles
from offnominal.datasets.logs.opening import open_log
from offnominal.datasets.logs.roles import Roles
from offnominal.datasets.logs.row_source import ForwardReader, RowSource, as_numbers
from offnominal.datasets.logs.scan import ChannelSummary, LogScan, scan_log
from offnominal.datasets.logs.time_column import TimeColumn
from offnominal.datasets.split import counted

Missing = Literal["error", "previous", "keep"]
TIME = "time"


def episodes_from(
    source: Any,
    *,
    observations: str | Iterable[str | int] | None = None,
    actions: str | Iterable[str | int] | None = None,
    reward: str | int | None = None,
    label: str | int | None = None,
    nominal: Any = (),
    episode: str | int | None = None,
    time: str | int | None = None,
    time_unit: str = "s",
    gap: float | None = None,
    window: int | None = None,
    stride: int | None = None,
    missing: Missing = "error",
    frames: str | None = None,
    frame_size: int | None = None,
) -> LogEpisodes:
    """Return the episodes of a log: a data frame, a table, arrays, or a file or a folder of logs.

    A row is one observation. Transition t leads from row t to row t + 1. It has the action and the reward of row t and
    the label of row t + 1, the first row in which the fault could have been observed. Rows are counted from 0.

    The log is read once to find its episodes and to check it, and again when its episodes are used; a block of a
    Parquet, HDF5 or large CSV file is in memory at a time.

    Args:
        source: The log; see :func:`~offnominal.datasets.logs.opening.open_log`. Files of robots name their own columns:
            those of MCAP the time, those of HDF5 and LeRobot observations, actions, rewards and episodes.
        observations: Columns of the observations; all columns without another role if None. Among these, columns that
            look like the label or the time are named by a warning,
            :class:`~offnominal.datasets.logs.boundary.QuestionableLog`.
        actions: Columns of the actions; without them, actions have no entries.
        reward: Column of the rewards; without it, rewards are zero.
        label: Column with 1 or True in faulty rows; without it, all rows are nominal.
        nominal: Values of the label that mean nominal, such as ``"normal"``; 0 and False if empty. It needs `label`.
        episode: Column whose value changes where a new episode begins.
        time: Column of the time, which increases within an episode. The episodes have it in seconds as the extra
            ``time``.
        time_unit: Unit of a time in numbers: ``"s"``, ``"ms"``, ``"us"`` or ``"ns"``.
        gap: Time step in seconds above which a new episode begins; five times the median step if None.
        window: Transitions of an episode, if episodes are cut into windows; the rest of an episode is left out.
        stride: Transitions from the start of one window to the next; `window` if None.
        missing: What to do with values that are missing or not finite: ``"error"``; ``"previous"`` takes the previous
            value of the episode; ``"keep"`` keeps them, so that they have the largest score.
        frames: Camera of a LeRobot dataset, such as ``"observation.images.top"``. The episodes have its frames as the
            extra ``frames``, decoded on demand; :meth:`~offnominal.core.episode.Episode.images` makes them the
            observations.
        frame_size: Height and width of the frames in pixels; their own if None.

    Raises:
        InvalidLog: The log is no table of numbers, or its times or labels are invalid; the message names the row or the
            column.
        UnknownName: There is no such column.

    Example:
        >>> log = {"speed": [1.0, 1.1, 0.9, 5.0], "time": [0.0, 0.1, 0.2, 9.0], "fault": [0, 0, 1, 0]}
        >>> episodes = episodes_from(log, label="fault", time="time", gap=1.0)
        >>> episodes[0]
        Episode(T=2, observations=(1,), actions=(0,), return=0, seed=0, faulty in 1 of 2 transitions)
        >>> episodes_from(log, observations=["sped"])
        Traceback (most recent call last):
            ...
        offnominal.core.errors.UnknownName: the log has no column 'sped'. Did you mean 'speed'? It has: ...
    """
    one_of("missing", missing, get_args(Missing))
    nominal_values = _nominal_values(nominal, label)
    rows = open_log(source)
    named = {"observations": observations, "actions": actions, "reward": reward, "episode": episode, "time": time}
    roles = Roles.of(
        rows,
        label=label,
        **{role: rows.suggested.get(role) if given is None else given for role, given in named.items()},
    )
    column = None if roles.time is None else TimeColumn.of(rows, roles.time, unit=time_unit, gap=gap)
    scan = scan_log(rows, roles, column, nominal_values)
    for channel in scan.channels:
        _check_values(channel, rows.name, scan.rows, missing)
    if observations is None:
        warn_of_roles(rows.name, scan.channels)
    if nominal_values and scan.labels is not None and scan.labels.all():
        warnings.warn(
            f"column {roles.label!r} of {rows.name} never has a nominal value ({shown(nominal)}), so that all rows are "
            "faulty; correct `nominal`.",
            QuestionableLog,
            stacklevel=2,
        )
    spans = _spans(scan, rows.name, window, stride)
    return LogEpisodes(rows, roles, scan, spans, column, missing, _camera(rows, frames, frame_size))


def _nominal_values(nominal: Any, label: Any) -> tuple[Any, ...]:
    """Return the nominal values of the label; raise :class:`InvalidParameter` if there are some and no label."""
    if nominal is None:
        return ()
    if not isinstance(nominal, str | Number | np.bool_ | Iterable):
        raise InvalidParameter(f"nominal is {shown(nominal)}; expected values of the label.")
    try:
        values = (nominal,) if isinstance(nominal, str | Number | np.bool_) else tuple(nominal)
    except Exception:
        raise InvalidParameter(f"nominal is {shown(nominal)}; expected values of the label.") from None
    if values and label is None:
        raise InvalidParameter(
            f"nominal is {shown(nominal)}, but no column is the label; name it in `label`, or leave `nominal` out."
        )
    return values


def _camera(rows: RowSource, frames: str | None, size: int | None) -> CameraFrames | None:
    if frames is None:
        return None
    if not isinstance(rows, LeRobotRows):
        raise InvalidParameter(f"frames is {frames!r}, but {rows.name} is no LeRobot dataset and has no videos.")
    return rows.frames(frames, size)


def _check_values(channel: ChannelSummary, name: str, rows: int, missing: Missing) -> None:
    """Raise :class:`InvalidLog` if values are missing or not finite, unless that is allowed."""
    where = f"column {channel.column!r} of {name}"
    if channel.missing == rows and missing != "keep":
        raise InvalidLog(f"{where} has no values: all {rows} rows are missing or NaN.")
    remedy = "Correct the log, or pass missing='previous' or missing='keep'."
    if missing == "error" and channel.first_missing is not None:
        raise InvalidLog(
            f"{where} has no value in row {channel.first_missing}, and in {channel.missing} of {rows} rows. {remedy}"
        )
    if missing == "error" and channel.first_infinite is not None:
        raise InvalidLog(f"{where} is infinite in row {channel.first_infinite}. {remedy}")
    if channel.role == "reward" and channel.missing + channel.infinite and missing == "keep":
        raise InvalidLog(f"{where} has missing or infinite rewards; pass missing='previous'.")


def _spans(scan: LogScan, name: str, window: int | None, stride: int | None) -> list[tuple[int, int]]:
    """Return first row and row after the last of each episode or window."""
    if window is None and stride is not None:
        raise InvalidParameter(f"stride is {stride}, but there is no window; give `window`, in transitions.")
    whole = [(start, stop) for start, stop in zip(scan.starts, scan.stops, strict=True) if stop - start > 1]
    if not whole:
        raise InvalidLog(
            f"{name} has no two rows that follow each other: {counted(scan.rows, 'row')} in "
            f"{counted(len(scan.starts), 'episode')}. A transition leads from one row to the next."
        )
    if window is None:
        return whole
    length = integer_in("window", window, 1)
    step = integer_in("stride", length if stride is None else stride, 1)
    cut = [(row, row + length + 1) for start, stop in whole for row in range(start, stop - length, step)]
    if not cut:
        longest = max(stop - start - 1 for start, stop in whole)
        raise InvalidLog(f"window is {length}, but the longest episode of {name} has {counted(longest, 'transition')}.")
    return cut


@dataclass(eq=False, repr=False)
class LogEpisodes(Sequence[Episode]):
    """The episodes of a log, read on demand; see :func:`episodes_from`.

    Args:
        source: Rows of the log.
        roles: Columns by role.
        scan: Result of the first pass.
        spans: First row and row after the last of each episode.
        time: The time column, or None.
        missing: What to do with values that are missing.
        camera: Frames of the episodes, or None.
    """

    source: RowSource
    roles: Roles
    scan: LogScan
    spans: list[tuple[int, int]]
    time: TimeColumn | None
    missing: Missing
    camera: CameraFrames | None = None
    _reader: ForwardReader | None = None
    _first: int = 0

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
        if self._reader is None:
            self._reader = self._new_reader()
        return self._read(self._reader, range(len(self))[index])

    def __iter__(self) -> Iterator[Episode]:
        reader = self._new_reader()
        for number in range(len(self)):
            yield self._read(reader, number)

    def take(self, indices: Iterable[int]) -> LogEpisodes:
        """Return the episodes with these indices, in their order."""
        chosen = [range(len(self.spans))[index] for index in indices]
        return replace(self, spans=[self.spans[index] for index in chosen], _reader=None)

    @property
    def faulty(self) -> BoolArray:
        """Whether each episode has a labelled transition."""
        labels = self.scan.labels
        if labels is None:
            return np.zeros(len(self), np.bool_)
        before = np.concatenate([[0], np.cumsum(labels)])
        return np.array([before[stop] > before[start + 1] for start, stop in self.spans], np.bool_)

    @property
    def nominal(self) -> LogEpisodes:
        """Episodes without a labelled transition."""
        return self.take(np.flatnonzero(~self.faulty).tolist())

    @property
    def transitions(self) -> int:
        """Number of transitions of all episodes."""
        return sum(stop - start - 1 for start, stop in self.spans)

    @property
    def channels(self) -> dict[str, list[str]]:
        """Names of the channels, for :func:`~offnominal.datasets.saving.save_dataset`."""
        return {"observations": list(self.roles.observations), "actions": list(self.roles.actions)}

    def __repr__(self) -> str:
        sizes = f"{counted(len(self), 'episode')}, {counted(self.transitions, 'transition')}"
        widths = f"{counted(len(self.roles.observations), 'observation')}, {counted(len(self.roles.actions), 'action')}"
        faulty = int(self.faulty.sum())
        return f"LogEpisodes({sizes}, {widths}, {f'{faulty} faulty' if faulty else 'nominal'})"

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_reader": None}

    def _new_reader(self) -> ForwardReader:
        columns = (*self.roles.numeric, *([self.roles.time] if self.roles.time else []))
        return ForwardReader(self.source, columns)

    def _read(self, reader: ForwardReader, number: int) -> Episode:
        start, stop = self.spans[number]
        table, steps = reader.rows(start, stop), stop - start - 1
        labels = self.scan.labels
        rewards = np.zeros(steps)
        extras: dict[str, Array] = {}
        if self.time is not None:
            extras[TIME] = self.time.seconds(table, self.source.name, start)
        if self.camera is not None:
            extras[FRAMES] = self.camera.read(start, stop)
        if self.roles.reward is not None:
            rewards = self._matrix(table, (self.roles.reward,), start, np.float64)[:-1, 0]
        return Episode(
            observations=self._matrix(table, self.roles.observations, start),
            actions=self._matrix(table, self.roles.actions, start)[:-1],
            rewards=rewards,
            active=np.zeros(steps, np.bool_) if labels is None else labels[start + 1 : stop].copy(),
            seed=start,
            extras=extras,
        )

    def _matrix(self, table: Any, columns: Sequence[str], start: int, dtype: Any = None) -> Array:
        """Return some columns as a matrix."""
        kinds = {table.schema.field(column).type for column in columns}
        single = kinds <= {pa.float32(), pa.float16(), pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.bool_()}
        dtype = dtype or (np.float32 if single and kinds else np.float64)
        values = np.empty((table.num_rows, len(columns)), dtype)
        for index, column in enumerate(columns):
            values[:, index] = as_numbers(table[column], dtype)
        if self.missing == "previous" and not np.isfinite(values).all():
            for index, column in enumerate(columns):
                values[:, index] = _filled(values[:, index], column, start)
        return values


def _filled(values: FloatArray, column: str, start: int) -> FloatArray:
    """Return values with the previous finite one where there is none, or the first one at the beginning."""
    finite = np.isfinite(values)
    if finite.all():
        return values
    if not finite.any():
        raise InvalidLog(
            f"column {column!r} has no values in rows {start} to {start + len(values) - 1}, a whole episode; leave the "
            "column or these rows out."
        )
    previous = np.maximum.accumulate(np.where(finite, np.arange(len(values)), 0))
    previous[: int(np.argmax(finite))] = int(np.argmax(finite))
    return values[previous]
