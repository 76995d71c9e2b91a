"""Audit of a fitted alarm: its false alarms in new nominal episodes, compared with its guarantee."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtrc, betaincinv, betaln, gammaln

from offnominal.alarms.alarm import Alarm
from offnominal.alarms.guarantee import Guarantee
from offnominal.core.checks import number_in
from offnominal.core.config import Config
from offnominal.core.errors import InvalidScores

AuditVerdict = Literal["no guarantee", "kept", "above the level, as some calibrations are", "contradicted"]


@dataclass(frozen=True)
class Audit(Config):
    """False alarms of a fitted alarm.

    Args:
        alarm: Id of the alarm.
        guarantee: Guarantee of the alarm.
        episodes: Number of nominal episodes.
        alarmed: Number of them with an alarm.
        steps: Total number of steps.
        n_alarms: Number of alarms; consecutive steps above the threshold are one alarm.
        interval: 95 % interval of the rate per episode (Clopper and Pearson).
        p_level: Probability of at least as many alarmed episodes if the rate is the level; None without a guarantee.
        p_guarantee: The same probability under the guarantee, which allows single calibrations to exceed the level;
            None without a guarantee.
        significance: Probability below which the guarantee is contradicted.
    """

    alarm: str
    guarantee: Guarantee
    episodes: int
    alarmed: int
    steps: int
    n_alarms: int
    interval: tuple[float, float]
    p_level: float | None
    p_guarantee: float | None
    significance: float

    @property
    def rate(self) -> float:
        """Fraction of episodes with a false alarm."""
        return self.alarmed / self.episodes

    @property
    def alarms_per_1000_steps(self) -> float:
        """Number of alarms per thousand steps."""
        return 1000.0 * self.n_alarms / self.steps

    @property
    def verdict(self) -> AuditVerdict:
        """Outcome of the audit."""
        if self.p_level is None or self.p_guarantee is None:
            return "no guarantee"
        if self.p_guarantee < self.significance:
            return "contradicted"
        return "kept" if self.p_level >= self.significance else "above the level, as some calibrations are"

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{self.alarm}: false alarms in {self.rate:.2%} of {self.episodes:,} episodes ({low:.2%} to {high:.2%}), "
            f"{self.alarms_per_1000_steps:.3g} per 1,000 steps. Guarantee: {self.guarantee}. Verdict: {self.verdict}."
        )


def audit_alarm(alarm: Alarm, scores: Sequence[ArrayLike], *, significance: float = 0.01) -> Audit:
    """Count the false alarms of a fitted alarm in new nominal episodes.

    A guarantee on average over calibrations allows the rate of one calibration to exceed the level. If the distribution
    of the rate is known (:attr:`Alarm.rate_distribution`), the guarantee is contradicted only by more alarms than this
    distribution explains; otherwise the rate is compared with the level itself.

    Args:
        alarm: A fitted alarm.
        scores: One array per nominal episode, used neither for the detector nor for the alarm. About 2,000 episodes
            determine a rate of 0.05 within 0.01.
        significance: Probability below which the number of alarms contradicts the guarantee.

    Example:
        >>> from offnominal.alarms import EpisodeMaximum, simulate_scores
        >>> alarm = EpisodeMaximum(alpha=0.05).fit(simulate_scores(200, seed=0))
        >>> audit = audit_alarm(alarm, simulate_scores(2000, seed=1))
        >>> audit.verdict
        'kept'
        >>> audit_alarm(alarm, [2.0 * episode for episode in simulate_scores(2000, seed=1)]).verdict
        'contradicted'
    """
    number_in("significance", significance, 0.0, 1.0, open_low=True, open_high=True)
    raised = alarm.alarm(scores)
    if not raised:
        raise InvalidScores("no episode was given; an audit needs nominal episodes, about 2,000 for a rate of 0.05.")
    episodes, alarmed = len(raised), sum(bool(episode.any()) for episode in raised)
    level, distribution = alarm.guarantee.level, alarm.rate_distribution
    at_level = None if level is None else float(bdtrc(alarmed - 1, episodes, level)) if alarmed else 1.0
    return Audit(
        alarm=alarm.id,
        guarantee=alarm.guarantee,
        episodes=episodes,
        alarmed=alarmed,
        steps=sum(map(len, raised)),
        n_alarms=sum(int(np.sum(episode[1:] & ~episode[:-1])) + int(episode[0]) for episode in raised),
        interval=clopper_pearson(alarmed, episodes),
        p_level=at_level,
        p_guarantee=(
            at_level if level is None or distribution is None else beta_binomial_tail(alarmed, episodes, *distribution)
        ),
        significance=significance,
    )


def clopper_pearson(k: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return the exact interval of a probability after k successes in n trials; both may be fractions.

    Example:
        >>> clopper_pearson(0, 59)
        (0.0, 0.0606)
    """
    tail = (1.0 - confidence) / 2.0
    low = float(betaincinv(k, n - k + 1, tail)) if k > 0 else 0.0
    high = float(betaincinv(k + 1, n - k, 1.0 - tail)) if k < n else 1.0
    return low, high


def beta_binomial_tail(k: int, n: int, a: float, b: float) -> float:
    """Return the probability of k successes or more in n trials whose common probability has a beta distribution.

    Example:
        >>> beta_binomial_tail(1, 1, a=5.0, b=96.0)
        0.0495
    """
    hits = np.arange(k, n + 1)
    log_binomials = gammaln(n + 1) - gammaln(hits + 1) - gammaln(n - hits + 1)
    return float(min(1.0, np.sum(np.exp(log_binomials + betaln(hits + a, n - hits + b) - betaln(a, b)))))
