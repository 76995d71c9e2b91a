"""The rows of a search, on a table or on images: metrics of every configuration, of ensembles, and the cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from offnominal.core.types import FloatArray
from offnominal.datasets.tables import TableSplit
from offnominal.papers.comparison.search.configuration_result import ConfigurationResult, configuration_rows
from offnominal.papers.comparison.search.ensembles import ENSEMBLES, ensemble
from offnominal.papers.comparison.search.polarity import rank_correlation
from offnominal.studies.resource_meter import ResourceMeter


def search_rows(
    method: str,
    table: str,
    seed: int,
    results: Sequence[ConfigurationResult],
    parts: TableSplit,
    distances: FloatArray,
    *,
    defaults: Sequence[ConfigurationResult] = (),
) -> list[dict[str, Any]]:
    """Return a row per configuration, one per ensemble of the best, and one per default configuration.

    Args:
        method: Short name of the method.
        table: Name of the table or image set.
        seed: Random seed of the split.
        results: Results of the configurations.
        parts: The split.
        distances: Distance of each test point to the training points; see `polarity`.
        defaults: Results of the parameters for use without known anomalies.
    """
    validation, test = parts.validation.anomalous, parts.test.anomalous
    found = list(results)
    if any(each.validation is not None for each in results):
        found += [
            ConfigurationResult({"ensemble": size}, *ensemble(results, validation, size=size)) for size in ENSEMBLES
        ]
    found += defaults
    rows = configuration_rows(method, table, seed, found, validation, test)
    for row, each in zip(rows, found, strict=True):
        row["polarity"] = math.nan if each.test is None else rank_correlation(each.test, distances)
    return rows


def count_cost(meter: ResourceMeter, fit_s: float, score_s: float, scored: int, parts: TableSplit) -> None:
    """Count the cost of a search, which its configurations measured one by one.

    Args:
        meter: The meter of the cell.
        fit_s: CPU seconds of all fits.
        score_s: CPU seconds of all scores.
        scored: Number of configurations that were scored.
        parts: The split.
    """
    meter.cpu |= {"fit": fit_s, "score": score_s}
    meter.steps = scored * (len(parts.validation) + len(parts.test))
