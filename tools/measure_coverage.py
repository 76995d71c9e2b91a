"""Measure how often 95 % intervals contain the true value: `python tools/measure_coverage.py`.

Episodes are simulated with correlated scores that rise at the onset, of 10, 20 and 50 faulty and as many nominal
episodes. The true value of each number is its mean over many simulated sets of 4,000 episodes. The result is
docs/measured/coverage.csv, which `python docs/tables.py` shows in docs/reference/metrics.md.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from offnominal.evaluation.simultaneous import simultaneous_intervals

FILE = Path(__file__).parents[1] / "docs" / "measured" / "coverage.csv"
SIZES = (10, 20, 50)
STEPS, CORRELATION, SHIFT, THRESHOLD = 60, 0.7, 1.2, 2.2
TRUTH_SETS, TRUTH_EPISODES = 5, 4000
BUDGET = 5.0
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


def numbers(data: Simulated, replicates: int) -> dict[str, Estimate]:
    """Return one number of each kind."""
    found = measure_discrimination(data.scores, data.labels, replicates=replicates)
    matched = measure_time_matched(data.scores, data.labels, data.nominal, replicates=replicates)
    timing = measure_timing(
        [row > THRESHOLD for row in data.scores],
        data.onsets,
        nominal=[row > THRESHOLD for row in data.nominal],
        failed=data.failed,
        replicates=replicates,
    )
    budget = measure_alarm_budget(data.scores, data.onsets, data.nominal, budget=BUDGET, replicates=replicates)
    net = measure_net_detection(data.scores, data.onsets, data.nominal, budget=BUDGET, replicates=replicates)
    alarm = timing.numbers()
    return {
        "AUROC": found.local.auroc,
        "Time-matched AUROC": matched.auroc,
        "Average precision": found.local.average_precision,
        "FPR at 95 % TPR": found.local.fpr95,
        "Pooled AUROC": found.pooled.auroc,
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
        "Net detection": net.detected,
        "Detection at budget": budget.detected,
        "Delay at budget": budget.mean_delay,
        "Area over budgets": budget.area,
    }


def true_values(rng: np.random.Generator) -> dict[str, float]:
    """Return the numbers of very many episodes; a median of several medians."""
    sets = [numbers(simulate(TRUTH_EPISODES, rng), 0) for _ in range(TRUTH_SETS)]
    values = {name: [float(each[name].value or 0.0) for each in sets] for name in sets[0]}
    return {
        name: float(np.median(found) if name == "Median delay" else np.mean(found)) for name, found in values.items()
    }


def _contains(number: Estimate, truth: float) -> bool:
    """Whether an interval contains the true value."""
    low, high = number.low, number.high
    return low is not None and high is not None and low - 1e-12 <= truth <= high + 1e-12


def coverage(n: int, sets: int, replicates: int, truth: Mapping[str, float]) -> list[dict[str, object]]:
    """Return the share of intervals of n episodes that contain the true value."""
    held: dict[str, list[bool]] = {name: [] for name in truth}
    plain: dict[str, list[bool]] = {name: [] for name in truth}
    for seed in range(sets):
        found = numbers(simulate(n, np.random.default_rng([n, seed])), replicates)
        for name, number in found.items():
            if number.low is None:
                continue
            held[name].append(_contains(number, truth[name]))
            plain[name].append(_contains(Estimate(number.value, number.draws), truth[name]))
    rows = [row(name, n, held[name], plain[name]) for name in truth]
    return [*rows, *families(n, sets, replicates)]


def row(name: str, n: int, held: Sequence[bool], plain: Sequence[bool]) -> dict[str, object]:
    """Return one line of the table."""
    return {
        "number": name,
        "episodes": n,
        "coverage": f"{np.mean(held):.3f}",
        "percentiles": f"{np.mean(plain):.3f}",
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


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=1000, help="simulated sets per number of episodes")
    parser.add_argument("--replicates", type=int, default=1000, help="bootstrap replicates")
    chosen = parser.parse_args()
    truth = true_values(np.random.default_rng(12345))
    rows = [each for n in SIZES for each in coverage(n, chosen.sets, chosen.replicates, truth)]
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
