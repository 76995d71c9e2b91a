"""Scores of the literature on time series: VUS, NAB, event F1 and the rates of SKAB, to compare with its papers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from offnominal.core.checks import integer_in, one_of
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.evaluation.errors import InvalidLabels
from offnominal.evaluation.step_scores import StepScores, flags, intervals

WINDOW = 100
THRESHOLDS = 250
PROFILES: Mapping[str, tuple[float, float, float]] = {
    "standard": (1.0, 0.11, 1.0),
    "reward_low_FP_rate": (1.0, 0.22, 1.0),
    "reward_low_FN_rate": (1.0, 0.11, 2.0),
}
"""Weights of NAB for true positives, false positives and false negatives, by profile."""
PROBATION, LONGEST_PROBATION = 0.15, 750
"""Share of a series, and most steps, at its begin that NAB does not score."""
FAR_BEHIND = 3.0


@dataclass(frozen=True, slots=True)
class SeriesScores:
    """Scores of one labelled series, as papers on time series report them.

    They are for comparison with these papers. Ours, with delays, false alarms per hour and intervals, are those of
    :func:`~offnominal.evaluation.event_timing.measure_events`.

    Args:
        vus_pr: Volume under the surface of precision and recall; none of the thresholds is chosen.
        vus_roc: The same of the ROC curve.
        nab: NAB score of the alarms: 100 for one alarm at the first step of each labelled interval, 0 for no alarm,
            negative for many false ones.
        event_f1: 2 TP / (2 TP + FP + FN) of events: labelled intervals with and without an alarm (TP, FN), and
            intervals of alarms that overlap with none (FP). Nothing is adjusted.
        f1: F1 of steps, without point adjustment.
        far: False alarm rate of SKAB: share of the nominal steps with an alarm.
        mar: Missed alarm rate of SKAB: share of the faulty steps without one.
    """

    vus_pr: float
    vus_roc: float
    nab: float
    event_f1: float
    f1: float
    far: float
    mar: float


def measure_series(
    scores: ArrayLike,
    labels: ArrayLike,
    alarms: ArrayLike,
    *,
    window: int = WINDOW,
    profile: str = "standard",
) -> SeriesScores:
    """Return the scores of the literature for one series; several series are averaged, as there.

    Args:
        scores: (T,): score of each step; higher is more anomalous.
        labels: (T,): faulty steps; at least one, and not all.
        alarms: (T,): steps with an alarm.
        window: Steps of the largest margin around a labelled interval for VUS; TSB-AD takes the period of the series.
        profile: Weights of NAB: ``"standard"``, ``"reward_low_FP_rate"`` or ``"reward_low_FN_rate"``.

    Raises:
        InvalidLabels: Labels of one kind only, or of another length.

    Example:
        >>> labels = np.isin(np.arange(200), range(120, 140))
        >>> scores = np.where(labels, 1.0, 0.0)
        >>> found = measure_series(scores, labels, np.isin(np.arange(200), [120, 180]), window=20)
        >>> found.nab, found.event_f1, found.far
        (94.5..., 0.666..., 0.005...)
    """
    steps = StepScores.of([np.asarray(scores)])
    active = _labels([np.asarray(labels)], steps.lengths)
    raised = flags([np.asarray(alarms)], steps.lengths, "alarms")
    pr, roc = vus(steps.values, active, window=window)
    tp, fp = int((raised & active).sum()), int((raised & ~active).sum())
    faulty, nominal = int(active.sum()), int((~active).sum())
    return SeriesScores(
        vus_pr=pr,
        vus_roc=roc,
        nab=nab_score(raised, active, profile=profile),
        event_f1=event_f1(raised, active),
        f1=2.0 * tp / (tp + fp + faulty),
        far=fp / nominal,
        mar=1.0 - tp / faulty,
    )


def vus(
    scores: ArrayLike, labels: ArrayLike, *, window: int = WINDOW, thresholds: int = THRESHOLDS
) -> tuple[float, float]:
    """Return the volumes under the surfaces of precision and recall, and of the ROC curve (Paparrizos et al., 2022).

    Labels are extended on both sides by up to half of a margin, with weights that fall as √(1 − distance / margin).
    Areas for all margins from 0 to `window` are averaged. Recall also counts the share of extended intervals with an
    alarm.

    Args:
        scores: (T,): score of each step.
        labels: (T,): faulty steps.
        window: Largest margin in steps.
        thresholds: Number of thresholds: scores at equal distances in their order.

    Example:
        >>> labels = np.isin(np.arange(100), range(40, 60))
        >>> vus(np.where(labels, 1.0, 0.0), labels, window=0)
        (1.0, 1.0)
    """
    steps = StepScores.of([np.asarray(scores)])
    active = _labels([np.asarray(labels)], steps.lengths)
    margins = integer_in("window", window, 0) + 1
    values, bounds = steps.values, steps.bounds
    falling = np.argsort(-values, kind="stable")
    ranked = -values[falling]
    chosen = ranked[np.linspace(0, len(values) - 1, integer_in("thresholds", thresholds, 2)).astype(np.int64)]
    above = np.searchsorted(ranked, chosen, side="right")
    areas = np.array(
        [
            _areas(extended_labels(active, margin), active, values, falling, -chosen, above, bounds)
            for margin in range(margins)
        ]
    )
    pr, roc = areas.mean(axis=0)
    return float(pr), float(roc)


def extended_labels(active: BoolArray, margin: int) -> FloatArray:
    """Return labels with margins around each interval, whose weights fall with the distance.

    Example:
        >>> extended_labels(np.isin(np.arange(7), [3]), 4).round(2)
        array([0.  , 0.71, 0.87, 1.  , 0.87, 0.71, 0.  ])
    """
    weights = active.astype(np.float64)
    half, length = margin // 2, len(active)
    for first, end in zip(*intervals(active, np.array([0, length])), strict=True):
        for distance in range(1, half + 1):
            weight = math.sqrt(1.0 - distance / margin)
            for place in (int(first) - distance, int(end) - 1 + distance):
                if 0 <= place < length:
                    weights[place] += weight
    return np.minimum(weights, 1.0)


def _areas(
    weights: FloatArray,
    active: BoolArray,
    values: FloatArray,
    falling: IntArray,
    thresholds: FloatArray,
    above: IntArray,
    bounds: IntArray,
) -> tuple[float, float]:
    """Return the areas under precision and recall and under the ROC curve, for one margin.

    Args:
        weights: Extended labels.
        active: Labels.
        values: Scores.
        falling: Order of the scores, the highest first.
        thresholds: Thresholds, falling.
        above: Number of scores at or above each.
        bounds: Begin and end of the series.
    """
    hit = np.cumsum(weights[falling])[above - 1]
    positives = 0.5 * (active.sum() + weights.sum())
    begins, ends = intervals(weights > 0.0, bounds)
    largest = np.array([values[begin:end].max() for begin, end in zip(begins, ends, strict=True)])
    found = (largest[None] >= thresholds[:, None]).mean(axis=1)
    recall = np.concatenate([[0.0], np.minimum(hit / positives, 1.0) * found])
    false = np.concatenate([[0.0], (above - hit) / (len(values) - positives)])
    precision = np.concatenate([[1.0], hit / above])
    pr = np.sum(np.diff(recall) * 0.5 * (precision[1:] + precision[:-1]))
    recall, false = np.append(recall, 1.0), np.append(false, 1.0)
    return float(pr), float(np.sum(np.diff(false) * 0.5 * (recall[1:] + recall[:-1])))


def nab_score(alarms: ArrayLike, labels: ArrayLike, *, profile: str = "standard") -> float:
    """Return the normalised NAB score of the alarms of a series (Lavin and Ahmad, 2015).

    The first alarm in each labelled interval gains up to 1, less the later it comes. Every step with an alarm outside
    loses up to the weight of a false positive; less shortly after an interval. The first 15 % of the steps, at most
    750, do not count. Without any alarm the score is 0, and with one at the first step of each interval 100.

    Args:
        alarms: (T,): steps with an alarm.
        labels: (T,): labelled intervals; NAB's are wider than the fault.
        profile: Weights; see :data:`PROFILES`.

    Example:
        >>> labels = np.isin(np.arange(100), range(50, 60))
        >>> [nab_score(np.arange(100) == step, labels) for step in (50, 59, 40)]
        [100.0, 62.4..., -5.5]
    """
    gain, loss, miss = PROFILES[one_of("profile", profile, tuple(PROFILES))]
    given = np.asarray(labels)
    lengths = np.array([len(given)], np.int64)
    active, raised = _labels([given], lengths), flags([np.asarray(alarms)], lengths, "alarms")
    skipped = min(math.floor(PROBATION * len(active)), LONGEST_PROBATION)
    raised = raised & (np.arange(len(active)) >= skipped)
    begins, ends = intervals(active, np.array([0, len(active)]))
    counted = [(int(begin), int(end)) for begin, end in zip(begins, ends, strict=True) if end > skipped]
    if not counted:
        raise InvalidLabels(f"every labelled interval is in the first {skipped} steps, which NAB does not score.")
    total = 0.0
    for begin, end in counted:
        steps = np.flatnonzero(raised[begin:end])
        total += gain * _sigmoid(steps[0] / (end - begin) - 1.0) / _sigmoid(-1.0) if len(steps) else -miss
    for step in np.flatnonzero(raised & ~active).tolist():
        before = int(np.searchsorted(ends, step, side="right")) - 1
        behind = FAR_BEHIND
        if before >= 0:
            behind = (step - int(ends[before]) + 1) / max(int(ends[before] - begins[before]) - 1, 1)
        total += loss * _sigmoid(behind)
    return 100.0 * (total + miss * len(counted)) / ((gain + miss) * len(counted))


def _sigmoid(position: float) -> float:
    """Return the value of an alarm at a position: -1 is the begin of an interval, 0 its end."""
    return -1.0 if position >= FAR_BEHIND else 2.0 / (1.0 + math.exp(5.0 * position)) - 1.0


def event_f1(alarms: ArrayLike, labels: ArrayLike) -> float:
    """Return F1 of events: labelled intervals that are found or missed, and intervals of alarms that touch none.

    Args:
        alarms: (T,): steps with an alarm.
        labels: (T,): faulty steps.

    Example:
        >>> event_f1(np.isin(np.arange(6), [1, 4]), np.isin(np.arange(6), [0, 1]))
        0.666...
    """
    given = np.asarray(labels)
    lengths = np.array([len(given)], np.int64)
    active, raised = _labels([given], lengths), flags([np.asarray(alarms)], lengths, "alarms")
    bounds = np.array([0, len(given)])
    found = sum(bool(raised[begin:end].any()) for begin, end in zip(*intervals(active, bounds), strict=True))
    events = len(intervals(active, bounds)[0])
    wrong = sum(not active[begin:end].any() for begin, end in zip(*intervals(raised, bounds), strict=True))
    return 2.0 * found / (found + wrong + events)


def _labels(given: list[Array], lengths: IntArray) -> BoolArray:
    active = flags(given, lengths)
    if active.all() or not active.any():
        kind = "nominal" if not active.any() else "faulty"
        raise InvalidLabels(f"every step is {kind}; these scores need steps of both kinds.")
    return active
