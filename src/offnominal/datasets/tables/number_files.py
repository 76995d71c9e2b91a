"""Numeric text files, with errors that name the line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from offnominal.core.errors import DamagedFile
from offnominal.core.files import read_text
from offnominal.core.types import FloatArray, IntArray


def read_numbers(path: Path, *, separator: str | None = None, skip: int = 0) -> FloatArray:
    """Return the table of numbers in a text file.

    Args:
        path: Of the file.
        separator: Between the numbers of a line; any blanks if None.
        skip: Lines to leave out at the top.

    Raises:
        DamagedFile: A line holds text, or more or fewer numbers than the first, or there is no line at all.
    """
    return parse_numbers(read_text(path).splitlines()[skip:], path, separator=separator)


def parse_numbers(lines: Iterable[str], path: Path, *, separator: str | None = None) -> FloatArray:
    """Return the table of numbers in lines of text."""
    kept = [line for line in lines if line.strip()]
    if not kept:
        raise DamagedFile(f"{path} has no rows; fetch it again.")
    try:
        rows = np.loadtxt(kept, np.float64, delimiter=separator, ndmin=2, comments=None)
    except ValueError as error:
        raise DamagedFile(f"{path}: {str(error).rstrip('.')}; expected a number. Fetch it again.") from None
    if not np.isfinite(rows).all():
        row, column = np.argwhere(~np.isfinite(rows))[0]
        raise DamagedFile(f"{path}: row {row}, column {column} is {rows[row, column]}; expected finite numbers.")
    return rows


def one_hot(codes: IntArray, levels: int) -> FloatArray:
    """Return the one-hot encoding of a column.

    Example:
        >>> one_hot(np.array([0, 2]), 3)
        array([[1., 0., 0.],
               [0., 0., 1.]])
    """
    out = np.zeros((len(codes), levels))
    out[np.arange(len(codes)), codes] = 1.0
    return out
