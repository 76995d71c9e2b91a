"""Detection as survival: a miss is a delay of which only the beginning was seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.types import FloatArray, IntArray
from offnominal.evaluation.bootstrap import Counts

Z95 = 1.959964


@dataclass(frozen=True, slots=True, eq=False)
class DetectionCurve:
    """Kaplan-Meier estimate of how likely a fault is noticed within d steps.

    Episodes that end without an alarm are censored: they say that the delay is longer than what was seen, not how
    long. This holds if an episode's end says nothing about how soon its alarm would have come.

    Args:
        delays: (k,): d = 0, 1, and so on, as long as an episode was still watched.
        detected: (k,): probability of an alarm at most d steps after the onset.
        low: (k,): lower end of its 95 % band, pointwise (Greenwood's variance, log-log scale).
        high: (k,): upper end.
        at_risk: (k,): episodes without an alarm before, and not yet over, at d.

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
    last = np.where(delays < 0, exposures - 1, delays)
    length = int(last.max(initial=-1)) + 1
    events = np.bincount(delays[delays >= 0], minlength=length)
    at_risk = len(last) - np.concatenate([[0], np.cumsum(np.bincount(last, minlength=length))])[:length]
    silent = np.cumprod(1.0 - events / at_risk)
    low, high = _band(silent, events, at_risk)
    return DetectionCurve(np.arange(length), 1.0 - silent, 1.0 - high, 1.0 - low, at_risk)


def _band(silent: FloatArray, events: IntArray, at_risk: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the band around a survival curve; where it is zero, its upper end stays where it was."""
    with np.errstate(divide="ignore", invalid="ignore"):
        greenwood = np.cumsum(events / (at_risk * (at_risk - events)))
        spread = np.exp(Z95 * np.sqrt(greenwood) / np.abs(np.log(silent)))
        low, high = silent**spread, silent ** (1.0 / spread)
    over = np.flatnonzero(silent == 0.0)
    if over.size:
        low[over] = 0.0
        high[over] = high[over[0] - 1] if over[0] else 1.0
    return low, high


@compiled
def restricted_means(delays: IntArray, exposures: IntArray, horizon: int, counts: Counts) -> FloatArray:
    """Return the mean of min(delay, horizon) in each replicate, misses censored; NaN without episodes.

    The area under the Kaplan-Meier curve. Beyond the last step that was watched the curve stays level: as if those who
    were not noticed by then never would be.

    Args:
        delays: (n, 1), or (n, replicates) where they differ; negative for a miss.
        exposures: (n,): steps from onset to end.
        horizon: In steps.
        counts: (n, replicates).
    """
    replicates, differ = range(counts.shape[1]), min(delays.shape[1] - 1, 1)
    events, leaving = np.zeros((horizon, counts.shape[1])), np.zeros((horizon + 1, counts.shape[1]))
    at_risk, silent, area = np.zeros(counts.shape[1]), np.empty(counts.shape[1]), np.empty(counts.shape[1])
    for e in range(len(delays)):
        for r in replicates:
            delay, weight = delays[e, r * differ], counts[e, r]
            last = delay if delay >= 0 else exposures[e] - 1
            at_risk[r] += weight
            leaving[min(last + 1, horizon), r] += weight
            if 0 <= delay < horizon:
                events[delay, r] += weight
    for r in replicates:
        silent[r] = 1.0
        area[r] = 0.0 if at_risk[r] > 0.0 else np.nan
    for d in range(horizon):
        for r in replicates:
            at_risk[r] -= leaving[d, r]
            silent[r] *= 1.0 - events[d, r] / max(at_risk[r], 1.0)
            area[r] += silent[r]
    return area
