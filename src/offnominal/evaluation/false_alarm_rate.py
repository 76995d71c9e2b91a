"""The rate of false alarms: first alarms of nominal episodes, and the thresholds that keep it within a budget."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from offnominal.core.checks import number_in, positive_number
from offnominal.core.compilation import compiled
from offnominal.core.types import BoolArray, FloatArray, IntArray
from offnominal.evaluation.bootstrap import Counts, Resamples
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.records import Records
from offnominal.evaluation.step_scores import StepScores

HOUR = 3600.0
PER_STEPS = 1000.0
ALL = -1
"""In place of the number of an episode that is left out: none is."""


def per_1000_steps(per_hour: float, period: float) -> float:
    """Return a rate of false alarms per 1,000 steps from one per hour.

    Args:
        per_hour: False alarms per hour.
        period: Seconds per step.

    Example:
        >>> per_1000_steps(36.0, period=0.1)
        1.0
    """
    return PER_STEPS * number_in("per_hour", per_hour, 0.0) * positive_number("period", period) / HOUR


def false_alarm_rate(alarms: BoolArray, bounds: IntArray, resamples: Resamples) -> Estimate:
    """Return the false alarms per 1,000 steps of an alarm.

    The first alarm of a nominal episode is a false alarm. The steps after it do not count: the rate of an alarm that is
    always raised is 1,000.

    Args:
        alarms: (S,): alarms of all steps of nominal episodes.
        bounds: (n + 1,): start of each episode, and the end of the last.
        resamples: Draws of the n episodes.

    Example:
        >>> alarms = np.array([False, False, True, True, False, False, False])
        >>> false_alarm_rate(alarms, np.array([0, 4, 7]), Resamples.draw(2, 0))
        Estimate(166.667)
    """
    steps = np.diff(bounds)
    first = np.array(
        [int(np.argmax(row)) if row.any() else -1 for row in np.split(alarms, bounds[1:-1])], np.int64
    ).reshape(len(steps))
    raised = first >= 0
    watched = np.where(raised, first + 1, steps).astype(np.float64)
    return resamples.ratio(PER_STEPS * raised.astype(np.float64), watched)


def thresholds_within(nominal: StepScores, budgets: Sequence[float], resamples: Resamples) -> FloatArray:
    """Return the lowest threshold within each budget of false alarms, in each replicate; the alarm is raised above it.

    Args:
        nominal: Scores of nominal episodes.
        budgets: (k,): false alarms per 1,000 steps, rising.
        resamples: Draws of the nominal episodes.

    Returns:
        (k, 1 + replicates): minus infinity where every threshold is within the budget.

    Example:
        >>> nominal = StepScores.of([[0.0, 1.0, 5.0], [2.0, 3.0, 0.0]])
        >>> thresholds_within(nominal, [0.0, 200.0, 1000.0], Resamples.draw(2, 0))[:, 0]
        array([  5.,   3., -inf])
    """
    out = np.full((len(budgets), resamples.counts.shape[1]), -np.inf)
    _lower(*_falling_records(nominal), np.asarray(budgets, np.float64) / PER_STEPS, resamples.counts, ALL, out)
    return out


def thresholds_without_each(nominal: StepScores, budgets: Sequence[float], resamples: Resamples) -> FloatArray:
    """Return the lowest threshold within each budget on all nominal episodes but one, for each of them.

    A threshold from all episodes is exceeded less often by these than by new episodes: of 10 episodes with 50 random
    scores, none exceeds it at a budget of 1 in 1,000 steps, but one new episode in eleven does.

    Args:
        nominal: Scores of nominal episodes.
        budgets: (k,): false alarms per 1,000 steps, in any order.
        resamples: Draws of the nominal episodes.

    Returns:
        (k, n, 1 + replicates): NaN where no other episode was drawn.

    Example:
        >>> nominal = StepScores.of([[0.0, 1.0, 5.0], [2.0, 3.0, 0.0]])
        >>> thresholds_without_each(nominal, [0.0, 1000.0], Resamples.draw(2, 0))[..., 0]
        array([[  3.,   5.],
               [-inf, -inf]])
    """
    records, counts = _falling_records(nominal), resamples.counts
    steps = nominal.lengths[:, None] * counts
    rising, places = np.unique(np.asarray(budgets, np.float64) / PER_STEPS, return_inverse=True)
    out = np.full((len(nominal), len(rising), counts.shape[1]), -np.inf)
    for episode in range(len(nominal)):
        _lower(*records, rising, counts, episode, out[episode])
    return np.where(steps.sum(axis=0) > steps, out.swapaxes(0, 1)[places], np.nan)


def _falling_records(nominal: StepScores) -> tuple[FloatArray, IntArray, IntArray, IntArray]:
    """Return the records of nominal episodes from the highest on: value, episode, steps up to it; and all lengths."""
    records = Records.of(nominal, [0] * len(nominal))
    order = np.argsort(-records.values, kind="stable")
    lengths = nominal.lengths.astype(np.int64)
    return records.values[order], records.owner[order], records.delays[order] + 1, lengths


@compiled
def _lower(
    values: FloatArray,
    owner: IntArray,
    steps: IntArray,
    lengths: IntArray,
    budgets: FloatArray,
    counts: Counts,
    without: int,
    out: FloatArray,
) -> None:
    """Lower the threshold from record to record, until each budget is exceeded in each replicate.

    Args:
        values: Records of the nominal episodes, falling.
        owner: Episode of each record.
        steps: Steps up to the record, its own included.
        lengths: Steps of each episode.
        budgets: False alarms per step, rising.
        counts: (n, replicates): weight of each episode.
        without: Episode that does not count, or :data:`ALL`.
        out: (budgets, replicates): thresholds.
    """
    replicates = range(counts.shape[1])
    watched, alarms = np.zeros(counts.shape[1]), np.zeros(counts.shape[1])
    exceeded, seen = np.zeros(counts.shape[1], np.int64), np.full(len(lengths), -1, np.int64)
    left = out.size
    for e in range(len(lengths)):
        if e != without:
            for r in replicates:
                watched[r] += lengths[e] * counts[e, r]
    for i in range(len(values)):
        if left == 0:
            break
        if owner[i] == without:
            continue
        e, row = owner[i], counts[owner[i]]
        begins = seen[e] < 0
        fewer = (lengths[e] if begins else seen[e]) - steps[i]
        seen[e] = steps[i]
        for r in replicates:
            watched[r] -= fewer * row[r]
            if begins:
                alarms[r] += row[r]
            # A tiny slack, so that a rate of exactly the budget is within it.
            while exceeded[r] < len(budgets) and alarms[r] > budgets[exceeded[r]] * watched[r] * (1.0 + 1e-12):
                out[exceeded[r], r] = values[i]
                exceeded[r] += 1
                left -= 1
