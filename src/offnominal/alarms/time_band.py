"""A threshold for each step of the episode."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from offnominal.alarms.alarm import AlarmState
from offnominal.alarms.checks import pooled_scores
from offnominal.alarms.conformal import LARGEST, SplitConformalAlarm, standardised
from offnominal.core.checks import integer_in, require_shape
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray, IntArray

if TYPE_CHECKING:
    from torch import Tensor

MIN_EPISODES = 5
MIN_WIDTH = 0.1
MOST_STEPS = 1_000_000


@dataclass(eq=False)
class TimeBand(SplitConformalAlarm):
    """Alarms when a score is above a band around the nominal scores of the same step.

    The threshold at step t is ``centres_[t] + threshold_ * widths_[t]``. Centre and width are the mean and the standard
    deviation of nominal scores within `half_window` steps of t, over a `fit_fraction` of the calibration episodes; the
    factor `threshold_` is the conformal threshold on the largest excess of the others, so that the guarantee is exact
    and for whole episodes.

    Episodes may differ in length. Centre and width are constant after the last step that at least five of the
    `fit_fraction` episodes (or all, if there are fewer) reach. A width is at least a tenth of the overall width, so
    that steps with almost constant nominal scores do not dominate.

    Guaranteed:
        For exchangeable nominal episodes, P(any alarm in a new nominal episode) <= alpha, averaged over calibrations;
        with `confidence`, for this calibration with that confidence.

    Not guaranteed:
        A rate per step: alarms may cluster where the band fits badly. Anything after the policy, the task or the
        nominal conditions have changed, nor in episodes that are longer than the calibration episodes.

    Args:
        alpha: Largest probability of a false alarm in a nominal episode.
        half_window: Number of steps before and after t in the window of t.
        confidence: As for :class:`EpisodeMaximum`.
        fit_fraction: Fraction of the calibration episodes for centre and width.

    Attributes:
        centres_: (T,): mean nominal score at each step.
        widths_: (T,): standard deviation of the nominal score at each step.

    Example:
        >>> from offnominal.alarms import simulate_scores
        >>> def larger_at_first(episode):
        ...     return np.where(np.arange(len(episode)) < 10, 9.0 * episode, episode)
        >>> alarm = TimeBand(alpha=0.05, half_window=0).fit(list(map(larger_at_first, simulate_scores(200, steps=40))))
        >>> alarm.first_alarms([[9.0] * 10 + [1.0] * 30, [9.0] * 20 + [1.0] * 20])
        [None, 10]
    """

    half_window: int = 5
    centres_: FloatArray = field(init=False, repr=False)
    widths_: FloatArray = field(init=False, repr=False)

    def check(self) -> None:
        """Raise :class:`InvalidParameter` if an argument is invalid."""
        super().check()
        integer_in("half_window", self.half_window, 0, MOST_STEPS)

    def fit_statistic(self, episodes: list[FloatArray]) -> None:
        """Fit centre and width of each step."""
        scores = pooled_scores(episodes)
        require_shape("scores", scores, "steps")
        lengths = np.sort([len(episode) for episode in episodes])[::-1]
        horizon = int(lengths[min(MIN_EPISODES, len(lengths)) - 1])
        steps = np.concatenate([np.arange(len(episode)) for episode in episodes])
        counts = self._smoothed(np.bincount(steps))
        self.centres_ = (self._smoothed(np.bincount(steps, scores)) / counts)[:horizon]
        squares = np.bincount(steps, (scores - self._held(self.centres_, steps)) ** 2)
        overall = float(np.sqrt(np.sum(squares) / len(scores))) or 1.0
        self.widths_ = np.maximum(np.sqrt(self._smoothed(squares) / counts)[:horizon], MIN_WIDTH * overall)

    def update_statistic(self, state: AlarmState, scores: FloatArray) -> tuple[AlarmState, FloatArray]:
        """Return the score minus the centre of its step, in widths."""
        centres, widths = (self._held(values, state.steps) for values in (self.centres_, self.widths_))
        return state.after(), standardised(scores, centres, widths)

    def run_statistic(self, scores: FloatArray) -> FloatArray:
        """Return the scores minus the centres of their steps, in widths."""
        require_shape("scores", scores, "steps", "n")
        steps = np.arange(len(scores))
        centres, widths = (self._held(values, steps)[:, None] for values in (self.centres_, self.widths_))
        return standardised(scores, centres, widths)

    def torch_statistic(self, steps: Tensor, memory: Tensor, scores: Tensor) -> tuple[Tensor, Tensor]:
        """Return the score minus the centre of its step, in widths, by torch operators."""
        import torch

        step = steps.clamp(max=len(self.centres_) - 1)
        centres, widths = (torch.from_numpy(values)[step] for values in (self.centres_, self.widths_))
        return memory, ((scores - centres) / widths).clamp(-LARGEST, LARGEST)

    def check_fitted(self) -> None:
        """Raise :class:`InvalidParameter` unless every step has a centre and a positive width."""
        super().check_fitted()
        if self.centres_.ndim != 1 or self.centres_.shape != self.widths_.shape or not (self.widths_ > 0).all():
            raise InvalidParameter(
                f"centres_ has shape {self.centres_.shape} and widths_ {self.widths_.shape}, the smallest of them "
                f"{self.widths_.min():g}; expected a centre and a positive width for each step."
            )

    def band(self, steps: int) -> FloatArray:
        """Return the threshold on the score itself at the first steps of an episode, for figures."""
        self._require_fitted()
        numbers = np.arange(steps)
        thresholds: FloatArray = self._held(self.centres_, numbers) + self.threshold_ * self._held(
            self.widths_, numbers
        )
        return thresholds

    def _smoothed(self, totals: FloatArray | IntArray) -> FloatArray:
        """Return the sum over the window of each step."""
        window = np.ones(2 * self.half_window + 1)
        return np.convolve(totals, window)[self.half_window : self.half_window + len(totals)]

    @staticmethod
    def _held(values: FloatArray, steps: IntArray) -> FloatArray:
        """Return the value of each step; the last value for steps after the end."""
        return values[np.minimum(steps, len(values) - 1)]
