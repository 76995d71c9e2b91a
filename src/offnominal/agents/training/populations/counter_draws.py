"""Random numbers of several agents on a GPU: those of an agent depend on its seed and on how many were drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

GOLDEN = 0x9E3779B97F4A7C15 - 2**64
FIRST, SECOND = 0xBF58476D1CE4E5B9 - 2**64, 0x94D049BB133111EB - 2**64
"""Constants of SplitMix64 (Steele et al., 2014), as signed integers."""
BITS = 24
"""Bits of a number in single precision."""


class CounterDraws:
    """A stream of random numbers per agent; a captured graph draws new ones at every replay.

    Args:
        seeds: Seed of each agent.
        device: Device of the numbers.

    Example:
        >>> both, alone = (CounterDraws(seeds, torch.device("cpu")) for seeds in ([3, 7], [7]))
        >>> bool((both.uniform(5)[1] == alone.uniform(5)[0]).all())
        True
    """

    def __init__(self, seeds: Sequence[int], device: torch.device) -> None:
        self.keys = mixed(torch.tensor([seed + 1 for seed in seeds], device=device) * GOLDEN)
        self.counter = torch.zeros((), dtype=torch.int64, device=device)

    def uniform(self, *shape: int) -> Tensor:
        """Return (agents, *shape) numbers uniform on [0, 1)."""
        return _fraction(_shifted(self._words(shape), 64 - BITS))

    def normal(self, *shape: int) -> Tensor:
        """Return (agents, *shape) standard normal numbers, by the transform of Box and Muller."""
        words = self._words(shape)
        radius = _fraction(_shifted(words, 64 - BITS)) + 0.5 * 2.0**-BITS
        turn = _fraction(words & (2**BITS - 1))
        return (-2.0 * radius.log()).sqrt() * (2.0 * math.pi * turn).cos()

    def _words(self, shape: tuple[int, ...]) -> Tensor:
        """Return (agents, *shape) random words."""
        self.counter += 1
        keys = mixed(self.keys + self.counter * GOLDEN)
        numbers = torch.arange(1, math.prod(shape) + 1, device=keys.device)
        return mixed(keys[:, None] + numbers * GOLDEN).view(-1, *shape)


def mixed(words: Tensor) -> Tensor:
    """Return the words with their bits mixed, as SplitMix64 does."""
    words = (words ^ _shifted(words, 30)) * FIRST
    words = (words ^ _shifted(words, 27)) * SECOND
    return words ^ _shifted(words, 31)


def _shifted(words: Tensor, count: int) -> Tensor:
    """Return the words shifted to the right, with zeros on the left."""
    return words.bitwise_right_shift(count).bitwise_and(2 ** (64 - count) - 1)


def _fraction(words: Tensor) -> Tensor:
    """Return the fractions of one that small words count."""
    return words.float().mul(2.0**-BITS)
