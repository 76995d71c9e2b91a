"""One pass over a log: where episodes begin and end, which rows are labelled, and what each channel contains."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from offnominal.core.errors import InvalidLog, InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.types import BoolArray
from offnominal.datasets.logs.channel_summary import ChannelSummary
from offnominal.datasets.logs.label_windows import SecondsWindows
from offnominal.datasets.logs.roles import Roles, first_row
from offnominal.datasets.logs.row_source import RowSource, as_numbers
from offnominal.datasets.logs.time_column import Clock, TimeColumn


@dataclass(slots=True, eq=False)
class LogScan:
    """Result of a pass over a log.

    Args:
        rows: Number of rows.
        starts: First row of each episode.
        labels: (rows,): whether each row is labelled as faulty; None without a label column.
        channels: Summary of each channel.
        clock: Time steps of the log; None without a time column.
        names: Values of the episode column.
        windows: Number of rows in each interval of the labels; None without intervals.
    """

    rows: int
    starts: list[int]
    labels: BoolArray | None
    channels: list[ChannelSummary]
    clock: Clock | None
    names: list[Any] = field(default_factory=list)
    windows: dict[int, int] | None = None

    @property
    def stops(self) -> list[int]:
        """Row after the last one of each episode."""
        return [*self.starts[1:], self.rows]


def scan_log(
    source: RowSource,
    roles: Roles,
    time: TimeColumn | None,
    nominal: Collection[Any],
    windows: SecondsWindows | None = None,
) -> LogScan:
    """Read a log once.

    Args:
        source: The log.
        roles: Its columns by role.
        time: Its time column, or None.
        nominal: Values of the label that mean nominal.
        windows: Times of faulty rows instead of a label; they need a time column.

    Raises:
        InvalidLog: Labels, episodes or times are invalid; the message names the row.
    """
    kinds = {
        **dict.fromkeys(roles.observations, "observation"),
        **dict.fromkeys(roles.actions, "action"),
        **({roles.reward: "reward"} if roles.reward else {}),
    }
    channels = [ChannelSummary(column, kind) for column, kind in kinds.items()]
    clock = None if time is None else Clock(source.name, time)
    labels: list[BoolArray] = []
    episodes = _EpisodeColumn(source.name, roles.episode)
    first = 0
    for block in source.blocks(roles.all):
        changes = episodes.add(block, first)
        seconds = None if clock is None else clock.add(block, first, changes)
        if roles.label is not None:
            labels.append(row_labels(block[roles.label], f"column {roles.label!r} of {source.name}", nominal, first))
        elif windows is not None and seconds is not None:
            labels.append(windows.rows(seconds))
        labelled = labels[-1] if labels else None
        for channel in channels:
            channel.add(as_numbers(block[channel.column]), first, changes, labelled)
        first += block.num_rows
    if first != source.n_rows:
        raise InvalidLog(f"{source.name} announces {source.n_rows} rows and has {first}; the file is damaged.")
    for channel in channels:
        channel.finish()
    starts = sorted({0, *episodes.starts, *(clock.finish() if clock is not None else ())})
    joined = np.concatenate(labels) if labels else None
    return LogScan(first, starts, joined, channels, clock, list(episodes.seen), windows.hits if windows else None)


class _EpisodeColumn:
    """Finds the rows at which the value of the episode column changes."""

    def __init__(self, name: str, column: str | None) -> None:
        self._name, self._column = name, column
        self._last: Any = None
        self.seen: dict[Any, int] = {}
        self.starts: list[int] = []

    def add(self, block: Any, first: int) -> Sequence[int]:
        """Return the rows of a block, relative to it, at which an episode begins."""
        if self._column is None:
            return [0] if first == 0 else []
        column = block[self._column]
        if column.null_count:
            row = first + (first_row(pc.is_null(column)) or 0)
            raise InvalidLog(f"column {self._column!r} of {self._name} has no value in row {row}; name the episode.")
        joined = column.unify_dictionaries().combine_chunks()
        coded = joined if pa.types.is_dictionary(joined.type) else joined.dictionary_encode()
        codes, values = coded.indices.to_numpy(), coded.dictionary.to_pylist()
        changes = [0, *(np.flatnonzero(codes[1:] != codes[:-1]) + 1).tolist()]
        if values[codes[0]] == self._last and first:
            changes = changes[1:]
        for change in changes:
            value = values[codes[change]]
            if value in self.seen:
                raise InvalidLog(
                    f"episode {shown(value)} of {self._name} begins again in row {first + change}, after row "
                    f"{self.seen[value]}; sort the log by episode and time."
                )
            self.seen[value] = first + change
        self.starts += [first + change for change in changes]
        self._last = values[codes[-1]]
        return changes


def row_labels(column: Any, name: str, nominal: Collection[Any], first: int) -> BoolArray:
    """Return which rows are faulty; numbers must be 0 or 1 unless nominal values are given.

    Args:
        column: Arrow column of labels.
        name: Name of the column in errors.
        nominal: Values that mean nominal; 0 and False if empty.
        first: Number of the first row in errors.
    """
    if column.null_count:
        row = first + (first_row(pc.is_null(column)) or 0)
        raise InvalidLog(f"{name} has no label in row {row}; expected 0 or 1.")
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if nominal:
        if pa.types.is_boolean(column.type) or pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
            return ~np.isin(as_numbers(column), _as_floats(nominal, name))
        return ~np.isin(np.asarray(column.cast(pa.string()).to_pylist()), [str(value) for value in nominal])
    if pa.types.is_boolean(column.type):
        return np.asarray(column.to_numpy(), np.bool_)
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        raise InvalidLog(
            f"{name} is {shown(column[0].as_py())} in row {first}; expected 0 or 1. Name the nominal values, such as "
            "nominal='normal'; all others are faulty."
        )
    values = as_numbers(column)
    wrong = ~np.isin(values, (0.0, 1.0))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InvalidLog(
            f"{name} is {values[row]:g} in row {first + row}; expected 0 or 1. Name the nominal values, such as "
            "nominal=-1."
        )
    return np.asarray(values == 1.0)


def _as_floats(nominal: Collection[Any], name: str) -> list[float]:
    """Return nominal values of a column of numbers."""
    try:
        return [float(value) for value in nominal]
    except (TypeError, ValueError):
        raise InvalidParameter(
            f"nominal is {shown(list(nominal))}, and {name} has numbers; expected numbers."
        ) from None
