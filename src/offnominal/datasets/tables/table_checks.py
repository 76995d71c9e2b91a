"""Checks of tables for properties that can invalidate results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from offnominal.core.rounding import fixed
from offnominal.core.types import BoolArray, FloatArray, KeyArray
from offnominal.datasets.tables.table import Table
from offnominal.datasets.tables.table_split import split_rows

FEW_NORMAL = 100
FEW_ANOMALOUS = 20
SEED = 1
TWINS = 0.9
NAMED = 3


@dataclass(frozen=True, slots=True)
class TableFinding:
    """One finding about a table.

    Attributes:
        table: Name of the table.
        kind: ``identifier``, ``constant column``, ``duplicates``, ``leak``, ``same as normal``,
            ``few rows``, ``twins``.
        sentence: Description with numbers.
    """

    table: str
    kind: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.table}: {self.sentence}"


def check_table(table: Table) -> list[TableFinding]:
    """Return the findings about a table; an empty list if there are none.

    The checks find identifiers, constant columns, duplicate normal rows, test rows that are also training rows (in the
    split with seed 1), anomalies that are equal to a normal row, and too few rows.

    Example:
        >>> rows = np.stack([np.arange(200.0), np.sin(np.arange(200.0))], axis=1)
        >>> for finding in check_table(Table("mine", rows[:150], rows[150:])):
        ...     print(finding)
        mine: column 0 counts the rows: whole numbers, all different, in order. Drop it: it may give classes away.
    """
    normal, anomalous = _row_keys(table.normal), _row_keys(table.anomalous)
    found = [
        *_identifiers(table),
        *_constant(table),
        *_duplicates(table, normal),
        *_leak(table, normal),
        *_same_as_normal(table, normal, anomalous),
        *_few(table),
    ]
    return [TableFinding(table.name, kind, sentence) for kind, sentence in found]


def find_twins(tables: Sequence[Table]) -> list[TableFinding]:
    """Return the pairs of tables with nearly the same rows, regardless of their labels.

    Results on such a pair are not independent.

    Example:
        >>> rows = np.random.default_rng(0).normal(size=(60, 3))
        >>> first, second = Table("a", rows[:50], rows[50:]), Table("b", rows[10:], rows[:10])
        >>> print(find_twins([first, second])[0])
        a: 100 % of its rows are those of b. Count the two as one.
    """
    keys = {table.name: np.union1d(_row_keys(table.normal), _row_keys(table.anomalous)) for table in tables}
    found = []
    for one, other in combinations(tables, 2):
        if one.dim != other.dim:
            continue
        common = len(np.intersect1d(keys[one.name], keys[other.name], assume_unique=True))
        share = common / max(len(keys[one.name]), len(keys[other.name]))
        if share >= TWINS:
            sentence = f"{fixed(100 * share, 0)} % of its rows are those of {other.name}. Count the two as one."
            found.append(TableFinding(one.name, "twins", sentence))
    return found


Found = list[tuple[str, str]]


def _identifiers(table: Table) -> Found:
    """Find columns of integers that increase with the row."""
    found: Found = []
    for k, column in enumerate(table.normal.T):
        if not _counts(column):
            continue
        everything = np.concatenate([column, table.anomalous[:, k]])
        if len(np.unique(everything)) == len(everything):
            name = table.columns[k].name
            sentence = (
                f"{name} counts the rows: whole numbers, all different, in order. Drop it: it may give classes away."
            )
            found.append(("identifier", sentence))
    return found


def _counts(column: FloatArray) -> bool:
    rises = len(column) > 2 and bool((np.diff(column) > 0).all())
    return rises and bool((column == np.floor(column)).all())


def _constant(table: Table) -> Found:
    flat = np.flatnonzero(np.ptp(table.normal, axis=0) == 0) if len(table.normal) else np.empty(0, int)
    if not len(flat):
        return []
    names = ", ".join(table.columns[k].name for k in flat[:NAMED]) + (", …" if len(flat) > NAMED else "")
    other = int((table.anomalous[:, flat] != table.normal[0, flat]).any(axis=1).sum())
    tail = (
        f"; {other} of {len(table.anomalous)} anomalies differ there, and these columns alone find them"
        if other
        else ""
    )
    plural = "columns are" if len(flat) > 1 else "column is"
    return [("constant column", f"{len(flat)} {plural} constant in the normal rows ({names}){tail}.")]


def _duplicates(table: Table, keys: KeyArray) -> Found:
    repeated = len(keys) - len(np.unique(keys))
    if not repeated:
        return []
    share = 100 * repeated / len(keys)
    return [("duplicates", f"{repeated} of {len(keys)} normal rows ({fixed(share, 1)} %) repeat another normal row.")]


def _leak(table: Table, keys: KeyArray) -> Found:
    if len(table.normal) < 5 or len(table.anomalous) < 2:
        return []
    rows = split_rows(len(table.normal), len(table.anomalous), SEED)
    test = rows.test[rows.test < len(keys)]
    known: BoolArray = np.isin(keys[test], keys[rows.train])
    if not known.any():
        return []
    share = 100 * known.mean()
    return [
        (
            "leak",
            f"{known.sum()} of {len(test)} normal test rows ({fixed(share, 1)} %) are equal to a training row "
            f"(seed {SEED}); detectors that remember rows look better than they are.",
        )
    ]


def _same_as_normal(table: Table, normal: KeyArray, anomalous: KeyArray) -> Found:
    same = int(np.isin(anomalous, normal).sum())
    if not same:
        return []
    return [("same as normal", f"{same} of {len(anomalous)} anomalies are equal to a normal row; none can find those.")]


def _few(table: Table) -> Found:
    found: Found = []
    for rows, kind, least in ((table.normal, "normal", FEW_NORMAL), (table.anomalous, "anomalous", FEW_ANOMALOUS)):
        if len(rows) < least:
            found.append(("few rows", f"only {len(rows)} {kind} rows; results on so few move a lot with the seed."))
    return found


def _row_keys(rows: FloatArray) -> KeyArray:
    """Return 64-bit hashes of rows; equal rows have equal hashes (0 equals -0)."""
    keys = np.zeros(len(rows), np.uint64)
    for column in rows.T:
        bits = (np.ascontiguousarray(column) + 0.0).view(np.uint64)
        keys = (keys ^ bits) * np.uint64(0x9E3779B97F4A7C15)
        keys ^= keys >> np.uint64(29)
    return keys
