"""Faulty and nominal episodes with correlated scores, and the numbers of detectors and alarms on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from interval_coverage.group import Group, Interval, Numbers
from offnominal.core.types import BoolArray, FloatArray
from offnominal.evaluation import (
    measure_discrimination,
    measure_net_detection,
    measure_time_matched,
    measure_timing,
)
from offnominal.evaluation.alarm_budget import GRID, measure_alarm_budget
from offnominal.evaluation.bootstrap import Resamples
from offnominal.evaluation.episode_ranking import episode_auroc
from offnominal.evaluation.ground_truth import GroundTruth
from offnominal.evaluation.null_discrimination import null_discrimination_of_steps
from offnominal.evaluation.recovery import measure_recovery
from offnominal.evaluation.step_scores import StepScores

STEPS, CORRELATION, SHIFT, THRESHOLD = 60, 0.7, 1.2, 2.2
RECOVERING = 80
"""Longest episode with a fault that ends."""
BUDGET = 5.0
POINTS = (1.0, 10.0, 100.0)
"""Budgets of the curves at which the coverage is measured; nominal episodes have 600 to 3,000 steps."""
AFTER = 5
"""Steps after the onset at which the cumulative incidence is looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class Simulated:
    """Scores of faulty and nominal episodes.

    Args:
        scores: Of the faulty episodes.
        onsets: Their onsets.
        failed: Whether each failed; failures end an episode.
        nominal: Scores of the nominal episodes.
    """

    scores: list[FloatArray]
    onsets: list[int]
    failed: list[bool]
    nominal: list[FloatArray]

    @property
    def labels(self) -> list[BoolArray]:
        """Faulty steps."""
        return [np.arange(len(row)) >= onset for row, onset in zip(self.scores, self.onsets, strict=True)]


def simulate(n: int, rng: np.random.Generator) -> Simulated:
    """Return n faulty and n nominal episodes; strengths of the fault differ, and a third of them fail."""
    onsets = rng.integers(5, 40, n)
    failed = rng.random(n) < 1 / 3
    lengths = np.where(failed, np.minimum(onsets + rng.integers(2, 20, n), STEPS), STEPS)
    rise = SHIFT * rng.gamma(2.0, 0.5, n)
    faulty, nominal = correlated(n, rng), correlated(n, rng)
    scores = [faulty[e, : lengths[e]] + rise[e] * (np.arange(lengths[e]) >= onsets[e]) for e in range(n)]
    return Simulated(scores, onsets.tolist(), failed.tolist(), list(nominal))


def correlated(n: int, rng: np.random.Generator, steps: int = STEPS) -> FloatArray:
    """Return standard normal scores of n episodes with correlated steps."""
    noise = rng.normal(size=(n, steps))
    values = np.empty((n, steps))
    values[:, 0] = noise[:, 0]
    for t in range(1, steps):
        values[:, t] = CORRELATION * values[:, t - 1] + np.sqrt(1.0 - CORRELATION**2) * noise[:, t]
    return values


def discrimination(data: Simulated, replicates: int) -> Numbers:
    """Return the numbers that rank steps, and those of nominal episodes with the same onsets."""
    found = measure_discrimination(data.scores, data.labels, replicates=replicates)
    truths = [GroundTruth(active, (), False) for active in data.labels]
    nominal = StepScores.of(data.nominal)
    null = null_discrimination_of_steps(nominal, truths, Resamples.draw_nominal(len(nominal), replicates))
    return {
        "AUROC": found.local.auroc,
        "Average precision": found.local.average_precision,
        "FPR at 95 % TPR": found.local.fpr95,
        "Null AUROC": null.local.auroc,
        "Excess AUROC": found.local.auroc - null.local.auroc,
        "Pooled AUROC": found.pooled.auroc,
        "Pooled average precision": found.pooled.average_precision,
        "Pooled FPR at 95 % TPR": found.pooled.fpr95,
    }


def matched(data: Simulated, replicates: int) -> Numbers:
    """Return the time-matched AUROC."""
    found = measure_time_matched(data.scores, data.labels, data.nominal, replicates=replicates)
    return {"Time-matched AUROC": found.auroc}


def whole(data: Simulated, replicates: int) -> Numbers:
    """Return the AUROC of episodes that are nominal or faulty as a whole."""
    steps, nominal = StepScores.of(data.scores), StepScores.of(data.nominal)
    drawn = Resamples.draw(len(steps), replicates), Resamples.draw_nominal(len(nominal), replicates)
    return {
        "AUROC of episodes": episode_auroc(steps, np.ones(len(steps), np.bool_), drawn[0], nominal, drawn[1]),
    }


