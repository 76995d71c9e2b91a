"""True-positive and false-positive rates at every threshold, exact with ties, for many bootstrap replicates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from offnominal.core.types import BoolArray, FloatArray, IntArray
from offnominal.evaluation.bootstrap import Resamples
from offnominal.evaluation.novelty.weighting import Weighting

BLOCK = 32
"""Number of replicates in memory at a time."""
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class ThresholdCurve:
    """Rates at all distinct scores as thresholds, in falling order. An element is detected at or above the threshold.

    Args:
        thresholds: (k,): infinity, where nothing is detected, and the distinct scores.
        tpr: (k, r): share of novel elements that are detected, in each replicate.
        fpr: (k, r): share of normal elements that are detected.
        precision: (k, r): precision with the weighting; NaN where nothing is detected.
    """

    thresholds: FloatArray
    tpr: FloatArray
    fpr: FloatArray
    precision: FloatArray

    def auroc(self) -> FloatArray:
        """Return the area under the ROC curve of each replicate; ties count half."""
        lost, below = _steps(self.fpr), self.tpr - 0.5 * _steps(self.tpr)
        area: FloatArray = (lost * below).sum(axis=0)
        return area

    def average_precision(self) -> FloatArray:
        """Return the mean precision over the novel elements of each replicate."""
        gained = _steps(self.tpr)
        area: FloatArray = np.where(gained == 0.0, 0.0, gained * self.precision).sum(axis=0)
        return area

    def rows_at_tpr(self, tpr: float) -> IntArray:
        """Return the row of the highest threshold that reaches a TPR, for each replicate."""
        return np.asarray(np.argmax(self.tpr >= tpr - ROUNDING, axis=0))

    def rows_at_precision(self, precision: float) -> IntArray:
        """Return the row with the largest TPR among those that reach a precision; -1 if none does.

        Of rows with the same TPR the one with the lowest FPR is chosen, the first.
        """
        with np.errstate(invalid="ignore"):
            enough = self.precision >= precision - ROUNDING
        best = np.where(enough, self.tpr, -1.0)
        return np.where(enough.any(axis=0), np.argmax(best, axis=0), -1)


def curves(
    scores: FloatArray, novel: BoolArray, owner: IntArray, resamples: Resamples, weighting: Weighting
) -> Iterator[ThresholdCurve]:
    """Yield the curves of blocks of replicates.

    Args:
        scores: (n,): scores; higher is more novel.
        novel: (n,): labels.
        owner: (n,): index of the episode of each element.
        resamples: Weights of the episodes in each replicate.
        weighting: Weights of normal and novel elements.
    """
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))
    thresholds = np.append(np.inf, ranked[last])
    by_kind = [(order[novel[order] == kind], np.cumsum(novel[order] == kind)[last]) for kind in (True, False)]
    for first in range(0, resamples.counts.shape[1], BLOCK):
        weights = resamples.counts[:, first : first + BLOCK].astype(np.float64)
        tpr, fpr = (_rates(weights[owner[members]], np.append(0, counted)) for members, counted in by_kind)
        yield ThresholdCurve(thresholds, tpr, fpr, weighting.precision(tpr, fpr))


def _rates(weights: FloatArray, counted: IntArray) -> FloatArray:
    """Return the share of the weight of one kind up to each threshold; NaN for a replicate without this kind."""
    total = np.concatenate([np.zeros((1, weights.shape[1])), np.cumsum(weights, axis=0)])
    with np.errstate(invalid="ignore"):
        rates: FloatArray = total[counted] / total[-1]
    return rates


def _steps(rates: FloatArray) -> FloatArray:
    return np.diff(rates, axis=0, prepend=0.0)
