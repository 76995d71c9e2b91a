"""Run a cell of a comparison on a table: split it, fit the configurations, evaluate them."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from typing import Any

import numpy as np

from offnominal.datasets.tables import Table, load_table, split_table
from offnominal.datasets.tables.own_tables import own_table_version
from offnominal.papers.comparison.cells import SearchCell
from offnominal.papers.comparison.runners.runner_catalogue import runner_of
from offnominal.papers.comparison.search.configurations import configurations_of, default_result
from offnominal.papers.comparison.search.evaluation import count_cost, search_rows
from offnominal.papers.comparison.search.finished_fits import FinishedFits
from offnominal.papers.comparison.search.polarity import distances_of
from offnominal.papers.comparison.search.search_space import search_space_of
from offnominal.studies.cell_result import CellRows
from offnominal.studies.code import Sources
from offnominal.studies.resource_meter import ResourceMeter

CODE_TARGETS = (
    "offnominal.papers.comparison.search.table_search:run_search",
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
    parts = split_table(table, cell.seed, normalise=cell.normalise)
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
