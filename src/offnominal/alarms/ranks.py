"""The rank of the calibration maximum that is the threshold, and the number of episodes needed."""

from __future__ import annotations

import math
from bisect import bisect_left
from fractions import Fraction

NEGLIGIBLE = 1e-18


def conformal_rank(n: int, alpha: float) -> int:
    """Return the rank, counted from 1, that a fraction of at most alpha of new maxima exceeds on average.

    It is ceil((n + 1) (1 - alpha)), with alpha as a decimal number. Each of n + 1 exchangeable maxima is equally likely
    to be the new one, so the new one is among the n + 1 - rank largest with a probability of at most
    (n + 1 - rank) / (n + 1); ties lower it. A rank of n + 1 means that n is too small.

    Example:
        >>> conformal_rank(100, 0.05), conformal_rank(19, 0.05), conformal_rank(18, 0.05)
        (96, 19, 19)
    """
    return n + 1 - math.floor(Fraction(str(float(alpha))) * (n + 1))


def pac_rank(n: int, alpha: float, confidence: float) -> int:
    """Return the rank, counted from 1, that a fraction of at most alpha of new maxima exceeds with this confidence.

    Over calibrations, the fraction above the maximum of rank r has a beta distribution with parameters n + 1 - r and r,
    or is lower if there are ties. A rank of n + 1 means that n is too small.

    Example:
        >>> pac_rank(100, 0.05, 0.95), pac_rank(59, 0.05, 0.95), pac_rank(58, 0.05, 0.95)
        (99, 59, 59)
    """
    ranks = range(1, n + 1)
    return bisect_left(ranks, True, key=lambda rank: successes(n + 1 - rank, n, alpha) >= confidence) + 1


def episodes_needed(alpha: float, confidence: float | None = None) -> int:
    """Return the smallest number of calibration episodes for which a threshold exists.

    Example:
        >>> episodes_needed(0.05), episodes_needed(0.05, confidence=0.95)
        (19, 59)
    """
    if confidence is None:
        return math.ceil(1 / Fraction(str(float(alpha)))) - 1
    n = max(1, math.ceil(math.log1p(-confidence) / math.log1p(-alpha)) - 1)
    while successes(1, n, alpha) < confidence:
        n += 1
    return n


def successes(least: int, n: int, chance: float) -> float:
    """Return the probability of at least so many successes in n trials, each with this chance.

    It is the distribution function of a beta distribution with parameters `least` and n + 1 - `least`, at `chance`.
    SciPy has it too; the monitor of `offnominal watch` does without SciPy, which takes more memory than all the rest.

    Example:
        >>> successes(1, 3, 0.5), round(successes(3, 100, 0.05), 12)
        (0.875, 0.881737018815)
    """
    below = least <= (n + 1) * chance
    logs = math.log(chance), math.log1p(-chance)
    total = 0.0
    # Terms away from the likeliest number fall, so the sum ends where they no longer count.
    for k in range(least - 1, -1, -1) if below else range(least, n + 1):
        ways = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
        term = math.exp(ways + k * logs[0] + (n - k) * logs[1])
        total += term
        if term < NEGLIGIBLE * total:
            break
    return 1.0 - total if below else total


def chance_of_successes(least: int, n: int, probability: float) -> float:
    """Return the chance with which at least so many of n trials succeed with a probability: :func:`successes` inverted.

    Example:
        >>> round(chance_of_successes(1, 3, 0.875), 12)
        0.5
    """
    low, high = 0.0, 1.0
    while low < (middle := 0.5 * (low + high)) < high:
        if successes(least, n, middle) < probability:
            low = middle
        else:
            high = middle
    return high
