"""Audit of a fitted alarm: its false alarms in new nominal episodes, compared with its guarantee."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from offnominal.alarms.alarm import Alarm
from offnominal.alarms.guarantee_check import GuaranteeCheck, check_guarantee
from offnominal.core.errors import InvalidScores
from offnominal.core.rounding import fixed, significant


@dataclass(frozen=True, slots=True)
class Audit:
    """False alarms of a fitted alarm.

    Args:
        alarm: Id of the alarm.
        check: Its guarantee, the measured share and the verdict.
        episodes: Number of nominal episodes.
        alarmed: Number of them with an alarm.
        steps: Total number of steps.
        n_alarms: Number of alarms; consecutive steps above the threshold are one alarm.
    """

    alarm: str
    check: GuaranteeCheck
    episodes: int
    alarmed: int
    steps: int
    n_alarms: int

    @property
    def rate(self) -> float:
        """Fraction of episodes with a false alarm."""
        return self.alarmed / self.episodes

    @property
    def alarms_per_1000_steps(self) -> float:
        """Number of alarms per thousand steps."""
        return 1000.0 * self.n_alarms / self.steps

    @property
    def verdict(self) -> str:
        """Outcome of the audit, and what would decide if it is undecided."""
        return self.check.verdict

    def __str__(self) -> str:
        return (
            f"{self.alarm}: false alarms in {fixed(100.0 * self.rate, 2)}% of {self.episodes:,} episodes, "
            f"{significant(self.alarms_per_1000_steps)} alarms per 1,000 steps. {self.check}"
        )


def audit_alarm(alarm: Alarm, scores: Sequence[ArrayLike]) -> Audit:
    """Count the false alarms of a fitted alarm in new nominal episodes.

    The verdict is that of :func:`~offnominal.alarms.guarantee_check.check_guarantee`, in the unit of the guarantee.

    Args:
        alarm: A fitted alarm.
        scores: One array per nominal episode, used neither for the detector nor for the alarm. About 4,200 episodes
            decide about a rate of 0.05.

    Example:
        >>> from offnominal.alarms import EpisodeMaximum, simulate_scores
        >>> alarm = EpisodeMaximum(alpha=0.05).fit(simulate_scores(200, seed=0))
        >>> audit = audit_alarm(alarm, simulate_scores(2000, seed=1))
        >>> audit.verdict
        'kept'
        >>> audit_alarm(alarm, [2.0 * episode for episode in simulate_scores(2000, seed=1)]).verdict
        'broken'
    """
    raised = alarm.alarm(scores)
    if not raised:
        raise InvalidScores("no episode was given; an audit needs nominal episodes, about 4,200 for a rate of 0.05.")
    return Audit(
        alarm=alarm.id,
        check=check_guarantee(alarm, raised),
        episodes=len(raised),
        alarmed=sum(bool(episode.any()) for episode in raised),
        steps=sum(map(len, raised)),
        n_alarms=sum(int(np.sum(episode[1:] & ~episode[:-1])) + int(episode[0]) for episode in raised),
    )
