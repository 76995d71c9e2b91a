"""Conformal threshold on the largest score of a window, for logs that are one long episode."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from offnominal.alarms.conformal import ConformalAlarm, TooFewEpisodes
from offnominal.alarms.guarantee import HOUR, Guarantee, Kind
from offnominal.alarms.ranks import episodes_needed
from offnominal.core.checks import positive_integer, positive_number
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray

WINDOWS = "new nominal windows are exchangeable with those of the calibration log: longer than its correlations"


@dataclass(eq=False)
class WindowMaximum(ConformalAlarm):
    """Alarms above a conformal threshold on the largest score of a window of steps.

    A continuous log of days is one episode, so that nothing can be guaranteed per episode. The nominal scores are cut
    into windows instead, and their largest scores are ranked. Windows must be longer than the time over which
    scores are correlated.

    Guaranteed:
        For exchangeable nominal windows, P(any alarm in a new nominal window) <= alpha, averaged over calibrations;
        with `confidence`, for this calibration with that confidence. With `period`, at most ``guarantee.per_hour``
        windows per hour have a false alarm on average.

    Not guaranteed:
        Anything after the nominal conditions have changed, such as the season or the load; recalibrate then. Windows
        that are shorter than the correlations of the scores are not exchangeable with later ones.

    Args:
        alpha: Largest probability of a false alarm in a nominal window.
        window: Steps of a window; the rest of a calibration episode is left out.
        period: Seconds per step, for the guarantee per hour.
        confidence: If None, the guarantee holds on average over calibrations; else it holds for this calibration with
            this probability.

    Example:
        >>> import numpy as np
        >>> scores = np.random.default_rng(0).normal(size=20_000)
        >>> alarm = WindowMaximum(alpha=0.05, window=100, period=0.1).fit([scores])
        >>> print(alarm.guarantee)
        a false alarm in at most 5% of nominal windows of 100 steps (18 per hour), on average over calibrations
    """

    window: int = field(default=1000, kw_only=True)
    period: float | None = field(default=None, kw_only=True)

    @classmethod
    def per_hour(cls, rate: float, *, window: int, period: float, confidence: float | None = None) -> Self:
        """Return the alarm with at most this mean number of windows with a false alarm per hour.

        Args:
            rate: Largest mean number of windows with a false alarm per hour.
            window: Steps of a window.
            period: Seconds per step.
            confidence: As for the class.

        Example:
            >>> WindowMaximum.per_hour(0.1, window=600, period=0.1)
            WindowMaximum(alpha=0.0016666666666666668, confidence=None, window=600, period=0.1)
        """
        alpha = positive_number("rate", rate) * positive_integer("window", window) * positive_number("period", period)
        if alpha >= HOUR:
            raise InvalidParameter(
                f"rate is {rate:g} per hour, but an hour has {HOUR / (window * period):g} windows; choose a "
                "smaller rate or window."
            )
        return cls(alpha=alpha / HOUR, window=window, period=period, confidence=confidence)

    @property
    def guarantee(self) -> Guarantee:
        """At most a fraction alpha of nominal windows has a false alarm."""
        self.require_unchanged()
        kind: Kind = "marginal" if self.confidence is None else "pac"
        seconds = None if self.period is None else self.window * self.period
        return Guarantee(kind, self.alpha, "window", WINDOWS, self.confidence, self.window, seconds)

    def check(self) -> None:
        """Raise :class:`InvalidParameter` if an argument is invalid."""
        super().check()
        positive_integer("window", self.window)
        if self.period is not None:
            positive_number("period", self.period)

    def fit_threshold(self, episodes: list[FloatArray]) -> None:
        """Rank the largest scores of all whole windows."""
        windows = cut_windows(episodes, self.window)
        least = episodes_needed(self.alpha, self.confidence)
        if len(windows) < least:
            raise TooFewEpisodes(
                f"{sum(map(len, episodes)):,} nominal steps have {len(windows)} windows of {self.window:,} steps, too "
                f"few for alpha {self.alpha:g}; give {least * self.window:,} steps or more, or choose a larger alpha "
                "or a shorter window."
            )
        super().fit_threshold(windows)


def cut_windows(episodes: list[FloatArray], window: int) -> list[FloatArray]:
    """Return the whole windows of episodes of scores, in their order; the rest of an episode is left out.

    Example:
        >>> import numpy as np
        >>> cut_windows([np.arange(5.0), np.arange(2.0)], 2)
        [array([0., 1.]), array([2., 3.]), array([0., 1.])]
    """
    return [
        scores[start : start + window] for scores in episodes for start in range(0, len(scores) - window + 1, window)
    ]
