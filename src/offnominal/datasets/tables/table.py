"""Tables with normal and anomalous rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray

DIFFICULTIES = ("easy", "medium", "hard", "very_hard")


@dataclass(frozen=True, slots=True)
class Column:
    """Description of a column.

    Attributes:
        name: Name of the column; ``column 3`` if the file has no names.
        group: Columns of one group are the one-hot levels of one attribute; zero for a numeric column.
    """

    name: str
    group: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """Normal and anomalous rows.

    The arrays are read-only, so that tables can be shared.

    Attributes:
        name: Name of the table.
        normal: (n, d) normal rows.
        anomalous: (m, d) anomalous rows.
        difficulty: Difficulty of each anomaly: ``easy``, ``medium``, ``hard``, ``very_hard``, or empty.
        columns: Description of each column; numeric columns without names by default.

    Raises:
        InvalidParameter: The rows are not finite numbers with the same number of columns.

    Example:
        >>> table = Table("mine", normal=[[0.0, 1.0], [0.1, 0.9]], anomalous=[[5.0, 5.0]])
        >>> table
        Table('mine', normal 2 × 2, anomalous 1)
        >>> Table("mine", normal=[[0.0, float("nan")]], anomalous=[[5.0, 5.0]])
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: mine, normal: row 0, column 1 is nan; expected finite numbers...
    """

    name: str
    normal: FloatArray
    anomalous: FloatArray
    difficulty: NDArray[np.str_] = field(default_factory=lambda: np.empty(0, "U9"))
    columns: tuple[Column, ...] = ()

    def __post_init__(self) -> None:
        normal = rows_of(f"{self.name}, normal", self.normal)
        anomalous = rows_of(f"{self.name}, anomalous", self.anomalous)
        if normal.shape[1] != anomalous.shape[1]:
            raise InvalidParameter(
                f"{self.name}: normal rows have {normal.shape[1]} columns, anomalous ones {anomalous.shape[1]}; "
                "expected the same number."
            )
        difficulty = np.array(self.difficulty, "U9")
        difficulty = difficulty if len(difficulty) else np.full(len(anomalous), "", "U9")
        columns = self.columns or tuple(Column(f"column {k}") for k in range(normal.shape[1]))
        if len(difficulty) != len(anomalous) or len(columns) != normal.shape[1]:
            raise InvalidParameter(
                f"{self.name}: {len(difficulty)} difficulties for {len(anomalous)} anomalies and {len(columns)} column "
                f"descriptions for {normal.shape[1]} columns; expected one for each."
            )
        difficulty.flags.writeable = False
        for name, value in (("normal", normal), ("anomalous", anomalous), ("difficulty", difficulty)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "columns", columns)

    @property
    def dim(self) -> int:
        """Number of columns."""
        return int(self.normal.shape[1])

    def with_difficulties(self, *difficulties: str) -> Table:
        """Return the table with only the anomalies of the given difficulties.

        Raises:
            InvalidParameter: A difficulty is unknown.
        """
        for difficulty in difficulties:
            if difficulty not in DIFFICULTIES:
                raise InvalidParameter(f"difficulty is {difficulty!r}; expected one of {', '.join(DIFFICULTIES)}.")
        keep = np.isin(self.difficulty, difficulties)
        return replace(self, anomalous=self.anomalous[keep], difficulty=self.difficulty[keep])

    def without_columns(self, dropped: Sequence[int]) -> Table:
        """Return the table without the given columns."""
        keep = np.setdiff1d(np.arange(self.dim), np.asarray(dropped, int))
        columns = tuple(self.columns[k] for k in keep)
        return replace(self, normal=self.normal[:, keep], anomalous=self.anomalous[:, keep], columns=columns)

    def __repr__(self) -> str:
        return f"Table({self.name!r}, normal {len(self.normal)} × {self.dim}, anomalous {len(self.anomalous)})"


def rows_of(what: str, given: Any) -> FloatArray:
    """Return rows as a read-only array of finite numbers.

    Raises:
        InvalidParameter: The rows are not a table of finite numbers; the message names the entry.
    """
    if isinstance(given, np.ndarray) and given.dtype == np.float64 and not given.flags.writeable:
        rows = given
    else:
        try:
            rows = np.array(given, np.float64, order="C")
        except Exception as error:  # An object may raise anything when it is converted.
            raise InvalidParameter(f"{what}: {error}; expected a table of numbers.") from None
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise InvalidParameter(f"{what} has the shape {rows.shape}; expected rows × columns.")
    if not np.isfinite(rows).all():
        row, column = np.argwhere(~np.isfinite(rows))[0]
        raise InvalidParameter(
            f"{what}: row {row}, column {column} is {rows[row, column]}; expected finite numbers. Drop or fill it."
        )
    rows.flags.writeable = False
    return rows
