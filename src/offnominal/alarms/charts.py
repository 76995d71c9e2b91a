"""Control charts over an episode: statistics that accumulate small shifts, with conformal thresholds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from offnominal.alarms.alarm import AlarmState
from offnominal.alarms.checks import pooled_scores
from offnominal.alarms.conformal import LARGEST, SplitConformalAlarm, standardised
from offnominal.core.checks import number_in, require_shape
from offnominal.core.compilation import compiled
from offnominal.core.types import FloatArray

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(eq=False)
class StandardisedChart(SplitConformalAlarm):
    """A control chart of standardised scores.

    Scores are standardised by mean and standard deviation, not by median and quartiles, because they are skewed: a sum
    of scores around the median grows without bound in nominal episodes. Outliers increase the standard deviation, which
    reduces the sensitivity but does not affect the guarantee.

    Attributes:
        mean_: Mean score of the episodes that are not ranked.
        deviation_: Standard deviation of these scores; 1 if they are constant.
    """

    mean_: float = field(init=False, repr=False)
    deviation_: float = field(init=False, repr=False)

    def fit_statistic(self, episodes: list[FloatArray]) -> None:
        """Fit mean and standard deviation."""
        pooled = pooled_scores(episodes)
        self.mean_ = float(np.mean(pooled))
        self.deviation_ = float(np.std(pooled)) or 1.0

    def standardised(self, scores: FloatArray) -> FloatArray:
        """Return standardised scores."""
        return standardised(scores, self.mean_, self.deviation_)

    def torch_standardised(self, scores: Tensor) -> Tensor:
        """Return standardised scores by torch operators."""
        return ((scores - self.mean_) / self.deviation_).clamp(-LARGEST, LARGEST)

    def check_fitted(self) -> None:
        """Raise :class:`InvalidParameter` if the standard deviation is not positive."""
        super().check_fitted()
        number_in("deviation_", self.deviation_, 0.0, open_low=True)


@dataclass(eq=False)
class EpisodeEwma(StandardisedChart):
    """Alarms when an exponentially weighted moving average of the scores is above a conformal threshold.

    The average starts at the nominal mean in each episode; each score has the weight `weight`. Scores are standardised
    by the nominal mean and standard deviation of a `fit_fraction` of the calibration episodes. The other calibration
    episodes are ranked, so that the guarantee is exact.

    Guaranteed:
        For exchangeable nominal episodes, P(any alarm in a new nominal episode) <= alpha, averaged over calibrations;
        with `confidence`, for this calibration with that confidence.

    Not guaranteed:
        Anything after the policy, the task or the nominal conditions have changed, nor in episodes that are
        longer than the calibration episodes.

    Args:
        alpha: Largest probability of a false alarm in a nominal episode.
        weight: Weight of the newest score, up to 1; small weights detect small shifts, but later.
        confidence: As for :class:`EpisodeMaximum`.
        fit_fraction: Fraction of the calibration episodes for mean and standard deviation.

    Example:
        >>> from offnominal.alarms import simulate_scores
        >>> alarm = EpisodeEwma(alpha=0.05, weight=0.1).fit(simulate_scores(100, seed=0))
        >>> alarm.first_alarms([[1.0] * 20 + [8.0] * 20])
        [25]
    """

    weight: float = 0.1

    def check(self) -> None:
        """Raise :class:`InvalidParameter` if an argument is invalid."""
        super().check()
        number_in("weight", self.weight, 0.0, 1.0, open_low=True)

    def update_statistic(self, state: AlarmState, scores: FloatArray) -> tuple[AlarmState, FloatArray]:
        """Update the average."""
        weight = float(self.weight)
        average = (1.0 - weight) * state.memory + weight * self.standardised(scores)
        return state.after(average), average

    def run_statistic(self, scores: FloatArray) -> FloatArray:
        """Return the averages of whole episodes."""
        require_shape("scores", scores, "steps", "n")
        weight = float(self.weight)
        averages = weight * self.standardised(scores)
        _average(averages, self.start(scores.shape[1]).memory, 1.0 - weight)
        return averages

    def torch_statistic(self, steps: Tensor, memory: Tensor, scores: Tensor) -> tuple[Tensor, Tensor]:
        """Update the average by torch operators."""
        weight = float(self.weight)
        average = (1.0 - weight) * memory + weight * self.torch_standardised(scores)
        return average, average


@dataclass(eq=False)
class EpisodeCusum(StandardisedChart):
    """Alarms when a one-sided cumulative sum of the scores is above a conformal threshold.

    Each step adds the score minus `drift` to the sum, which is never below zero. Scores are standardised by the nominal
    mean and standard deviation of a `fit_fraction` of the calibration episodes. The other calibration episodes are
    ranked, so that the guarantee is exact.

    Guaranteed:
        For exchangeable nominal episodes, P(any alarm in a new nominal episode) <= alpha, averaged over calibrations;
        with `confidence`, for this calibration with that confidence.

    Not guaranteed:
        Anything after the policy, the task or the nominal conditions have changed, nor in episodes that are
        longer than the calibration episodes, because sums have more time to grow.

    Args:
        alpha: Largest probability of a false alarm in a nominal episode.
        drift: Value that is subtracted from each standardised score; half the shift that should be detected fastest.
        confidence: As for :class:`EpisodeMaximum`.
        fit_fraction: Fraction of the calibration episodes for mean and standard deviation.

    Example:
        >>> from offnominal.alarms import simulate_scores
        >>> alarm = EpisodeCusum(alpha=0.05, drift=0.5).fit(simulate_scores(100, seed=0))
        >>> alarm.first_alarms([[1.0] * 20 + [8.0] * 20])
        [38]
    """

    drift: float = 0.5

    def check(self) -> None:
        """Raise :class:`InvalidParameter` if an argument is invalid."""
        super().check()
        number_in("drift", self.drift, 0.0)

    def update_statistic(self, state: AlarmState, scores: FloatArray) -> tuple[AlarmState, FloatArray]:
        """Update the sum."""
        total = np.maximum(state.memory + (self.standardised(scores) - float(self.drift)), 0.0)
        return state.after(total), total

    def run_statistic(self, scores: FloatArray) -> FloatArray:
        """Return the sums of whole episodes."""
        require_shape("scores", scores, "steps", "n")
        sums = self.standardised(scores) - float(self.drift)
        _sum_above_zero(sums, self.start(scores.shape[1]).memory)
        return sums

    def torch_statistic(self, steps: Tensor, memory: Tensor, scores: Tensor) -> tuple[Tensor, Tensor]:
        """Update the sum by torch operators."""
        total = (memory + (self.torch_standardised(scores) - float(self.drift))).clamp(min=0.0)
        return total, total


@compiled
def _average(values: FloatArray, memory: FloatArray, remaining: float) -> None:
    """Replace (steps, n) weighted scores by their moving averages; `memory` is overwritten."""
    for t in range(values.shape[0]):
        for row in range(values.shape[1]):
            memory[row] = remaining * memory[row] + values[t, row]
            values[t, row] = memory[row]


@compiled
def _sum_above_zero(values: FloatArray, memory: FloatArray) -> None:
    """Replace (steps, n) increments by their sums, never below zero; `memory` is overwritten."""
    for t in range(values.shape[0]):
        for row in range(values.shape[1]):
            memory[row] = max(memory[row] + values[t, row], 0.0)
            values[t, row] = memory[row]
