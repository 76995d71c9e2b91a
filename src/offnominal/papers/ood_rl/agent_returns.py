"""Returns of agents in the settings of a world, and the settings in which they fail."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.types import BoolArray, FloatArray
from offnominal.papers.ood_rl.settings import CARTPOLE, PONG, OODSetting

SOLVED = {CARTPOLE: 195.0, PONG: 15.0}
"""Threshold of failure for the mean return, in worlds with a return at which the task counts as solved."""
DEVIATIONS = 3.0
"""In other worlds, an agent fails below its mean nominal return minus this number of standard deviations."""


@dataclass(frozen=True, slots=True, eq=False)
class AgentReturns:
    """Returns of the agents of one kind in the settings of a world.

    Args:
        world: Id of the world.
        uncertainty: Kind of the agents.
        settings: Modifications.
        agents: Numbers of the agents.
        mean: (settings, agents): mean return over the episodes of all trials.
        half: (settings, agents): half the width of its 95 % interval.
        limit: (agents,): threshold of failure.
        nominal: (agents,): mean return in the unmodified world.
        length: (settings, agents): mean length of episodes.
    """

    world: str
    uncertainty: str
    settings: tuple[OODSetting, ...]
    agents: tuple[int, ...]
    mean: FloatArray
    half: FloatArray
    limit: FloatArray
    nominal: FloatArray
    length: FloatArray

    @property
    def failed(self) -> BoolArray:
        """(settings, agents): whether an agent failed."""
        return self.mean < self.limit

    @property
    def solves(self) -> BoolArray:
        """(agents,): whether an agent solves the unmodified world; all of them if none does."""
        found: BoolArray = self.nominal >= self.limit
        return found if found.any() else np.ones_like(found)

    @property
    def mostly_failed(self) -> BoolArray:
        """(settings,): whether at least half of the agents that solve the unmodified world failed."""
        found: BoolArray = self.failed[:, self.solves].mean(axis=1) >= 0.5
        return found
