"""Do a cell of a comparison: split its table, try the configurations, measure them."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from offnominal.datasets.tables import Table, TableSplit, load_table, split
from offnominal.studies.code import Sources
from offnominal.studies.detector_comparison.cell import ENSEMBLES, SearchCell
from offnominal.studies.detector_comparison.configurations import configurations_of, usual
from offnominal.studies.detector_comparison.ensembles import ensemble
from offnominal.studies.detector_comparison.families import family_of
from offnominal.studies.detector_comparison.polarity import distances_of, goes_with
from offnominal.studies.detector_comparison.space import space_of
from offnominal.studies.detector_comparison.tried import Tried, tried_rows
from offnominal.studies.finished import Finished, finished
from offnominal.studies.meter import Meter
from offnominal.studies.work import one_thread

PACKAGE = "offnominal.studies.detector_comparison"
JUDGE = (f"{PACKAGE}.work:work", "offnominal.datasets.tables.split:split")


def work(cell: SearchCell, *, sources: Sources | None = None) -> Finished:
    """Do a cell in this process, with one thread.

    Args:
        cell: What to do.
        sources: Code that was read before.
    """
    meter = Meter()
    code = code_of(cell, sources or Sources())
    table = _table(cell.table, cell.drop_identifiers)
    parts = split(table, cell.seed, normalise=cell.normalise)
    with one_thread():
        configurations = configurations_of(cell, _table)
        tried = family_of(cell.method).run(configurations, parts, cell.seed, limit_s=cell.limit_s)
        with meter("evaluate"):
            rows = _measured(cell, tried, parts)
    cost = {
        "fit_cpu_s": sum(each.fit_s for each in tried),
        "score_cpu_s": sum(each.score_s for each in tried),
        "evaluate_cpu_s": meter.cpu["evaluate"],
        "wall_s": meter.wall,
        "peak_mb": meter.peak_mb(),
        "steps_scored": len(tried) * (len(parts.validation) + len(parts.test)),
    }
    return finished(cell, rows, cost, data=data_hash(table), code=code)


def _measured(cell: SearchCell, tried: Sequence[Tried], parts: TableSplit) -> list[dict[str, Any]]:
    """Return a row per configuration, one per ensemble of the best, and one of what is used without anomalies."""
    together = []
    if any(each.validation is not None for each in tried):
        for size in ENSEMBLES:
            scores = ensemble(tried, parts.validation.anomalous, size=size)
            together.append(Tried({"ensemble": size}, *scores))
    both = [*tried, *together, *usual(cell, parts)]
    rows = tried_rows(cell.method, cell.table, cell.seed, both, parts.validation.anomalous, parts.test.anomalous)
    distances = distances_of(parts)
    for row, each in zip(rows, both, strict=True):
        row["polarity"] = math.nan if each.test is None else goes_with(each.test, distances)
    return rows


def prepare(cell: SearchCell) -> str:
    """Fetch the table of a cell and return its hash."""
    return data_hash(_table(cell.table, cell.drop_identifiers))


def code_of(cell: SearchCell, sources: Sources) -> str:
    """Return the version of the code that a cell uses: of its method, and of what searches and judges."""
    space = space_of(cell.method)
    code = [sources.version(*JUDGE, space.detector, space.family), cell.method, dict(space.grid), dict(space.fixed)]
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
