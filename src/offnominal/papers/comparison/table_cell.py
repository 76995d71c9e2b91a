"""Cells of a comparison: one method, searched over on one split of one table."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, Literal

from offnominal.studies.base import BaseCell

ENSEMBLES = (5, 10)
Sampler = Literal["random", "optuna"]


@dataclass(frozen=True)
class SearchCell(BaseCell):
    """Many configurations of one method, fitted on one split of one table.

    Configurations do not depend on the seed. Those that are drawn at random do not depend on the table either.

    Args:
        table: Name of the table.
        method: Short name of the method, as in the paper's tables.
        seed: Of the split and of every fit.
        configurations: How many are tried.
        search: Seed of the configurations.
        sampler: Whether they are drawn at random or proposed by Optuna.
        normalise: How columns are scaled; see :func:`~offnominal.datasets.tables.split_table`.
        limit_s: CPU seconds after which no further configuration is begun.
        drop_identifiers: Whether columns that number the rows are dropped.
        fixed: Parameters that every configuration shares, such as fewer iterations.
        kind: Tells these cells from others in files.

    Example:
        >>> SearchCell("iris", "knn", 1).label
        'iris/knn/1'
    """

    table: str
    method: str
    seed: int
    configurations: int = 100
    search: int = 0
    sampler: Sampler = "random"
    normalise: Literal["train", "paper"] = "train"
    limit_s: float | None = None
    drop_identifiers: bool = True
    fixed: dict[str, Any] = field(default_factory=dict)
    kind: Literal["search"] = "search"

    @property
    def label(self) -> str:
        """Table, method and seed, for people."""
        return f"{self.table}/{self.method}/{self.seed}"

    @property
    def source(self) -> str:
        """A hash of what decides the table."""
        text = json.dumps([self.table, self.drop_identifiers])
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def data_label(self) -> str:
        """Name of its table in progress messages."""
        return f"table {self.table}"

    def columns(self) -> dict[str, Any]:
        """Return the columns of every row; the table is stored as the world."""
        return {"world": self.table, "policy": "", "name": self.method}
