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
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtrc, stdtr, stdtrit

from offnominal.alarms.alarm import Alarm
from offnominal.alarms.audit import clopper_pearson
from offnominal.alarms.guarantee import Guarantee
from offnominal.core.checks import positive_integer
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter, InvalidScores
from offnominal.core.types import FloatArray

GuaranteeVerdict = Literal["no guarantee", "holds", "in doubt", "broken"]

SIGNIFICANCE = 0.01
MAX_STANDARD_ERRORS = 2.0


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
        excess: Standard errors above the guarantee: of the number of calibrations above the level for a ``"pac"``
            guarantee, else of the mean rate. None without a guarantee.
        p: Probability of at least this excess if the guarantee holds; None without a guarantee.
        n_tests: Number of guarantees that are tested together; the significance level is divided by it.
    """

    guarantee: Guarantee
    calibration: int
    episodes: int
    rates: tuple[float, ...]
    error: float
    interval: tuple[float, float]
    excess: float | None
    p: float | None
    n_tests: int

    @property
    def rate(self) -> float:
        """Mean false-alarm rate over calibrations."""
        return float(np.mean(self.rates))

    @property
    def verdict(self) -> GuaranteeVerdict:
        """``holds`` within two standard errors, else ``broken`` if significant for `n_tests`, else ``in doubt``."""
        if self.p is None or self.excess is None:
            return "no guarantee"
        if self.excess <= MAX_STANDARD_ERRORS:
            return "holds"
        return "broken" if self.p < SIGNIFICANCE / self.n_tests else "in doubt"


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
        (0.0488, 0.0064, 'holds')
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
    excess, p = _test_guarantee(alarm.guarantee, rates, error, len(fresh))
    return GuaranteeAudit(
        guarantee=alarm.guarantee,
        calibration=size,
        episodes=len(fresh),
        rates=tuple(rates.tolist()),
        error=error,
        interval=effective_interval(float(rates.mean()), error, len(fresh), count - 1),
        excess=excess,
        p=p,
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


def effective_interval(rate: float, error: float, n: int, freedom: int) -> tuple[float, float]:
    """Return the 95 % interval of a rate with a given standard error, at least as wide as for n independent trials.

    Args:
        rate: The estimate.
        error: Its standard error.
        n: Number of trials.
        freedom: Degrees of freedom of the standard error.

    Example:
        >>> effective_interval(0.05, 0.007, 2000, freedom=19)
        (0.0364, 0.0669)
        >>> effective_interval(0.0, 0.0, 2000, freedom=19)
        (0.0, 0.0018)
    """
    spread = rate * (1.0 - rate)
    if spread <= 0.0 or error == 0.0:
        return clopper_pearson(rate * n, n)
    widened = (stdtrit(n - 1, 0.975) / stdtrit(freedom, 0.975)) ** 2 if n > 1 else 1.0
    effective = min(float(n), spread / error**2 * float(widened))
    return clopper_pearson(rate * effective, effective)


def _test_guarantee(guarantee: Guarantee, rates: FloatArray, error: float, n: int) -> tuple[float | None, float | None]:
    """Return the excess over the guarantee in standard errors, and its probability if the guarantee holds."""
    if guarantee.level is None:
        return None, None
    deviation, count = float(np.sqrt(guarantee.level * (1.0 - guarantee.level) / n)), len(rates)
    if guarantee.confidence is None:
        excess = float(rates.mean() - guarantee.level) / max(error, deviation)
        return excess, float(stdtr(count - 1, -excess))
    above = int(np.sum(rates > guarantee.level + MAX_STANDARD_ERRORS * deviation))
    allowed = 1.0 - guarantee.confidence
    excess = (above - count * allowed) / float(np.sqrt(count * allowed * guarantee.confidence))
    return excess, float(bdtrc(above - 1, count, allowed)) if above else 1.0
