"""Detection and failure as competing risks: which of them comes first, and when."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from offnominal.alarms.share_interval import TAIL
from offnominal.core.checks import require_shape
from offnominal.core.types import BoolArray, FloatArray, IntArray

TINY = 1e-300


@dataclass(frozen=True, slots=True, eq=False)
class Incidence:
    """Cumulative incidence of one outcome.

    Args:
        share: (k,): probability of this outcome, before any other, at most d steps after the onset.
        low: (k,): lower end of its 95 % interval, pointwise.
        high: (k,): upper end.
    """

    share: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class CumulativeIncidence:
    """Estimate of Aalen and Johansen: a fault is detected, or its episode fails or ends first.

    Without recordings that were cut off, each incidence is a share of the faulty episodes.

    Args:
        delays: (k,): d = 0, 1, and so on, up to the longest observed time.
        detected: Incidence of an alarm.
        failed: Incidence of a failure without an earlier alarm.
        ended: Incidence of any other end without an alarm.
        at_risk: (k,): episodes that have not ended and have no alarm before d.
        counts: (3, k): number of episodes that are detected, fail and end at step d.

    Example:
        >>> delays, exposures = np.array([0, 2, -1, -1]), np.array([5, 4, 2, 3])
        >>> found = estimate_cumulative_incidence(delays, exposures, np.array([False, False, True, False]))
        >>> found.detected.share, found.failed.share, found.ended.share, found.at_risk
        (array([0.25, 0.25, 0.5 ]), array([0.  , 0.25, 0.25]), array([0.  , 0.  , 0.25]), array([4, 3, 2]))
    """

    delays: IntArray
    detected: Incidence
    failed: Incidence
    ended: Incidence
    at_risk: IntArray
    counts: IntArray


def estimate_cumulative_incidence(
    delays: IntArray, exposures: IntArray, failed: BoolArray, cut: BoolArray | None = None
) -> CumulativeIncidence:
    """Return the cumulative incidence of detection, failure and other ends.

    Args:
        delays: (n,): steps from the onset to the first alarm; negative for a miss.
        exposures: (n,): steps from the onset to the end of the episode, the onset included.
        failed: (n,): whether the world ended the episode without success.
        cut: (n,): whether the recording stops while its episode goes on; such an episode without an alarm is censored.
            None if every episode was recorded to its end.
    """
    require_shape("delays", delays, "n")
    for name, values in (("exposures", exposures), ("failed", failed), ("cut", cut)):
        if values is not None:
            require_shape(name, values, len(delays))
    missed = delays < 0
    last = np.where(missed, exposures - 1, delays)
    length = int(last.max(initial=-1)) + 1
    censored = missed & (np.zeros(len(delays), np.bool_) if cut is None else cut)
    outcomes = (~missed, missed & failed & ~censored, missed & ~failed & ~censored)
    events = np.array([np.bincount(last[each], minlength=length) for each in outcomes], np.float64)
    left = np.concatenate([[0], np.cumsum(np.bincount(last, minlength=length))])[:length]
    lost = np.concatenate([[0], np.cumsum(np.bincount(last[censored], minlength=length))])[:length]
    at_risk = len(delays) - left
    # The probability that nothing has happened before step d.
    open_before = np.concatenate([[1.0], np.cumprod(1.0 - events.sum(axis=0) / at_risk)])[:length]
    detected, failing, ended = (
        _incidence(each, events.sum(axis=0), at_risk, open_before, len(delays) - lost) for each in events
    )
    return CumulativeIncidence(np.arange(length), detected, failing, ended, at_risk, events.astype(np.int64))


def _incidence(
    events: FloatArray, all_events: FloatArray, at_risk: IntArray, open_before: FloatArray, known: IntArray
) -> Incidence:
    share = np.minimum(np.cumsum(open_before * events / at_risk), 1.0)
    variance = _variance(share, events, all_events, at_risk, open_before)
    # The number of independent episodes with this variance, at most all whose outcome by d is known.
    binomial = share * (1.0 - share)
    effective = np.divide(binomial, variance, out=known.astype(np.float64), where=(variance > 0.0) & (binomial > 0.0))
    n = np.minimum(effective, known)
    k = share * n
    low = np.where(k > 0.0, betaincinv(np.maximum(k, TINY), n - k + 1.0, TAIL), 0.0)
    high = np.where(k < n, betaincinv(k + 1.0, np.maximum(n - k, TINY), 1.0 - TAIL), 1.0)
    return Incidence(share, low, high)


def _variance(
    share: FloatArray, events: FloatArray, all_events: FloatArray, at_risk: IntArray, open_before: FloatArray
) -> FloatArray:
    """Return the variance of a cumulative incidence F by the delta method (Aalen; Gaynor and others 1993).

    With weights a and b of each step j, it has the parts Σ (F(d) - F(j))² a(j) and Σ (F(d) - F(j)) b(j).
    """
    a = all_events / (at_risk * np.maximum(at_risk - all_events, 1.0))
    b = open_before * events / at_risk**2.0
    own = np.cumsum(open_before**2 * events * (at_risk - events) / at_risk**3.0)
    squares = share**2 * np.cumsum(a) - 2.0 * share * np.cumsum(share * a) + np.cumsum(share**2 * a)
    products = share * np.cumsum(b) - np.cumsum(share * b)
    variance: FloatArray = np.maximum(squares + own - 2.0 * products, 0.0)
    return variance
