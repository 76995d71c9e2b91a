"""Summary statistics of the episodes of a split."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.config import Config
from offnominal.core.episode import Episode


@dataclass(frozen=True)
class Statistics(Config):
    """Summary statistics of a split.

    Args:
        mean_return: Mean return of the episodes.
        return_interval: Half the width of its 95 % confidence interval.
        success: Fraction of successful episodes; None if it was not recorded.
        active: Fraction of transitions with an active fault.
        faulty: Fraction of episodes in which a fault became active.
        mean_onset: Mean onset of these episodes; None if there are none.
    """

    mean_return: float
    return_interval: float
    success: float | None
    active: float
    faulty: float
    mean_onset: float | None


class StatisticsAccumulator:
    """Accumulates the statistics of episodes."""

    def __init__(self) -> None:
        self.returns: list[float] = []
        self.onsets: list[int] = []
        self.successes: list[bool] = []
        self.steps = self.active = 0

    def add(self, episode: Episode) -> None:
        """Add an episode."""
        self.returns.append(episode.total_reward)
        self.steps += len(episode)
        self.active += int(np.sum(episode.active))
        if "success" in episode.extras:
            self.successes.append(episode.success)
        if episode.onset is not None:
            self.onsets.append(episode.onset)

    @property
    def episodes(self) -> int:
        """Number of episodes."""
        return len(self.returns)

    def result(self) -> Statistics:
        """Return the statistics."""
        deviation = float(np.std(self.returns, ddof=1)) if self.episodes > 1 else 0.0
        return Statistics(
            mean_return=float(np.mean(self.returns)),
            return_interval=1.96 * deviation / float(np.sqrt(self.episodes)),
            success=float(np.mean(self.successes)) if self.successes else None,
            active=self.active / max(self.steps, 1),
            faulty=len(self.onsets) / self.episodes,
            mean_onset=float(np.mean(self.onsets)) if self.onsets else None,
        )
