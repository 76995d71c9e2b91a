"""Scores and contributions of nominal episodes, with which an episode is compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtri

from offnominal.core.checks import number_in, require_shape
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.types import FloatArray, IntArray
from offnominal.detectors.diagnosis.explained_scores import ExplainedScores
from offnominal.detectors.diagnosis.onset import Onset, change_likelihood, likeliest_steps

POOL = 200
"""Least number of nominal scores with which a score is compared, if there are as many."""
HIGHEST = 6.0
"""Largest normal score: a single extreme step counts no more than that."""
LAGS = 20
"""Number of steps after which scores are taken as independent."""
CONSTANT = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class NominalReference:
    """Nominal scores and contributions of a detector, which make a diagnosis of another episode possible.

    A score is compared with nominal scores at about the same time of an episode, because many scores change with time
    in nominal episodes too. Its rank among them becomes a normal score.

    Guarantee: for exchangeable nominal episodes, P(an onset is found in a nominal episode) <= alpha.
    Interval of an onset: it has the true onset with probability `coverage` if scores are nominal before it, have a
        higher mean after it until the end of the episode, and are as correlated in time as in nominal episodes.
        The true onset is the first step at which scores change, which can be later than that of the fault.
    Not guaranteed: anything after the policy, the task or the nominal conditions change.

    Args:
        explanations: Explanations of nominal episodes by the same detector, which it was not fitted to; at least
            1 / alpha - 1.
        alpha: Probability of an onset in a nominal episode.
        coverage: Probability that the interval of an onset has the true one.

    Raises:
        InvalidParameter: There are too few explanations, or they are of different detectors.
    """

    explanations: Sequence[ExplainedScores]
    alpha: float = 0.05
    coverage: float = 0.9
    mean: FloatArray = field(init=False, repr=False)
    deviation: FloatArray = field(init=False, repr=False)
    strongest: FloatArray = field(init=False, repr=False)
    inflation: float = field(init=False, repr=False)
    _pool: _Pool = field(init=False, repr=False)

    def __post_init__(self) -> None:
        number_in("alpha", self.alpha, 0.0, 1.0, open_low=True, open_high=True)
        number_in("coverage", self.coverage, 0.0, 1.0, open_low=True, open_high=True)
        self._check()
        scores = [each.scores for each in self.explanations]
        contributions = np.concatenate([each.contributions for each in self.explanations])
        deviation = contributions.std(axis=0)
        pool = _Pool.of(scores)
        normal = [pool.normal_scores(each, without=number) for number, each in enumerate(scores)]
        for name, value in {
            "mean": contributions.mean(axis=0),
            "deviation": np.where(deviation > CONSTANT, deviation, 1.0),
            "strongest": np.sort([change_likelihood(each).max() for each in normal]),
            "inflation": variance_inflation(normal),
            "_pool": pool,
        }.items():
            object.__setattr__(self, name, value)

    def _check(self) -> None:
        given = self.explanations
        if not isinstance(given, Sequence) or not all(isinstance(each, ExplainedScores) for each in given):
            raise InvalidParameter(f"the explanations are {shown(given)}; expected those of nominal episodes.")
        least = int(np.ceil(1.0 / self.alpha - 1e-9)) - 1
        if len(given) < max(least, 2):
            raise InvalidParameter(
                f"there are {len(given)} nominal episodes; alpha = {self.alpha:g} needs at least {max(least, 2)}."
            )
        for each in given:
            given[0].require_alike(each)

    def __repr__(self) -> str:
        first = self.explanations[0]
        return f"NominalReference({first.detector}, {len(self.explanations)} episodes, alpha={self.alpha:g})"

    def normal_scores(self, scores: FloatArray) -> FloatArray:
        """Return scores of an episode as normal scores: standard normal in nominal episodes, at most 6."""
        require_shape("scores", scores, "steps")
        return self._pool.normal_scores(scores)

    def onset(self, scores: FloatArray) -> Onset | None:
        """Return the estimated onset of a change in the scores of an episode, or None if no change is found."""
        likelihood = change_likelihood(self.normal_scores(scores))
        as_strong = int(np.count_nonzero(self.strongest >= likelihood.max()))
        p_value = (1 + as_strong) / (1 + len(self.strongest))
        if p_value > self.alpha:
            return None
        steps = likeliest_steps(likelihood, coverage=self.coverage, inflation=self.inflation)
        return Onset(*steps, self.coverage, p_value)

    def band(self, length: int) -> tuple[FloatArray, FloatArray]:
        """Return the 5 % and 95 % quantiles of nominal scores at each time of an episode."""
        return self._pool.quantiles(length, 0.05), self._pool.quantiles(length, 0.95)

    def standardised(self, contributions: FloatArray) -> FloatArray:
        """Return contributions in nominal deviations above their nominal mean."""
        require_shape("contributions", contributions, "steps", len(self.mean))
        standard: FloatArray = (contributions - self.mean) / self.deviation
        return standard


@dataclass(frozen=True, slots=True, eq=False)
class _Pool:
    """Nominal scores in the order of their time in the episode.

    Args:
        times: Time of each score.
        scores: The scores.
        episodes: Episode of each score.
    """

    times: IntArray
    scores: FloatArray
    episodes: IntArray

    @classmethod
    def of(cls, scores: Sequence[FloatArray]) -> _Pool:
        times = np.concatenate([np.arange(len(each)) for each in scores])
        episodes = np.repeat(np.arange(len(scores)), [len(each) for each in scores])
        order = np.argsort(times, kind="stable")
        return cls(times[order], np.concatenate(scores)[order], episodes[order])

    def normal_scores(self, scores: FloatArray, *, without: int | None = None) -> FloatArray:
        """Return scores as normal scores, compared with all nominal episodes but one."""
        found = np.empty(len(scores))
        for time, (first, last) in enumerate(zip(*self._ranges(len(scores)), strict=True)):
            nominal = self.scores[first:last]
            if without is not None:
                others = nominal[self.episodes[first:last] != without]
                nominal = others if others.size else nominal
            found[time] = normal_score(float(scores[time]), np.sort(nominal))
        return found

    def quantiles(self, length: int, level: float) -> FloatArray:
        """Return a quantile of the scores nearest to each time."""
        ranges = zip(*self._ranges(length), strict=True)
        return np.array([np.quantile(self.scores[first:last], level) for first, last in ranges])

    def _ranges(self, length: int) -> tuple[IntArray, IntArray]:
        """Return where the scores nearest to each time begin and end."""
        size, times = len(self.times), np.arange(length)
        first, last = (np.searchsorted(self.times, times, side=side) for side in ("left", "right"))
        missing = np.maximum(min(POOL, size) - (last - first), 0)
        first = np.maximum(first - missing // 2, 0)
        last = np.minimum(np.maximum(last + missing - missing // 2, min(POOL, size)), size)
        return np.minimum(first, np.maximum(size - POOL, 0)), last


def normal_score(score: float, nominal: FloatArray) -> float:
    """Return the normal score of a score, from its rank among sorted nominal scores; it grows linearly above them.

    Example:
        >>> nominal = np.arange(99.0)
        >>> [round(normal_score(score, nominal), 2) for score in (-5.0, 49.0, 98.0, 150.0, 999.0)]
        [-2.58, 0.0, 2.33, 4.24, 6.0]
    """
    n = len(nominal)
    below, up_to = np.searchsorted(nominal, score, "left"), np.searchsorted(nominal, score, "right")
    rank = float(ndtri((0.5 * (below + up_to) + 0.5) / (n + 1)))
    beyond = score - nominal[-1]
    if beyond <= 0.0:
        return rank
    middle, high = nominal[n // 2], nominal[min(int(0.9 * n), n - 1)]
    unit = (high - middle) / float(ndtri(0.9))
    return float(min(rank + beyond / (unit if unit > CONSTANT else 1.0), HIGHEST))


def variance_inflation(normal: Sequence[FloatArray]) -> float:
    """Return the variance of a sum of scores relative to that of independent ones, at least 1.

    Args:
        normal: Normal scores of nominal episodes.
    """
    centred = [each - each.mean() for each in normal]
    power = sum(float(each @ each) for each in centred)
    total = 1.0
    for lag in range(1, LAGS):
        shifted = sum(float(each[lag:] @ each[:-lag]) for each in centred if len(each) > lag)
        total += 2.0 * (1.0 - lag / LAGS) * shifted / (power or 1.0)
    return max(total, 1.0)
