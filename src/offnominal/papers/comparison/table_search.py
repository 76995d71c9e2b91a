"""Run a cell of a comparison on a table: split it, choose and fit the configurations, evaluate them."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from offnominal.datasets.tables import Table, TableSplit, load_table, split_table
from offnominal.datasets.tables.own_tables import own_table_version
from offnominal.papers.comparison.cells import SearchCell
from offnominal.papers.comparison.clustered_anomalies import clustered_anomalies
from offnominal.papers.comparison.configuration_results import ConfigurationResult, count_cost, search_rows
from offnominal.papers.comparison.finished_fits import FinishedFits
from offnominal.papers.comparison.metrics import distances_of, measure
from offnominal.papers.comparison.optuna_search import optuna_configurations
from offnominal.papers.comparison.runners.runner import ConfigurationRunner, runner_of
from offnominal.papers.comparison.search_spaces import (
    Configuration,
    default_of,
    has_default,
    sample_configurations,
    search_space_of,
)
from offnominal.studies.cell_result import CellRows
from offnominal.studies.code import Sources
from offnominal.studies.resource_meter import ResourceMeter

CODE_TARGETS = (
    "offnominal.papers.comparison.table_search:run_search",
    "offnominal.datasets.tables.table_split:split_table",
)


def run_search(cell: SearchCell, table: Table, meter: ResourceMeter, *, code: str) -> CellRows:
    """Fit and evaluate all configurations of a cell.

    Args:
        cell: The cell.
        table: Its table.
        meter: Measures the cost.
        code: Hash of the code; finished fits are kept under it until the cell is finished.
    """
    parts = parts_of(cell, table)
    fits = FinishedFits(cell.digest(), code, data_hash(table))
    configurations = configurations_of(cell, open_table)
    results = runner_of(cell.method).run(configurations, parts, cell.seed, limit_s=cell.limit_s, fits=fits)
    with meter("evaluate"):
        defaults = default_result(cell, parts)
        distances = distances_of(parts)
        rows = search_rows(cell.method, cell.table, cell.seed, results, parts, distances, defaults=defaults)
    fit_s, score_s = sum(each.fit_s for each in results), sum(each.score_s for each in results)
    count_cost(meter, fit_s, score_s, len(results), parts)
    fits.remove()
    return CellRows(rows)


def parts_of(cell: SearchCell, table: Table) -> TableSplit:
    """Return the split of the table of a cell."""
    chosen = clustered_anomalies(table, cell.clustered, cell.seed)
    return split_table(chosen, cell.seed, normalise=cell.normalise, contamination=cell.contamination)


def method_code(cell: SearchCell, sources: Sources) -> list[Any]:
    """Return a hash of the code of the method, and its search space.

    The method is a class, not a registered object: it has no version.
    """
    space = search_space_of(cell.method)
    return [sources.version(space.detector, space.runner), cell.method, dict(space.grid), dict(space.fixed)]


def data_hash(table: Table) -> str:
    """Return a hash of the rows of a table.

    Example:
        >>> data_hash(Table("mine", np.zeros((3, 2)), np.ones((1, 2))))[:8]
        '50c5d1b9'
    """
    text = hashlib.sha256(json.dumps([table.normal.shape, table.anomalous.shape]).encode())
    for rows in (table.normal, table.anomalous):
        text.update(np.ascontiguousarray(rows, "<f8").tobytes())
    return text.hexdigest()


def open_table(name: str, drop_identifiers: bool) -> Table:
    """Return a table, downloaded if it is missing."""
    return _loaded(name, drop_identifiers, own_table_version(name))


@lru_cache(maxsize=1)
def _loaded(name: str, drop_identifiers: bool, version: str) -> Table:
    """Return a table; one of your own is read again if its file has another version."""
    return load_table(name, drop_identifiers=drop_identifiers)


GUIDE = 1
"""Seed of the split whose validation points guide a search."""
Load = Callable[[str, bool], Table]
"""Returns a table by its name, and whether identifiers are dropped."""


def configurations_of(cell: SearchCell, load: Load) -> list[Configuration]:
    """Return the configurations that a cell tries: the same for all seeds.

    ``random`` draws them, the same on all tables. ``optuna`` proposes them by the validation AUC on the split of seed
    1; other seeds see the validation points of their own split only when one is chosen, as with random search.

    Args:
        cell: The cell.
        load: Returns its table.
    """
    if cell.sampler == "random":
        runner = runner_of(cell.method)
        drawn = sample_configurations(
            search_space_of(cell.method), cell.configurations, seed=cell.search, accept=runner.accept
        )
    else:
        drawn = _proposed(json.dumps(cell.replace(seed=GUIDE).to_dict(), sort_keys=True), load)
    return [each | cell.fixed for each in drawn]


def default_result(cell: SearchCell, parts: TableSplit) -> list[ConfigurationResult]:
    """Try the parameters to use where no anomaly is known; nothing if the method has none."""
    if not has_default(cell.method):
        return []
    configuration = default_of(cell.method, parts.train.points) | cell.fixed
    (results,) = runner_of(cell.method).run([configuration], parts, cell.seed)
    shown = {"default": True, **configuration}
    return [
        ConfigurationResult(shown, results.validation, results.test, results.fit_s, results.score_s, results.failure)
    ]


@lru_cache(maxsize=2)
def _proposed(text: str, load: Load) -> list[Configuration]:
    """Search on the guiding split; cells that differ in their seed alone follow each other and share this."""
    cell = SearchCell.from_dict(json.loads(text))
    runner, table = runner_of(cell.method), load(cell.table, cell.drop_identifiers)
    parts = parts_of(cell, table)
    objective = _objective(cell, runner, parts)
    return optuna_configurations(
        search_space_of(cell.method), cell.configurations, cell.search, objective=objective, accept=runner.accept
    )


def _objective(
    cell: SearchCell, runner: ConfigurationRunner, parts: TableSplit
) -> Callable[[list[Configuration]], Sequence[float]]:
    start = time.process_time()

    def objective(configurations: list[Configuration]) -> list[float]:
        left = None if cell.limit_s is None else max(0.0, cell.limit_s - (time.process_time() - start))
        results = runner.run([each | cell.fixed for each in configurations], parts, cell.seed, limit_s=left)
        return [math.nan if each.failure else _auc(each, parts) for each in results]

    return objective


def _auc(results: ConfigurationResult, parts: TableSplit) -> float:
    return measure(results.validation, parts.validation.anomalous)["auc"]
