"""Net detection: faults detected at a threshold, minus nominal episodes that exceed it at the same times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.core.checks import number_in, positive_integer
from offnominal.core.compilation import compiled
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.evaluation.alarm_budget import BUDGET
from offnominal.evaluation.bootstrap import REPLICATES, Counts, Resamples
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.false_alarm_rate import thresholds_within, thresholds_without_each
from offnominal.evaluation.step_scores import StepScores, onset_steps
from offnominal.evaluation.timing import HORIZON


@dataclass(frozen=True, slots=True)
class NetDetection:
    """Detection at a budget of false alarms, minus the alarms of nominal episodes at the same times.

    Args:
        detected: Mean over faulty episodes, then over the nominal episodes that reach the onset, of (faulty score
            exceeds the threshold) − (nominal score exceeds it), both at most `horizon` steps after the onset and while
            both episodes last. From -1 to 1; 0 for every score that depends on the elapsed time alone.
        unpaired: Number of faulty episodes whose onset no nominal episode reaches. They do not count.
    """

    detected: Estimate
    unpaired: int


def measure_net_detection(
    scores: Sequence[Array],
    onsets: Sequence[int | None],
    nominal: Sequence[Array],
    *,
    budget: float = BUDGET,
    horizon: int = HORIZON,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> NetDetection:
    """Measure how much more often a score exceeds its threshold after an onset than in nominal episodes at these times.

    Detection alone also rewards scores that rise with time, and random scores in long episodes: both raise alarms
    without any fault. These alarms are in nominal episodes as well, and are subtracted.

    Args:
        scores: One array per faulty episode.
        onsets: First faulty transition of each episode; None if it has no fault.
        nominal: Scores of nominal episodes, which also determine the threshold.
        budget: False alarms per 1,000 steps; see :func:`~offnominal.evaluation.alarm_budget.measure_alarm_budget`.
        horizon: Longest delay of a detection, in steps.
        replicates: Bootstrap replicates, of faulty and nominal episodes.
        seed: Seed of the bootstrap.

    Example:
        >>> elapsed, reacting = [np.arange(40.0)] * 8, [np.arange(40) >= 20] * 8
        >>> measure_net_detection(elapsed, [20] * 8, [np.arange(30.0)] * 8, budget=100.0).detected
        Estimate(0.000 [0.000, 0.369])
        >>> measure_net_detection(np.array(reacting, float), [20] * 8, [np.zeros(30)] * 8, replicates=0).detected
        Estimate(1.000)
    """
    steps, others = StepScores.of(scores), StepScores.of(nominal, "nominal scores")
    drawn = Resamples.draw(len(steps), replicates, seed=seed)
    drawn_others = Resamples.draw_nominal(len(others), replicates, seed=seed)
    number_in("budget", budget, 0.0)
    alone = len(others) == 1
    thresholds = (
        thresholds_within(others, [budget], drawn_others)
        if alone
        else thresholds_without_each(others, budget, drawn_others)
    )
    return net_detection_of_steps(steps, onsets, others, thresholds, drawn, drawn_others, horizon=horizon)


def net_detection_of_steps(
    steps: StepScores,
    onsets: Sequence[int | None],
    nominal: StepScores,
    thresholds: FloatArray,
    resamples: Resamples,
    resamples_nominal: Resamples,
    *,
    horizon: int = HORIZON,
) -> NetDetection:
    """Return the net detection of joined scores; see :func:`measure_net_detection`.

    Args:
        steps: Scores of the faulty episodes.
        onsets: First faulty transition of each.
        nominal: Scores of whole nominal episodes.
        thresholds: (nominal, 1 + replicates): the threshold for pairs with each nominal episode, in each replicate; an
            alarm is raised above it. NaN where it is undefined.
        resamples: Draws of the faulty episodes.
        resamples_nominal: Draws of the nominal episodes.
        horizon: Longest delay of a detection, in steps.
    """
    first = onset_steps(onsets, steps.lengths)
    faulty = np.flatnonzero(first >= 0)
    reached = nominal.lengths > first[faulty, None]
    paired = reached.any(axis=1)
    chosen, reached = faulty[paired], reached[paired]
    highest = np.full((2, *reached.shape), -np.inf)
    _find_highest(
        steps.values,
        steps.bounds[chosen],
        steps.bounds[chosen + 1],
        first[chosen],
        nominal.values,
        nominal.bounds,
        positive_integer("horizon", horizon),
        highest,
    )
    drawn = resamples.take(chosen)
    out = np.full(thresholds.shape[1], np.nan)
    _average(highest, reached, thresholds, drawn.counts, resamples_nominal.counts, out)
    units = min(drawn.units, resamples_nominal.units)
    return NetDetection(Estimate.of(out, units, share=True), len(faulty) - len(chosen))


@compiled
def _find_highest(
    values: FloatArray,
    starts: IntArray,
    ends: IntArray,
    onsets: IntArray,
    nominal: FloatArray,
    bounds: IntArray,
    horizon: int,
    highest: FloatArray,
) -> None:
    """Write the highest faulty and nominal score in the window of each pair: from the onset, while both episodes last.

    Args:
        values: Scores of faulty episodes.
        starts: First step of each faulty episode among them.
        ends: The step after its last.
        onsets: Its onset.
        nominal: Scores of nominal episodes.
        bounds: Start of each of them, and the end of the last.
        horizon: Longest delay.
        highest: (2, faulty, nominal): output array.
    """
    for e in range(len(starts)):
        length = ends[e] - starts[e]
        for j in range(len(bounds) - 1):
            stop = min(onsets[e] + horizon + 1, length, bounds[j + 1] - bounds[j])
            for t in range(onsets[e], stop):
                highest[0, e, j] = max(highest[0, e, j], values[starts[e] + t])
                highest[1, e, j] = max(highest[1, e, j], nominal[bounds[j] + t])


@compiled
def _average(
    highest: FloatArray,
    reached: BoolArray,
    thresholds: FloatArray,
    counts: Counts,
    counts_nominal: Counts,
    out: FloatArray,
) -> None:
    """Write the mean over faulty episodes of the mean over nominal ones, in each replicate; NaN without a pair.

    Args:
        highest: (2, faulty, nominal): highest faulty and nominal score of each pair.
        reached: (faulty, nominal): whether the nominal episode reaches the onset.
        thresholds: (nominal, replicates).
        counts: (faulty, replicates): weights of the faulty episodes.
        counts_nominal: (nominal, replicates): weights of the nominal episodes.
        out: (replicates,): output array.
    """
    replicates = thresholds.shape[1]
    totals, weights = np.zeros(replicates), np.zeros(replicates)
    for e in range(highest.shape[1]):
        more, pairs = np.zeros(replicates), np.zeros(replicates)
        for j in range(highest.shape[2]):
            if not reached[e, j]:
                continue
            row, limit, faulty, nominal = counts_nominal[j], thresholds[j], highest[0, e, j], highest[1, e, j]
            low, high, sign = min(faulty, nominal), max(faulty, nominal), 1.0 if faulty > nominal else -1.0
            for r in range(replicates):
                if not np.isnan(limit[r]):
                    pairs[r] += row[r]
                if low <= limit[r] < high:
                    more[r] += sign * row[r]
        for r in range(replicates):
            if pairs[r] > 0.0:
                totals[r] += counts[e, r] * more[r] / pairs[r]
                weights[r] += counts[e, r]
    for r in range(replicates):
        if weights[r] > 0.0:
            out[r] = totals[r] / weights[r]
