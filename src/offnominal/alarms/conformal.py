"""Thresholds with a guarantee per episode: a rank among the maxima of calibration episodes.

The steps of one episode are correlated and not exchangeable; episodes are exchangeable. So the maximum of a statistic
over an episode is one exchangeable number per episode, and a rank among these numbers bounds the probability that a new
nominal episode exceeds it. Parameters of the statistic are fitted on episodes that are not ranked: the ranked episodes
and the new one stay exchangeable, and the bound stays exact.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_left
from dataclasses import dataclass, field

import numpy as np

from offnominal.alarms.alarm import Alarm
from offnominal.alarms.guarantee import EXCHANGEABLE, Guarantee, Kind
from offnominal.alarms.ranks import conformal_rank, episodes_needed, pac_rank
from offnominal.core.checks import integer_in, number_in
from offnominal.core.errors import InvalidParameter, OffnominalError
from offnominal.core.types import FloatArray

LARGEST = 1e100
"""Largest standardised score; sums over all steps of an episode stay finite."""
MOST_RANKED = 10**9


class TooFewEpisodes(OffnominalError, ValueError):
    """There are too few calibration episodes for the requested level."""


@dataclass(eq=False)
class ConformalAlarm(Alarm):
    """An alarm whose threshold is an order statistic of the episode maxima of its statistic.

    Args:
        alpha: Largest probability of a false alarm in a nominal episode.
        confidence: If None, the guarantee holds on average over calibrations; else it holds for this calibration with
            this probability.

    Attributes:
        n_ranked_: Number of ranked episodes.
        rank_: Rank of the maximum that is the threshold, counted from 1.
    """

    alpha: float = 0.05
    confidence: float | None = field(default=None, kw_only=True)
    n_ranked_: int = field(init=False, repr=False)
    rank_: int = field(init=False, repr=False)

    @property
    def guarantee(self) -> Guarantee:
        """At most a fraction alpha of nominal episodes has a false alarm."""
        self.require_unchanged()
        kind: Kind = "marginal" if self.confidence is None else "pac"
        return Guarantee(kind, self.alpha, "episode", EXCHANGEABLE, self.confidence)

    @property
    def rate_distribution(self) -> tuple[float, float]:
        """Beta distribution of the false-alarm rate per episode; with ties the rate is lower."""
        self._require_fitted()
        return float(self.n_ranked_ + 1 - self.rank_), float(self.rank_)

    def check(self) -> None:
        """Raise :class:`InvalidParameter` unless both are probabilities between 0 and 1."""
        number_in("alpha", self.alpha, 0.0, 1.0, open_low=True, open_high=True)
        if self.confidence is not None:
            number_in("confidence", self.confidence, 0.0, 1.0, open_low=True, open_high=True)

    def check_fitted(self) -> None:
        """Raise :class:`InvalidParameter` unless the rank is that of the level for the ranked episodes."""
        n = integer_in("n_ranked_", self.n_ranked_, 1, MOST_RANKED)
        if integer_in("rank_", self.rank_, 1, n) != self._rank(n):
            raise InvalidParameter(
                f"rank_ is {self.rank_} of {n} for {self._requested()}; expected {self._rank(n)}. Fit the alarm again."
            )

    def n_unranked(self, n: int) -> int:
        """Return the number of n calibration episodes that are not ranked."""
        return 0

    def fit_statistic(self, episodes: list[FloatArray]) -> None:
        """Fit the parameters of the statistic on the episodes that are not ranked."""

    def fit_threshold(self, episodes: list[FloatArray]) -> None:
        """Rank the episode maxima of the statistic."""
        n, unranked = len(episodes), self.n_unranked(len(episodes))
        self._require_enough(n)
        unranked_numbers = {number * n // unranked for number in range(unranked)}
        ranked = [episode for number, episode in enumerate(episodes) if number not in unranked_numbers]
        self.fit_statistic([episodes[number] for number in sorted(unranked_numbers)])
        maxima = np.sort([np.max(values) for values in self._run(ranked)])
        self.n_ranked_, self.rank_ = len(ranked), self._rank(len(ranked))
        self.threshold_ = float(maxima[self.rank_ - 1])

    def _rank(self, n: int) -> int:
        if self.confidence is None:
            return conformal_rank(n, self.alpha)
        return pac_rank(n, self.alpha, self.confidence)

    def _require_enough(self, given: int) -> None:
        least = episodes_needed(self.alpha, self.confidence)
        if given - self.n_unranked(given) >= least:
            return
        needed = least + bisect_left(range(least, 2 * least + 2), least, key=lambda n: n - self.n_unranked(n))
        raise TooFewEpisodes(
            f"{given} nominal episodes are too few for {self._requested()}; give {needed} or more, or choose a larger "
            "alpha."
        )

    def _requested(self) -> str:
        return f"alpha {self.alpha:g}" + (f" with confidence {self.confidence:g}" if self.confidence else "")


@dataclass(eq=False)
class SplitConformalAlarm(ConformalAlarm):
    """A conformal alarm whose statistic is fitted on some of the calibration episodes; the others are ranked.

    Args:
        fit_fraction: Fraction of the calibration episodes for the statistic, at most 0.5 and at least one episode. They
            are taken at regular intervals of the given order.
    """

    fit_fraction: float = field(default=0.2, kw_only=True)

    def check(self) -> None:
        """Raise :class:`InvalidParameter` if an argument is invalid."""
        super().check()
        number_in("fit_fraction", self.fit_fraction, 0.0, 0.5, open_low=True)

    def n_unranked(self, n: int) -> int:
        """Return the number of episodes for the statistic, at least one."""
        return max(1, int(n * self.fit_fraction))

    @abstractmethod
    def fit_statistic(self, episodes: list[FloatArray]) -> None:
        """Fit the parameters of the statistic on the episodes that are not ranked."""


def standardised(scores: FloatArray, centre: FloatArray | float, unit: FloatArray | float) -> FloatArray:
    """Return scores minus a centre, divided by a unit, and clipped to 1e100.

    Example:
        >>> standardised(np.array([3.0, 1e30]), 1.0, 2.0)
        array([1.e+00, 5.e+29])
    """
    with np.errstate(over="ignore"):
        return np.clip((scores - centre) / unit, -LARGEST, LARGEST)
