"""The steps at which episodes had their outcome: what a stored result needs for its cumulative incidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from offnominal.evaluation.cumulative_incidence import CumulativeIncidence, estimate_cumulative_incidence

DETECTED, FAILED, ENDED = OUTCOME_STEPS = ("detected_at", "failed_at", "ended_at")
"""Columns of results: one number per episode, in steps from its onset, rising."""


def outcome_steps(curve: CumulativeIncidence) -> dict[str, list[int]]:
    """Return the steps at which episodes were detected, failed undetected, or ended undetected otherwise.

    Args:
        curve: Of episodes that were recorded to their ends; those that were cut off have no outcome.

    Example:
        >>> found = estimate_cumulative_incidence(np.array([0, 2, -1]), np.array([5, 4, 2]), np.array([False] * 3))
        >>> outcome_steps(found)
        {'detected_at': [0, 2], 'failed_at': [], 'ended_at': [1]}
    """
    return {
        name: np.repeat(curve.delays, counts).tolist() for name, counts in zip(OUTCOME_STEPS, curve.counts, strict=True)
    }


def incidence_of_steps(steps: Mapping[str, Sequence[int]]) -> CumulativeIncidence:
    """Return the cumulative incidence of outcomes at some steps; see :func:`outcome_steps`.

    Args:
        steps: One list for each of :data:`OUTCOME_STEPS`.

    Example:
        >>> found = incidence_of_steps({"detected_at": [0, 2], "failed_at": [], "ended_at": [1]})
        >>> found.detected.share.round(3), found.at_risk
        (array([0.333, 0.333, 0.667]), array([3, 2, 1]))
    """
    at = np.concatenate([np.asarray(steps[name], np.int64) for name in OUTCOME_STEPS])
    outcome = np.repeat(OUTCOME_STEPS, [len(steps[name]) for name in OUTCOME_STEPS])
    return estimate_cumulative_incidence(np.where(outcome == DETECTED, at, -1), at + 1, outcome == FAILED)
