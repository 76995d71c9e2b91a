"""Metrics of normal and novel elements: ranking, and operating points at a required TPR or precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.core.checks import number_in
from offnominal.core.errors import InvalidScores
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.evaluation.bootstrap import REPLICATES, Resamples
from offnominal.evaluation.errors import InvalidLabels
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.novelty.as_published import PublishedCurve
from offnominal.evaluation.novelty.threshold_curve import ThresholdCurve, curves
from offnominal.evaluation.novelty.weighting import FRAME_WEIGHTING, Weighting

TPR = 0.95
PPV = 0.80


@dataclass(frozen=True, slots=True)
class NoveltyPoint:
    """Rates at one threshold; an element is detected if its score is at least the threshold.

    Intervals include the choice of the threshold, which is made again in each bootstrap replicate, unless the threshold
    was given.

    Args:
        threshold: The threshold; None if no threshold meets the requirement. The rates are then undefined.
        tpr: Share of novel elements that are detected.
        tnr: Share of normal elements that are not detected.
        ppv: Precision with the weighting.
    """

    threshold: float | None
    tpr: Estimate
    tnr: Estimate
    ppv: Estimate

    def numbers(self) -> dict[str, Estimate]:
        """Return the rates by name."""
        return {"tpr": self.tpr, "tnr": self.tnr, "ppv": self.ppv}


@dataclass(frozen=True, slots=True)
class NoveltyMetrics:
    """Metrics of normal and novel elements, with intervals by episode.

    Args:
        weighting: Weights of normal and novel elements.
        normal: Number of normal elements.
        novel: Number of novel elements.
        auroc: Area under the ROC curve.
        auprc: Average precision with the weighting; as published: the trapezoid area under the precision-recall curve.
        at_tpr: Highest threshold that reaches the required TPR.
        at_ppv: Threshold with the largest TPR among those that reach the required precision.
    """

    weighting: Weighting
    normal: int
    novel: int
    auroc: Estimate
    auprc: Estimate
    at_tpr: NoveltyPoint
    at_ppv: NoveltyPoint

    def numbers(self) -> dict[str, Estimate]:
        """Return all numbers by name."""
        points = {"at_tpr": self.at_tpr, "at_ppv": self.at_ppv}
        named = {f"{rate}_{name}": value for name, point in points.items() for rate, value in point.numbers().items()}
        return {"auroc": self.auroc, "auprc": self.auprc} | named

    def columns(self) -> dict[str, Any]:
        """Return a row of a table: counts, weighting, and each number with its interval."""
        found: dict[str, Any] = {"weighting": str(self.weighting), "normal": self.normal, "novel": self.novel}
        for name, number in self.numbers().items():
            found |= number.columns(name)
        return found


def measure_novelty(
    scores: Array,
    novel: Array,
    *,
    episodes: Sequence[Any] | None = None,
    weighting: Weighting = FRAME_WEIGHTING,
    tpr: float = TPR,
    ppv: float = PPV,
    thresholds: tuple[float | None, float | None] | None = None,
    as_published: bool = False,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> NoveltyMetrics:
    """Measure how well scores discriminate between novel and normal elements, such as frames.

    Args:
        scores: (n,): scores; higher is more novel.
        novel: (n,): boolean labels.
        episodes: (n,): episode of each element, for the bootstrap; each element is one of its own if None.
        weighting: Weights of normal and novel elements for precisions.
        tpr: Required TPR of the first operating point.
        ppv: Required precision of the second operating point.
        thresholds: The two thresholds, such as those chosen on validation data; chosen on these scores if None.
        as_published: Whether to use the rules of the public code of NovelCraft, without intervals.
        replicates: Bootstrap replicates over episodes.
        seed: Seed of the bootstrap.

    Raises:
        InvalidScores: The scores are not one finite number per element.
        InvalidLabels: The labels are not one boolean per element, or all of one kind.

    Example:
        >>> scores, novel = np.array([0.9, 0.7, 0.8, 0.2, 0.1]), np.array([True, True, False, False, False])
        >>> found = measure_novelty(scores, novel, replicates=0)
        >>> found.auroc, found.at_tpr.tnr, found.at_ppv.tpr, found.at_ppv.threshold
        (Estimate(0.833), Estimate(0.667), Estimate(0.500), 0.9)
    """
    values, labels, owner = _checked(scores, novel, episodes)
    for name, required in (("tpr", tpr), ("ppv", ppv)):
        number_in(name, required, 0.0, 1.0, open_low=True)
    if as_published:
        return _as_published(PublishedCurve.of(values, labels, weighting), labels, tpr, ppv)
    resamples = Resamples.draw(int(owner.max()) + 1, replicates, seed=seed)
    collected: list[FloatArray] = []
    chosen: list[float | None] = []
    for curve in curves(values, labels, owner, resamples, weighting):
        rows = (curve.rows_at_tpr(tpr), curve.rows_at_precision(ppv))
        if thresholds is not None:
            rows = (_rows_at(curve, thresholds[0]), _rows_at(curve, thresholds[1]))
        if not collected:
            chosen = [None if row[0] < 0 else float(curve.thresholds[row[0]]) for row in rows]
        collected.append(np.stack([curve.auroc(), curve.average_precision(), *_rates(curve, rows)]))
    units = min(len(np.unique(owner[labels == kind])) for kind in (True, False))
    auroc, auprc, *rates = (Estimate.of(row, units) for row in np.concatenate(collected, axis=1))
    points = [
        NoveltyPoint(threshold, *part)
        for threshold, part in zip(thresholds or chosen, (rates[:3], rates[3:]), strict=True)
    ]
    return NoveltyMetrics(weighting, int((~labels).sum()), int(labels.sum()), auroc, auprc, *points)


def choose_thresholds(
    scores: Array,
    novel: Array,
    *,
    weighting: Weighting = FRAME_WEIGHTING,
    tpr: float = TPR,
    ppv: float = PPV,
) -> tuple[float | None, float | None]:
    """Return the thresholds for a required TPR and a required precision on validation data.

    Example:
        >>> choose_thresholds(np.array([3.0, 2.0, 1.0]), np.array([True, False, True]))
        (1.0, 3.0)
    """
    found = measure_novelty(scores, novel, weighting=weighting, tpr=tpr, ppv=ppv, replicates=0)
    return found.at_tpr.threshold, found.at_ppv.threshold


def _rows_at(curve: ThresholdCurve, threshold: float | None) -> IntArray:
    """Return the row of the lowest score at or above a threshold; -1 if the threshold is undefined."""
    above = -1 if threshold is None else int((curve.thresholds >= threshold).sum()) - 1
    return np.full(curve.tpr.shape[1], above)


def _rates(curve: ThresholdCurve, chosen: Sequence[IntArray]) -> list[FloatArray]:
    """Return TPR, TNR and precision at the chosen rows."""
    found: list[FloatArray] = []
    for rows in chosen:
        tpr, fpr, precision = (
            np.take_along_axis(values, np.maximum(rows, 0)[None], axis=0)[0]
            for values in (curve.tpr, curve.fpr, curve.precision)
        )
        found += [np.where(rows < 0, np.nan, values) for values in (tpr, 1.0 - fpr, precision)]
    return found


def _as_published(curve: PublishedCurve, labels: BoolArray, tpr: float, ppv: float) -> NoveltyMetrics:
    points = [
        NoveltyPoint(threshold, *(Estimate(rate) for rate in rates))
        for threshold, *rates in (curve.at_tpr(tpr), curve.at_precision(ppv))
    ]
    counts = int((~labels).sum()), int(labels.sum())
    return NoveltyMetrics(curve.weighting, *counts, Estimate(curve.auroc()), Estimate(curve.auprc()), *points)


def _checked(scores: Array, novel: Array, episodes: Sequence[Any] | None) -> tuple[FloatArray, BoolArray, IntArray]:
    """Return scores, labels and episode indices, or raise an error."""
    values, labels = np.asarray(scores), np.asarray(novel)
    if values.ndim != 1 or values.dtype.kind not in "fiu":
        raise InvalidScores(f"the scores are an array of {values.dtype} with shape {values.shape}; expected (n,).")
    if not np.isfinite(values).all():
        raise InvalidScores("the scores contain values that are not finite; correct the detector or omit them.")
    if labels.dtype != np.bool_ or labels.shape != values.shape:
        raise InvalidLabels(
            f"the labels are an array of {labels.dtype} with shape {labels.shape}; expected {len(values)} booleans."
        )
    if labels.all() or not labels.any():
        raise InvalidLabels("the elements are all novel or all normal; give scores of both kinds.")
    if episodes is None:
        return values.astype(np.float64), labels, np.arange(len(values))
    if len(episodes) != len(values):
        raise InvalidLabels(f"there are episodes of {len(episodes)} elements; expected {len(values)}.")
    numbers = {episode: number for number, episode in enumerate(dict.fromkeys(episodes))}
    return values.astype(np.float64), labels, np.array([numbers[episode] for episode in episodes], np.int64)
