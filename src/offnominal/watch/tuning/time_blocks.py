"""Parts of a log in the order of time: for training, calibration, choice, and the last one for the measurement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array

BLOCKS = 8
"""Blocks of equal length that a log is divided into."""
FOLDS = (((0, 2), (2, 4), (4, 5)), ((0, 2), (2, 5), (5, 6)))
"""Blocks for training, calibration and validation of each choice: always the earlier ones for the later ones."""
LAST = ((0, 3), (3, 6), (6, 8))
"""Blocks for training and calibration of what was chosen, and for the measurement that no choice saw."""
LAST_SHARE = (LAST[2][1] - LAST[2][0]) / BLOCKS
SNAP = 0.1
"""A boundary moves to the end of an episode that is so close, as a share of a block."""
LEAST_STEPS = 1000
"""Fewest transitions of a log."""


@dataclass(frozen=True)
class TimeBlocks:
    """The episodes of a log, cut into blocks in the order of time.

    Args:
        episodes: Nominal episodes, the earliest first.
        bounds: First transition of each block, and the end of the last.
    """

    episodes: Sequence[Episode]
    bounds: tuple[int, ...]

    @classmethod
    def of(cls, episodes: Sequence[Episode]) -> TimeBlocks:
        """Divide a log.

        Example:
            >>> log = [Episode(np.zeros((1002, 1)), np.zeros((1001, 0)), np.zeros(1001), np.zeros(1001, bool))] * 8
            >>> TimeBlocks.of(log).bounds
            (0, 1001, 2002, 3003, 4004, 5005, 6006, 7007, 8008)
        """
        ends = np.cumsum([len(each) for each in episodes])
        total = int(ends[-1]) if len(ends) else 0
        if total < LEAST_STEPS:
            raise InvalidParameter(f"the log has {total:,} nominal transitions; give {LEAST_STEPS:,} or more.")
        for number, episode in enumerate(episodes):
            if episode.active.any():
                raise InvalidParameter(f"episode {number} of the log has active labels; give nominal episodes only.")
        bounds = []
        for wanted in np.linspace(0, total, BLOCKS + 1):
            nearest = int(ends[np.argmin(np.abs(ends - wanted))])
            bounds.append(nearest if abs(nearest - wanted) <= SNAP * total / BLOCKS else round(wanted))
        return cls(episodes, tuple(bounds))

    def part(self, blocks: tuple[int, int]) -> list[Episode]:
        """Return the episodes, or parts of them, from one block up to another one."""
        first, last = (self.bounds[each] for each in blocks)
        found, start = [], 0
        for episode in self.episodes:
            begin, end = max(first - start, 0), min(last - start, len(episode))
            if begin < end:
                found.append(piece(episode, begin, end))
            start += len(episode)
        return found


def piece(episode: Episode, begin: int, end: int) -> Episode:
    """Return some transitions of an episode as one of their own.

    Example:
        >>> whole = Episode(np.arange(5.0)[:, None], np.zeros((4, 0)), np.zeros(4), np.zeros(4, bool))
        >>> piece(whole, 1, 3).observations.ravel()
        array([1., 2., 3.])
    """
    if begin == 0 and end == len(episode):
        return episode

    def cut(values: Array) -> Array:
        return values[begin : end + (len(values) > len(episode))]

    return Episode(
        cut(episode.observations),
        cut(episode.actions),
        cut(episode.rewards),
        cut(episode.active),
        seed=episode.seed,
        extras={name: cut(values) for name, values in episode.extras.items()},
    )
