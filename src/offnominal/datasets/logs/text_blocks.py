"""Logs in text blocks: the label of an episode in one line, then its rows of numbers, then an empty line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from offnominal.core.errors import InvalidLog
from offnominal.core.files import file_errors
from offnominal.datasets.logs.row_source import TableRows

SEPARATORS = str.maketrans({",": " ", ";": " "})


def read_blocks(path: Path) -> TableRows:
    """Return the rows of a file of labelled blocks, such as UCI's robot execution failures.

    The columns are ``0``, ``1`` and so on, ``episode``, the number of the block, and ``label``, its first line.

    Raises:
        InvalidLog: A line is no row of numbers, or has another length than the first row.
    """
    rows: list[list[float]] = []
    episodes: list[int] = []
    labels: list[str] = []
    label, began = "", False
    try:
        with file_errors(path):
            lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise InvalidLog(f"{path} is not text in UTF-8; convert it first.") from None
    for number, line in enumerate(lines, 1):
        words = line.translate(SEPARATORS).split()
        values = _numbers(words)
        if not words:
            began = False
        elif values is not None:
            if rows and len(values) != len(rows[0]):
                raise InvalidLog(f"{path}: line {number} has {len(values)} numbers; expected {len(rows[0])}.")
            if not label:
                raise InvalidLog(f"{path}: line {number} has numbers before the first label; expected a label.")
            rows.append(values)
            labels.append(label)
            episodes.append(episodes[-1] + (not began) if episodes else 0)
            began = True
        elif not began:
            label = line.strip()
        else:
            raise InvalidLog(f"{path}: line {number} is {line.strip()[:40]!r}; expected {len(rows[0])} numbers.")
    if not rows:
        raise InvalidLog(f"{path} has no rows of numbers.")
    matrix = np.array(rows)
    columns = {str(index): pa.array(np.ascontiguousarray(matrix[:, index])) for index in range(matrix.shape[1])}
    source = TableRows(str(path), pa.table({**columns, "episode": pa.array(episodes), "label": pa.array(labels)}))
    source.suggested = {"observations": list(columns), "episode": "episode"}
    return source


def _numbers(words: list[str]) -> list[float] | None:
    try:
        return [float(word) for word in words]
    except ValueError:
        return None
