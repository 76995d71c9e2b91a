"""Splits of a table into training, validation and test rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.streams import Stream, check_seed
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.datasets.tables.table import Table

Normalise = Literal["train", "paper"] | None
RELATIVE_FLOOR = 1e-10
PAPER_FLOOR = 1e-15
PAPER_NOTHING = 1e-8


@dataclass(frozen=True, slots=True)
class SplitRows:
    """Row indices of the three parts; anomalies follow the normal rows."""

    train: IntArray
    validation: IntArray
    test: IntArray


@dataclass(frozen=True, slots=True)
class TablePart:
    """Rows of a table in random order.

    Attributes:
        points: (n, d) features.
        anomalous: (n,) labels.
        rows: (n,) row indices in the table; anomalies follow the normal rows.
    """

    points: FloatArray
    anomalous: BoolArray
    rows: IntArray

    @property
    def normal(self) -> FloatArray:
        """Normal points, for example for early stopping."""
        return self.points[~self.anomalous]

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        return f"TablePart({len(self)} points, {int(self.anomalous.sum())} anomalous)"


@dataclass(frozen=True, slots=True)
class TableSplit:
    """Training, validation and test split of a table.

    Attributes:
        train: Normal points, and anomalies if contaminated.
        validation: Normal and anomalous points, for model selection.
        test: Normal and anomalous points, for evaluation.
        scale: Scale of the points, which can be applied to new points; None if they are not scaled.
    """

    train: TablePart
    validation: TablePart
    test: TablePart
    scale: ColumnScale | None = None


def split_table(table: Table, seed: int, *, normalise: Normalise = "train", contamination: float = 0.0) -> TableSplit:
    """Split a table 60 / 20 / 20, with half of the anomalies in validation and half in test.

    Counts are rounded down, so up to two normal rows and one anomaly are not used. The same seed gives the same split
    on every machine.

    Args:
        table: Table to split.
        seed: Seed of the shuffle.
        normalise: ``train`` standardises columns by the training points; ``paper`` by all rows, including anomalies and
            test rows, as in the paper; None does not scale.
        contamination: Fraction of anomalies among the training points, taken before the others are divided.

    Raises:
        InvalidParameter: There are too few rows or too few anomalies for the contamination, or the normalisation is
            unknown.

    Example:
        >>> table = Table("mine", np.arange(20.0)[:, None], [[90.0], [91.0], [92.0], [93.0]])
        >>> parts = split_table(table, seed=1)
        >>> parts.train, parts.test
        (TablePart(12 points, 0 anomalous), TablePart(6 points, 2 anomalous))
    """
    if normalise not in ("train", "paper", None):
        raise InvalidParameter(f"normalise is {normalise!r}; expected 'train', 'paper' or None.")
    chosen = split_rows(len(table.normal), len(table.anomalous), seed, contamination=contamination, name=table.name)
    train, validation, test = (_part(table, rows) for rows in (chosen.train, chosen.validation, chosen.test))
    if normalise is None:
        return TableSplit(train, validation, test)
    if normalise == "paper":
        scale = paper_scale(np.concatenate([table.normal, table.anomalous]))
    else:
        scale = training_scale(train.points)
    train, validation, test = (replace(part, points=scale.apply(part.points)) for part in (train, validation, test))
    return TableSplit(train, validation, test, scale)


def _part(table: Table, rows: IntArray) -> TablePart:
    anomalous = rows >= len(table.normal)
    points = np.empty((len(rows), table.dim))
    points[~anomalous] = table.normal[rows[~anomalous]]
    points[anomalous] = table.anomalous[rows[anomalous] - len(table.normal)]
    return TablePart(points, anomalous, rows)


def split_rows(
    normals: int, anomalies: int, seed: int, *, contamination: float = 0.0, name: str = "the data"
) -> SplitRows:
    """Return the row indices of :func:`split_table`.

    Args:
        normals: Number of normal rows.
        anomalies: Number of anomalous rows, which follow them.
        seed: Seed of the shuffle.
        contamination: Fraction of anomalies among the training rows.
        name: Name of the data, for the error message.
    """
    check_seed(seed)
    if normals < 5 or anomalies < 2:
        raise InvalidParameter(
            f"{name} has {normals} normal and {anomalies} anomalous rows; a split needs at least 5 and 2."
        )
    train, rest = normals * 6 // 10, normals // 5
    mixed = _contaminants(train, anomalies, contamination, name)
    half = (anomalies - mixed) // 2
    normal = _shuffled(normals, seed, "table/normal")
    anomalous = normals + _shuffled(anomalies, seed, "table/anomalous")
    parts = (
        (normal[:train], anomalous[:mixed]),
        (normal[train : train + rest], anomalous[mixed : mixed + half]),
        (normal[train + rest : train + 2 * rest], anomalous[mixed + half : mixed + 2 * half]),
    )
    mixtures = [np.concatenate(part) for part in parts]
    orders = [_shuffled(len(part), seed, f"table/order/{k}") for k, part in enumerate(mixtures)]
    return SplitRows(*(part[order] for part, order in zip(mixtures, orders, strict=True)))


def _contaminants(train: int, anomalies: int, contamination: float, name: str) -> int:
    if not 0.0 <= contamination < 1.0:
        raise InvalidParameter(f"contamination is {contamination}; expected a fraction of at least 0 and below 1.")
    mixed = int(train * contamination / (1.0 - contamination))
    if anomalies - mixed < 2:
        raise InvalidParameter(
            f"{name} has {anomalies} anomalies; a contamination of {contamination} takes {mixed} of them and leaves "
            "too few for validation and test. Choose a smaller one."
        )
    return mixed


def _shuffled(n: int, seed: int, purpose: str) -> IntArray:
    """Return 0 .. n - 1 in random order, independent of the version of NumPy."""
    uniform: Array = Stream.named(seed, 0, purpose).uniform(n)
    return np.argsort(uniform, kind="stable")


@dataclass(frozen=True, slots=True)
class ColumnScale:
    """Mean and standard deviation per column.

    Attributes:
        mean: (d,) mean.
        deviation: (d,) standard deviation.
        min_deviation: Deviations from the mean up to this are set to zero.
    """

    mean: FloatArray
    deviation: FloatArray
    min_deviation: float = 0.0

    def apply(self, points: FloatArray) -> FloatArray:
        """Return standardised points."""
        scaled: FloatArray = points - self.mean
        if self.min_deviation:
            scaled[np.abs(scaled) <= self.min_deviation] = 0.0
        scaled /= self.deviation
        return scaled


def training_scale(train: FloatArray) -> ColumnScale:
    """Return the scale of the training points, with the sample standard deviation (ddof 1).

    A column that is constant in the training points is centred and not scaled.

    Example:
        >>> scale = training_scale(np.array([[0.0, 7.0], [2.0, 7.0]]))
        >>> scale.apply(np.array([[0.0, 7.0], [4.0, 9.0]]))
        array([[-0.70710678,  0.        ],
               [ 2.12132034,  2.        ]])
    """
    mean, deviation = train.mean(axis=0), train.std(axis=0, ddof=1)
    varies = deviation > RELATIVE_FLOOR * np.maximum(np.abs(mean), RELATIVE_FLOOR)
    return ColumnScale(mean, np.where(varies, deviation, 1.0))


def paper_scale(points: FloatArray) -> ColumnScale:
    """Return the scale of all rows of a table, as in the paper.

    Mean and standard deviation include test rows and anomalies, which leaks information into the training.
    """
    variance = points.var(axis=0, ddof=1)
    deviation = np.where(variance <= PAPER_FLOOR, 1.0, np.sqrt(variance))
    return ColumnScale(points.mean(axis=0), deviation, PAPER_NOTHING)
