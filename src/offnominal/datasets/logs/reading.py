"""Reads logs: finds the role of each column, the episodes and the faulty rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, replace
from numbers import Number
from pathlib import PurePath
from typing import Any, get_args

import numpy as np
import pyarrow as pa

from offnominal.core.checks import integer_in, one_of
from offnominal.core.errors import InvalidLog, InvalidParameter, UnknownName, did_you_mean
from offnominal.core.printable import shown
from offnominal.datasets.logs.boundary import QuestionableLog
from offnominal.datasets.logs.channel_summary import ChannelSummary
from offnominal.datasets.logs.column_audit import ColumnFinding, audit_channels, audit_types, has_label_word
from offnominal.datasets.logs.label_windows import LabelWindows, SecondsWindows
from offnominal.datasets.logs.lerobot_log import LeRobotRows
from offnominal.datasets.logs.lerobot_video import CameraFrames
from offnominal.datasets.logs.log_episodes import LogEpisodes, LogPart, Missing
from offnominal.datasets.logs.opening import open_logs
from offnominal.datasets.logs.roles import Roles, expanded
from offnominal.datasets.logs.row_source import RowSource
from offnominal.datasets.logs.scan import scan_log
from offnominal.datasets.logs.time_column import ClockJumps, TimeColumn
from offnominal.datasets.split import counted

ALL = "all"
SHOWN = 6


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
    clock_jumps: ClockJumps | None = None,
    window: int | None = None,
    stride: int | None = None,
    missing: Missing | None = None,
    label_windows: Any = None,
    keep: str | Iterable[str] = (),
    frames: str | None = None,
    frame_size: int | None = None,
) -> LogEpisodes:
    """Return the episodes of a log: a data frame, a table, arrays, a file, a folder of logs, or a list of these.

    A row is one observation. Transition t leads from row t to row t + 1. It has the action and the reward of row t and
    the label of row t + 1, the first row in which the fault could have been observed. Rows are counted from 0.

    The log is read once to find its episodes and to check it, and again when its episodes are used; a block of a
    Parquet, HDF5 or large CSV file is in memory at a time.

    Each of several files begins a new episode. They are in the order of their dates, if all have dates, else in the
    given order. Only columns that all of them have are observations. A file without the column `label` is nominal.

    Args:
        source: The log; see :func:`~offnominal.datasets.logs.opening.open_logs`. Files of robots name their own
            columns: bags the time, those of HDF5 and LeRobot observations, actions, rewards and episodes.
        observations: Columns of the observations, or the names of arrays and topics that have several; all columns
            without another role if None. Then columns that say nothing about the machine, or too much, are left out and
            named by a warning, :class:`~offnominal.datasets.logs.boundary.QuestionableLog`; see
            :data:`~offnominal.datasets.logs.column_audit.RULES`.
        actions: Columns of the actions; without them, actions have no entries.
        reward: Column of the rewards; without it, rewards are zero.
        label: Column with 1 or True in faulty rows; without it, all rows are nominal.
        nominal: Values of the label that mean nominal, such as ``"normal"``; 0 and False if empty. It needs `label`.
        episode: Column whose value changes where a new episode begins.
        time: Column of the time, which increases within an episode. The episodes have it in seconds as the extra
            ``time``. If None, the only column of dates, if there is one and it increases.
        time_unit: Unit of a time in numbers: ``"s"``, ``"ms"``, ``"us"`` or ``"ns"``.
        gap: Time step in seconds above which a new episode begins; five times the median step if None.
        clock_jumps: What to do where the time goes back: ``"error"``, or ``"split"`` to begin a new episode. If None,
            ``"split"`` for a time that was not named, else ``"error"``.
        window: Transitions of an episode, if episodes are cut into windows; the rest of an episode is left out.
        stride: Transitions from the start of one window to the next; `window` if None.
        missing: What to do with values that are missing or not finite: ``"error"``; ``"previous"`` takes the previous
            value of the episode; ``"keep"`` keeps them, so that they have the largest score. If None, ``"error"``, or
            ``"previous"`` for tables of PlotJuggler, whose topics have rates of their own.
        label_windows: Intervals of time in which rows are faulty, instead of a label: a JSON or CSV file, or pairs of
            begin and end; see :meth:`~offnominal.datasets.logs.label_windows.LabelWindows.of`. They need a time.
        keep: Columns that are observations even if the audit would leave them out; ``"all"`` for all numbers.
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
    if missing is not None:
        one_of("missing", missing, get_args(Missing))
    named = {"observations": observations, "actions": actions, "reward": reward, "episode": episode, "time": time}
    options = _Options(
        named=named,
        label=label,
        nominal=_nominal_values(nominal, label),
        time_unit=time_unit,
        gap=gap,
        jumps=clock_jumps,
        windows=_windows(label_windows, label),
        keep=_kept(keep),
    )
    logs = open_logs(source)
    name = logs[0].name if len(logs) == 1 else f"{len(logs)} logs"
    roles, left_out = _roles(logs, options)
    parts = [_part(log, each, options) for log, each in zip(logs, roles, strict=True)]
    _spans([part for part, _ in parts], name, window, stride)
    _require_hits(parts, options)
    summaries = _merged([part.scan.channels for part, _ in parts])
    if observations is None:
        observed = [channel for channel in summaries if channel.role == "observation"]
        left_out += audit_channels(observed, [channel.column for channel in observed if options.keeps(channel.column)])
        left_out += [finding for _, finding in parts if finding is not None]
        _warn_of(left_out, name)
    chosen = _in_order([part for part, _ in parts], {each.column for each in left_out}, name, left_out)
    fill: Missing = missing or logs[0].suggested.get("missing", "error")
    for part in chosen:
        for channel in part.scan.channels:
            if channel.column in part.roles.numeric:
                _check_values(channel, part.source.name, part.scan.rows, fill)
        part.camera = _camera(part.source, frames, frame_size)
    _warn_of_labels(chosen, options, name, nominal)
    used = [channel for channel in summaries if channel.column in chosen[0].roles.numeric]
    return LogEpisodes(tuple(chosen), _spans(chosen, name, window, stride), fill, used, tuple(left_out))


