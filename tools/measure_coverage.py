"""Measure how often 95 % intervals contain the true value: `python tools/measure_coverage.py`.

Episodes are simulated with correlated scores that rise at the onset, of 10, 20 and 50 faulty and as many nominal
episodes. The true value of each number is its mean over many simulated sets of 4,000 episodes. The result is
docs/measured/coverage.csv, which `python docs/tables.py` shows in docs/reference/metrics.md.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from offnominal.core.types import BoolArray, FloatArray
from offnominal.evaluation import (
    Estimate,
    measure_discrimination,
    measure_net_detection,
    measure_time_matched,
    measure_timing,
)
from offnominal.evaluation.alarm_budget import measure_alarm_budget
from offnominal.evaluation.bootstrap import Resamples
from offnominal.evaluation.episode_ranking import episode_auroc
from offnominal.evaluation.ground_truth import GroundTruth
from offnominal.evaluation.null_discrimination import null_discrimination_of_steps
from offnominal.evaluation.simultaneous import simultaneous_intervals
from offnominal.evaluation.step_scores import StepScores

FILE = Path(__file__).parents[1] / "docs" / "measured" / "coverage.csv"
SIZES = (10, 20, 50)
STEPS, CORRELATION, SHIFT, THRESHOLD = 60, 0.7, 1.2, 2.2
TRUTH_SETS, TRUTH_EPISODES = 5, 4000
BUDGET = 5.0
AFTER = 5
"""Steps after the onset at which the cumulative incidence is looked at."""
DETECTORS = 6


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
    faulty, nominal = _correlated(n, rng), _correlated(n, rng)
    scores = [faulty[e, : lengths[e]] + rise[e] * (np.arange(lengths[e]) >= onsets[e]) for e in range(n)]
    return Simulated(scores, onsets.tolist(), failed.tolist(), list(nominal))


def _correlated(n: int, rng: np.random.Generator) -> FloatArray:
    """Return standard normal scores of n episodes with correlated steps."""
    noise = rng.normal(size=(n, STEPS))
    values = np.empty((n, STEPS))
    values[:, 0] = noise[:, 0]
    for t in range(1, STEPS):
        values[:, t] = CORRELATION * values[:, t - 1] + np.sqrt(1.0 - CORRELATION**2) * noise[:, t]
    return values


@dataclass(frozen=True, slots=True)
class Interval:
    """A number whose interval is no bootstrap."""

    value: float
    low: float
    high: float


Numbers = dict[str, Estimate | Interval]


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


def at_budget(data: Simulated, replicates: int) -> Numbers:
    """Return the other numbers at a budget."""
    found = measure_alarm_budget(data.scores, data.onsets, data.nominal, budget=BUDGET, replicates=replicates)
    return {
        "Detection at budget": found.detected,
        "Delay at budget": found.mean_delay,
        "Area over budgets": found.area,
    }


Group = Callable[[Simulated, int], Numbers]
GROUPS: dict[str, Group] = {
    "discrimination": discrimination,
    "matched": matched,
    "whole": whole,
    "timing": timing,
    "net": net,
    "budget": at_budget,
}
FAMILIES = "families"


@cache
def true_values(group: Group) -> dict[str, float]:
    """Return the numbers of very many episodes; a median of several medians."""
    rng = np.random.default_rng(12345)
    sets = [group(simulate(TRUTH_EPISODES, rng), 0) for _ in range(TRUTH_SETS)]
    values = {name: [float(each[name].value or 0.0) for each in sets] for name in sets[0]}
    return {
        name: float(np.median(found) if name == "Median delay" else np.mean(found)) for name, found in values.items()
    }


def _contains(number: Estimate | Interval, truth: float) -> bool:
    """Whether an interval contains the true value."""
    low, high = number.low, number.high
    return low is not None and high is not None and low - 1e-12 <= truth <= high + 1e-12


def coverage(n: int, sets: int, replicates: int, group: Group) -> list[dict[str, object]]:
    """Return the share of intervals of n episodes that contain the true value."""
    truth = true_values(group)
    held: dict[str, list[bool]] = {name: [] for name in truth}
    plain: dict[str, list[bool]] = {name: [] for name in truth}
    for seed in range(sets):
        found = group(simulate(n, np.random.default_rng([n, seed])), replicates)
        for name, number in found.items():
            if number.low is None:
                continue
            held[name].append(_contains(number, truth[name]))
            if isinstance(number, Estimate):
                plain[name].append(_contains(Estimate(number.value, number.draws), truth[name]))
    return [row(name, n, held[name], plain[name]) for name in truth]


def row(name: str, n: int, held: Sequence[bool], plain: Sequence[bool]) -> dict[str, object]:
    """Return one line of the table."""
    return {
        "number": name,
        "episodes": n,
        "coverage": f"{np.mean(held):.3f}",
        "percentiles": f"{np.mean(plain):.3f}" if plain else "",
        "sets": len(held),
    }


def families(n: int, sets: int, replicates: int) -> list[dict[str, object]]:
    """Return how often all intervals of the differences of equally good detectors contain 0."""
    held: list[bool] = []
    plain: list[bool] = []
    one, other = np.triu_indices(DETECTORS, 1)
    for seed in range(sets):
        rng = np.random.default_rng([n, seed, 1])
        # Each detector has a value per episode; parts are shared by all, as the difficulty of an episode is.
        values = rng.beta(4.0, 1.5, size=(n, 1)) + rng.gumbel(0.0, 0.15, size=(n, DETECTORS))
        drawn = rng.integers(0, n, size=(replicates, n))
        draws = values[drawn].mean(axis=1).T
        means = values.mean(axis=0)
        differences, replicated = means[one] - means[other], draws[one] - draws[other]
        held.append(not simultaneous_intervals(differences, replicated, units=n).excludes_zero.any())
        each = [Estimate(float(value), row) for value, row in zip(differences, replicated, strict=True)]
        plain.append(all(_contains(number, 0.0) for number in each))
    return [row(f"All differences of {DETECTORS} detectors", n, held, plain)]


def measured(name: str, sets: int, replicates: int) -> list[dict[str, object]]:
    """Return the lines of a group, or of the families of differences."""
    if name == FAMILIES:
        return [line for n in SIZES for line in families(n, sets, replicates)]
    return [line for n in SIZES for line in coverage(n, sets, replicates, GROUPS[name])]


def main() -> None:
    """Write the table, or replace the lines of some groups."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=1000, help="simulated sets per number of episodes")
    parser.add_argument("--replicates", type=int, default=1000, help="bootstrap replicates")
    parser.add_argument("--only", nargs="+", choices=[*GROUPS, FAMILIES], help="groups; all others stay as they are")
    chosen = parser.parse_args()
    with FILE.open(encoding="utf-8") as file:
        known: list[dict[str, object]] = [dict(line) for line in csv.DictReader(file)] if chosen.only else []
    found = [
        line for name in chosen.only or [*GROUPS, FAMILIES] for line in measured(name, chosen.sets, chosen.replicates)
    ]
    places = {(line["number"], int(str(line["episodes"]))): line for line in (*known, *found)}
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(found[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(places.values())


if __name__ == "__main__":
    main()
