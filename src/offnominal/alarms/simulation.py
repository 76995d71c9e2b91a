"""Simulated nominal scores with a known distribution, for tests of alarms."""

from __future__ import annotations

import numpy as np

from offnominal.core.checks import integer_in, number_in, positive_integer
from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray


def simulate_scores(
    n: int,
    *,
    steps: int | tuple[int, int] = 200,
    seed: int = 0,
    correlation: float = 0.9,
    spread: float = 0.5,
    between: float = 0.3,
) -> list[FloatArray]:
    """Return the scores of n exchangeable nominal episodes.

    The scores have the properties for which thresholds on single steps fail: neighbouring scores are correlated, the
    distribution is skewed, and episodes have different levels. The logarithm of a score is the level of its episode
    plus a stationary autoregressive process of order one.

    Args:
        n: Number of episodes.
        steps: Length of the episodes, or a pair of the smallest and the largest length.
        seed: Random seed.
        correlation: Correlation of the logarithms of neighbouring scores of an episode.
        spread: Standard deviation of the logarithm within an episode.
        between: Standard deviation of the levels of the episodes.

    Example:
        >>> [len(episode) for episode in simulate_scores(4, steps=(3, 5), seed=1)]
        [3, 5, 3, 5]
    """
    rows = positive_integer("the number of episodes", n)
    pair = steps if isinstance(steps, tuple) else (steps, steps)
    shortest, longest = (positive_integer("steps", each) for each in pair)
    integer_in("the shortest length", shortest, 1, longest)
    number_in("correlation", correlation, -1.0, 1.0, open_low=True, open_high=True)
    generator = Stream.named(seed, 0, "scores").generator()
    lengths = generator.integers(shortest, longest, rows, endpoint=True)
    levels = between * generator.standard_normal(rows)
    logs = generator.standard_normal((longest, rows))
    for t in range(1, longest):
        logs[t] = correlation * logs[t - 1] + np.sqrt(1.0 - correlation**2) * logs[t]
    scores = np.exp(levels + spread * logs).T
    return [episode[:length].copy() for episode, length in zip(scores, lengths, strict=True)]
