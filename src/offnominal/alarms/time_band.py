"""A limit for each step of the episode."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from offnominal.alarms.alarm import AlarmState
from offnominal.alarms.conformal import SplitConformalAlarm, standardised
from offnominal.core.checks import integer_in
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray, IntArray

MIN_EPISODES = 5
MIN_WIDTH = 0.1
MOST_STEPS = 1_000_000


@dataclass(eq=False)
class TimeBand(SplitConformalAlarm):
    """Alarms when a score is above a band around what is nominal at the same step of an episode.

    The limit at step t is ``centres_[t] + threshold_ * widths_[t]``. Centre and width are the mean and the standard
    deviation of nominal scores within `half_window` steps of t, over a `fit_fraction` of the calibration episodes; the
    factor `threshold_` is the conformal one for the largest excess of the others, so that the guarantee is for whole
    episodes and exact.

    Episodes may differ in length. The last step at which at least five of the share (or all, if there are fewer) were
    still running is the last with a centre and a width of its own; they are held from there on. A width is at least a
    tenth of the overall one, so that a step at which nominal scores hardly differ does not decide alone.

    Guaranteed:
        For exchangeable nominal episodes, P(any alarm in a fresh nominal episode) <= alpha, averaged over calibrations;
        with `confidence`, for this calibration with that confidence.

    Not guaranteed:
        A rate per step: alarms may crowd where the band fits badly. Anything after the policy, the task or the nominal
        conditions have changed, nor in episodes that go on for longer than those of the calibration would have.

    Args:
        alpha: Largest probability of a false alarm in a nominal episode.
        half_window: How many steps before and after t count for t.
        confidence: As for :class:`EpisodeMaximum`.
        fit_fraction: Share of the calibration episodes that centre and width are learned from.

    Attributes:
        centres_: (T,): mean nominal score at each step.
        widths_: (T,): its standard deviation.

    Example:
        >>> from offnominal.alarms import simulate_scores
        >>> def restless(episode):
        ...     return np.where(np.arange(len(episode)) < 10, 9.0 * episode, episode)
        >>> alarm = TimeBand(alpha=0.05, half_window=0).fit(list(map(restless, simulate_scores(200, steps=40))))
        >>> alarm.first_alarms([[9.0] * 10 + [1.0] * 30, [9.0] * 20 + [1.0] * 20])
        [None, 10]
    """

    half_window: int = 5
    centres_: FloatArray = field(init=False, repr=False)
    widths_: FloatArray = field(init=False, repr=False)

    def check(self) -> None:
        """Smoothing counts steps."""
        super().check()
        integer_in("half_window", self.half_window, 0, MOST_STEPS)

    def fit_statistic(self, episodes: list[FloatArray]) -> None:
        """Learn centre and width of each step."""
        lengths = np.sort([len(episode) for episode in episodes])[::-1]
        horizon = int(lengths[min(MIN_EPISODES, len(lengths)) - 1])
        steps = np.concatenate([np.arange(len(episode)) for episode in episodes])
        scores = np.concatenate(episodes)
        counts = self._smoothed(np.bincount(steps))
        self.centres_ = (self._smoothed(np.bincount(steps, scores)) / counts)[:horizon]
        squares = np.bincount(steps, (scores - self._held(self.centres_, steps)) ** 2)
        overall = float(np.sqrt(np.sum(squares) / len(scores))) or 1.0
        self.widths_ = np.maximum(np.sqrt(self._smoothed(squares) / counts)[:horizon], MIN_WIDTH * overall)

    def update_statistic(self, state: AlarmState, scores: FloatArray) -> tuple[AlarmState, FloatArray]:
        """Return how many widths the score is above the centre of its step."""
        centres, widths = (self._held(values, state.steps) for values in (self.centres_, self.widths_))
        return state.after(), standardised(scores, centres, widths)

    def check_fitted(self) -> None:
        """Every step has a centre and a width."""
        super().check_fitted()
        if self.centres_.ndim != 1 or self.centres_.shape != self.widths_.shape or not (self.widths_ > 0).all():
            raise InvalidParameter(
                f"centres_ has shape {self.centres_.shape} and widths_ {self.widths_.shape}, the smallest of them "
                f"{self.widths_.min():g}; expected a centre and a positive width for each step."
            )

    def band(self, steps: int) -> FloatArray:
        """Return the limit on the score itself at the first steps of an episode, for pictures."""
        self._require_fitted()
        when = np.arange(steps)
        limits: FloatArray = self._held(self.centres_, when) + self.threshold_ * self._held(self.widths_, when)
        return limits

    def _smoothed(self, totals: FloatArray | IntArray) -> FloatArray:
        """Return the total over the steps around each."""
        window = np.ones(2 * self.half_window + 1)
        return np.convolve(totals, window)[self.half_window : self.half_window + len(totals)]

    @staticmethod
    def _held(values: FloatArray, steps: IntArray) -> FloatArray:
        """Return the value of each step, the last one after the end."""
        return values[np.minimum(steps, len(values) - 1)]
