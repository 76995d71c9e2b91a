"""AUC of modified against unmodified episodes: as in the paper, and controlled for the length of episodes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.types import BoolArray, FloatArray
from offnominal.evaluation.ranking import rank

SEPARATION_METRICS = {
    "auc": "all steps",
    "auc_equal": "equal length",
    "auc_mean": "episode means",
    "auc_max": "episode maxima",
    "auc_equal_mean": "episode means, equal length",
}
"""Metrics and their names in tables; that of the paper comes first."""


@dataclass(frozen=True, slots=True)
class Separation:
    """Separation of modified and unmodified steps by their scores.

    Args:
        auc: Over all steps, as in the paper: long episodes have more weight.
        auc_equal: Over steps at the same time only. Each modified episode has a twin with the same initial state; the
            steps of both count at which the modification is active and neither has ended.
        auc_mean: Over episodes; each is scored by the mean over its steps from the onset on.
        auc_max: The same with the largest score. It depends on the length of episodes.
        auc_equal_mean: As `auc_mean`, over the steps of `auc_equal`.
        threshold: Threshold with the largest value of Youden's J, the true-positive rate minus the false-positive
            rate.
        true_rate: Rate of modified steps at or above it.
        false_rate: Rate of unmodified steps at or above it.
    """

    auc: float
    auc_equal: float
    auc_mean: float
    auc_max: float
    auc_equal_mean: float
    threshold: float
    true_rate: float
    false_rate: float


def measure_separation(
    nominal: Sequence[FloatArray], changed: Sequence[FloatArray], active: Sequence[BoolArray]
) -> Separation:
    """Measure the separation of twins: episode i of both has the same initial state.

    Args:
        nominal: Scores of unmodified episodes, one array each.
        changed: Scores of modified ones.
        active: Whether the modification was active at each step. Steps before it count as unmodified.

    Example:
        >>> nominal, modified = [np.array([1.0, 1.0, 5.0])], [np.array([2.0, 3.0])]
        >>> reading = measure_separation(nominal, modified, [np.ones(2, bool)])
        >>> round(reading.auc, 3), reading.auc_equal, reading.threshold
        (0.667, 1.0, 2.0)
    """
    windows = [slice(int(np.argmax(on)), None) if on.any() else slice(0) for on in active]
    before = [scores[~on] for scores, on in zip(changed, active, strict=True)]
    modified = [scores[on] for scores, on in zip(changed, active, strict=True)]
    unmodified = [scores[window] for scores, window in zip(nominal, windows, strict=True)]
    both = [on[: len(scores)] for scores, on in zip(nominal, active, strict=True)]
    modified_equal = [scores[: len(on)][on] for scores, on in zip(changed, both, strict=True)]
    unmodified_equal = [scores[: len(on)][on] for scores, on in zip(nominal, both, strict=True)]
    positive, negative = _sorted(modified), _sorted([*nominal, *before])
    threshold, true_rate, false_rate = youden(positive, negative) if len(positive) else (math.nan,) * 3
    return Separation(
        _auc(positive, negative),
        _auc(_sorted(modified_equal), _sorted(unmodified_equal)),
        _auc(_each(modified, np.mean), _each(unmodified, np.mean)),
        _auc(_each(modified, np.max), _each(unmodified, np.max)),
        _auc(_each(modified_equal, np.mean), _each(unmodified_equal, np.mean)),
        threshold,
        true_rate,
        false_rate,
    )


def _sorted(parts: Sequence[FloatArray]) -> FloatArray:
    together: FloatArray = np.sort(np.concatenate(parts).astype(np.float64))
    return together


def _each(parts: Sequence[FloatArray], of: Callable[[FloatArray], Any]) -> FloatArray:
    """Return a number per episode that has any steps, sorted."""
    return np.sort(np.array([of(part) for part in parts if len(part)], np.float64))


def _auc(faulty: FloatArray, healthy: FloatArray) -> float:
    return float(rank(faulty, healthy)[0]) if len(faulty) and len(healthy) else math.nan


@compiled
def youden(faulty: FloatArray, healthy: FloatArray) -> tuple[float, float, float]:
    """Return the threshold with the largest J, and its true-positive and false-positive rates.

    Args:
        faulty: Scores in ascending order, not empty.
        healthy: Likewise.
    """
    i, j = len(faulty) - 1, len(healthy) - 1
    best, threshold, true_rate, false_rate = -1.0, np.inf, 0.0, 0.0
    while i >= 0 or j >= 0:
        score = faulty[i] if j < 0 or (i >= 0 and faulty[i] > healthy[j]) else healthy[j]
        while i >= 0 and faulty[i] == score:
            i -= 1
        while j >= 0 and healthy[j] == score:
            j -= 1
        found, alarmed = 1.0 - (i + 1) / len(faulty), 1.0 - (j + 1) / len(healthy)
        if found - alarmed > best:
            best, threshold, true_rate, false_rate = found - alarmed, score, found, alarmed
    return threshold, true_rate, false_rate
