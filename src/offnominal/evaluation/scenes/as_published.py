"""Metrics as the public code of AnoVox computes them, to show what its threshold grid does.

F1 and PPV are means over ten thresholds of the raw score, and FPR95 is read at the first of the thresholds 1.00, 0.99,
…, 0.00 that detects 95 % of the anomalies. A detector whose scores are small reaches that only at 0, where everything
is detected, so its FPR95 is 100 % whatever it ranks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.errors import InvalidScores
from offnominal.core.types import Array
from offnominal.evaluation.errors import InvalidLabels
from offnominal.evaluation.ranking import rank

SCORE_THRESHOLDS = np.arange(0.25, 0.75, 0.05)
SCAN = 1.0 - np.arange(101) / 100.0


@dataclass(frozen=True, slots=True)
class PublishedMetrics:
    """Metrics as published, as shares from 0 to 1.

    Args:
        aupr: Average precision.
        auroc: Area under the ROC curve.
        f1: Mean F1 over the thresholds 0.25, 0.30, …, 0.70.
        ppv: Mean precision over the same thresholds; 0 where nothing is detected.
        fpr95: False-positive rate at the first threshold of the scan that detects 95 % of the anomalies; 1 if none
            does.
    """

    aupr: float
    auroc: float
    f1: float
    ppv: float
    fpr95: float


def measure_as_published(positives: Array, negatives: Array, *, normalised: bool = False) -> PublishedMetrics:
    """Return the metrics of the scores of anomalous and of other elements.

    Args:
        positives: Scores of anomalous elements.
        negatives: Scores of other elements.
        normalised: Whether to scale all scores together to [0, 1] first.

    Raises:
        InvalidLabels: There are no scores of one kind.
        InvalidScores: A score is not a number.

    Example:
        >>> found = measure_as_published(np.array([0.004, 0.005]), np.array([0.001, 0.002]))
        >>> found.auroc, found.fpr95, found.f1
        (1.0, 1.0, 0.0)
    """
    one, two = np.sort(np.ravel(positives).astype(np.float32)), np.sort(np.ravel(negatives).astype(np.float32))
    if not (len(one) and len(two)):
        raise InvalidLabels("the elements are all anomalous or all normal; give scores of both kinds.")
    if np.isnan(one[-1]) or np.isnan(two[-1]):  # Sorted last; the ranks of scores that are no numbers have no end.
        raise InvalidScores("a score is not a number; the metrics need numbers.")
    if normalised:
        low, high = min(one[0], two[0]), max(one[-1], two[-1])
        one, two = ((each - low) / max(high - low, np.finfo(np.float32).tiny) for each in (one, two))
    auroc, aupr, _ = rank(one, two)
    found, alarmed = (len(each) - np.searchsorted(each, SCORE_THRESHOLDS) for each in (one, two))
    ppv = found / np.maximum(found + alarmed, 1)
    f1 = 2.0 * found / (found + alarmed + len(one))
    enough = np.flatnonzero(len(one) - np.searchsorted(one, SCAN) >= 0.95 * len(one))
    first = SCAN[enough[0]] if len(enough) else -np.inf
    return PublishedMetrics(aupr, auroc, float(f1.mean()), float(ppv.mean()), float((two >= first).mean()))