@dataclass(frozen=True, slots=True)
class _Options:
    """What the caller says about the columns."""

    named: dict[str, Any]
    label: Any
    nominal: tuple[Any, ...]
    time_unit: str
    gap: float | None
    jumps: ClockJumps | None
    windows: LabelWindows | None
    keep: frozenset[str]

    def keeps(self, column: str) -> bool:
        """Whether a column is wanted whatever it contains."""
        return ALL in self.keep or column in self.keep

    def roles_in(self, log: RowSource) -> dict[str, Any]:
        """Return the columns of a log by role: those that the caller names, else those that the file names."""
        found = {role: log.suggested.get(role) if given is None else given for role, given in self.named.items()}
        return found | {"label": self.label}


def _roles(logs: list[RowSource], options: _Options) -> tuple[list[Roles], list[ColumnFinding]]:
    """Return the roles of the columns of each log, and the columns that are no observations by their type."""
    given = [options.roles_in(log) for log in logs]
    label = None if options.label is None else str(options.label)
    if label is not None and len(logs) > 1 and any(label in log.columns for log in logs):
        without = [log for log in logs if label not in log.columns]
        for log, each in zip(logs, given, strict=True):
            each["label"] = label if label in log.columns else None
        if without:
            listed = ", ".join(log.name for log in without[:SHOWN]) + ", …" * (len(without) > SHOWN)
            warnings.warn(f"no column {label!r} in {listed}: all rows count as nominal.", QuestionableLog, stacklevel=3)
    left_out: list[ColumnFinding] = []
    if options.named["observations"] is None:
        observed = [_candidates(log, each) for log, each in zip(logs, given, strict=True)]
        left_out = _unsuitable(logs, observed, options)
        dropped = {finding.column for finding in left_out}
        for each, columns in zip(given, observed, strict=True):
            each["observations"] = [column for column in observed[0] if column in columns and column not in dropped]
        if not given[0]["observations"]:
            _refuse_all(logs, left_out)
    found = [Roles.of(log, **each) for log, each in zip(logs, given, strict=True)]
    for log, roles in zip(logs, found, strict=True):
        if (roles.observations, roles.actions) != (found[0].observations, found[0].actions):
            raise InvalidLog(
                f"{log.name} has other observations or actions than {logs[0].name}: {list(roles.numeric)[:SHOWN]} and "
                f"{list(found[0].numeric)[:SHOWN]}. Import them separately."
            )
    return found, left_out


