"""Recordings of several files in which one row of one file is wrong, by a seed."""

from __future__ import annotations

import gzip
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

ROWS, FILES = 40, 3
ROLES: dict[str, Any] = {"time": "t", "label": "fault", "episode": "run", "actions": "u", "reward": "r"}
Columns = dict[str, list[Any]]


def columns_of(seed: int, number: int) -> Columns:
    """Return valid columns of a file: two episodes of 20 rows."""
    values = np.random.default_rng((seed, number)).normal(size=(ROWS, 4)).round(6).tolist()
    found: Columns = {name: [row[k] for row in values] for k, name in enumerate(("x", "y", "u", "r"))}
    rows = range(ROWS)
    return found | {"t": [row / 10 for row in rows], "run": [row // 20 for row in rows], "fault": [0] * ROWS}


def text(columns: Columns, row: int) -> str:
    """Text among numbers."""
    columns["y"][row] = "off"
    return "the text 'off' in"


def decimal_comma(columns: Columns, row: int) -> str:
    """A number with a decimal comma."""
    columns["x"][row] = "1,5"
    return "the text '1,5' in"


def missing(columns: Columns, row: int) -> str:
    """A value that is missing."""
    columns["x"][row] = None
    return "no value in"


def infinite(columns: Columns, row: int) -> str:
    """A value that is infinite."""
    columns["y"][row] = float("inf")
    return "is infinite in"


def missing_action(columns: Columns, row: int) -> str:
    """An action that is missing."""
    columns["u"][row] = None
    return "'u' of"


def missing_reward(columns: Columns, row: int) -> str:
    """A reward that is missing."""
    columns["r"][row] = None
    return "'r' of"


def missing_time(columns: Columns, row: int) -> str:
    """A time that is missing."""
    columns["t"][row] = None
    return "no time in"


def same_time(columns: Columns, row: int) -> str:
    """Two rows of one time."""
    row += row in (0, 20)
    columns["t"][row] = columns["t"][row - 1]
    return "has the same time as"


def earlier_time(columns: Columns, row: int) -> str:
    """A time that goes back."""
    row += row in (0, 20)
    columns["t"][row] = columns["t"][row - 1] - 0.05
    return "has an earlier time than"


def infinite_time(columns: Columns, row: int) -> str:
    """A time that is infinite."""
    columns["t"][row] = float("inf")
    return "is inf in"


def other_label(columns: Columns, row: int) -> str:
    """A label that is neither 0 nor 1."""
    columns["fault"][row] = 2
    return "is 2 in"


def missing_label(columns: Columns, row: int) -> str:
    """A row without a label."""
    columns["fault"][row] = None
    return "no label in"


def missing_episode(columns: Columns, row: int) -> str:
    """A row without an episode."""
    columns["run"][row] = None
    return "'run' of"


def repeated_episode(columns: Columns, row: int) -> str:
    """An episode that begins again."""
    columns["run"] = [0] * 10 + [1] * 10 + [2] * (ROWS - 20)
    columns["run"][20 + row % 20] = 0
    return "begins again in"


CHANGES = (
    text,
    decimal_comma,
    missing,
    infinite,
    missing_action,
    missing_reward,
    missing_time,
    same_time,
    earlier_time,
    infinite_time,
    other_label,
    missing_label,
    missing_episode,
    repeated_episode,
)
FORMATS = ("csv", "semicolons", "csv.gz", "parquet")


def write(path: Path, columns: Columns, form: str) -> Path:
    """Write columns as a file; a column with text is one of text, as its reader would have it."""
    mixed = {name for name, values in columns.items() if any(isinstance(value, str) for value in values)}
    arrays = {
        name: [None if value is None else str(value) for value in values] if name in mixed else values
        for name, values in columns.items()
    }
    if form == "parquet":
        pq.write_table(pa.table(arrays), path)
        return path
    options = pa_csv.WriteOptions(delimiter=";" if form == "semicolons" else ",", quoting_style="needed")
    sink = pa.BufferOutputStream()
    pa_csv.write_csv(pa.table(arrays), sink, options)
    content = sink.getvalue().to_pybytes()
    path.write_bytes(gzip.compress(content, mtime=0) if form == "csv.gz" else content)
    return path


def malformed(folder: Path, seed: int) -> tuple[list[Path], str, str]:
    """Write a recording with one wrong row; return its files, and file and row that an error must name.

    Args:
        folder: An empty folder.
        seed: Seed of the recording. Every change and every format appears in any 56 consecutive seeds.
    """
    chosen = random.Random(seed)
    change, form = CHANGES[seed % len(CHANGES)], FORMATS[seed // len(CHANGES) % len(FORMATS)]
    wrong, row = chosen.randrange(FILES), chosen.randrange(ROWS)
    paths, words = [], ""
    for number in range(FILES):
        columns = columns_of(seed, number)
        suffix = "csv" if form == "semicolons" else form
        if number == wrong:
            words = change(columns, row)
        paths.append(write(folder / f"run_{number}.{suffix}", columns, form))
    if change in (same_time, earlier_time):
        row += row in (0, 20)
    elif change is repeated_episode:
        row = 20 + row % 20
    return paths, words, f"{paths[wrong].name}|row {row}"
