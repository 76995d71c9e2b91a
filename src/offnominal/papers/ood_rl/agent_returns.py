"""What agents earned in the settings of a world, and where they failed."""

from __future__ import annotations

from dataclasses import dataclass

from offnominal.core.types import BoolArray, FloatArray
from offnominal.papers.ood_rl.settings import CARTPOLE, PONG, OODSetting

SOLVED = {CARTPOLE: 195.0, PONG: 15.0}
"""Mean return below which an agent has failed, where there is one from which on a task counts as solved."""
DEVIATIONS = 3.0
"""Elsewhere it has failed if it earns so many standard deviations of its nominal returns less than their mean."""


@dataclass(frozen=True, slots=True, eq=False)
class AgentReturns:
    """What the agents of a kind earned in the settings of a world.

    Args:
        world: Id of the world.
        uncertainty: Kind of the agents.
        settings: What was changed.
        agents: Numbers of the agents.
        mean: (settings, agents): mean return over the episodes of all trials.
        half: (settings, agents): half the width of its 95 % interval.
        limit: (agents,): below it an agent has failed.
        nominal: (agents,): mean return in the unchanged world.
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
    def mostly_failed(self) -> BoolArray:
        """(settings,): whether at least half of the agents failed."""
        found: BoolArray = self.failed.mean(axis=1) >= 0.5
        return found
