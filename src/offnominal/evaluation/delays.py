"""The median delay, with one definition for episodes, faults and training runs."""

from __future__ import annotations

import math
from collections.abc import Iterable

from offnominal.evaluation.estimate import Estimate

MEDIAN_DELAY = "median_delay"
HALF_MISSED = "> 50 % missed"
"""Text that replaces a median delay if more than half of the faults are missed."""


def median_delay(delays: Iterable[float]) -> float | None:
    """Return the smallest delay within which at least half of the faults are detected.

    A miss is an infinite delay. So the median is infinite exactly if more than half are missed, and the length of an
    episode after a miss has no influence. The same function combines the medians of several faults or training runs
    with equal weights: the result is infinite if more than half of them are.

    Args:
        delays: Delays in steps; infinite for a miss.

    Returns:
        The median, ``inf`` if more than half are missed, None without delays.

    Example:
        >>> median_delay([2, 7, math.inf]), median_delay([2, math.inf]), median_delay([2, math.inf, math.inf])
        (7, 2, inf)
    """
    ordered = sorted(delays)
    return ordered[(len(ordered) - 1) // 2] if ordered else None


def is_median_delay(name: str) -> bool:
    """Return whether a metric is a median delay, from the onset or from the effective onset.

    Example:
        >>> is_median_delay("effective_median_delay"), is_median_delay("mean_delay")
        (True, False)
    """
    return name.removesuffix("_s").endswith(MEDIAN_DELAY)


def stored_delay(median: float | None, miss_rate: float | None) -> float | None:
    """Return a median delay from a table, where None with a miss rate means that more than half are missed.

    Args:
        median: Value in the table.
        miss_rate: Miss rate in the same row; None if no episode reached its onset, so that there are no delays.

    Example:
        >>> stored_delay(3.0, 0.2), stored_delay(None, 0.8), stored_delay(None, None)
        (3.0, inf, None)
    """
    return math.inf if median is None and miss_rate is not None else median


def delay_text(number: Estimate) -> str:
    """Return a delay as text.

    Example:
        >>> delay_text(Estimate(7.0)), delay_text(Estimate(math.inf))
        ('7.000', '> 50 % missed')
    """
    return HALF_MISSED if number.value == math.inf else str(number)
