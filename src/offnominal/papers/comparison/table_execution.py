"""Do a cell of a comparison: split its table, try the configurations, measure them."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from offnominal.datasets.tables import Table, TableSplit, load_table, split_table
from offnominal.papers.comparison.configuration_result import ConfigurationResult, configuration_rows
from offnominal.papers.comparison.configurations import configurations_of, default_result
from offnominal.papers.comparison.ensembles import ensemble
from offnominal.papers.comparison.polarity import distances_of, rank_correlation
from offnominal.papers.comparison.runner_catalogue import runner_of
from offnominal.papers.comparison.search_space import search_space_of
from offnominal.papers.comparison.table_cell import ENSEMBLES, SearchCell
from offnominal.studies.cell_result import CellResult, make_result
from offnominal.studies.code import Sources
from offnominal.studies.execution import single_threaded
from offnominal.studies.resource_meter import ResourceMeter

PACKAGE = "offnominal.papers.comparison"
CODE_TARGETS = (f"{PACKAGE}.table_execution:run_cell", "offnominal.datasets.tables.table_split:split_table")


def run_cell(cell: SearchCell, *, sources: Sources | None = None) -> CellResult:
    """Do a cell in this process, with one thread.

    Args:
        cell: What to do.
        sources: Code that was read before.
    """
    meter = ResourceMeter()
    code = code_of(cell, sources or Sources())
    table = _table(cell.table, cell.drop_identifiers)
    parts = split_table(table, cell.seed, normalise=cell.normalise)
    with single_threaded():
        configurations = configurations_of(cell, _table)
        results = runner_of(cell.method).run(configurations, parts, cell.seed, limit_s=cell.limit_s)
        with meter("evaluate"):
            rows = _measured(cell, results, parts)
    cost = {
        "fit_cpu_s": sum(each.fit_s for each in results),
        "score_cpu_s": sum(each.score_s for each in results),
        "evaluate_cpu_s": meter.cpu["evaluate"],
        "wall_s": meter.wall,
        "peak_mb": meter.peak_mb(),
        "steps_scored": len(results) * (len(parts.validation) + len(parts.test)),
    }
    return make_result(cell, rows, cost, data=data_hash(table), code=code)


def _measured(cell: SearchCell, results: Sequence[ConfigurationResult], parts: TableSplit) -> list[dict[str, Any]]:
    """Return a row per configuration, one per ensemble of the best, and one of what is used without anomalies."""
    run_group = []
    if any(each.validation is not None for each in results):
        for size in ENSEMBLES:
            scores = ensemble(results, parts.validation.anomalous, size=size)
            run_group.append(ConfigurationResult({"ensemble": size}, *scores))
    both = [*results, *run_group, *default_result(cell, parts)]
    rows = configuration_rows(
        cell.method, cell.table, cell.seed, both, parts.validation.anomalous, parts.test.anomalous
    )
    distances = distances_of(parts)
    for row, each in zip(rows, both, strict=True):
        row["polarity"] = math.nan if each.test is None else rank_correlation(each.test, distances)
    return rows


def prepare(cell: SearchCell) -> str:
    """Fetch the table of a cell and return its hash."""
    return data_hash(_table(cell.table, cell.drop_identifiers))


def code_of(cell: SearchCell, sources: Sources) -> str:
    """Return the version of the code that a cell uses: of its method, and of what searches and judges."""
    space = search_space_of(cell.method)
    code = [
        sources.version(*CODE_TARGETS, space.detector, space.runner),
        cell.method,
        dict(space.grid),
        dict(space.fixed),
    ]
    return hashlib.sha256(json.dumps(code, sort_keys=True).encode()).hexdigest()


def data_hash(table: Table) -> str:
    """Return a hash over the rows of a table.

    Example:
        >>> data_hash(Table("mine", np.zeros((3, 2)), np.ones((1, 2))))[:8]
        '50c5d1b9'
    """
    text = hashlib.sha256(json.dumps([table.normal.shape, table.anomalous.shape]).encode())
    for rows in (table.normal, table.anomalous):
        text.update(np.ascontiguousarray(rows, "<f8").tobytes())
    return text.hexdigest()


@lru_cache(maxsize=1)
def _table(name: str, drop_identifiers: bool) -> Table:
    return load_table(name, drop_identifiers=drop_identifiers)
