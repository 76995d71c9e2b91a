"""Intervals of a share: that of Clopper and Pearson, and with the standard error of correlated trials."""

from __future__ import annotations

from scipy.special import betaincinv, stdtrit

TAIL = 0.025


def clopper_pearson(k: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Return the exact interval of a probability after k successes in n trials; both may be fractions.

    Example:
        >>> clopper_pearson(0, 59)
        (0.0, 0.0606)
    """
    tail = (1.0 - confidence) / 2.0
    low = float(betaincinv(k, n - k + 1, tail)) if k > 0 else 0.0
    high = float(betaincinv(k + 1, n - k, 1.0 - tail)) if k < n else 1.0
    return low, high


def effective_interval(rate: float, error: float, n: int, freedom: int) -> tuple[float, float]:
    """Return the 95 % interval of a rate with a given standard error, at least as wide as for n independent trials.

    Args:
        rate: The estimate.
        error: Its standard error.
        n: Number of trials.
        freedom: Degrees of freedom of the standard error.

    Example:
        >>> effective_interval(0.05, 0.007, 2000, freedom=19)
        (0.0364, 0.0669)
        >>> effective_interval(0.0, 0.0, 2000, freedom=19)
        (0.0, 0.0018)
    """
    spread = rate * (1.0 - rate)
    if spread <= 0.0 or error == 0.0:
        return clopper_pearson(rate * n, n)
    widened = (stdtrit(n - 1, 0.975) / stdtrit(freedom, 0.975)) ** 2 if n > 1 else 1.0
    effective = min(float(n), spread / error**2 * float(widened))
    return clopper_pearson(rate * effective, effective)
