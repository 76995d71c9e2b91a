"""The configurations of a cell of a comparison on tables."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from functools import lru_cache

from offnominal.datasets.tables import Table, TableSplit, split_table
from offnominal.papers.comparison.cells import SearchCell
from offnominal.papers.comparison.runners.runner import ConfigurationRunner
from offnominal.papers.comparison.runners.runner_catalogue import runner_of
from offnominal.papers.comparison.search.configuration_result import ConfigurationResult
from offnominal.papers.comparison.search.defaults import default_of, has_default
from offnominal.papers.comparison.search.metrics import measure
from offnominal.papers.comparison.search.optuna_search import optuna_configurations
from offnominal.papers.comparison.search.search_space import Configuration, sample_configurations, search_space_of

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
    parts = split_table(table, cell.seed, normalise=cell.normalise)
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
