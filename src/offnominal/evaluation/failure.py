"""Is an alarm raised before the agent fails, and how long before?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.checks import require_shape
from offnominal.core.episode import Episode
from offnominal.core.types import BoolArray, IntArray
from offnominal.evaluation.bootstrap import Resamples
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.resampling_units import without_intervals

FEWEST = 5
"""Failures that an interval of their lead time needs."""


@dataclass(frozen=True, slots=True)
class FailureTiming:
    """Alarms before failures, in the episodes that failed after their onset.

    Args:
        failures: Number of these episodes.
        detected_before: Share of them with an alarm at least one step before the failing transition.
        lead_time: Mean steps from the alarm to the failing transition; 0 without an alarm before it. It has no interval
            with fewer than five failures: the bootstrap of so few contains the true value in two of three cases only.
    """

    failures: int
    detected_before: Estimate
    lead_time: Estimate

    def numbers(self) -> dict[str, Estimate]:
        """Return every number by name."""
        return {"detected_before_failure": self.detected_before, "lead_time_before_failure": self.lead_time}


def ended_by_failure(episode: Episode) -> bool:
    """Return whether the world ended an episode without success.

    Example:
        >>> nothing = np.zeros(2)
        >>> ended_by_failure(Episode(np.zeros((3, 1)), np.zeros((2, 1)), nothing, nothing > 0, terminated=True))
        True
    """
    return episode.terminated and not episode.success


def time_failures(delays: IntArray, exposures: IntArray, failed: BoolArray, resamples: Resamples) -> FailureTiming:
    """Measure alarms before failures.

    Args:
        delays: (n,): steps from the onset to the first alarm at or after it; negative for a miss.
        exposures: (n,): steps from the onset to the end of the episode, the onset included.
        failed: (n,): whether the world ended the episode without success.
        resamples: Draws of the n episodes.

    Example:
        >>> delays, exposures = np.array([2, 7, -1, 0]), np.array([8, 8, 4, 9])
        >>> found = time_failures(delays, exposures, np.array([True, True, True, False]), Resamples.draw(4, 0))
        >>> found.failures, found.detected_before, found.lead_time
        (3, Estimate(0.333), Estimate(1.667))
    """
    require_shape("delays", delays, "n")
    for name, values in (("exposures", exposures), ("failed", failed)):
        require_shape(name, values, len(delays))
    lead = np.where(delays < 0, 0, exposures - 1 - delays)[failed].astype(np.float64)
    drawn = resamples.take(np.flatnonzero(failed))
    (before,) = drawn.shares((lead > 0.0).astype(np.float64)[:, None])
    mean = drawn.mean(lead)
    return FailureTiming(len(lead), before, mean if len(lead) >= FEWEST else without_intervals(mean))
