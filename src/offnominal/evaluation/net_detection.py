"""Net detection: faults detected at a threshold, minus nominal episodes that exceed it at the same times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.core.checks import number_in, positive_integer
from offnominal.core.compilation import compiled
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.evaluation.alarm_budget import BUDGET, GRID, curve_name, partial_area
from offnominal.evaluation.bootstrap import REPLICATES, Counts, Resamples
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.false_alarm_rate import thresholds_within, thresholds_without_each
from offnominal.evaluation.step_scores import StepScores, onset_steps
from offnominal.evaluation.timing import HORIZON


@dataclass(frozen=True, slots=True)
class NetDetection:
    """Detection at a budget of false alarms, minus the alarms of nominal episodes at the same times.

    A pair is a faulty episode and a nominal one that reaches its onset. Both count at most `horizon` steps after the
    onset, and while both last. All numbers are means over faulty episodes of the mean over their pairs, so that a score
    that depends on the elapsed time alone has no detection, the delay of a miss, and no area.

    Args:
        detected: Mean of (faulty score exceeds the threshold) − (nominal score exceeds it). From -1 to 1.
        delay: Mean of min(d, horizon) + horizon − min(p, horizon), with the steps d from the onset to the first faulty
            score above the threshold, and p to the first nominal one. The mean delay if nominal episodes have no alarms
            there; a miss has the horizon. From 0 to twice the horizon.
        area: Mean of `detected` over the logarithm of the budget, from 0.1 to 10 false alarms per 1,000 steps.
        curve_detected: Like `detected`, for the budgets of :data:`~offnominal.evaluation.alarm_budget.GRID`.
        curve_delay: Like `delay`, for the same budgets.
        unpaired: Number of faulty episodes whose onset no nominal episode reaches. They do not count.
    """

    detected: Estimate
    delay: Estimate
    area: Estimate
    curve_detected: tuple[Estimate, ...]
    curve_delay: tuple[Estimate, ...]
    unpaired: int

    def numbers(self) -> dict[str, Estimate]:
        """Return the numbers by name."""
        numbers = {"net_detection": self.detected, "net_delay": self.delay, "net_area": self.area}
        for what, curve in (("net_detected", self.curve_detected), ("net_delay", self.curve_delay)):
            numbers |= {curve_name(what, budget): each for budget, each in zip(GRID, curve, strict=True)}
        return numbers


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
        >>> elapsed, reacting = [np.arange(40.0)] * 8, [np.arange(40) >= 22] * 8
        >>> found = measure_net_detection(elapsed, [20] * 8, [np.arange(30.0)] * 8, budget=100.0)
        >>> found.detected, found.delay, found.area
        (Estimate(0.000 [0.000, 0.369]), Estimate(20.000 [20.000, 20.000]), Estimate(0.000 [0.000, 0.000]))
        >>> found = measure_net_detection(np.array(reacting, float), [20] * 8, [np.zeros(30)] * 8, replicates=0)
        >>> found.detected, found.delay, found.area
        (Estimate(1.000), Estimate(2.000), Estimate(1.000))
    """
    steps, others = StepScores.of(scores), StepScores.of(nominal, "nominal scores")
    drawn = Resamples.draw(len(steps), replicates, seed=seed)
    drawn_others = Resamples.draw_nominal(len(others), replicates, seed=seed)
    thresholds = net_thresholds(others, drawn_others, number_in("budget", budget, 0.0))
    return net_detection_of_steps(steps, onsets, others, thresholds, drawn, drawn_others, horizon=horizon)


