"""Results of configurations, ensembles of the best ones, and their rows."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import BoolArray, FloatArray
from offnominal.datasets.tables import TableSplit
from offnominal.papers.comparison.metrics import METRICS, measure, rank_correlation
from offnominal.papers.comparison.search_spaces import Configuration
from offnominal.studies.resource_meter import ResourceMeter


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


Normalisation = Literal["rank", "z", "raw"]


class Ensemble(NamedTuple):
    """An ensemble of the best configurations of one split.

    Attributes:
        size: Number of configurations.
        criterion: Validation metric to choose them by.
        normalise: What happens to scores before they are averaged; see :func:`ensemble`.

    Example:
        >>> Ensemble(5, "tpr5", "raw").configuration
        {'ensemble': 5, 'criterion': 'tpr5', 'normalise': 'raw'}
    """

    size: int
    criterion: str = "auc"
    normalise: Normalisation = "rank"

    @property
    def configuration(self) -> Configuration:
        """It in place of the parameters of a configuration."""
        return {"ensemble": self.size, "criterion": self.criterion, "normalise": self.normalise}

    @classmethod
    def of(cls, configuration: Configuration) -> Ensemble:
        """Read one; results of earlier versions name the size alone.

        Example:
            >>> Ensemble.of({"ensemble": 10})
            Ensemble(size=10, criterion='auc', normalise='rank')
        """
        return cls(
            configuration["ensemble"], configuration.get("criterion", "auc"), configuration.get("normalise", "rank")
        )


NORMALISATIONS: tuple[Normalisation, ...] = ("rank", "raw")
ENSEMBLES = tuple(
    Ensemble(size, criterion, normalise)
    for normalise in NORMALISATIONS
    for criterion in ("auc", "tpr5")
    for size in (5, 10)
)
"""The ensembles of every search: averages of ranks and, as in the paper, of scores as they are."""
Scored = tuple[FloatArray, FloatArray]


def ensemble(
    results: Sequence[ConfigurationResult],
    anomalous: BoolArray,
    *,
    size: int = 5,
    criterion: str = "auc",
    normalise: Normalisation = "rank",
) -> Scored:
    """Return the validation and test scores of the best configurations, averaged.

    Args:
        results: Results of the configurations on one split.
        anomalous: (n,) labels of the validation points.
        size: Number of the best configurations; fewer if fewer succeeded.
        criterion: Validation metric to choose by.
        normalise: ``rank`` replaces scores by their ranks within a part, so that a score depends on the rest of the
            part; ``z`` takes the mean and the deviation of the validation scores; ``raw`` averages as they are, as the
            paper did, so that the largest unit wins.

    Raises:
        InvalidParameter: No configuration succeeded, or an unknown criterion or normalisation.

    Example:
        >>> labels = np.array([False, False, True])
        >>> small = ConfigurationResult({"n_neighbors": 1}, np.array([0.1, 0.2, 0.3]), np.array([0.1, 0.3, 0.2]))
        >>> large = ConfigurationResult(
        ...     {"n_neighbors": 2}, np.array([100.0, 200.0, 300.0]), np.array([300.0, 200.0, 100.0])
        ... )
        >>> ensemble([small, large], labels)[1].round(2).tolist()
        [0.5, 0.67, 0.33]
        >>> ensemble([small, large], labels, normalise="raw")[1].tolist()
        [150.05, 100.15, 50.1]
    """
    if criterion not in METRICS or normalise not in ("rank", "z", "raw"):
        raise InvalidParameter(
            f"criterion is {criterion!r} and normalise {normalise!r}; expected one of {', '.join(METRICS)}, and one of "
            "rank, z, raw."
        )
    best = _best_first(results, anomalous, criterion)
    if not best:
        raise InvalidParameter(f"none of {len(results)} configurations has scores; see their failures.")
    return _averaged(best[:size], normalise)


def ensemble_results(results: Sequence[ConfigurationResult], anomalous: BoolArray) -> list[ConfigurationResult]:
    """Return the results of all :data:`ENSEMBLES`; of a criterion that no configuration has, none.

    Args:
        results: Results of the configurations on one split.
        anomalous: (n,) labels of the validation points.
    """
    criteria = dict.fromkeys(each.criterion for each in ENSEMBLES)
    best = {criterion: _best_first(results, anomalous, criterion) for criterion in criteria}
    return [
        ConfigurationResult(each.configuration, *_averaged(best[each.criterion][: each.size], each.normalise))
        for each in ENSEMBLES
        if best[each.criterion]
    ]


def _best_first(results: Sequence[ConfigurationResult], anomalous: BoolArray, criterion: str) -> list[Scored]:
    """Return the scores of the configurations that have the criterion, the best one first."""
    scored = [(each.validation, each.test) for each in results if each.validation is not None and each.test is not None]
    values = [METRICS[criterion](validation, anomalous) for validation, _ in scored]
    return [scored[place] for place in np.argsort(-np.array(values), kind="stable") if not np.isnan(values[place])]


def _averaged(scored: Sequence[Scored], normalise: Normalisation) -> Scored:
    """Return the mean validation scores and the mean test scores of some configurations."""
    pairs = [_normalised(validation, test, normalise) for validation, test in scored]
    return _mean_scores([first for first, _ in pairs]), _mean_scores([second for _, second in pairs])


def _normalised(validation: FloatArray, test: FloatArray, how: Normalisation) -> Scored:
    if how == "raw":
        return validation, test
    if how == "rank":
        return _ranks(validation), _ranks(test)
    mean, deviation = np.nanmean(validation), np.nanstd(validation)
    scale = deviation if deviation > 0.0 else 1.0
    return (validation - mean) / scale, (test - mean) / scale


def _ranks(scores: FloatArray) -> FloatArray:
    """Return ranks in (0, 1); ties share their mean rank, and missing scores stay missing."""
    from scipy.stats import rankdata

    ranks = np.asarray(rankdata(scores, nan_policy="omit"), np.float64)
    return (ranks - 0.5) / len(scores)


def _mean_scores(scores: Sequence[FloatArray]) -> FloatArray:
    stacked = np.stack(scores)
    there = ~np.isnan(stacked)
    total = np.where(there, stacked, 0.0).sum(axis=0)
    return np.where(there.any(axis=0), total / np.maximum(there.sum(axis=0), 1), np.nan)


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
    found = [*results, *ensemble_results(results, validation), *defaults]
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
