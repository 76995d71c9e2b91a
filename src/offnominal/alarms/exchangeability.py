"""Tests of the assumption of guarantees: that nominal episodes are exchangeable, whatever their order in time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from offnominal.alarms.checks import checked_episodes
from offnominal.alarms.conformal import TooFewEpisodes
from offnominal.alarms.martingale import conformal_p_values, jumper_martingale
from offnominal.alarms.ranks import conformal_rank, episodes_needed
from offnominal.alarms.share_interval import clopper_pearson
from offnominal.alarms.window_maximum import cut_windows
from offnominal.core.checks import number_in, positive_integer
from offnominal.core.rounding import significant
from offnominal.core.streams import Stream
from offnominal.core.types import Array, FloatArray

LEVEL = 0.01
"""Probability of an error that exchangeability is rejected with."""
LEAST = 20
"""Smallest number of episodes that are tested."""
BLOCKS, EPISODES_OF_A_BLOCK = 10, 5
PERMUTATIONS = 4999
VALUES_AT_ONCE = 1_000_000
Statistic = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class ExchangeabilityCheck:
    """Whether the order of nominal episodes in time matters.

    Three tests share the probability of an error `level`, a third each, so that exchangeable episodes are rejected in
    at most this share of cases. *Not rejected* does not mean that episodes are exchangeable: changes that are small,
    or later than these episodes, are not seen.

    Args:
        alpha: False-alarm rate that would be promised.
        level: Probability with which exchangeable episodes are rejected.
        maxima: (n,): largest score of each episode, in the order of time.
        drift: p-value of the later half having more false alarms than promised; 1 if there are too few episodes.
        blocks: p-value of the maxima of some consecutive episodes being larger than those of others.
        path: (n,): logarithm of the capital that bets against exchangeability, after each episode; see
            :func:`~offnominal.alarms.martingale.jumper_martingale`.
        false_alarms: Number of episodes of the later half with a false alarm, with the threshold of the earlier half;
            None if the earlier half has too few episodes for `alpha`.
        shuffled_rate: Mean rate of false alarms of the later half, if the order is shuffled; None likewise.
        unit: What a maximum is of: an episode or a window.
    """

    alpha: float
    level: float
    maxima: FloatArray = field(repr=False)
    drift: float
    blocks: float
    path: FloatArray = field(repr=False)
    false_alarms: int | None
    shuffled_rate: float | None
    unit: str = "episode"

    @property
    def martingale(self) -> float:
        """p-value of the martingale: by Ville's inequality, one over its largest capital."""
        return float(np.exp(-max(0.0, self.path.max())))

    @property
    def p(self) -> float:
        """p-value of all three tests together (Bonferroni)."""
        return min(1.0, 3.0 * min(self.drift, self.blocks, self.martingale))

    @property
    def rejected(self) -> bool:
        """Whether exchangeability is rejected: then no guarantee of an alarm with these episodes holds."""
        return self.p <= self.level

    @property
    def later(self) -> int:
        """Number of episodes of the later half."""
        return len(self.maxima) - len(self.maxima) // 2

    @property
    def rate(self) -> float | None:
        """Measured rate of false alarms of the later half, with the threshold of the earlier half."""
        return None if self.false_alarms is None else self.false_alarms / self.later

    @property
    def interval(self) -> tuple[float, float] | None:
        """Interval of :attr:`rate` for independent episodes; that of a drift is wider."""
        return None if self.false_alarms is None else clopper_pearson(self.false_alarms, self.later)

    def __str__(self) -> str:
        n, unit = len(self.maxima), self.unit
        said = f"exchangeability of {n} nominal {unit}s is {'rejected' if self.rejected else 'not rejected'}"
        said += f" (p = {significant(self.p, 2)})"
        if self.rate is None or self.interval is None or self.shuffled_rate is None:
            least = 2 * episodes_needed(self.alpha)
            shown = f"the false alarms of a threshold at {significant(self.alpha)}"
            return f"{said}; {least} {unit}s or more would show {shown}"
        low, high = self.interval
        wanted, rate, shuffled, first, last = (
            significant(100.0 * share) for share in (self.alpha, self.rate, self.shuffled_rate, low, high)
        )
        return (
            f"{said}: with the threshold of the earlier half for at most {wanted}% false alarms, the later half has "
            f"{rate}% [{first}, {last}], and {shuffled}% in shuffled order"
        )


