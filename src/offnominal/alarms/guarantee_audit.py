"""Audit of a guarantee over many calibrations.

A conformal guarantee is an average over calibrations. One calibration cannot test it: with 100 episodes its rate is
between 0.02 and 0.09 in nine of ten cases. So the alarm is calibrated many times on disjoint episodes, and all
calibrations are tested on the same new episodes. The standard error of the mean rate has two parts: the variance over
calibrations and the variance over test episodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtrc, stdtr

from offnominal.alarms.alarm import Alarm
from offnominal.alarms.guarantee import Guarantee
from offnominal.alarms.guarantee_check import (
    BROKEN,
    KEPT,
    MARGIN,
    NEAREST,
    UNDECIDED,
    deciding_units,
    outcome_of,
    rounded_up,
    units_below,
)
from offnominal.alarms.share_interval import clopper_pearson, effective_interval
from offnominal.core.checks import positive_integer
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter, InvalidScores
from offnominal.core.types import FloatArray

SIGNIFICANCE = 0.01
NOISE = 2.0
"""Standard errors of one rate, which a calibration may be above the level without counting as above it."""


@dataclass(frozen=True)
class GuaranteeAudit(Config):
    """False-alarm rates of an alarm over calibrations.

    Args:
        guarantee: Guarantee of the alarm.
        calibration: Episodes per calibration.
        episodes: Number of new nominal episodes that each calibration was tested on.
        rates: Fraction of episodes with a false alarm, per calibration; fraction of steps if the guarantee is per step.
        error: Standard error of the mean rate over calibrations and test episodes.
        interval: 95 % interval of the mean rate: Clopper and Pearson with the number of episodes that would have this
            standard error, after Korn and Graubard.
        p: Probability of at least such rates if the guarantee holds: of the mean rate, or of the number of calibrations
            above the level for a ``"pac"`` guarantee. None without a guarantee.
        n_tests: Number of guarantees that are tested together; the significance level is divided by it.
    """

    guarantee: Guarantee
    calibration: int
    episodes: int
    rates: tuple[float, ...]
    error: float
    interval: tuple[float, float]
    p: float | None
    n_tests: int

    @property
    def rate(self) -> float:
        """Mean false-alarm rate over calibrations."""
        return float(np.mean(self.rates))

    @property
    def outcome(self) -> str:
        """Whether the guarantee was kept, in one word.

        ``kept`` if the interval ends at most a fifth of the level above it; ``broken`` if the whole interval is above
        it and the probability of that is below 0.01, divided by the number of tests; else ``undecided``. A ``"pac"``
        guarantee is kept if an exact interval shows that so many calibrations are not above level and
        margin, and broken if too many are above the level.
        """
        explained = self.p is None or self.p >= SIGNIFICANCE / self.n_tests
        level, confidence = self.guarantee.level, self.guarantee.confidence
        if level is None or confidence is None:
            return outcome_of(level, self.interval, explained=explained)
        if clopper_pearson(self._above(level), len(self.rates))[1] <= 1.0 - confidence:
            return KEPT
        return UNDECIDED if explained else BROKEN

    def _above(self, level: float) -> int:
        """Return the number of calibrations whose rate is above the level and the margin."""
        return sum(rate > (1.0 + MARGIN) * level for rate in self.rates)

    @property
    def clearly_above(self) -> int:
        """Number of calibrations whose rate is above the level by more than two standard errors of one rate."""
        return 0 if self.guarantee.level is None else _clearly_above(self.guarantee.level, self.rates, self.episodes)

    @property
    def deciding(self) -> tuple[int, int] | None:
        """Calibrations and new episodes that would decide; None if the audit has decided, or if these are unknown.

        They are those for a rate that is the level; if there were as many, those for the measured rate.
        """
        level, confidence = self.guarantee.level, self.guarantee.confidence
        if self.outcome != UNDECIDED or level is None:
            return None
        if confidence is not None:
            wanted = self._deciding_calibrations(level, 1.0 - confidence)
            return None if wanted is None else (wanted, self.episodes)
        if self.interval[0] > level:
            return None
        share = min(max(self.rate, level), 1.0 - 1e-9)
        factor = self.error**2 / (share * (1.0 - share))
        times = deciding_units(level) * factor
        if times <= 1.0:
            times = max(deciding_units(level, min(share, NEAREST * level)) * factor, 1.0)
        return rounded_up(times * len(self.rates)), rounded_up(times * self.episodes)

    def _deciding_calibrations(self, level: float, allowed: float) -> int | None:
        """Return how many calibrations would show that at most a share is above the level; None if unknown."""
        least, share = units_below(allowed, 0.0), self._above(level) / len(self.rates)
        if len(self.rates) < least:
            return least
        return rounded_up(units_below(allowed, share)) if share < allowed / NEAREST else None

    @property
    def verdict(self) -> str:
        """The outcome, with what would decide if it is undecided."""
        if self.outcome != UNDECIDED:
            return self.outcome
        if self.deciding is None:
            return f"{self.outcome}: more calibrations would decide"
        calibrations, episodes = self.deciding
        more = "" if episodes == self.episodes else f" and {episodes:,} nominal episodes"
        return f"{self.outcome}: {calibrations:,} calibrations{more} would decide"


def audit_guarantee(
    alarm: Alarm,
    calibration: Sequence[ArrayLike],
    fresh: Sequence[ArrayLike],
    *,
    calibrations: int = 20,
    n_tests: int = 1,
) -> GuaranteeAudit:
    """Calibrate an alarm many times and test it on new nominal episodes.

    Args:
        alarm: Alarm to test; copies of it are fitted.
        calibration: Scores of nominal episodes, divided evenly among the calibrations in the given order; the remainder
            is not used.
        fresh: Scores of other nominal episodes, about 2,000.
        calibrations: Number of calibrations, at least two.
        n_tests: Number of guarantees that are tested together; see :class:`GuaranteeAudit`.

    Example:
        >>> from offnominal.alarms import EpisodeMaximum, simulate_scores
        >>> scores = simulate_scores(4000, steps=20)
        >>> audit = audit_guarantee(EpisodeMaximum(alpha=0.05), scores[:2000], scores[2000:])
        >>> audit.rate, audit.error, audit.verdict
        (0.0488, 0.0064, 'undecided: 72 calibrations and 7,200 nominal episodes would decide')
        >>> larger = [2.0 * episode for episode in scores[2000:]]
        >>> audit_guarantee(EpisodeMaximum(alpha=0.05), scores[:2000], larger).verdict
        'broken'
    """
    count, size = positive_integer("calibrations", calibrations), len(calibration) // calibrations
    if count < 2 or not size:
        raise InvalidParameter(
            f"{calibrations} calibrations of {size} episodes are too few; expected two or more of each."
        )
    if not len(fresh):
        raise InvalidScores(
            "no test episode was given; an audit needs nominal episodes, about 2,000 for a rate of 0.05."
        )
    parts = [calibration[number * size : (number + 1) * size] for number in range(count)]
    false = np.array([_false(deepcopy(alarm).fit(part), fresh) for part in parts])
    rates, error = false.mean(axis=1), crossed_error(false)
    p = _probability(alarm.guarantee, rates, error, len(fresh))
    return GuaranteeAudit(
        guarantee=alarm.guarantee,
        calibration=size,
        episodes=len(fresh),
        rates=tuple(rates.tolist()),
        error=error,
        interval=effective_interval(float(rates.mean()), error, len(fresh), count - 1),
        p=p,
        n_tests=positive_integer("n_tests", n_tests),
    )


def audit_rates(
    guarantee: Guarantee, rates: ArrayLike, *, calibration: int, episodes: int, n_tests: int = 1
) -> GuaranteeAudit:
    """Judge false-alarm rates of calibrations that were each tested on new episodes of their own.

    Args:
        guarantee: Guarantee of the alarm.
        rates: Rate of each calibration, at least two.
        calibration: Episodes per calibration.
        episodes: Number of new nominal episodes of each calibration.
        n_tests: Number of guarantees that are tested together; see :class:`GuaranteeAudit`.

    Example:
        >>> from offnominal.alarms import EpisodeMaximum
        >>> guarantee, far = EpisodeMaximum(alpha=0.05).guarantee, [0.09, 0.11]
        >>> [audit_rates(guarantee, given, calibration=99, episodes=500).outcome for given in ([0.05, 0.06], 20 * far)]
        ['undecided', 'broken']
    """
    values = np.asarray(rates, dtype=np.float64)
    count, total = len(values), len(values) * positive_integer("episodes", episodes)
    if count < 2:
        raise InvalidParameter(f"{count} calibrations are too few; expected two or more.")
    error = float(np.std(values, ddof=1) / np.sqrt(count))
    marginal = guarantee.confidence is None
    return GuaranteeAudit(
        guarantee=guarantee,
        calibration=calibration,
        episodes=episodes,
        rates=tuple(values.tolist()),
        error=error,
        interval=effective_interval(float(values.mean()), error, total, count - 1),
        p=_probability(guarantee, values, error, total if marginal else episodes),
        n_tests=positive_integer("n_tests", n_tests),
    )


def _false(alarm: Alarm, fresh: Sequence[ArrayLike]) -> FloatArray:
    """Return a number per episode; their mean is the false-alarm rate."""
    raised = alarm.alarm(fresh)
    if alarm.guarantee.level is not None and alarm.guarantee.unit == "step":
        mean_length = sum(map(len, raised)) / len(raised)
        return np.array([episode.sum() / mean_length for episode in raised])
    return np.array([float(episode.any()) for episode in raised])


def crossed_error(values: FloatArray) -> float:
    """Return the standard error of the mean of a matrix whose rows and columns are both random samples.

    Both parts contain the variance of single entries, which therefore counts twice; it is comparatively small.

    Example:
        >>> crossed_error(np.array([[0.0, 1.0, 1.0], [0.0, 1.0, 0.0]]))
        0.333
    """
    rows, columns = values.shape
    over_columns = np.var(values.mean(axis=0), ddof=1) / columns if columns > 1 else 0.0
    return float(np.sqrt(np.var(values.mean(axis=1), ddof=1) / rows + over_columns))


def _probability(guarantee: Guarantee, rates: FloatArray, error: float, n: int) -> float | None:
    """Return the probability of such rates or higher ones if the guarantee holds."""
    if guarantee.level is None:
        return None
    count = len(rates)
    if guarantee.confidence is None:
        deviation = _deviation(guarantee.level, n)
        return float(stdtr(count - 1, -float(rates.mean() - guarantee.level) / max(error, deviation)))
    above = _clearly_above(guarantee.level, rates, n)
    return float(bdtrc(above - 1, count, 1.0 - guarantee.confidence)) if above else 1.0


def _deviation(level: float, n: int) -> float:
    """Return the standard error of a rate of n episodes that is the level."""
    return float(np.sqrt(level * (1.0 - level) / n))


def _clearly_above(level: float, rates: ArrayLike, n: int) -> int:
    """Return how many rates are above the level by more than chance explains."""
    return int(np.sum(np.asarray(rates) > level + NOISE * _deviation(level, n)))
