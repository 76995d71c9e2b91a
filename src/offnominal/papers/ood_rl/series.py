"""What an agent predicts along an episode, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.agents.uncertainty import UncertainPolicy
from offnominal.core.streams import stream_keys
from offnominal.core.types import FloatArray
from offnominal.papers.ood_rl.episodes import TRIAL_SEED
from offnominal.papers.ood_rl.settings import OODSetting
from offnominal.rollouts.collection import rollout


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """An episode as its agent saw it.

    Args:
        setting: What was changed; None for nothing.
        mean: (T, outputs): mean of the predictions.
        sigma: (T, outputs): their standard deviation.
    """

    setting: OODSetting | None
    mean: FloatArray
    sigma: FloatArray


def series(
    policy: UncertainPolicy, world: str, setting: OODSetting | None, *, onset: int = 0, seed: int = TRIAL_SEED
) -> Series:
    """Return what an agent predicts along an episode.

    Args:
        policy: The agent.
        world: Id of the world.
        setting: What is changed; None for nothing.
        onset: From which transition on.
        seed: Of the episode.
    """
    faults = () if setting is None else (setting.fault(onset),)
    (episode,) = rollout(world, policy, np.array([seed]), [faults])
    count = len(episode)
    keys = stream_keys(np.array([seed]), np.array([0]), "uncertainty").repeat(count)
    mean, sigma = policy.predict(episode.observations[:-1], keys, np.arange(count))
    return Series(setting, mean, sigma)
