"""A threshold beyond the scores of the calibration, extrapolated by a model of their tail."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from offnominal.alarms.alarm import Alarm
from offnominal.alarms.conformal import MOST_RANKED, TooFewEpisodes
from offnominal.alarms.guarantee import Guarantee
from offnominal.alarms.window_maximum import cut_windows
from offnominal.core.checks import integer_in, number_in, positive_integer
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray

LEAST_PEAKS = 10
TAIL = "assumed, not guaranteed: the largest scores of windows have a generalised Pareto tail, also beyond the log"


@dataclass(eq=False)
class ParetoTail(Alarm):
    """Alarms above a threshold that a generalised Pareto tail of the scores would exceed once in `run_length` steps.

    A threshold for one false alarm a month needs months of nominal scores. This alarm extrapolates instead: the largest
    scores of windows that are above a high level get a generalised Pareto distribution, by probability-weighted moments
    (Hosking and Wallis, 1987), and its tail is followed as far as the run length needs.

    Guaranteed:
        Nothing.

    Not guaranteed:
        The run length. The model is an assumption about scores larger than any that were seen; no data of this length
        can test it. It is worse the further `run_length` is beyond the calibration.

    Args:
        run_length: Wanted mean number of nominal steps to a false alarm.
        window: Steps of a window; windows should be longer than the correlations of the scores.
        share: Share of the windows whose largest scores are above the level.

    Attributes:
        level_: Score above which the tail is modelled.
        shape_: Shape of the tail: 0 is exponential, positive ones are heavier, negative ones end.
        scale_: Scale of the tail.
        n_windows_: Number of calibration windows.

    Example:
        >>> scores = np.random.default_rng(0).exponential(size=50_000)
        >>> alarm = ParetoTail(run_length=1_000_000, window=10).fit([scores])
        >>> bool(12.0 < alarm.threshold_ < 16.0)  # the exact threshold is log(1,000,000) = 13.8
        True
    """

    run_length: int = 1_000_000
    window: int = field(default=100, kw_only=True)
    share: float = field(default=0.1, kw_only=True)
    level_: float = field(init=False, repr=False)
    shape_: float = field(init=False, repr=False)
    scale_: float = field(init=False, repr=False)
    n_windows_: int = field(init=False, repr=False)

    @property
    def guarantee(self) -> Guarantee:
        """No guarantee; the assumption names the model."""
        self.require_unchanged()
        return Guarantee("none", None, "step", TAIL)

    def check(self) -> None:
        """Raise :class:`InvalidParameter` if an argument is invalid."""
        positive_integer("window", self.window)
        integer_in("run_length", self.run_length, self.window)
        number_in("share", self.share, 0.0, 0.5, open_low=True)

    def check_fitted(self) -> None:
        """Raise :class:`InvalidParameter` unless the threshold is that of the tail."""
        integer_in("n_windows_", self.n_windows_, LEAST_PEAKS, MOST_RANKED)
        number_in("scale_", self.scale_, 0.0, open_low=True)
        if not math.isclose(self.threshold_, self._extrapolated(), rel_tol=1e-9, abs_tol=1e-12):
            raise InvalidParameter(f"threshold_ is {self.threshold_:g}; expected {self._extrapolated():g}.")

    def fit_threshold(self, episodes: list[FloatArray]) -> None:
        """Fit the tail of the largest scores of windows."""
        maxima = np.sort([scores.max() for scores in cut_windows(episodes, self.window)])
        peaks = int(self.share * len(maxima))
        if peaks < LEAST_PEAKS:
            least = math.ceil(LEAST_PEAKS / self.share) * self.window
            raise TooFewEpisodes(
                f"{sum(map(len, episodes)):,} nominal steps have {peaks} windows of {self.window:,} steps in the tail; "
                f"give {least:,} steps or more, or choose a shorter window or a larger share."
            )
        self.n_windows_ = len(maxima)
        self.level_ = float(maxima[-peaks - 1])
        self.shape_, self.scale_ = pareto_tail(maxima[-peaks:] - self.level_)
        self.threshold_ = self._extrapolated()

    def _extrapolated(self) -> float:
        """Return the score that a window exceeds with a probability of `window` / `run_length`."""
        times = math.floor(self.share * self.n_windows_) / self.n_windows_ * self.run_length / self.window
        if times <= 1.0:
            return self.level_
        if self.shape_ == 0.0:
            return self.level_ + self.scale_ * math.log(times)
        return self.level_ + self.scale_ * math.expm1(self.shape_ * math.log(times)) / self.shape_


def pareto_tail(excesses: FloatArray) -> tuple[float, float]:
    """Return shape and scale of the generalised Pareto distribution of values above a level.

    Args:
        excesses: (n,): rising values above the level. If all are the same, the shape is 0.

    Example:
        >>> uniform = (np.arange(1, 1001) - 0.35) / 1000
        >>> pareto_tail(uniform), pareto_tail(-np.log1p(-uniform))
        ((-1.0..., 1.0...), (-0.00..., 1.0...))
    """
    n = len(excesses)
    above = 1.0 - (np.arange(1, n + 1) - 0.35) / n
    mean, weighted = float(np.mean(excesses)), float(np.mean(above * excesses))
    if mean - 2.0 * weighted <= 0.0 or np.ptp(excesses) == 0.0:
        return 0.0, max(mean, np.finfo(np.float64).tiny)
    factor = mean / (mean - 2.0 * weighted)
    # A shape of 1 or more has no mean; it is kept below, so that moments exist.
    return min(2.0 - factor, 0.99), 2.0 * weighted * factor