def check_exchangeability(
    scores: Sequence[ArrayLike],
    *,
    alpha: float = 0.05,
    level: float = LEVEL,
    window: int | None = None,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> ExchangeabilityCheck:
    """Test whether the order of nominal episodes in time matters, by their largest scores.

    Guarantees of alarms assume that new nominal episodes are exchangeable with those of the calibration. Days, loads
    and wear break this. Three tests, each of which is valid for any distribution:

    1. *Drift*: the threshold of the earlier half is used in the later half, as in deployment; the number of false
       alarms is compared with those of shuffled orders.
    2. *Blocks*: ranks of ten blocks of consecutive episodes are compared (Kruskal–Wallis), with shuffled orders.
    3. *Martingale*: the simple jumper bets on each next episode.

    Args:
        scores: Scores of nominal episodes in the order of time, that the detector was not trained on.
        alpha: False-alarm rate that would be promised.
        level: Probability with which exchangeable episodes are rejected.
        window: Steps of the windows that episodes are cut into, for logs that are one long episode; None for whole
            episodes. Windows should be longer than the correlations of the scores: shorter ones are rejected.
        permutations: Number of shuffled orders.
        seed: Seed of the shuffles.

    Raises:
        TooFewEpisodes: There are fewer than 20.

    Example:
        >>> from offnominal.alarms import simulate_scores
        >>> scores = simulate_scores(100, seed=0)
        >>> print(check_exchangeability(scores))
        exchangeability of 100 nominal episodes is not rejected (p = ...
        >>> worn = [episode * 1.01**day for day, episode in enumerate(scores)]
        >>> print(check_exchangeability(worn))
        exchangeability of 100 nominal episodes is rejected (p = ...
    """
    number_in("alpha", alpha, 0.0, 1.0, open_low=True, open_high=True)
    number_in("level", level, 0.0, 1.0, open_low=True, open_high=True)
    positive_integer("permutations", permutations)
    episodes = checked_episodes(scores)
    unit = "episode"
    if window is not None:
        unit, episodes = "window", cut_windows(episodes, positive_integer("window", window))
    if len(episodes) < LEAST:
        raise TooFewEpisodes(
            f"{len(episodes)} nominal {unit}s are too few to test their order; expected {LEAST} or more."
        )
    maxima = np.array([each.max() for each in episodes])
    # Equal values get the mean of their ranks; only ranks matter from here on.
    ranks = _ranks(maxima)
    count = false_alarm_counter(len(maxima), alpha)
    statistics = [block_statistic(len(maxima))] + ([count] if count else [])
    observed = [statistic(ranks[None])[0] for statistic in statistics]
    shuffled = _shuffled(ranks, statistics, permutations, seed)
    p_values = [
        (1.0 + float(np.sum(each >= value - 1e-9))) / (1.0 + permutations)
        for each, value in zip(shuffled, observed, strict=True)
    ]
    return ExchangeabilityCheck(
        alpha=float(alpha),
        level=float(level),
        maxima=maxima,
        drift=p_values[1] if count else 1.0,
        blocks=p_values[0],
        path=jumper_martingale(conformal_p_values(maxima, seed=seed)),
        false_alarms=int(observed[1]) if count else None,
        shuffled_rate=float(shuffled[1].mean()) / (len(maxima) - len(maxima) // 2) if count else None,
        unit=unit,
    )


def false_alarm_counter(n: int, alpha: float) -> Statistic | None:
    """Return a function that counts the false alarms of later halves; None if earlier ones are too short for alpha.

    Example:
        >>> false_alarm_counter(4, 0.5)(np.array([[1.0, 2.0, 3.0, 0.0], [3.0, 4.0, 1.0, 2.0]]))
        array([1., 0.])
    """
    earlier = n // 2
    rank = conformal_rank(earlier, alpha)
    if rank > earlier:
        return None

    def count(orders: FloatArray) -> FloatArray:
        thresholds = np.partition(orders[:, :earlier], rank - 1, axis=1)[:, rank - 1]
        found: FloatArray = (orders[:, earlier:] > thresholds[:, None]).sum(axis=1).astype(np.float64)
        return found

    return count


def block_statistic(n: int) -> Statistic:
    """Return a function that compares the mean ranks of blocks of consecutive episodes: larger if they differ more.

    Example:
        >>> block_statistic(20)(np.arange(20.0)[None])
        array([625.])
    """
    blocks = min(BLOCKS, n // EPISODES_OF_A_BLOCK)
    starts = np.linspace(0, n, blocks, endpoint=False).astype(np.int64)
    sizes = np.diff([*starts, n])

    def spread(orders: FloatArray) -> FloatArray:
        means = np.add.reduceat(orders, starts, axis=1) / sizes
        found: FloatArray = (sizes * (means - orders.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
        return found

    return spread


def _ranks(values: FloatArray) -> FloatArray:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: Array = (last - (counts - 1) / 2.0)[inverse]
    return ranks


def _shuffled(ranks: FloatArray, statistics: list[Statistic], permutations: int, seed: int) -> list[FloatArray]:
    """Return the values of statistics for shuffled orders, computed for some orders at a time."""
    random = Stream.named(seed, 0, "shuffled orders").generator()
    found: list[list[FloatArray]] = [[] for _ in statistics]
    at_once = max(1, VALUES_AT_ONCE // len(ranks))
    for start in range(0, permutations, at_once):
        orders = np.tile(ranks, (min(at_once, permutations - start), 1))
        orders = random.permuted(orders, axis=1)
        for values, statistic in zip(found, statistics, strict=True):
            values.append(statistic(orders))
    return [np.concatenate(values) for values in found]