def _candidates(log: RowSource, given: dict[str, Any]) -> list[str]:
    """Return the columns that may be observations: those that the file names, or all without another role."""
    if given["observations"] is not None:
        return list(expanded(log, given["observations"]))
    date = only_date(log)
    used = [date] if given["time"] is None and date is not None else []
    for role, columns in given.items():
        if role != "observations" and columns is not None:
            used += expanded(log, [str(columns)] if isinstance(columns, str | int) else map(str, columns))
    return [column for column in log.columns if column not in used]


def _unsuitable(logs: list[RowSource], observed: list[list[str]], options: _Options) -> list[ColumnFinding]:
    """Return the columns that are no numbers in a log, or are not in all logs."""
    known = dict.fromkeys(column for columns in observed for column in columns)
    for column in sorted(options.keep - {ALL} - known.keys()):
        raise UnknownName(
            f"{logs[0].name} has no column {column!r} that could be kept.{did_you_mean(column, list(known))}"
        )
    found: dict[str, ColumnFinding] = {}
    for log, columns in zip(logs, observed, strict=True):
        for finding in audit_types(log, [column for column in columns if column not in options.keep]):
            found.setdefault(finding.column, finding)
    for column in known:
        without = [log.name for log, columns in zip(logs, observed, strict=True) if column not in columns]
        if without:
            kind = "label-like" if has_label_word(column) else "partial"
            found.setdefault(column, ColumnFinding(column, kind, f"not in {PurePath(without[0]).name}"))
    return list(found.values())


def _refuse_all(logs: list[RowSource], left_out: list[ColumnFinding]) -> None:
    """Raise :class:`InvalidLog`, because there is no observation."""
    both = f"{logs[0].name} and {logs[-1].name} have no column in common" if len(logs) > 1 else ""
    listed = "; ".join(map(str, left_out[:SHOWN])) + "; …" * (len(left_out) > SHOWN)
    said = both or f"{logs[0].name} has no column for observations"
    raise InvalidLog(f"{said}{f'; left out are {listed}' if listed else ''}. Name some in `observations` or `keep`.")


def _part(log: RowSource, roles: Roles, options: _Options) -> tuple[LogPart, ColumnFinding | None]:
    """Read a log once; a time that was not named is left out if it does not increase."""
    date = only_date(log)
    if roles.time is None and date is not None and date not in roles.all:
        jumps: ClockJumps = options.jumps or "split"
        try:
            part = _scanned(log, replace(roles, time=date), replace(options, jumps=jumps))
        except InvalidLog as error:
            if options.windows is not None:
                raise
            part = _scanned(log, roles, options)
            return part, ColumnFinding(date, "time-like", f"not used as time: {error}")
        if part.scan.clock is not None and part.scan.clock.jumps and options.jumps is None:
            rows = part.scan.clock.jumps
            listed = ", ".join(map(str, rows[:SHOWN])) + ", …" * (len(rows) > SHOWN)
            warnings.warn(
                f"the time {date!r} of {log.name} goes back in row {listed}: a new episode begins.",
                QuestionableLog,
                stacklevel=4,
            )
        return part, None
    return _scanned(log, roles, options), None


def only_date(log: RowSource) -> str | None:
    """Return the only column of dates of a log, which is its time; None if there are several or none.

    Args:
        log: The log.
    """
    dates = [column for column in log.columns if pa.types.is_timestamp(log.kind(column))]
    return dates[0] if len(dates) == 1 else None


def _scanned(log: RowSource, roles: Roles, options: _Options) -> LogPart:
    time = None
    if roles.time is not None:
        jumps: ClockJumps = options.jumps or "error"
        time = TimeColumn.of(log, roles.time, unit=options.time_unit, gap=options.gap, jumps=jumps)
    if time is not None and time.origin is not None:
        log.begins = time.origin / 1e9
    windows: SecondsWindows | None = None
    if options.windows is not None:
        if time is None:
            raise InvalidParameter(f"intervals of {options.windows.name} need a time; name the column in `time`.")
        windows = options.windows.on(log.name, time, log.begins)
    scan = scan_log(log, roles, time, options.nominal, windows)
    return LogPart(log, roles, scan, time)


