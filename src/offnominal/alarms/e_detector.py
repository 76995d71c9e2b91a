"""An alarm for streams without end: evidence against nominal operation, with a guaranteed mean run length."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from offnominal.alarms.alarm import Alarm, AlarmState
from offnominal.alarms.conformal import MOST_RANKED, TooFewEpisodes
from offnominal.alarms.guarantee import Guarantee
from offnominal.alarms.ranks import chance_of_successes
from offnominal.alarms.window_maximum import cut_windows
from offnominal.core.checks import integer_in, number_in, positive_integer, require_shape
from offnominal.core.compilation import compiled
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray
from offnominal.detectors.observation_limits import MAX_SCORE

SHARES = (0.0, 0.05, 0.2)
"""Shares of the calibration windows above each level; 0 stands for the largest window alone."""
STAKES = (0.25, 0.75)
"""Shares of the evidence that are bet on an exceedance of a level in the next window."""
LEAST_WINDOWS = 20
CAP = 10.0
"""Largest evidence of a bet, in multiples of what raises the alarm alone: the alarm clears after a fault."""
INDEPENDENT = (
    "new nominal windows exceed a level as often as those of the calibration, whatever happened before: windows longer "
    "than the correlations of the scores, and no change with time"
)


@dataclass(eq=False)
class EDetector(Alarm):
    """Alarms when the evidence against nominal operation is large, in streams that never end.

    A guarantee per episode says nothing about a robot that runs for weeks. This alarm bounds the mean number of steps
    to a false alarm. The stream is cut into windows. A window exceeds a level with a probability that the calibration
    bounds from above, at three levels at once. Bets on exceedances multiply the evidence of the past plus one
    (Shiryaev-Roberts); no bet gains on average in nominal operation. Evidence is the mean over all bets, so that rare
    large scores and frequent moderate ones both add to it. It is an e-detector (Shin, Ramdas and Rinaldo, 2024).

    Guaranteed:
        With probability `confidence` over calibrations, the mean number of nominal steps to the first alarm is at
        least `run_length`. If the state is restarted after each alarm, there is at most one false alarm in
        `run_length` steps in the long run.

    Not guaranteed:
        Anything after the nominal conditions have changed, and for windows that are shorter than the correlations of
        the scores: exceedances in a row are then no evidence. Test both by
        :func:`~offnominal.alarms.exchangeability.check_exchangeability`. A single alarm may be early: the run length
        is nearly geometrically distributed.

    Args:
        run_length: Smallest mean number of nominal steps to a false alarm.
        window: Steps of a window.
        confidence: Probability over calibrations that the guarantee holds.

    Attributes:
        levels_: Level of each share of windows.
        bounds_: Upper bound on the probability that a nominal window exceeds each level.
        n_windows_: Number of calibration windows.

    Example:
        >>> random = np.random.default_rng(0)
        >>> alarm = EDetector(run_length=100_000, window=10).fit([random.normal(size=5000)])
        >>> print(alarm.guarantee)
        100,000 or more steps to a false alarm on average, in at least 95% of calibrations
        >>> nominal, faulty = random.normal(size=20_000), random.normal(1.5, size=1000)
        >>> alarm.first_alarms([nominal, faulty])
        [None, 46]
    """

    run_length: int = 100_000
    window: int = field(default=100, kw_only=True)
    confidence: float = field(default=0.95, kw_only=True)
    levels_: FloatArray = field(init=False, repr=False)
    bounds_: FloatArray = field(init=False, repr=False)
    n_windows_: int = field(init=False, repr=False)

    @property
    def guarantee(self) -> Guarantee:
        """At least `run_length` nominal steps to a false alarm on average."""
        self.require_unchanged()
        return Guarantee("pac", None, "step", INDEPENDENT, self.confidence, self.window, run_length=self.run_length)

    def check(self) -> None:
        """Raise :class:`InvalidParameter` if an argument is invalid."""
        positive_integer("window", self.window)
        integer_in("run_length", self.run_length, self.window)
        number_in("confidence", self.confidence, 0.0, 1.0, open_low=True, open_high=True)

    def check_fitted(self) -> None:
        """Raise :class:`InvalidParameter` unless the bounds are those of the number of windows."""
        n = integer_in("n_windows_", self.n_windows_, LEAST_WINDOWS, MOST_RANKED)
        if self.levels_.shape != (len(SHARES),) or (np.diff(self.levels_) > 0.0).any():
            raise InvalidParameter(f"levels_ is {self.levels_}; expected {len(SHARES)} levels, the highest first.")
        if not np.allclose(self.bounds_, exceedance_bounds(n, self.confidence), rtol=1e-7, atol=0.0):
            raise InvalidParameter(f"bounds_ are not those of {n} windows. Fit the alarm again.")
        if self.threshold_ != self._evidence():
            raise InvalidParameter(f"threshold_ is {self.threshold_:g}; expected {self._evidence():g}.")

    def fit_threshold(self, episodes: list[FloatArray]) -> None:
        """Find the levels that shares of the calibration windows exceed, and bound how often new windows do."""
        maxima = np.sort([scores.max() for scores in cut_windows(episodes, self.window)])[::-1]
        if len(maxima) < LEAST_WINDOWS:
            raise TooFewEpisodes(
                f"{sum(map(len, episodes)):,} nominal steps have {len(maxima)} windows of {self.window:,} steps; "
                f"give {LEAST_WINDOWS * self.window:,} steps or more, or choose a shorter window."
            )
        self.n_windows_ = len(maxima)
        self.levels_ = maxima[level_ranks(len(maxima)) - 1]
        self.bounds_ = exceedance_bounds(len(maxima), self.confidence)
        self.threshold_ = self._evidence()

    def start(self, n: int = 1) -> AlarmState:
        """Return the state of n streams before their first score: the largest score of the window, and the evidence."""
        state = super().start(n)
        memory = np.zeros((n, 1 + len(SHARES) * len(STAKES)))
        memory[:, 0] = -np.inf
        return AlarmState(state.steps, memory)

    def update_statistic(self, state: AlarmState, scores: FloatArray) -> tuple[AlarmState, FloatArray]:
        """Return the evidence after one more step: that of the window if no further score exceeded a level."""
        require_shape("scores", scores, len(state.steps))
        memory = state.memory.copy()
        memory[:, 0] = np.maximum(memory[:, 0], scores)
        found = np.minimum((memory[:, 1:] + 1.0) * self._factors(memory[:, 0]), self._cap())
        ends = (state.steps + 1) % self.window == 0
        memory[ends, 1:], memory[ends, 0] = found[ends], -np.inf
        return state.after(memory), np.where(scores < MAX_SCORE, _mean(found), self._cap())

    def run_statistic(self, scores: FloatArray) -> FloatArray:
        """Return the evidence of whole streams."""
        require_shape("scores", scores, "steps", "n")
        evidence = np.empty_like(scores)
        gains, losses = self._bets()
        _run(scores, np.repeat(self.levels_, len(STAKES)), gains, losses, self._cap(), int(self.window), evidence)
        return evidence

    def _evidence(self) -> float:
        """Return the evidence that raises the alarm: windows of the run length, and the one that is not over."""
        return self.run_length / self.window + 1.0

    def _cap(self) -> float:
        return CAP * len(SHARES) * len(STAKES) * self.threshold_

    def _bets(self) -> tuple[FloatArray, FloatArray]:
        """Return the factor of each bet if a level is exceeded, and if it is not."""
        stakes = np.tile(STAKES, len(SHARES))
        losses = 1.0 - stakes
        return losses + stakes / np.repeat(self.bounds_, len(STAKES)), losses

    def _factors(self, largest: FloatArray) -> FloatArray:
        gains, losses = self._bets()
        return np.where(largest[:, None] > np.repeat(self.levels_, len(STAKES)), gains, losses)


def level_ranks(n: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the rank of each level among the maxima of n windows, counted from the largest.

    Example:
        >>> level_ranks(100)
        array([ 1,  6, 21])
    """
    return np.array([int(share * n) + 1 for share in SHARES])


