"""Random numbers of one episode, from the named streams of the package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from offnominal.core.streams import Stream

T = TypeVar("T")
BLOCK = 256


class Draws:
    """Numbers on (0, 1) that depend only on (seed, episode, purpose), a position and a lane.

    Args:
        stream: The random stream.
    """

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._blocks: dict[tuple[int, int], list[float]] = {}

    @classmethod
    def named(cls, seed: int, episode: int, purpose: str) -> Draws:
        """Return the numbers of (seed, episode, purpose)."""
        return cls(Stream.named(seed, episode, purpose))

    @property
    def key(self) -> int:
        """Key of the stream."""
        return int(self._stream.key)

    def at(self, position: int, lane: int = 0) -> float:
        """Return the number at a position of a lane."""
        which = (position // BLOCK, lane)
        if which not in self._blocks:
            self._blocks[which] = self._stream.uniform(BLOCK, step=which[0], lane=lane).tolist()
        return self._blocks[which][position % BLOCK]

    def index(self, n: int, position: int, lane: int = 0) -> int:
        """Return an index below n."""
        return min(n - 1, int(self.at(position, lane) * n))


class Sequential:
    """The same numbers one after the other, for code that draws a whole level.

    Args:
        draws: The numbers.
        lane: Lane of the numbers.
    """

    def __init__(self, draws: Draws, lane: int = 0) -> None:
        self._draws = draws
        self._lane = lane
        self._position = 0

    def uniform(self) -> float:
        """Return the next number on (0, 1)."""
        self._position += 1
        return self._draws.at(self._position - 1, self._lane)

    def integer(self, low: int, high: int) -> int:
        """Return an integer of low .. high, both included."""
        return low + min(high - low, int(self.uniform() * (high - low + 1)))

    def choice(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        return options[self.integer(0, len(options) - 1)]

    def shuffled(self, options: Sequence[T]) -> list[T]:
        """Return the options in random order."""
        left = list(options)
        return [left.pop(self.integer(0, len(left) - 1)) for _ in range(len(left))]

    def weighted(self, options: Sequence[T], weights: Sequence[float]) -> T:
        """Return one of the options with the given probabilities."""
        rest = self.uniform() * sum(weights)
        for option, weight in zip(options, weights, strict=True):
            rest -= weight
            if rest < 0.0:
                return option
        return options[-1]
