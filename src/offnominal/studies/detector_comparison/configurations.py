"""Which configurations a cell of a comparison tries."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from functools import lru_cache

from offnominal.datasets.tables import Table, TableSplit, split
from offnominal.studies.detector_comparison.cell import SearchCell
from offnominal.studies.detector_comparison.defaults import default_of, has_default
from offnominal.studies.detector_comparison.families import family_of
from offnominal.studies.detector_comparison.family import Family
from offnominal.studies.detector_comparison.guided import guided
from offnominal.studies.detector_comparison.metrics import measure
from offnominal.studies.detector_comparison.space import Configuration, sample, space_of
from offnominal.studies.detector_comparison.tried import Tried

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
        family = family_of(cell.method)
        drawn = sample(space_of(cell.method), cell.configurations, seed=cell.search, accept=family.accept)
    else:
        drawn = _proposed(json.dumps(cell.replace(seed=GUIDE).to_dict(), sort_keys=True), load)
    return [each | cell.fixed for each in drawn]


def usual(cell: SearchCell, parts: TableSplit) -> list[Tried]:
    """Try the parameters to use where no anomaly is known; nothing if the method has none."""
    if not has_default(cell.method):
        return []
    configuration = default_of(cell.method, parts.train.points) | cell.fixed
    (tried,) = family_of(cell.method).run([configuration], parts, cell.seed)
    shown = {"default": True, **configuration}
    return [Tried(shown, tried.validation, tried.test, tried.fit_s, tried.score_s, tried.failure)]


@lru_cache(maxsize=2)
def _proposed(text: str, load: Load) -> list[Configuration]:
    """Search on the guiding split; cells that differ in their seed alone follow each other and share this."""
    cell = SearchCell.from_dict(json.loads(text))
    family, table = family_of(cell.method), load(cell.table, cell.drop_identifiers)
    parts = split(table, cell.seed, normalise=cell.normalise)
    judge = _judge(cell, family, parts)
    return guided(space_of(cell.method), cell.configurations, cell.search, judge=judge, accept=family.accept)


def _judge(cell: SearchCell, family: Family, parts: TableSplit) -> Callable[[list[Configuration]], Sequence[float]]:
    start = time.process_time()

    def judge(configurations: list[Configuration]) -> list[float]:
        left = None if cell.limit_s is None else max(0.0, cell.limit_s - (time.process_time() - start))
        tried = family.run([each | cell.fixed for each in configurations], parts, cell.seed, limit_s=left)
        return [math.nan if each.failure else _auc(each, parts) for each in tried]

    return judge


def _auc(tried: Tried, parts: TableSplit) -> float:
    return measure(tried.validation, parts.validation.anomalous)["auc"]