def timing(data: Simulated, replicates: int) -> Numbers:
    """Return the numbers of an alarm."""
    found = measure_timing(
        [row > THRESHOLD for row in data.scores],
        data.onsets,
        nominal=[row > THRESHOLD for row in data.nominal],
        failed=data.failed,
        replicates=replicates,
    )
    alarm, detected, failed = found.numbers(), found.curve.detected, found.curve.failed
    place = min(AFTER, len(found.curve.delays) - 1)
    incidences = {
        f"Cumulative incidence of {what} at {AFTER} steps": Interval(
            float(each.share[place]), float(each.low[place]), float(each.high[place])
        )
        for what, each in (("detection", detected), ("failure", failed))
    }
    return incidences | {
        "Mean delay": alarm["mean_delay"],
        "Median delay": alarm["median_delay"],
        "Missed": alarm["miss_rate"],
        "Early": alarm["early_rate"],
        "Within 10 steps": alarm["within_10"],
        "Detected before failure": alarm["detected_before_failure"],
        "Lead time before failure": alarm["lead_time_before_failure"],
        "Steps in alarm": alarm["steps_in_alarm"],
        "Rate of false alarms": alarm["false_alarms"],
        "Episodes with a false alarm": alarm["false_alarm_episodes"],
    }


def net(data: Simulated, replicates: int) -> Numbers:
    """Return the numbers at a budget that are controlled for time."""
    found = measure_net_detection(data.scores, data.onsets, data.nominal, budget=BUDGET, replicates=replicates)
    return {"Net detection": found.detected, "Net delay": found.delay, "Net area": found.area}


def net_curve(data: Simulated, replicates: int) -> Numbers:
    """Return points of the curves that are controlled for time."""
    found = measure_net_detection(data.scores, data.onsets, data.nominal, replicates=replicates)
    numbers: Numbers = {}
    for place in map(GRID.index, POINTS):
        numbers[f"Net detection at {GRID[place]:g} in 1,000"] = found.curve_detected[place]
        numbers[f"Net delay at {GRID[place]:g} in 1,000"] = found.curve_delay[place]
    return numbers


def at_budget(data: Simulated, replicates: int) -> Numbers:
    """Return the other numbers at a budget."""
    found = measure_alarm_budget(data.scores, data.onsets, data.nominal, budget=BUDGET, replicates=replicates)
    return {
        "Detection at budget": found.detected,
        "Delay at budget": found.mean_delay,
        "Area over budgets": found.area,
    }


@dataclass(frozen=True, slots=True, eq=False)
class Recovering:
    """Alarms of episodes with a fault that ends, and of nominal ones.

    Args:
        alarms: Of the faulty episodes.
        labels: Their faulty steps.
        nominal: Alarms of the nominal episodes.
    """

    alarms: list[BoolArray]
    labels: list[BoolArray]
    nominal: list[BoolArray]


def simulate_recovery(n: int, rng: np.random.Generator) -> Recovering:
    """Return n faulty and n nominal episodes; the effect of a fault decays after its end, in each at its own rate."""
    steps = np.arange(RECOVERING)
    onsets, lasting = rng.integers(5, 20, (n, 1)), rng.integers(5, 20, (n, 1))
    rise, decay = 2.0 * SHIFT * rng.gamma(2.0, 0.5, (n, 1)), rng.uniform(2.0, 25.0, (n, 1))
    ends = onsets + lasting
    effect = np.where(steps < onsets, 0.0, rise * np.exp(-np.maximum(steps - ends + 1, 0) / decay))
    faulty, nominal = correlated(n, rng, RECOVERING) + effect, correlated(n, rng, RECOVERING)
    lengths = rng.integers(55, RECOVERING + 1, (2, n))
    labels = (steps >= onsets) & (steps < ends)
    return Recovering(
        [row[:length] > THRESHOLD for row, length in zip(faulty, lengths[0], strict=True)],
        [row[:length] for row, length in zip(labels, lengths[0], strict=True)],
        [row[:length] > THRESHOLD for row, length in zip(nominal, lengths[1], strict=True)],
    )


def recovery(data: Recovering, replicates: int) -> Numbers:
    """Return the numbers of alarms after the end of a fault."""
    found = measure_recovery(data.alarms, data.labels, nominal=data.nominal, replicates=replicates).numbers()
    return {
        "Alarm after recovery": found["recovery_alarm"],
        "Net alarm after recovery": found["net_recovery_alarm"],
        "Steps in alarm after recovery": found["recovery_steps_in_alarm"],
    }


GROUPS: Mapping[str, Group] = {
    "discrimination": Group(simulate, discrimination),
    "matched": Group(simulate, matched),
    "whole": Group(simulate, whole),
    "timing": Group(simulate, timing),
    "net": Group(simulate, net),
    "net_curve": Group(simulate, net_curve, truth=1500),
    "budget": Group(simulate, at_budget),
    "recovery": Group(simulate_recovery, recovery, truth=1000),
}
