"""Survival analysis of delays: a miss is a censored delay."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.checks import require_shape
from offnominal.core.compilation import compiled
from offnominal.core.types import FloatArray, IntArray
from offnominal.evaluation.bootstrap import Counts

Z95 = 1.959964


@dataclass(frozen=True, slots=True, eq=False)
class DetectionCurve:
    """Kaplan-Meier estimate of the probability that a fault is detected within d steps.

    Episodes that end without an alarm are censored: their delay is longer than the observed time. This assumes that the
    end of an episode is independent of the delay.

    Args:
        delays: (k,): d = 0, 1, and so on, up to the longest observed time.
        detected: (k,): probability of an alarm at most d steps after the onset.
        low: (k,): lower end of its 95 % band, pointwise (Greenwood's variance, log-log scale).
        high: (k,): upper end.
        at_risk: (k,): episodes that have not ended and have no alarm before d.

    Example:
        >>> curve = estimate_detection_curve(np.array([0, 2, -1, 1]), np.array([5, 4, 1, 3]))
        >>> curve.detected.round(3), curve.at_risk
        (array([0.25 , 0.625, 1.   ]), array([4, 2, 1]))
    """

    delays: IntArray
    detected: FloatArray
    low: FloatArray
    high: FloatArray
    at_risk: IntArray


def estimate_detection_curve(delays: IntArray, exposures: IntArray) -> DetectionCurve:
    """Return the Kaplan-Meier curve of some delays.

    Args:
        delays: (n,): steps from the onset to the first alarm; negative for a miss.
        exposures: (n,): steps from the onset to the end of the episode, the onset included.
    """
    require_shape("delays", delays, "n")
    require_shape("exposures", exposures, len(delays))
    last = np.where(delays < 0, exposures - 1, delays)
    length = int(last.max(initial=-1)) + 1
    events = np.bincount(delays[delays >= 0], minlength=length)
    at_risk = len(last) - np.concatenate([[0], np.cumsum(np.bincount(last, minlength=length))])[:length]
    undetected = np.cumprod(1.0 - events / at_risk)
    low, high = _band(undetected, events, at_risk)
    return DetectionCurve(np.arange(length), 1.0 - undetected, 1.0 - high, 1.0 - low, at_risk)


def _band(undetected: FloatArray, events: IntArray, at_risk: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the band around a survival curve; where the curve is zero, the upper end stays constant."""
    with np.errstate(divide="ignore", invalid="ignore"):
        greenwood = np.cumsum(events / (at_risk * (at_risk - events)))
        spread = np.exp(Z95 * np.sqrt(greenwood) / np.abs(np.log(undetected)))
        low, high = undetected**spread, undetected ** (1.0 / spread)
    over = np.flatnonzero(undetected == 0.0)
    if over.size:
        low[over] = 0.0
        high[over] = high[over[0] - 1] if over[0] else 1.0
    return low, high


@compiled
def restricted_means(delays: IntArray, exposures: IntArray, horizon: int, counts: Counts) -> FloatArray:
    """Return the mean of min(delay, horizon) in each replicate, misses censored; NaN without episodes.

    It is the area under the Kaplan-Meier curve. Beyond the longest observed time the curve is constant, as if the
    remaining faults were never detected.

    Args:
        delays: (n, 1), or (n, replicates) if they differ between replicates; negative for a miss.
        exposures: (n,): steps from onset to end.
        horizon: Horizon in steps.
        counts: (n, replicates): weight of each episode.
    """
    replicates, differ = range(counts.shape[1]), min(delays.shape[1] - 1, 1)
    events, leaving = np.zeros((horizon, counts.shape[1])), np.zeros((horizon + 1, counts.shape[1]))
    at_risk, undetected, area = np.zeros(counts.shape[1]), np.empty(counts.shape[1]), np.empty(counts.shape[1])
    for e in range(len(delays)):
        for r in replicates:
            delay, weight = delays[e, r * differ], counts[e, r]
            last = delay if delay >= 0 else exposures[e] - 1
            at_risk[r] += weight
            leaving[min(last + 1, horizon), r] += weight
            if 0 <= delay < horizon:
                events[delay, r] += weight
    for r in replicates:
        undetected[r] = 1.0
        area[r] = 0.0 if at_risk[r] > 0.0 else np.nan
    for d in range(horizon):
        for r in replicates:
            at_risk[r] -= leaving[d, r]
            undetected[r] *= 1.0 - events[d, r] / max(at_risk[r], 1.0)
            area[r] += undetected[r]
    return area
