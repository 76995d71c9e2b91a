"""Conformal p-values in the order of time, and the martingale that bets against exchangeability."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort

import numpy as np
from numpy.typing import ArrayLike

from offnominal.core.checks import number_in, numeric_array, require_shape
from offnominal.core.streams import Stream
from offnominal.core.types import Array, FloatArray

JUMP = 0.01
"""Share of the capital that is spread over all bets again before each bet."""
BETS = np.array([-1.0, 0.0, 1.0])


def conformal_p_values(values: ArrayLike, *, seed: int = 0) -> FloatArray:
    """Return the rank of each value among those up to it, as a share: small for a value that is larger than before.

    Guaranteed: if the values are exchangeable, the p-values are independent and uniform, whatever the distribution.

    Args:
        values: (n,): one number per unit, such as the largest score of each episode, in the order of time.
        seed: Seed of the numbers that break ties.

    Example:
        >>> conformal_p_values([3.0, 1.0, 2.0, 9.0]).tolist()
        [0.97, 0.76, 0.42, 0.05]
    """
    given = _vector("values", values)
    random = Stream.named(seed, 0, "conformal p-values").generator().random(len(given))
    before: list[float] = []
    found = np.empty(len(given))
    for n, value in enumerate(given.tolist()):
        insort(before, value)
        greater = n + 1 - bisect_right(before, value)
        equal = n + 1 - greater - bisect_left(before, value)
        found[n] = (greater + random[n] * equal) / (n + 1)
    return found


def jumper_martingale(p_values: ArrayLike, *, jump: float = JUMP) -> FloatArray:
    """Return the logarithm of the capital of the simple jumper after each p-value; it begins with 1.

    One third of the capital each bets on small p-values, on large ones, and not at all; a share `jump` is spread anew
    before each bet, so that the martingale follows changes of direction.

    Guaranteed: if the p-values are independent and uniform, the capital ever reaches c with a probability of at most
    1 / c (Ville's inequality).

    Args:
        p_values: (n,): p-values, such as those of :func:`conformal_p_values`.
        jump: Share of the capital that is spread anew.

    Example:
        >>> np.exp(jumper_martingale([0.0, 0.0, 0.0])).tolist()
        [1.0, 1.165, 1.493]
    """
    given = _vector("p_values", p_values)
    number_in("jump", jump, 0.0, 1.0)
    for p in given[~((given >= 0.0) & (given <= 1.0))][:1]:
        number_in("a p-value", float(p), 0.0, 1.0)
    shares, total = np.full(3, 1.0 / 3.0), 0.0
    found = np.empty(len(given))
    for n, p in enumerate(given):
        shares = ((1.0 - jump) * shares + jump / 3.0) * (1.0 + BETS * (p - 0.5))
        gained = shares.sum()
        total += np.log(gained)
        shares /= gained
        found[n] = total
    return found


def _vector(name: str, values: ArrayLike) -> Array:
    given = numeric_array(name, values)
    require_shape(name, given, "n")
    return given.astype(np.float64)
