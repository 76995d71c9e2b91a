"""Simulated nominal scores of days that differ: within a day episodes are exchangeable, over days they are not."""

from __future__ import annotations

import numpy as np

from offnominal.alarms.simulation import simulate_scores
from offnominal.core.checks import number_in, positive_integer
from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray


def simulate_days(
    days: int,
    episodes: int = 10,
    *,
    offset: float = 0.3,
    trend: float = 0.0,
    steps: int | tuple[int, int] = 200,
    seed: int = 0,
) -> list[FloatArray]:
    """Return the scores of nominal episodes in the order of time, with an offset for each day.

    Robots in use have such scores: load, temperature and wear change from day to day. The logarithm of a score is that
    of :func:`~offnominal.alarms.simulation.simulate_scores`, plus the offset of its day, plus a trend.

    Args:
        days: Number of days.
        episodes: Number of episodes per day.
        offset: Standard deviation of the offsets of days, in the logarithm.
        trend: Growth of the logarithm per day.
        steps: Length of the episodes, or a pair of the smallest and the largest length.
        seed: Random seed.

    Example:
        >>> scores = simulate_days(3, 4, steps=50, seed=1)
        >>> len(scores), len(scores[0])
        (12, 50)
    """
    n = positive_integer("days", days)
    each = positive_integer("episodes", episodes)
    number_in("offset", offset, 0.0)
    number_in("trend", trend)
    random = Stream.named(seed, 0, "days").generator()
    levels = np.repeat(np.exp(offset * random.standard_normal(n) + trend * np.arange(n)), each)
    scores = simulate_scores(n * each, steps=steps, seed=seed)
    return [level * episode for level, episode in zip(levels, scores, strict=True)]
