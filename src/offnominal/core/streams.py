"""Named random streams: one per (seed, episode, purpose). A draw from one stream never changes another.

Purposes in use: ``reset`` (initial state), ``world`` (randomness of the physics), ``policy``, ``anomaly`` (draws of a
fault), ``onset`` (onset of a fault).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from offnominal.core.checks import require_shape
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.types import FloatArray, IntArray, KeyArray

MAX_SEED = 2**63 - 1


@cache
def purpose_hash(purpose: str) -> np.uint64:
    """Hash a purpose's name to 64 bits (FNV-1a)."""
    word = 0xCBF29CE484222325
    for byte in purpose.encode():
        word = ((word ^ byte) * 0x100000001B3) % 2**64
    return np.uint64(word)


def check_seed(seed: object) -> int:
    """Return the seed as an int, or raise :class:`InvalidParameter`."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise InvalidParameter(f"seed {shown(seed)} is a {type(seed).__name__}; expected an integer.")
    if not 0 <= seed <= MAX_SEED:
        raise InvalidParameter(f"seed {shown(seed)} is outside 0 .. 2**63 - 1; choose one inside.")
    return int(seed)


def row_seeds(seed: object, n: int) -> IntArray:
    """Return the seeds of n rows: seed, seed + 1 and so on."""
    first = check_seed(seed)
    check_seed(first + n - 1)
    return first + np.arange(n)


def stream_keys(seeds: IntArray, episodes: IntArray, purpose: str) -> KeyArray:
    """Return the stream keys of many episodes.

    Args:
        seeds: Root seed of each episode.
        episodes: Number of earlier episodes from the same root seed.
        purpose: Purpose of the stream.

    Example:
        >>> stream_keys(np.array([0, 1]), np.array([0, 0]), "reset")
        array([ 3240118655928902827, 16991447683792541043], dtype=uint64)
    """
    from offnominal.core.philox import fill_keys

    seeds, episodes = np.asarray(seeds), np.asarray(episodes)
    require_shape("seeds", seeds, "n")
    require_shape("episodes", episodes, len(seeds))
    keys = np.empty(len(seeds), np.uint64)
    fill_keys(seeds, episodes, purpose_hash(purpose), keys)
    return keys


@dataclass(frozen=True, slots=True)
class Stream:
    """One stream, for code that handles one episode at a time.

    A draw is a pure function of its step and lane.

    Example:
        >>> stream = Stream.named(seed=3, episode=0, purpose="anomaly")
        >>> bool((stream.normal(4, step=7) == stream.normal(4, step=7)).all())
        True
    """

    key: np.uint64

    @classmethod
    def named(cls, seed: int, episode: int, purpose: str) -> Stream:
        """Return the stream of (seed, episode, purpose)."""
        return cls(stream_keys(np.array([check_seed(seed)]), np.array([episode]), purpose)[0])

    def uniform(self, size: int, *, step: int = 0, lane: int = 0) -> FloatArray:
        """Return numbers uniform on (0, 1)."""
        from offnominal.core.philox import fill_uniform

        out = _empty(size)
        fill_uniform(np.array([self.key]), np.array([step]), lane, out)
        return out.reshape(-1)

    def normal(self, size: int, *, step: int = 0, lane: int = 0) -> FloatArray:
        """Return standard normal numbers."""
        from offnominal.core.philox import fill_normal

        out = _empty(size)
        fill_normal(np.array([self.key]), np.array([step]), lane, out)
        return out.reshape(-1)

    def integer(self, low: int, high: int, *, step: int = 0, lane: int = 0) -> int:
        """Return an integer uniform on low .. high, both included."""
        return low + int(self.uniform(1, step=step, lane=lane)[0] * (high - low + 1))

    def generator(self) -> np.random.Generator:
        """Return a NumPy generator seeded from this stream, for libraries that need one."""
        return np.random.Generator(np.random.Philox(key=int(self.key)))


def _empty(size: int) -> FloatArray:
    """Return an array for one row of numbers."""
    if size < 0:
        raise InvalidParameter(f"size is {size}; expected an integer of at least 0.")
    return np.empty((1, size))
