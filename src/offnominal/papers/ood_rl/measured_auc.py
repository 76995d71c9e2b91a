"""Our AUC in the settings of a world: that of each agent and trial."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from offnominal.core.types import FloatArray
from offnominal.evaluation.estimate import TAIL, Estimate
from offnominal.papers.ood_rl.detection_results import UNCERTAINTY
from offnominal.papers.ood_rl.results import OODResults
from offnominal.papers.ood_rl.settings import OODSetting

FEWEST_AGENTS = 3
"""Of an interval."""


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredAUC:
    """Our AUC in a setting.

    Args:
        setting: The setting.
        auc: (agents, trials).
        failed: Whether at least half of the agents fail that solve the unmodified world.
    """

    setting: OODSetting
    auc: FloatArray
    failed: bool

    def per_agent(self, best: bool) -> FloatArray:
        """Return the mean over trials of each agent, or the best of them."""
        found: FloatArray = self.auc.max(axis=1) if best else self.auc.mean(axis=1)
        return found

    def estimate(self, best: bool) -> Estimate:
        """Return the mean over agents with the interval of one more agent; of fewer than three, it has none."""
        per_agent = self.per_agent(best)
        mean, count = float(per_agent.mean()), len(per_agent)
        if count < FEWEST_AGENTS:
            return Estimate(mean)
        half = stdtrit(count - 1, 1.0 - TAIL) * per_agent.std(ddof=1) * math.sqrt(1.0 + 1.0 / count)
        return Estimate(mean, np.clip([mean - half, mean + half], 0.0, 1.0))


def measured_auc(outcomes: OODResults, world: str) -> defaultdict[str, list[MeasuredAUC]]:
    """Return our AUC in all settings of a world, by kind of agent.

    Args:
        outcomes: Results of a run.
        world: Id of the world.
    """
    found: defaultdict[str, list[MeasuredAUC]] = defaultdict(list)
    for detections in outcomes.in_world(world):
        if detections.method == UNCERTAINTY:
            measured = zip(
                detections.settings, detections.reading("auc"), outcomes.failed(detections).tolist(), strict=True
            )
            found[detections.uncertainty] += [MeasuredAUC(*each) for each in measured]
    return found
