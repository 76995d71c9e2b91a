"""Random choices that vary an asset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from offnominal.core.streams import Stream

T = TypeVar("T")


class Draws:
    """Random numbers of one asset, drawn one after the other from its own stream.

    Example:
        >>> Draws(3, "car").one_of("abc") == Draws(3, "car").one_of("abc")
        True
    """

    def __init__(self, seed: int, noun: str) -> None:
        self._stream, self._drawn = Stream.named(seed, 0, f"asset {noun}"), 0

    def between(self, low: float, high: float) -> float:
        """Return a number uniform between low and high."""
        self._drawn += 1
        return low + (high - low) * float(self._stream.uniform(1, step=self._drawn)[0])

    def one_of(self, choices: Sequence[T]) -> T:
        """Return one of some choices."""
        return choices[min(int(self.between(0.0, len(choices))), len(choices) - 1)]

    def whole(self, low: int, high: int) -> int:
        """Return an integer from low to high, both included."""
        return self.one_of(range(low, high + 1))
