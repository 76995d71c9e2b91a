"""Metrics by the rules of the public code of NovelCraft, to compare with its published numbers.

Three rules differ from ours. AUPRC is the trapezoid area, which interpolates over ties. The point at a required
precision is the one with the smallest sufficient precision, at the lowest threshold of equals, and not the one with the
largest TPR. If no threshold is sufficient, nothing is detected: TPR 0 and TNR 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.types import BoolArray, FloatArray
from offnominal.evaluation.bootstrap import Resamples
from offnominal.evaluation.novelty.threshold_curve import ThresholdCurve, curves
from offnominal.evaluation.novelty.weighting import Weighting

Point = tuple[float | None, float, float, float]
"""Threshold, TPR, TNR and precision."""


@dataclass(frozen=True, slots=True, eq=False)
class PublishedCurve:
    """A precision-recall curve with the rules of the public code.

    Args:
        weighting: Weights of normal and novel elements.
        curve: Rates at every threshold, of one replicate.
    """

    weighting: Weighting
    curve: ThresholdCurve

    @classmethod
    def of(cls, scores: FloatArray, novel: BoolArray, weighting: Weighting) -> PublishedCurve:
        """Return the curve of some scores."""
        every = Resamples.draw(len(scores), 0)
        return cls(weighting, next(curves(scores, novel, np.arange(len(scores)), every, weighting)))

    def auroc(self) -> float:
        """Return the area under the ROC curve."""
        return float(self.curve.auroc()[0])

    def auprc(self) -> float:
        """Return the trapezoid area under the precision-recall curve, which begins at recall 0 and precision 1."""
        recall, precision = self.curve.tpr[:, 0], np.append(1.0, self._ppv[1:, 0])
        return float((np.diff(recall) * 0.5 * (precision[1:] + precision[:-1])).sum())

    @property
    def _ppv(self) -> FloatArray:
        return self.curve.precision

    def at_tpr(self, tpr: float) -> Point:
        """Return the point at the highest threshold that reaches a TPR."""
        return self._point(int(self.curve.rows_at_tpr(tpr)[0]))

    def at_precision(self, precision: float) -> Point:
        """Return the point with the smallest precision that is enough, at the lowest threshold of equals."""
        falling = self._ppv[::-1, 0]
        with np.errstate(invalid="ignore"):
            enough = np.where(falling >= precision, falling, np.inf)
        if not np.isfinite(enough).any():
            return None, 0.0, 1.0, 1.0
        return self._point(len(falling) - 1 - int(np.argmin(enough)))

    def _point(self, row: int) -> Point:
        tpr, fpr, ppv = (float(each[row, 0]) for each in (self.curve.tpr, self.curve.fpr, self._ppv))
        return float(self.curve.thresholds[row]), tpr, 1.0 - fpr, ppv
