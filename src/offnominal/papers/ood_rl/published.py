"""The published numbers that are known to us."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A row of a published table.

    Args:
        tables: Numbers of the tables that may contain it.
        world: Id of the world.
        method: Kind of the agent; empty if not known.
        anomaly: Id of the anomaly; empty for a mean over all rows of the method.
        value: Parameter of the anomaly; None if not known.
        mean: Mean AUC over trials.
        std: Standard deviation over trials, ddof 1.
        best: Largest AUC of the trials.
        trials: The known ones of the five trials.
    """

    tables: range
    world: str
    method: str
    anomaly: str
    value: float | None
    mean: float | None
    std: float | None
    best: float | None
    trials: tuple[float, ...]


@cache
def published_rows() -> tuple[PublishedRow, ...]:
    """Return every published number that is known to us.

    Example:
        >>> max(row.best for row in published_rows() if 9 in row.tables)
        0.727
    """
    text = files("offnominal.papers.ood_rl").joinpath("published.csv").read_text(encoding="utf-8")
    lines = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    return tuple(
        PublishedRow(
            tables=_tables(row["table"]),
            world=row["world"],
            method=row["method"],
            anomaly=row["anomaly"],
            value=_number(row["value"]),
            mean=_number(row["mean"]),
            std=_number(row["std"]),
            best=_number(row["best"]),
            trials=tuple(float(each) for each in row["trials"].split()),
        )
        for row in lines
    )


def _tables(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def _number(text: str) -> float | None:
    return float(text) if text else None
