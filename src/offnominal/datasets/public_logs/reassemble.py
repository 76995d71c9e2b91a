"""Sessions of REASSEMBLE: signals of a robot with clocks of their own, and segments that succeed or fail."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from offnominal.core.checks import NUMERIC
from offnominal.core.errors import InvalidLog
from offnominal.core.types import Array, FloatArray
from offnominal.datasets.hdf5_files import opened_hdf5
from offnominal.datasets.logs.boundary import require_fits
from offnominal.datasets.logs.file_order import natural
from offnominal.datasets.logs.row_source import TableRows

STATE, TIMES, SEGMENTS = "robot_state", "timestamps", "segments_info"
CLOCK = "joint_positions"
GROUPS = (STATE, TIMES, SEGMENTS)


def read_reassemble(path: Path) -> TableRows:
    """Return the segments of a session as rows: the last value of every signal at the times of the joint positions.

    The columns are ``time``, ``segment``, ``failed`` and one per channel, such as ``joint_positions.0``.

    Args:
        path: The HDF5 file of the session.

    Raises:
        MissingDependency: The package ``h5py`` is not installed.
        InvalidLog: The file has another layout.
    """
    with opened_hdf5(path) as opened:
        for group in GROUPS:
            if not hasattr(opened.get(group), "keys"):
                raise InvalidLog(f"{path} has no group {group!r}; expected a session of REASSEMBLE.")
        signals = {name: _signal(opened, name, path) for name in opened[STATE] if name in opened[TIMES]}
        if CLOCK not in signals:
            raise InvalidLog(f"{path} has no '{STATE}/{CLOCK}' with times; the segments have no clock.")
        clock = signals[CLOCK][0]
        rows, numbers, failed = [], [], []
        for number, name in enumerate(sorted(opened[SEGMENTS], key=natural)):
            begin, end, success = _segment(opened[SEGMENTS][name], f"{path}: '{SEGMENTS}/{name}'")
            begin = max(begin, *(float(times[0]) for times, _ in signals.values()))
            inside = np.flatnonzero((clock >= begin) & (clock <= end))
            rows.append(inside)
            numbers.append(np.full(len(inside), number))
            failed.append(np.full(len(inside), not success))
    chosen = np.concatenate(rows) if rows else np.zeros(0, np.int64)
    if not chosen.size:
        raise InvalidLog(f"{path} has no segment with rows; expected '{SEGMENTS}/0' and so on with times of the clock.")
    columns: dict[str, Array] = {"time": clock[chosen], "segment": np.concatenate(numbers)}
    for name, (times, values) in signals.items():
        last = np.searchsorted(times, clock[chosen], side="right") - 1
        columns |= {f"{name}.{index}": values[last, index] for index in range(values.shape[1])}
    columns["failed"] = np.concatenate(failed)
    return TableRows(str(path), pa.table({name: np.ascontiguousarray(each) for name, each in columns.items()}))


def _signal(opened: Any, name: str, path: Path) -> tuple[FloatArray, Array]:
    """Return the times of a signal, which increase, and its values with a column per channel."""
    stored, clock = opened[STATE][name], opened[TIMES][name]
    for where, each in ((f"{STATE}/{name}", stored), (f"{TIMES}/{name}", clock)):
        kind = getattr(each, "dtype", None)
        if kind is None or not each.shape or kind.kind not in NUMERIC:
            raise InvalidLog(f"{path}: '{where}' is no array of numbers.")
        require_fits(path, math.prod(each.shape) * kind.itemsize, f"'{where}'")
    if len(stored) != len(clock) or not len(clock):
        raise InvalidLog(f"{path}: '{STATE}/{name}' has {len(stored)} rows and {len(clock)} times; expected as many.")
    times = np.asarray(clock, np.float64).reshape(len(clock), -1)[:, 0]
    if not np.isfinite(times).all() or (np.diff(times) < 0.0).any():
        row = int(np.argmax(~(np.diff(times, prepend=times[0]) >= 0.0)))
        raise InvalidLog(f"{path}: '{TIMES}/{name}' goes back or is not finite in row {row}.")
    return times, np.asarray(stored).reshape(len(stored), -1)


def _segment(group: Any, where: str) -> tuple[float, float, bool]:
    """Return begin, end and success of a segment."""
    if not hasattr(group, "keys") or any(name not in group for name in ("start", "end", "success")):
        raise InvalidLog(f"{where} has no 'start', 'end' or 'success'.")
    values = [np.asarray(group[name][()]).reshape(-1) for name in ("start", "end", "success")]
    if any(len(value) != 1 or value.dtype.kind not in NUMERIC for value in values):
        raise InvalidLog(f"{where} has a 'start', 'end' or 'success' that is no single number.")
    begin, end, success = (value[0] for value in values)
    return float(begin), float(end), bool(success)
