"""A random observation among the nominal ones: the public code of lane keeping records one after an exception."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from offnominal.core.episode import Episode
from offnominal.datasets.plan import Plan
from offnominal.datasets.recording_changes import EpisodeChange, RecordingChange
from offnominal.worlds.world_source import WorldSource


class RandomObservation(RecordingChange):
    """The first training episode ends with a random observation.

    One is enough to make constant channels vary, so that they are not divided by almost zero when observations are
    standardised. How many exceptions the published recordings have is not known.
    """

    def episode_change(self, plan: Plan, world: WorldSource, max_steps: int | None) -> EpisodeChange | None:
        """Return what changes the last observation of the first training episode."""
        if plan.name != "train":
            return None
        seed = int(plan.seeds[0])
        return lambda episode, number: episode if number else with_random_end(episode, seed)


def with_random_end(episode: Episode, seed: int) -> Episode:
    """Return an episode whose last observation is a sample of an unbounded space: standard normal numbers.

    Args:
        episode: The episode.
        seed: Seed of the numbers.

    Example:
        >>> episode = Episode(np.zeros((3, 2)), np.zeros((2, 1)), np.zeros(2), np.zeros(2, bool))
        >>> with_random_end(episode, 0).observations.round(2)
        array([[ 0.  ,  0.  ],
               [ 0.  ,  0.  ],
               [ 0.13, -0.13]])
    """
    observations = episode.observations.copy()
    observations[-1] = np.random.default_rng(seed).normal(size=observations.shape[1:])
    return replace(episode, observations=observations)
