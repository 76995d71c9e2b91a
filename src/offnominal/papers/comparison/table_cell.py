"""Cells of a comparison: one method, searched over on one split of one table."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from offnominal.core.config import Config
from offnominal.studies.cell import Named

ENSEMBLES = (5, 10)
Sampler = Literal["random", "optuna"]


@dataclass(frozen=True)
class SearchCell(Config):
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

    module: ClassVar[str] = "offnominal.papers.comparison.table_execution"

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
    def world(self) -> str:
        """The table."""
        return self.table

    @property
    def policy(self) -> str:
        """Nobody acts."""
        return ""

    @property
    def name(self) -> str:
        """The method."""
        return self.method

    @property
    def detector(self) -> str:
        """None that is registered: the method brings its own."""
        return ""

    @property
    def label(self) -> str:
        """Table, method and seed, for people."""
        return f"{self.table}/{self.method}/{self.seed}"

    @property
    def source(self) -> str:
        """A hash of what decides the table."""
        text = json.dumps([self.table, self.drop_identifiers])
        return hashlib.sha256(text.encode()).hexdigest()

    def targets(self) -> Iterator[Named]:
        """Yield nothing: its method is one of ours."""
        return iter(())
