"""Detection at a budget of false alarms, and over all budgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.core.checks import number_in, positive_integer
from offnominal.core.compilation import compiled
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.evaluation.bootstrap import REPLICATES, Counts, Resamples
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.false_alarm_budget import DEFAULT, HOUR_COLUMN, STEPS_COLUMN
from offnominal.evaluation.false_alarm_rate import PER_STEPS, thresholds_within
from offnominal.evaluation.records import Records
from offnominal.evaluation.step_scores import StepScores
from offnominal.evaluation.timing import HORIZON

BUDGET = DEFAULT.false_alarms
"""False alarms per 1,000 steps."""
GRID = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
"""Budgets of the curve, in false alarms per 1,000 steps."""
AREA = (0.1, 10.0)
"""Budgets between which the area is taken."""


@dataclass(frozen=True, slots=True)
class AlarmBudget:
    """Detection by a score with the lowest threshold within a budget of false alarms.

    It compares detectors without the choice of an alarm. Each bootstrap replicate has its own thresholds, so that the
    intervals contain their variance. There is no guarantee about the rate on other episodes.

    Args:
        budget: False alarms per 1,000 steps of nominal episodes; the first alarm of an episode counts.
        threshold: Threshold; the alarm is raised above it.
        detected: Share of the faulty episodes with an alarm at most `horizon` steps after the onset.
        mean_delay: Mean of min(delay, horizon) in steps; a miss costs the horizon.
        horizon: In steps.
        area: Mean of `detected` over the logarithm of the budget, from 0.1 to 10 false alarms per 1,000 steps.
        curve_detected: Like `detected`, for the budgets :data:`GRID`.
        curve_delay: Like `mean_delay`, for the same budgets.
        nominal_steps: Number of nominal steps.
        per_hour: The budget in false alarms per hour, if it was given so.
    """

    budget: float
    threshold: Estimate
    detected: Estimate
    mean_delay: Estimate
    horizon: int
    area: Estimate
    curve_detected: tuple[Estimate, ...]
    curve_delay: tuple[Estimate, ...]
    nominal_steps: int
    per_hour: float | None = None

    @property
    def resolved(self) -> bool:
        """Whether there are enough nominal steps to allow one false alarm."""
        return self.nominal_steps * self.budget >= PER_STEPS

    def given(self) -> dict[str, float]:
        """Return the budget as columns of results; none for the default."""
        if self.per_hour is None:
            return {} if self.budget == BUDGET else {STEPS_COLUMN: self.budget}
        return {STEPS_COLUMN: self.budget, HOUR_COLUMN: self.per_hour}

    def numbers(self) -> dict[str, Estimate]:
        """Return the numbers by name, without the threshold, which is in the unit of the score."""
        numbers = {
            "budget_detected": self.detected,
            "budget_mean_delay": self.mean_delay,
            "budget_area": self.area,
        }
        for what, curve in (("detected", self.curve_detected), ("delay", self.curve_delay)):
            numbers |= {curve_name(what, budget): each for budget, each in zip(GRID, curve, strict=True)}
        return numbers


def curve_name(what: str, budget: float) -> str:
    """Return the name of a point of a curve.

    Args:
        what: ``"detected"``, ``"delay"``, ``"net_detected"`` or ``"net_delay"``.
        budget: One of :data:`GRID`.

    Example:
        >>> curve_name("detected", 0.5)
        'curve_detected_0.5'
    """
    return f"curve_{what}_{budget:g}"


def measure_alarm_budget(
    scores: Sequence[Array],
    onsets: Sequence[int | None],
    nominal: Sequence[Array],
    *,
    budget: float = BUDGET,
    horizon: int = HORIZON,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> AlarmBudget:
    """Measure how much a score detects within a budget of false alarms.

    Args:
        scores: One array per faulty episode.
        onsets: First faulty transition of each episode; None if it has no fault.
        nominal: Scores of nominal episodes.
        budget: False alarms per 1,000 steps; see :func:`~offnominal.evaluation.false_alarm_rate.per_1000_steps`.
        horizon: Horizon of detection and of the mean delay, in steps.
        replicates: Bootstrap replicates, of faulty and nominal episodes.
        seed: Seed of the bootstrap.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> nominal = [rng.normal(size=50) for _ in range(100)]
        >>> scores = [rng.normal(size=50) + 2.0 * (np.arange(50) >= 20) for _ in range(60)]
        >>> found = measure_alarm_budget(scores, [20] * 60, nominal, replicates=0)
        >>> found.detected, found.mean_delay, found.area
        (Estimate(1.000), Estimate(4.217), Estimate(0.985))
    """
    steps, others = StepScores.of(scores), StepScores.of(nominal, "nominal scores")
    drawn = Resamples.draw(len(steps), replicates, seed=seed)
    drawn_others = Resamples.draw_nominal(len(others), replicates, seed=seed)
    return alarm_budget_of_records(
        Records.of(steps, onsets), others, drawn, drawn_others, budget=budget, horizon=horizon
    )


def alarm_budget_of_records(
    records: Records,
    nominal: StepScores,
    resamples: Resamples,
    resamples_nominal: Resamples,
    *,
    budget: float = BUDGET,
    horizon: int = HORIZON,
) -> AlarmBudget:
    """Return the detection at a budget for some records; see :func:`measure_alarm_budget`."""
    number_in("budget", budget, 0.0)
    budgets = sorted({*GRID, budget})
    thresholds = thresholds_within(nominal, budgets, resamples_nominal)
    found = _detect(
        thresholds,
        records.values,
        records.delays,
        records.bounds,
        records.faulty,
        positive_integer("horizon", horizon),
        resamples.counts,
    )
    here, units = budgets.index(budget), min(len(records.faulty), resamples_nominal.units)
    grid = [budgets.index(each) for each in GRID]
    return AlarmBudget(
        budget=budget,
        threshold=Estimate.of(thresholds[here], units),
        detected=Estimate.of(found[0, here], units, share=True),
        mean_delay=Estimate.of(found[1, here], units),
        horizon=horizon,
        area=Estimate.of(partial_area(found[0][grid]), units),
        curve_detected=tuple(Estimate.of(found[0, each], units, share=True) for each in grid),
        curve_delay=tuple(Estimate.of(found[1, each], units) for each in grid),
        nominal_steps=len(nominal.values),
    )


def partial_area(shares: FloatArray) -> FloatArray:
    """Return the mean of shares over the logarithm of the budget, between the budgets :data:`AREA`.

    Args:
        shares: (k, ...): one per budget of :data:`GRID`.

    Example:
        >>> print(partial_area(np.linspace(0.0, 1.2, 13)).round(3))
        0.3
    """
    inside = [number for number, budget in enumerate(GRID) if AREA[0] <= budget <= AREA[1]]
    logs = np.log10(np.array(GRID)[inside])
    area: FloatArray = np.trapezoid(shares[inside], logs, axis=0) / (logs[-1] - logs[0])
    return area


@compiled
def _detect(
    thresholds: FloatArray,
    values: FloatArray,
    delays: IntArray,
    bounds: IntArray,
    chosen: IntArray,
    horizon: int,
    counts: Counts,
) -> FloatArray:
    """Return (2, budgets, replicates): share detected within the horizon, and mean delay; NaN without episodes."""
    found, weights = np.zeros((2, *thresholds.shape)), np.zeros(counts.shape[1])
    for e in chosen:
        for r in range(counts.shape[1]):
            weight = counts[e, r]
            if weight == 0:
                continue
            weights[r] += weight
            k = bounds[e]
            # From the lowest threshold to the highest, so that the first alarm only moves back.
            for b in range(len(thresholds) - 1, -1, -1):
                while k < bounds[e + 1] and values[k] <= thresholds[b, r]:
                    k += 1
                delay = delays[k] if k < bounds[e + 1] else horizon + 1
                found[0, b, r] += weight * (delay <= horizon)
                found[1, b, r] += weight * min(delay, horizon)
    for r in range(counts.shape[1]):
        for b in range(len(thresholds)):
            found[0, b, r] = found[0, b, r] / weights[r] if weights[r] > 0 else np.nan
            found[1, b, r] = found[1, b, r] / weights[r] if weights[r] > 0 else np.nan
    return found
