"""Operating curve: delay against the rate of false alarms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.core.checks import positive_integer
from offnominal.core.compilation import compiled
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.evaluation.records import Records
from offnominal.evaluation.step_scores import StepScores
from offnominal.evaluation.survival import Z95
from offnominal.evaluation.timing import HORIZON

MISSED = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class OperatingCurve:
    """Delay against false alarms for all relevant thresholds, in falling order.

    The alarm is raised above the threshold. Each threshold is just below a score at which some alarm would come
    earlier. Other thresholds are worse: between two of these, the delays stay the same and the number of false alarms
    only grows.

    Args:
        thresholds: (k,): the first is infinite: no alarms.
        false_alarms: (k,): steps in alarm per 1,000 steps of nominal episodes.
        false_alarm_episodes: (k,): fraction of nominal episodes with an alarm.
        mean_delay: (k,): mean of min(delay, horizon) in steps, with misses censored.
        low: (k,): lower end of its 95 % band, pointwise (Greenwood).
        high: (k,): upper end.
        miss_rate: (k,): fraction of faulty episodes without an alarm from the onset on.
        early_rate: (k,): fraction of faulty episodes with an alarm before the onset.
        horizon: Horizon of the mean delay, in steps.
    """

    thresholds: FloatArray
    false_alarms: FloatArray
    false_alarm_episodes: FloatArray
    mean_delay: FloatArray
    low: FloatArray
    high: FloatArray
    miss_rate: FloatArray
    early_rate: FloatArray
    horizon: int

    def at(self, false_alarms: float) -> int:
        """Return the index of the lowest threshold with at most this rate of false alarms per 1,000 nominal steps."""
        if not false_alarms >= 0.0:
            raise InvalidParameter(f"false_alarms is {false_alarms!r}; expected a rate of at least 0.")
        return int(np.searchsorted(self.false_alarms, false_alarms, side="right")) - 1


def measure_operating_curve(
    scores: Sequence[Array], onsets: Sequence[int | None], nominal: Sequence[Array], *, horizon: int = HORIZON
) -> OperatingCurve:
    """Measure delays and false alarms for all thresholds.

    Args:
        scores: One array per faulty episode.
        onsets: First faulty transition of each episode; None if it has no fault.
        nominal: Scores of nominal episodes.
        horizon: Horizon of the restricted mean delay, in steps.

    Example:
        >>> scores = [np.array([0.0, 1.0, 2.0, 5.0]), np.array([0.0, 3.0, 4.0, 4.0])]
        >>> curve = measure_operating_curve(scores, [1, 1], [np.array([0.5, 3.5, 0.5, 0.5])], horizon=10)
        >>> for point in zip(curve.mean_delay, curve.false_alarms, curve.miss_rate):
        ...     print(*point)
        10.0 0.0 1.0
        6.0 0.0 0.5
        1.5 0.0 0.0
        1.0 250.0 0.0
        0.5 250.0 0.0
        0.0 250.0 0.0
    """
    return operating_curve_of_records(
        Records.of(StepScores.of(scores), onsets), StepScores.of(nominal, "nominal scores"), horizon
    )


def operating_curve_of_records(records: Records, nominal: StepScores, horizon: int = HORIZON) -> OperatingCurve:
    """Return the operating curve of some records; see :func:`measure_operating_curve`."""
    order = np.argsort(-records.values, kind="stable")
    points = _sweep(
        records.values[order],
        records.owner[order],
        records.delays[order],
        records.exposures,
        positive_integer("horizon", horizon),
    )
    thresholds = np.nextafter(points[0], -np.inf)
    thresholds[0] = np.inf
    spread = Z95 * points[2]
    return OperatingCurve(
        thresholds=thresholds,
        false_alarms=_share_above(nominal.values, thresholds, 1000.0),
        false_alarm_episodes=_share_above(nominal.maxima(), thresholds),
        mean_delay=points[1],
        low=np.maximum(points[1] - spread, 0.0),
        high=np.minimum(points[1] + spread, horizon),
        miss_rate=points[3],
        early_rate=_share_above(records.before[records.faulty], thresholds),
        horizon=horizon,
    )


def _share_above(values: FloatArray, thresholds: FloatArray, scale: float = 1.0) -> FloatArray:
    if not len(values):
        return np.full(len(thresholds), np.nan)
    above = len(values) - np.searchsorted(np.sort(values), thresholds, side="right")
    share: FloatArray = scale * above / len(values)
    return share


@compiled
def _sweep(values: FloatArray, owner: IntArray, delay: IntArray, exposures: IntArray, horizon: int) -> FloatArray:
    """Lower the threshold from record to record; return record, mean delay, its standard error and the miss rate."""
    known, affected = np.empty(len(exposures), np.int64), 0
    at_risk, events = np.zeros(horizon), np.zeros(horizon)
    for e in range(len(exposures)):
        known[e] = MISSED
        affected += exposures[e] > 0
        for d in range(min(exposures[e], horizon)):
            at_risk[d] += 1.0
    points = np.empty((4, len(values) + 1))
    points[0, 0], points[1, 0], points[2, 0], points[3, 0] = np.inf, horizon, 0.0, 1.0
    count, found = 1, 0
    for i in range(len(values)):
        e, old, new = owner[i], known[owner[i]], delay[i]
        if old == MISSED:
            found += 1
        elif old < horizon:
            events[old] -= 1.0
        if new < horizon:
            events[new] += 1.0
        for d in range(new + 1, min(old + 1, exposures[e], horizon)):
            at_risk[d] -= 1.0
        known[e] = new
        if i + 1 == len(values) or values[i + 1] < values[i]:
            points[0, count] = values[i]
            points[1, count], points[2, count] = _restricted_mean(at_risk, events)
            points[3, count] = 1.0 - found / affected
            count += 1
    return points[:, :count]


@compiled
def _restricted_mean(at_risk: FloatArray, events: FloatArray) -> tuple[float, float]:
    """Return the area under a Kaplan-Meier curve and its standard error."""
    horizon = len(events)
    silent, area, variance = np.empty(horizon), 0.0, 0.0
    product = 1.0
    for d in range(horizon):
        product *= 1.0 - events[d] / max(at_risk[d], 1.0)
        silent[d] = product
    for d in range(horizon - 1, -1, -1):
        area += silent[d]
        if events[d] > 0.0 and at_risk[d] > events[d]:
            variance += area * area * events[d] / (at_risk[d] * (at_risk[d] - events[d]))
    return area, math.sqrt(variance)