def net_thresholds(
    nominal: StepScores, resamples: Resamples, budget: float, *, blocks: tuple[StepScores, Resamples] | None = None
) -> FloatArray:
    """Return the threshold for pairs with each nominal episode, without this one, at a budget and at those of curves.

    Args:
        nominal: Scores of nominal episodes. Of a single one the threshold is its own: there is no other.
        resamples: Draws of the nominal episodes.
        budget: False alarms per 1,000 steps.
        blocks: Blocks of a single nominal episode with their draws, which its thresholds are from; None for none.

    Returns:
        (1 + budgets of curves, nominal, 1 + replicates): NaN where it is undefined.
    """
    budgets = [budget, *GRID]
    if len(nominal) > 1:
        return thresholds_without_each(nominal, budgets, resamples)
    rising = sorted(set(budgets))
    parts, drawn = blocks or (nominal, resamples)
    found = thresholds_within(parts, rising, drawn)
    return found[[rising.index(each) for each in budgets], None]


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
        thresholds: See :func:`net_thresholds`; an alarm is raised above them.
        resamples: Draws of the faulty episodes.
        resamples_nominal: Draws of the nominal episodes.
        horizon: Longest delay of a detection, in steps.
    """
    first = onset_steps(onsets, steps.lengths)
    faulty = np.flatnonzero(first >= 0)
    reached = nominal.lengths > first[faulty, None]
    paired = reached.any(axis=1)
    chosen, reached = faulty[paired], reached[paired]
    bounds = steps.bounds[chosen], steps.bounds[chosen + 1]
    windows = steps.values, *bounds, first[chosen], nominal.values, nominal.bounds, positive_integer("horizon", horizon)
    highest = np.full((2, *reached.shape), -np.inf)
    _find_highest(*windows, highest)
    drawn = resamples.take(chosen)
    counts = drawn.counts, resamples_nominal.counts
    # Scores below the lowest threshold of all replicates, or above the highest, make no difference in any of them.
    defined = np.where(np.isnan(thresholds), np.inf, thresholds), np.where(np.isnan(thresholds), -np.inf, thresholds)
    ends = defined[0].min(axis=2), defined[1].max(axis=2)
    # Where a replicate has no threshold, no score is above those of all of them.
    highest_limits = defined[0].max(axis=2)
    found = np.full((len(thresholds), thresholds.shape[2]), np.nan)
    for place, out in enumerate(found):
        _average(highest, reached, thresholds[place], ends[0][place], ends[1][place], *counts, out)
    gained = np.full_like(found, np.nan)
    for place, out in enumerate(gained):
        _average_gain(*windows, reached, thresholds[place], ends[0][place], highest_limits[place], *counts, out)
    units = min(drawn.units, resamples_nominal.units)
    detected = [Estimate.of(each, units, share=True) for each in found]
    delays = [Estimate.of(horizon - each, units) for each in gained]
    return NetDetection(
        detected=detected[0],
        delay=delays[0],
        area=Estimate.of(partial_area(found[1:]), units),
        curve_detected=tuple(detected[1:]),
        curve_delay=tuple(delays[1:]),
        unpaired=len(faulty) - len(chosen),
    )


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
    lowest: FloatArray,
    largest: FloatArray,
    counts: Counts,
    counts_nominal: Counts,
    out: FloatArray,
) -> None:
    """Write the mean over faulty episodes of the mean over nominal ones, in each replicate; NaN without a pair.

    Args:
        highest: (2, faulty, nominal): highest faulty and nominal score of each pair.
        reached: (faulty, nominal): whether the nominal episode reaches the onset.
        thresholds: (nominal, replicates).
        lowest: (nominal,): lowest threshold of all replicates.
        largest: (nominal,): highest threshold of all replicates.
        counts: (faulty, replicates): weights of the faulty episodes.
        counts_nominal: (nominal, replicates): weights of the nominal episodes.
        out: (replicates,): output array.
    """
    replicates = thresholds.shape[1]
    totals, weights = np.zeros(replicates), np.zeros(replicates)
    more, pairs = np.zeros(replicates), np.zeros(replicates)
    for e in range(highest.shape[1]):
        more[:] = 0.0
        if e == 0 or (reached[e] != reached[e - 1]).any():
            _count_pairs(reached[e], thresholds, counts_nominal, pairs)
        for j in range(highest.shape[2]):
            faulty, nominal = highest[0, e, j], highest[1, e, j]
            low, high, sign = min(faulty, nominal), max(faulty, nominal), 1.0 if faulty > nominal else -1.0
            if not reached[e, j] or high <= lowest[j] or low > largest[j]:
                continue
            row, limit = counts_nominal[j], thresholds[j]
            for r in range(replicates):
                if low <= limit[r] < high:
                    more[r] += sign * row[r]
        _add_mean(more, pairs, counts[e], totals, weights)
    _divide(totals, weights, out)


@compiled
def _count_pairs(reached: BoolArray, thresholds: FloatArray, counts_nominal: Counts, pairs: FloatArray) -> None:
    """Write how many nominal episodes of each replicate reach an onset and have a threshold."""
    pairs[:] = 0.0
    for j in range(len(reached)):
        if reached[j]:
            for r in range(len(pairs)):
                if not np.isnan(thresholds[j, r]):
                    pairs[r] += counts_nominal[j, r]


@compiled
def _add_mean(more: FloatArray, pairs: FloatArray, row: Counts, totals: FloatArray, weights: FloatArray) -> None:
    """Add the mean over the pairs of a faulty episode, with its weight in each replicate."""
    for r in range(len(more)):
        if pairs[r] > 0.0:
            totals[r] += row[r] * more[r] / pairs[r]
            weights[r] += row[r]


@compiled
def _divide(totals: FloatArray, weights: FloatArray, out: FloatArray) -> None:
    """Write the mean over faulty episodes of each replicate that has one."""
    for r in range(len(totals)):
        if weights[r] > 0.0:
            out[r] = totals[r] / weights[r]


@compiled
def _average_gain(
    values: FloatArray,
    starts: IntArray,
    ends: IntArray,
    onsets: IntArray,
    nominal: FloatArray,
    bounds: IntArray,
    horizon: int,
    reached: BoolArray,
    thresholds: FloatArray,
    lowest: FloatArray,
    largest: FloatArray,
    counts: Counts,
    counts_nominal: Counts,
    out: FloatArray,
) -> None:
    """Write the mean number of steps by which the alarm of the faulty episode of a pair is earlier, in each replicate.

    The arguments are those of :func:`_find_highest` and :func:`_average`. An episode without an alarm before the
    horizon has one at the horizon.
    """
    replicates = thresholds.shape[1]
    totals, weights = np.zeros(replicates), np.zeros(replicates)
    more, pairs = np.zeros(replicates), np.zeros(replicates)
    # Records of a window: the scores above all earlier ones, and how many steps before the horizon they are.
    records, left = np.empty(horizon), np.empty(horizon)
    for e in range(len(starts)):
        more[:] = 0.0
        if e == 0 or (reached[e] != reached[e - 1]).any():
            _count_pairs(reached[e], thresholds, counts_nominal, pairs)
        for j in range(len(bounds) - 1):
            if not reached[e, j]:
                continue
            stop = min(onsets[e] + horizon, ends[e] - starts[e], bounds[j + 1] - bounds[j])
            row, limit = counts_nominal[j], thresholds[j]
            for side in range(2):
                n, highest = 0, lowest[j]
                for t in range(onsets[e], stop):
                    score = values[starts[e] + t] if side == 0 else nominal[bounds[j] + t]
                    if score > highest:
                        highest = records[n] = score
                        left[n] = horizon - (t - onsets[e]) if side == 0 else (t - onsets[e]) - horizon
                        n += 1
                        if score > largest[j]:
                            break
                if n == 0:
                    continue
                if n == 1 and highest > largest[j]:
                    # The first alarm in all replicates.
                    for r in range(replicates):
                        more[r] += row[r] * left[0]
                    continue
                for r in range(replicates):
                    if limit[r] < highest:
                        k = 0
                        while records[k] <= limit[r]:
                            k += 1
                        more[r] += row[r] * left[k]
        _add_mean(more, pairs, counts[e], totals, weights)
    _divide(totals, weights, out)
