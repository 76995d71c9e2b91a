"""Detection results of one method in the settings of a world."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.papers.ood_rl.separation import SEPARATION_METRICS
from offnominal.papers.ood_rl.settings import OODSetting

UNCERTAINTY = "Uncertainty"
"""Name of the method of the paper: the spread of the predictions of a policy."""
KINDS = {"ensemble": "Ensemble", "dropout": "MC-Dropout", "dropconnect": "MC-DropConnect"}


@dataclass(frozen=True, slots=True, eq=False)
class DetectionResults:
    """Detection results of one method in the settings of a world.

    Args:
        world: Id of the world.
        uncertainty: Kind of the agents.
        method: Name of the detector.
        settings: Modifications.
        agents: Numbers of the agents.
        values: (readings, settings, agents, trials).
        thresholds: (settings, agents, trials): see :class:`~offnominal.papers.ood_rl.separation.Separation`.
    """

    world: str
    uncertainty: str
    method: str
    settings: tuple[OODSetting, ...]
    agents: tuple[int, ...]
    values: FloatArray
    thresholds: FloatArray

    @property
    def label(self) -> str:
        """Name in figures: the kind of agent for its uncertainty, otherwise also the detector."""
        kind = KINDS.get(self.uncertainty, self.uncertainty)
        if self.method == UNCERTAINTY:
            return kind
        return self.method if self.uncertainty == "ensemble" else f"{self.method} ({kind})"

    def reading(self, name: str) -> FloatArray:
        """Return (settings, agents, trials) of one reading."""
        found: FloatArray = self.values[list(SEPARATION_METRICS).index(name)]
        return found

    def mean(self, name: str) -> FloatArray:
        """Return the mean over agents and trials of each setting."""
        found: FloatArray = self.reading(name).mean(axis=(1, 2))
        return found

    def between_evaluations(self, name: str) -> FloatArray:
        """Return the standard deviation over trials of one agent, in each setting; ddof 1, variances averaged."""
        found: FloatArray = np.sqrt(_variance(self.reading(name), axis=2).mean(axis=1))
        return found

    def between_agents(self, name: str) -> FloatArray:
        """Return the standard deviation over trained agents, in each setting, without the variance over trials.

        The variance of the agents' means is the sum of both, trials counting a share of one over their number; where
        trials alone make more, agents make none.
        """
        values = self.reading(name)
        added = _variance(values, axis=2).mean(axis=1) / values.shape[2]
        found: FloatArray = np.sqrt(np.maximum(_variance(values.mean(axis=2), axis=1) - added, 0.0))
        return found


def _variance(values: FloatArray, axis: int) -> FloatArray:
    """Return the variance with ddof 1; of a single value, zero."""
    if values.shape[axis] == 1:
        return np.zeros(np.delete(values.shape, axis))
    found: FloatArray = values.var(axis=axis, ddof=1)
    return found
