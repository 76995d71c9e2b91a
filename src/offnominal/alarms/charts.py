"""Control charts over an episode: statistics that add up small shifts, with conformal limits."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from offnominal.alarms.alarm import AlarmState
from offnominal.alarms.checks import require_number
from offnominal.alarms.conformal import SplitConformalAlarm, standardised
from offnominal.core.checks import number_in
from offnominal.core.types import FloatArray


@dataclass(eq=False)
class _Chart(SplitConformalAlarm):
    """A chart of scores counted from the nominal mean in nominal standard deviations.

    Mean and deviation rather than median and quartiles, because scores are skewed: around the median they drift
    upwards even when all is well, and a sum of them grows without end. A few wild scores widen the unit, which costs
    some sensitivity and no guarantee.

    Attributes:
        mean_: Of all steps of the episodes that are not ranked.
        deviation_: Theirs; 1 if their scores are all the same.
    """

    mean_: float = field(init=False, repr=False)
    deviation_: float = field(init=False, repr=False)

    def fit_statistic(self, episodes: list[FloatArray]) -> None:
        """Learn what the scores are counted from and in."""
        pooled = np.concatenate(episodes)
        self.mean_ = float(np.mean(pooled))
        self.deviation_ = float(np.std(pooled)) or 1.0

    def standardised(self, scores: FloatArray) -> FloatArray:
        """Return scores in nominal standard deviations above the nominal mean."""
        return standardised(scores, self.mean_, self.deviation_)

    def check_fitted(self) -> None:
        """Nothing can be counted in units of nothing."""
        super().check_fitted()
        number_in("deviation_", self.deviation_, 0.0, open_low=True)


@dataclass(eq=False)
class EpisodeEwma(_Chart):
    """Alarms when an exponentially weighted moving average of the scores is above a conformal limit.

    The average starts at the nominal mean with each episode and moves by `weight` of the way to each score. Scores are
    counted from the nominal mean in nominal standard deviations; both come from a `fit_fraction` of the calibration
    episodes, and the others are ranked, so that the guarantee is exact.

    Guaranteed:
        For exchangeable nominal episodes, P(any alarm in a fresh nominal episode) <= alpha, averaged over calibrations;
        with `confidence`, for this calibration with that confidence.

    Not guaranteed:
        Anything after the policy, the task or the nominal conditions have changed, nor in episodes that go on for
        longer than those of the calibration would have.

    Args:
        alpha: Largest probability of a false alarm in a nominal episode.
        weight: Of the newest score, up to 1; small weights see small shifts, late.
        confidence: As for :class:`EpisodeMaximum`.
        fit_fraction: Share of the calibration episodes that mean and deviation are learned from.

    Example:
        >>> from offnominal.alarms import simulate_scores
        >>> alarm = EpisodeEwma(alpha=0.05, weight=0.1).fit(simulate_scores(100, seed=0))
        >>> alarm.first_alarms([[1.0] * 20 + [8.0] * 20])
        [25]
    """

    weight: float = 0.1

    def check(self) -> None:
        """The newest score counts, and not for more than all."""
        super().check()
        require_number("weight", self.weight, "a number above 0, up to 1", lambda weight: 0 < weight <= 1)

    def update_statistic(self, state: AlarmState, scores: FloatArray) -> tuple[AlarmState, FloatArray]:
        """Move the average towards the score."""
        average = (1.0 - self.weight) * state.memory + self.weight * self.standardised(scores)
        return state.after(average), average


@dataclass(eq=False)
class EpisodeCusum(_Chart):
    """Alarms when a one-sided cumulative sum of the scores is above a conformal limit.

    At each step the sum grows by the score's excess over `drift`, or shrinks, but never below zero. Scores are counted
    from the nominal mean in nominal standard deviations; both come from a `fit_fraction` of the calibration episodes,
    and the others are ranked, so that the guarantee is exact.

    Guaranteed:
        For exchangeable nominal episodes, P(any alarm in a fresh nominal episode) <= alpha, averaged over calibrations;
        with `confidence`, for this calibration with that confidence.

    Not guaranteed:
        Anything after the policy, the task or the nominal conditions have changed, nor in episodes that go on for
        longer than those of the calibration would have: sums have more time to grow there.

    Args:
        alpha: Largest probability of a false alarm in a nominal episode.
        drift: What a score must exceed for the sum to grow, in nominal standard deviations; half the shift that should
            be seen soonest.
        confidence: As for :class:`EpisodeMaximum`.
        fit_fraction: Share of the calibration episodes that mean and deviation are learned from.

    Example:
        >>> from offnominal.alarms import simulate_scores
        >>> alarm = EpisodeCusum(alpha=0.05, drift=0.5).fit(simulate_scores(100, seed=0))
        >>> alarm.first_alarms([[1.0] * 20 + [8.0] * 20])
        [38]
    """

    drift: float = 0.5

    def check(self) -> None:
        """A sum that only ever grows shows nothing."""
        super().check()
        require_number("drift", self.drift, "a finite number, 0 or more", lambda drift: 0 <= drift < np.inf)

    def update_statistic(self, state: AlarmState, scores: FloatArray) -> tuple[AlarmState, FloatArray]:
        """Add the excess."""
        total = np.maximum(state.memory + (self.standardised(scores) - self.drift), 0.0)
        return state.after(total), total
