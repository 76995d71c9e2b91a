"""The result of a configuration: scores and cost, or the reason of its failure."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.core.types import BoolArray, FloatArray
from offnominal.papers.comparison.search.metrics import measure
from offnominal.papers.comparison.search.search_space import Configuration


@dataclass(frozen=True, slots=True)
class ConfigurationResult:
    """One configuration, fitted on one split.

    Attributes:
        configuration: Parameters of the detector.
        validation: Scores of the validation points; None if it failed.
        test: Scores of the test points; None if it failed.
        fit_s: CPU seconds to fit. Shared work is divided among the configurations.
        score_s: CPU seconds to score both parts.
        failure: Reason of the failure; empty if there is none.
    """

    configuration: Configuration
    validation: FloatArray | None = None
    test: FloatArray | None = None
    fit_s: float = 0.0
    score_s: float = 0.0
    failure: str = ""

    @property
    def key(self) -> str:
        """The configuration as text: equal for equal configurations."""
        return json.dumps(self.configuration, sort_keys=True)


def configuration_rows(
    method: str, table: str, seed: int, results: Iterable[ConfigurationResult], validation: BoolArray, test: BoolArray
) -> list[dict[str, Any]]:
    """Return a row per configuration: its parameters, every metric on both parts, cost, and reason of failure.

    ``normal_score`` is the mean score of the normal validation points, for selection without anomalies.

    Args:
        method: Name of the method.
        table: Name of the table.
        seed: Random seed of the split.
        results: Results of the configurations.
        validation: (n,) labels of the validation points.
        test: (m,) labels of the test points.

    Example:
        >>> results = [
        ...     ConfigurationResult({"n_neighbors": 1}, np.array([0.1, 0.9]), np.array([0.8, 0.2])),
        ...     ConfigurationResult({"n_neighbors": 9}, failure="too few rows"),
        ... ]
        >>> labels = np.array([False, True])
        >>> for row in configuration_rows("knn", "mine", 1, results, labels, labels):
        ...     print(row["configuration"], row["validation_auc"], row["test_auc"], row["failure"])
        {"n_neighbors": 1} 1.0 0.0
        {"n_neighbors": 9} nan nan too few rows
    """
    rows = []
    for each in results:
        row: dict[str, Any] = {"name": method, "detector": method, "parameters": "", "split": each.key}
        row |= {"method": method, "table": table, "seed": seed, "configuration": each.key}
        for part, scores, labels in (("validation", each.validation, validation), ("test", each.test, test)):
            row |= {f"{part}_{name}": value for name, value in measure(scores, labels).items()}
        row["normal_score"] = _mean(each.validation, ~validation)
        row |= {"fit_s": each.fit_s, "score_s": each.score_s, "failure": each.failure}
        rows.append(row)
    return rows


def _mean(scores: FloatArray | None, chosen: BoolArray) -> float:
    if scores is None or np.isnan(scores[chosen]).all():
        return math.nan
    return float(np.nanmean(scores[chosen]))