def _in_order(parts: list[LogPart], dropped: set[str], name: str, left_out: list[ColumnFinding]) -> list[LogPart]:
    """Return the files in the order of their dates, with the observations that are left."""
    if all(part.source.begins is not None for part in parts):
        parts = sorted(parts, key=lambda part: part.source.begins or 0.0)
    origins = [part.time.origin for part in parts if part.time is not None and part.time.origin is not None]
    first = 0
    for part in parts:
        observed = tuple(column for column in part.roles.observations if column not in dropped)
        if not observed:
            _refuse_all([part.source], left_out)
        part.roles, part.first = replace(part.roles, observations=observed), first
        if part.time is not None and part.time.origin is not None:
            part.time = replace(part.time, origin=min(origins))
        first += part.scan.rows
    return parts


def _merged(channels: list[list[ChannelSummary]]) -> list[ChannelSummary]:
    """Return the content of each channel over all files."""
    merged = deepcopy(channels[0])
    for other in channels[1:]:
        known = {channel.column: channel for channel in other}
        for channel in merged:
            if channel.column in known:
                channel.merge(known[channel.column])
    return merged


def _warn_of(left_out: list[ColumnFinding], name: str) -> None:
    if left_out:
        listed = ", ".join(map(str, left_out[:SHOWN])) + f" and {len(left_out) - SHOWN} more" * (len(left_out) > SHOWN)
        warnings.warn(
            f"columns of {name} are no observations: {listed}. To use them, name them in `keep`, or name their role, "
            "such as `label` or `time`.",
            QuestionableLog,
            stacklevel=3,
        )


def _warn_of_labels(parts: list[LogPart], options: _Options, name: str, nominal: Any) -> None:
    labels = [part.scan.labels for part in parts if part.scan.labels is not None]
    if options.nominal and labels and len(labels) == len(parts) and all(each.all() for each in labels):
        warnings.warn(
            f"column {options.label!r} of {name} never has a nominal value ({shown(nominal)}), so that all rows are "
            "faulty; correct `nominal`.",
            QuestionableLog,
            stacklevel=3,
        )


def _require_hits(parts: list[tuple[LogPart, Any]], options: _Options) -> None:
    """Raise :class:`InvalidLog` if no row is in an interval of the labels."""
    hits: dict[int, int] = {}
    for part, _ in parts:
        for number, count in (part.scan.windows or {}).items():
            hits[number] = hits.get(number, 0) + count
    for number, count in hits.items():
        if not count and options.windows is not None:
            _, begin, end = options.windows.entries[number]
            raise InvalidLog(f"{options.windows.name}: interval {number}, {begin} to {end}, has no row of the log.")


def _windows(source: Any, label: Any) -> LabelWindows | None:
    if source is None:
        return None
    if label is not None:
        raise InvalidParameter(f"label is {label!r}, and label_windows is given too; give one of them.")
    return LabelWindows.of(source)


def _kept(keep: Any) -> frozenset[str]:
    if not isinstance(keep, str | Iterable):
        raise InvalidParameter(f"keep is {shown(keep)}; expected names of columns, or {ALL!r}.")
    return frozenset([keep] if isinstance(keep, str) else map(str, keep))


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


def _spans(parts: list[LogPart], name: str, window: int | None, stride: int | None) -> list[tuple[int, int, int]]:
    """Return file, first row and row after the last of each episode or window."""
    if window is None and stride is not None:
        raise InvalidParameter(f"stride is {stride}, but there is no window; give `window`, in transitions.")
    pairs = [
        (number, start, stop)
        for number, part in enumerate(parts)
        for start, stop in zip(part.scan.starts, part.scan.stops, strict=True)
    ]
    whole = [(number, start, stop) for number, start, stop in pairs if stop - start > 1]
    rows = sum(part.scan.rows for part in parts)
    if not whole:
        raise InvalidLog(
            f"{name} has no two rows that follow each other: {counted(rows, 'row')} in "
            f"{counted(len(pairs), 'episode')}. A transition leads from one row to the next."
        )
    if window is None:
        return whole
    length = integer_in("window", window, 1)
    step = integer_in("stride", length if stride is None else stride, 1)
    cut = [(each, row, row + length + 1) for each, start, stop in whole for row in range(start, stop - length, step)]
    if not cut:
        longest = max(stop - start - 1 for _, start, stop in whole)
        raise InvalidLog(f"window is {length}, but the longest episode of {name} has {counted(longest, 'transition')}.")
    return cut
