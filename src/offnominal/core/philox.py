"""Counter-based random numbers: every draw is a pure function of (key, step, lane, index).

Philox4x32-10 (Salmon et al., 2011). There is no state, so additional draws never change other draws. A *key* identifies
a stream (see :mod:`offnominal.core.streams`), *step* is the time index, *lane* separates users of one stream at one
step (such as two faults), *index* counts the numbers within a lane.
"""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.deterministic_math import log
from offnominal.core.types import Array, FloatArray

MASK = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
MULTIPLIER_A = np.uint64(0xD2511F53)
MULTIPLIER_B = np.uint64(0xCD9E8D57)
WEYL_A = np.uint64(0x9E3779B9)
WEYL_B = np.uint64(0xBB67AE85)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
INVERSE_2_53 = 1.0 / 9007199254740992.0
BELOW_ONE = 1.0 - INVERSE_2_53

# Numerators and denominators of the normal quantile, highest power first.
CENTRE_ABOVE = (
    2509.0809287301226727,
    33430.575583588128105,
    67265.770927008700853,
    45921.953931549871457,
    13731.693765509461125,
    1971.5909503065514427,
    133.14166789178437745,
    3.387132872796366608,
)
CENTRE_BELOW = (
    5226.495278852854561,
    28729.085735721942674,
    39307.89580009271061,
    21213.794301586595867,
    5394.1960214247511077,
    687.1870074920579083,
    42.313330701600911252,
    1.0,
)
TAIL_ABOVE = (
    7.7454501427834140764e-4,
    0.0227238449892691845833,
    0.24178072517745061177,
    1.27045825245236838258,
    3.64784832476320460504,
    5.7694972214606914055,
    4.6303378461565452959,
    1.42343711074968357734,
)
TAIL_BELOW = (
    1.05075007164441684324e-9,
    5.475938084995344946e-4,
    0.0151986665636164571966,
    0.14810397642748007459,
    0.68976733498510000455,
    1.6763848301838038494,
    2.05319162663775882187,
    1.0,
)
FAR_ABOVE = (
    2.01033439929228813265e-7,
    2.71155556874348757815e-5,
    0.0012426609473880784386,
    0.026532189526576123093,
    0.29656057182850489123,
    1.7848265399172913358,
    5.4637849111641143699,
    6.6579046435011037772,
)
FAR_BELOW = (
    2.04426310338993978564e-15,
    1.4215117583164458887e-7,
    1.8463183175100546818e-5,
    7.868691311456132591e-4,
    0.0148753612908506148525,
    0.13692988092273580531,
    0.59983220655588793769,
    1.0,
)


@compiled
def block(
    c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Return the four 32-bit words that Philox4x32-10 makes of a counter and a key, all held in uint64."""
    for _ in range(10):
        a = MULTIPLIER_A * c0
        b = MULTIPLIER_B * c2
        c0, c1, c2, c3 = (b >> HALF) ^ c1 ^ k0, b & MASK, (a >> HALF) ^ c3 ^ k1, a & MASK
        k0 = (k0 + WEYL_A) & MASK
        k1 = (k1 + WEYL_B) & MASK
    return c0, c1, c2, c3


@compiled
def uniform_pair(key: np.uint64, step: int, lane: int, pair: int) -> tuple[float, float]:
    """Return two numbers, uniform on the open interval (0, 1) with 53 random bits each."""
    w0, w1, w2, w3 = block(
        np.uint64(pair) & MASK,
        np.uint64(step) & MASK,
        np.uint64(lane) & MASK,
        np.uint64(step) >> HALF,
        key & MASK,
        key >> HALF,
    )
    first = ((w0 << HALF) | w1) >> np.uint64(11)
    second = ((w2 << HALF) | w3) >> np.uint64(11)
    return (
        min((float(first) + 0.5) * INVERSE_2_53, BELOW_ONE),
        min((float(second) + 0.5) * INVERSE_2_53, BELOW_ONE),
    )


@compiled
def uniform(key: np.uint64, step: int, lane: int, index: int) -> float:
    """Return one number, uniform on (0, 1)."""
    first, second = uniform_pair(key, step, lane, index >> 1)
    return second if index & 1 else first


@compiled
def _polynomial(x: float, coefficients: tuple[float, ...]) -> float:
    value = 0.0
    for coefficient in coefficients:
        value = value * x + coefficient
    return value


@compiled
def normal_quantile(p: float) -> float:
    """Return the standard normal quantile of p in (0, 1) to 1e-16 (Wichura 1988, algorithm AS 241)."""
    q = p - 0.5
    if abs(q) <= 0.425:
        r = 0.180625 - q * q
        return q * _polynomial(r, CENTRE_ABOVE) / _polynomial(r, CENTRE_BELOW)
    r = math.sqrt(-log(p if q < 0.0 else 1.0 - p))
    if r <= 5.0:
        value = _polynomial(r - 1.6, TAIL_ABOVE) / _polynomial(r - 1.6, TAIL_BELOW)
    else:
        value = _polynomial(r - 5.0, FAR_ABOVE) / _polynomial(r - 5.0, FAR_BELOW)
    return -value if q < 0.0 else value


@compiled
def normal_pair(key: np.uint64, step: int, lane: int, pair: int) -> tuple[float, float]:
    """Return two independent standard normal numbers."""
    first, second = uniform_pair(key, step, lane, pair)
    return normal_quantile(first), normal_quantile(second)


@compiled
def _mix(x: np.uint64) -> np.uint64:
    """Scramble a 64-bit word (the finaliser of SplitMix64); a bijection, so distinct words stay distinct."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@compiled
def stream_key(seed: int, episode: int, purpose: np.uint64) -> np.uint64:
    """Return the key of a stream; `purpose` is a hash of the purpose's name."""
    key = _mix(np.uint64(seed) + GOLDEN)
    key = _mix((key ^ np.uint64(episode)) + GOLDEN)
    return _mix((key ^ purpose) + GOLDEN)


@compiled
def fill_keys(seeds: Array, episodes: Array, purpose: np.uint64, out: Array) -> None:
    """Fill out with the keys of many streams of one purpose."""
    for i in range(out.shape[0]):
        out[i] = stream_key(seeds[i], episodes[i], purpose)


@compiled
def fill_uniform(keys: Array, steps: Array, lane: int, out: FloatArray) -> None:
    """Fill row i of out with uniform numbers of stream keys[i] at steps[i]."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = uniform(keys[i], steps[i], lane, j)


@compiled
def fill_normal(keys: Array, steps: Array, lane: int, out: FloatArray) -> None:
    """Fill row i of out with standard normal numbers of stream keys[i] at steps[i]."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = normal_quantile(uniform(keys[i], steps[i], lane, j))
