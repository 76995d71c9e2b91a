"""Ranking metrics of pooled scores, exact with ties, with intervals by scenario.

The values are exact. The intervals come from the counts above :data:`THRESHOLDS` thresholds in each scenario, so that
they cost the same for a thousand and for a hundred million scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from offnominal.core.types import FloatArray, IntArray
from offnominal.evaluation.bootstrap import Resamples
from offnominal.evaluation.discrimination import Ranking
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.ranking import rank

THRESHOLDS = 1024

Scores = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class ScorePool:
    """Scores of anomalous (positive) and other (negative) elements of some scenarios.

    Args:
        positives: Sorted scores of each scenario.
        negatives: Sorted scores of each scenario.
    """

    positives: tuple[Scores, ...]
    negatives: tuple[Scores, ...]

    @classmethod
    def of(cls, positives: Sequence[Sequence[Scores]], negatives: Sequence[Sequence[Scores]]) -> ScorePool:
        """Return the pool of the chunks of each scenario."""
        return cls(tuple(_sorted(each) for each in positives), tuple(_sorted(each) for each in negatives))

    def __len__(self) -> int:
        """Return the number of scenarios."""
        return len(self.positives)

    @property
    def n_positives(self) -> int:
        """Number of anomalous elements."""
        return sum(map(len, self.positives))

    @property
    def n_negatives(self) -> int:
        """Number of other elements."""
        return sum(map(len, self.negatives))

    def joined(self) -> tuple[Scores, Scores]:
        """Return the sorted scores of all anomalous and of all other elements."""
        return _sorted(self.positives), _sorted(self.negatives)

    def ranking(self, resamples: Resamples) -> Ranking:
        """Return AUROC, average precision and FPR95; undefined without elements of both kinds."""
        positives, negatives = self.joined()
        replicates = resamples.counts.shape[1] - 1
        if not (len(positives) and len(negatives)):
            return Ranking(*(Estimate(None, np.full(replicates, np.nan)) for _ in range(3)))
        values = np.array(rank(positives, negatives))
        if not replicates:
            return Ranking(*(Estimate(float(value)) for value in values))
        draws = self._curves(_thresholds(positives, negatives), resamples)
        draws = np.clip(draws + (values - draws[:, 0])[:, None], 0.0, 1.0)
        units = min(sum(len(each) > 0 for each in scores) for scores in (self.positives, self.negatives))
        return Ranking(*(Estimate(float(value), row[1:], units) for value, row in zip(values, draws, strict=True)))

    def _curves(self, thresholds: Scores, resamples: Resamples) -> FloatArray:
        """Return the three metrics (3, 1 + replicates) from counts at thresholds in falling order."""
        weights = resamples.counts.astype(np.float64)
        found, alarmed = (
            np.array([len(each) - np.searchsorted(each, thresholds) for each in scores]).T @ weights
            for scores in (self.positives, self.negatives)
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            gained = np.diff(found, axis=0, prepend=0.0)
            lost = np.diff(alarmed, axis=0, prepend=0.0)
            auroc = (lost * (found - 0.5 * gained)).sum(axis=0) / (found[-1] * alarmed[-1])
            shares = np.where(gained > 0.0, gained * found / (found + alarmed), 0.0)
            precision = np.where(alarmed[-1] > 0.0, shares.sum(axis=0) / found[-1], np.nan)
            first = np.argmax(20.0 * found >= 19.0 * found[-1], axis=0)
            fpr95 = np.take_along_axis(alarmed, first[None], axis=0)[0] / alarmed[-1]
        return np.stack([auroc, precision, np.where(found[-1] > 0.0, fpr95, np.nan)])

    def counts_at(self, threshold: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the true positives, false positives and false negatives of each scenario at a threshold."""
        cut = np.float32(threshold)
        found = np.array([len(each) - np.searchsorted(each, cut) for each in self.positives], np.float64)
        alarmed = np.array([len(each) - np.searchsorted(each, cut) for each in self.negatives], np.float64)
        return found, alarmed, np.array([len(each) for each in self.positives], np.float64) - found

    def best_threshold(self) -> float | None:
        """Return the threshold with the highest F1, the highest one of equals; None without anomalous elements.

        An element is detected if its score is at least the threshold.
        """
        positives, negatives = self.joined()
        if not len(positives):
            return None
        thresholds = np.unique(positives)[::-1]
        found: IntArray = len(positives) - np.searchsorted(positives, thresholds)
        alarmed: IntArray = len(negatives) - np.searchsorted(negatives, thresholds)
        return float(thresholds[np.argmax(2.0 * found / (found + alarmed + len(positives)))])


def _sorted(parts: Sequence[Scores]) -> Scores:
    return np.sort(np.concatenate([np.empty(0, np.float32), *parts]))


def _thresholds(positives: Scores, negatives: Scores) -> Scores:
    """Return thresholds in falling order: all distinct scores, or quantiles of the scores of both kinds."""
    both = []
    for scores in (positives, negatives):
        rows = np.linspace(0, len(scores) - 1, THRESHOLDS // 2).round().astype(np.int64)
        few = len(scores) <= THRESHOLDS // 2
        both.append(scores if few else scores[rows])
    return np.unique(np.concatenate(both))[::-1]
