"""Ensembles of the best configurations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import BoolArray, FloatArray
from offnominal.papers.comparison.search.configuration_result import ConfigurationResult
from offnominal.papers.comparison.search.metrics import METRICS

Normalisation = Literal["rank", "z", "raw"]

ENSEMBLES = (5, 10)
"""Numbers of configurations in an ensemble."""


def ensemble(
    results: Sequence[ConfigurationResult],
    anomalous: BoolArray,
    *,
    size: int = 5,
    criterion: str = "auc",
    normalise: Normalisation = "rank",
) -> tuple[FloatArray, FloatArray]:
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
    scored = [(each.validation, each.test) for each in results if each.validation is not None and each.test is not None]
    values = [METRICS[criterion](validation, anomalous) for validation, _ in scored]
    order = [place for place in np.argsort(-np.array(values), kind="stable") if not np.isnan(values[place])]
    if not order:
        raise InvalidParameter(f"none of {len(results)} configurations has scores; see their failures.")
    best = [scored[place] for place in order[:size]]
    pairs = [_normalised(validation, test, normalise) for validation, test in best]
    return _mean([first for first, _ in pairs]), _mean([second for _, second in pairs])


def _normalised(validation: FloatArray, test: FloatArray, how: Normalisation) -> tuple[FloatArray, FloatArray]:
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


def _mean(scores: Sequence[FloatArray]) -> FloatArray:
    stacked = np.stack(scores)
    there = ~np.isnan(stacked)
    total = np.where(there, stacked, 0.0).sum(axis=0)
    return np.where(there.any(axis=0), total / np.maximum(there.sum(axis=0), 1), np.nan)
