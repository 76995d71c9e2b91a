"""The three limits that papers print: on single steps, all nominal episodes thrown together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.alarms.alarm import Alarm
from offnominal.alarms.guarantee import Guarantee
from offnominal.core.types import FloatArray


@dataclass(eq=False)
class _Threshold(Alarm):
    """A limit on the score itself that promises nothing."""

    @property
    def guarantee(self) -> Guarantee:
        """None."""
        return Guarantee("none", None, "step", "nothing is promised, so nothing is assumed")


@dataclass(eq=False)
class ThreeSigma(_Threshold):
    """Alarms above the mean of all nominal scores plus three of their standard deviations.

    Guaranteed:
        Nothing.

    Not guaranteed:
        A rate of false alarms per step: that would need normally distributed scores. A rate per episode: it grows with
        the length of the episodes and depends on how scores of neighbouring steps hang together.

    Example:
        >>> ThreeSigma().fit([[1.0, 3.0], [1.0, 3.0]]).threshold_
        5.0
    """

    def fit_threshold(self, episodes: list[FloatArray]) -> None:
        """Take mean and standard deviation (of the population) of all steps."""
        pooled = np.concatenate(episodes)
        self.threshold_ = float(np.mean(pooled) + 3.0 * np.std(pooled))


@dataclass(eq=False)
class Quantile(_Threshold):
    """Alarms above the 95th percentile of all nominal scores.

    Guaranteed:
        Nothing.

    Not guaranteed:
        That one nominal step in twenty is called, unless there are very many nominal episodes; and if it is, most
        long nominal episodes have a false alarm.

    Example:
        >>> Quantile().fit([range(101)]).threshold_
        95.0
    """

    def fit_threshold(self, episodes: list[FloatArray]) -> None:
        """Take the percentile of all steps, interpolated between neighbours."""
        self.threshold_ = float(np.percentile(np.concatenate(episodes), 95.0))


@dataclass(eq=False)
class Maximum(_Threshold):
    """Alarms above the largest of all nominal scores.

    Guaranteed:
        Nothing at a level one could choose.

    Not guaranteed:
        A rate of false alarms that stays the same when there are more nominal episodes: with n exchangeable ones it is
        1 / (n + 1) of fresh episodes, so the alarm becomes deafer the more is known. :class:`EpisodeMaximum` keeps the
        rate and gains power instead.

    Example:
        >>> Maximum().fit([[1.0, 4.0], [3.0]]).threshold_
        4.0
    """

    def fit_threshold(self, episodes: list[FloatArray]) -> None:
        """Take the maximum of all steps."""
        self.threshold_ = float(np.max(np.concatenate(episodes)))
