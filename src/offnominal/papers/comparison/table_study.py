"""A comparison of detectors on tables, as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter
from offnominal.datasets.tables import table_entry
from offnominal.papers.comparison.search_space import search_space_of
from offnominal.papers.comparison.table_cell import Sampler, SearchCell
from offnominal.studies.base import BaseStudy
from offnominal.studies.scales import check_integers, check_names


@dataclass(frozen=True)
class SearchScale(Config):
    """How much of a comparison to run; what is None is as the study says.

    Args:
        summary: One line for listings.
        tables: Only these.
        methods: Only these.
        seeds: Of splits and fits.
        configurations: How many of each method.
        limit_s: CPU seconds per cell after which no further configuration is begun.
        fixed: Parameters that every configuration of a method shares.
    """

    summary: str = ""
    tables: tuple[str, ...] | None = None
    methods: tuple[str, ...] | None = None
    seeds: tuple[int, ...] | None = None
    configurations: int | None = None
    limit_s: float | None = None
    fixed: dict[str, dict[str, Any]] | None = None


@dataclass(frozen=True)
class SearchStudy(BaseStudy):
    """Which methods are searched over on which tables.

    Args:
        name: What commands call it.
        title: What people call it.
        summary: What it asks, in a sentence or two.
        tables: Names of tables.
        methods: Short names of methods.
        seeds: Of splits and fits.
        configurations: How many of each method; the same on all tables and seeds.
        search: Seed of the configurations.
        sampler: Whether they are drawn at random, the same on all tables, or proposed by Optuna for each table.
        normalise: How columns are scaled.
        drop_identifiers: Whether columns that number the rows are dropped.
        limit_s: CPU seconds per cell after which no further configuration is begun.
        fixed: Parameters that every configuration of a method shares.
        scales: Smaller or larger versions by name.
        kind: Tells these studies from others in files.

    Example:
        >>> study = SearchStudy("mine", tables=("iris",), methods=("knn", "lof"), seeds=(1,))
        >>> [cell.label for cell in study.cells()]
        ['iris/knn/1', 'iris/lof/1']
    """

    tables: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    seeds: tuple[int, ...] = (1, 2, 3, 4, 5)
    configurations: int = 100
    search: int = 0
    sampler: Sampler = "random"
    normalise: Literal["train", "paper"] = "train"
    drop_identifiers: bool = True
    limit_s: float | None = None
    fixed: dict[str, dict[str, Any]] = field(default_factory=dict)
    scales: dict[str, SearchScale] = field(default_factory=dict)
    kind: Literal["search"] = "search"

    def __post_init__(self) -> None:
        check_names(self.name, self.scales)
        for what in ("tables", "methods", "seeds"):
            if not getattr(self, what):
                raise InvalidParameter(f"study {self.name!r} has no {what}; name at least one.")
        check_integers(self, 1, "configurations")
        check_integers(self, 0, "seeds", "search")
        if self.limit_s is not None and not self.limit_s > 0.0:
            raise InvalidParameter(f"limit_s is {self.limit_s!r}; expected a number of seconds above 0.")
        for table in self.tables:
            table_entry(table)
        for method in (*self.methods, *self.fixed):
            search_space_of(method)

    def cells(self) -> list[SearchCell]:
        """Return every cell: table by table, so that cells which share a table follow each other."""
        return [
            SearchCell(
                table=table,
                method=method,
                seed=seed,
                configurations=self.configurations,
                search=self.search,
                sampler=self.sampler,
                normalise=self.normalise,
                limit_s=self.limit_s,
                drop_identifiers=self.drop_identifiers,
                fixed=self.fixed.get(method, {}),
            )
            for table in self.tables
            for method in self.methods
            for seed in self.seeds
        ]
