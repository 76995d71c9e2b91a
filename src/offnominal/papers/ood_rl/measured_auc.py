"""Our AUC in the settings of a world: that of each agent and trial."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from scipy import stats

from offnominal.core.types import FloatArray
from offnominal.evaluation.estimate import Estimate
from offnominal.papers.ood_rl.detection_results import UNCERTAINTY
from offnominal.papers.ood_rl.results import OODResults
from offnominal.papers.ood_rl.settings import OODSetting

DEVIATIONS = 2.0
"""Half the width of our interval, in standard deviations over agents."""
FEWEST_AGENTS = 3
LEVEL = 0.95
"""Level of the prediction interval of one more agent."""


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
        """Return the mean over agents, with two standard deviations to both sides; with one, the range of trials."""
        per_agent = self.per_agent(best)
        mean = float(per_agent.mean())
        if len(per_agent) == 1:
            return Estimate(mean, np.empty(0) if best else self.auc[0])
        ends = mean + np.array([-DEVIATIONS, DEVIATIONS]) * per_agent.std(ddof=1)
        return Estimate(mean, np.clip(ends, 0.0, 1.0))

    def may_be(self, published: float, best: bool) -> bool:
        """Whether a number is within the prediction interval of one more agent; two agents are too few to say."""
        per_agent = self.per_agent(best)
        count = len(per_agent)
        if count < FEWEST_AGENTS:
            return False
        half = stats.t.ppf(0.5 + LEVEL / 2.0, count - 1) * per_agent.std(ddof=1) * math.sqrt(1.0 + 1.0 / count)
        return bool(abs(per_agent.mean() - published) <= half)


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
