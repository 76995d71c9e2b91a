"""The three published thresholds: on single steps, with all nominal episodes pooled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.alarms.alarm import Alarm
from offnominal.alarms.checks import pooled_scores
from offnominal.alarms.guarantee import Guarantee
from offnominal.core.types import FloatArray


@dataclass(eq=False)
class _Threshold(Alarm):
    """A threshold on the score itself, without a guarantee."""

    @property
    def guarantee(self) -> Guarantee:
        """No guarantee."""
        return Guarantee("none", None, "step", "no guarantee, so no assumption")


@dataclass(eq=False)
class ThreeSigma(_Threshold):
    """Alarms above the mean of all nominal scores plus three of their standard deviations.

    Guaranteed:
        Nothing.

    Not guaranteed:
        A rate of false alarms per step: that would need normally distributed scores. A rate per episode: it grows with
        the length of the episodes and depends on the correlation of neighbouring scores.

    Example:
        >>> ThreeSigma().fit([[1.0, 3.0], [1.0, 3.0]]).threshold_
        5.0
    """

    def fit_threshold(self, episodes: list[FloatArray]) -> None:
        """Set the threshold from the mean and the population standard deviation of all steps."""
        pooled = pooled_scores(episodes)
        self.threshold_ = float(np.mean(pooled) + 3.0 * np.std(pooled))


@dataclass(eq=False)
class Quantile(_Threshold):
    """Alarms above the 95th percentile of all nominal scores.

    Guaranteed:
        Nothing.

    Not guaranteed:
        A false alarm at one nominal step in twenty, unless there are very many nominal episodes. At that rate most
        long nominal episodes have a false alarm.

    Example:
        >>> Quantile().fit([range(101)]).threshold_
        95.0
    """

    def fit_threshold(self, episodes: list[FloatArray]) -> None:
        """Set the threshold to the interpolated percentile of all steps."""
        self.threshold_ = float(np.percentile(pooled_scores(episodes), 95.0))


@dataclass(eq=False)
class Maximum(_Threshold):
    """Alarms above the largest of all nominal scores.

    Guaranteed:
        Nothing at a level that can be chosen.

    Not guaranteed:
        A constant rate of false alarms: with n exchangeable nominal episodes it is 1 / (n + 1) of new episodes, so the
        alarm becomes less sensitive with more data. :class:`EpisodeMaximum` keeps the rate and gains power instead.

    Example:
        >>> Maximum().fit([[1.0, 4.0], [3.0]]).threshold_
        4.0
    """

    def fit_threshold(self, episodes: list[FloatArray]) -> None:
        """Set the threshold to the maximum of all steps."""
        self.threshold_ = float(np.max(pooled_scores(episodes)))