def exceedance_bounds(n: int, confidence: float) -> FloatArray:
    """Return upper bounds on the probabilities that a new window exceeds each level, which hold together.

    The probability of a value above the maximum of rank k, counted from the largest, has a beta distribution with
    parameters k and n + 1 - k over calibrations; ties lower it. The bounds share the probability of an error.

    Example:
        >>> exceedance_bounds(100, 0.95)
        array([0.04..., 0.118..., 0.299...])
    """
    sure = 1.0 - (1.0 - confidence) / len(SHARES)
    return np.array([chance_of_successes(int(rank), n, sure) for rank in level_ranks(n)])


def _mean(evidence: FloatArray) -> FloatArray:
    """Return the mean over bets, added up one after the other as :func:`_run` does."""
    total = np.zeros(len(evidence))
    for bet in evidence.T:
        total += bet
    mean: FloatArray = total / evidence.shape[1]
    return mean


@compiled
def _run(
    scores: FloatArray,
    levels: FloatArray,
    gains: FloatArray,
    losses: FloatArray,
    cap: float,
    window: int,
    evidence: FloatArray,
) -> None:
    """Write the (steps, n) evidence: see :meth:`EDetector.update_statistic`."""
    bets = len(levels)
    past, found = np.zeros(bets), np.zeros(bets)
    for row in range(scores.shape[1]):
        past[:] = 0.0
        largest = -np.inf
        for t in range(scores.shape[0]):
            largest = max(largest, scores[t, row])
            total = 0.0
            for k in range(bets):
                found[k] = min((past[k] + 1.0) * (gains[k] if largest > levels[k] else losses[k]), cap)
                total += found[k]
            evidence[t, row] = total / bets if scores[t, row] < MAX_SCORE else cap
            if (t + 1) % window == 0:
                past[:] = found
                largest = -np.inf
