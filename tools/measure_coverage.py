"""Measure how often 95 % intervals contain the true value: `python tools/measure_coverage.py`.

Data are simulated with a known truth, of 10, 20 and 50 units: faulty episodes and as many nominal ones, recordings with
events, episodes with novelties, or driving scenes. The true value of each number is its mean over several simulated
sets of thousands of units. The result is docs/measured/coverage.csv, which `python docs/tables.py` shows in
docs/reference/metrics.md.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from interval_coverage import episodes, recordings
from interval_coverage.group import Group, Interval
from offnominal.evaluation import Estimate
from offnominal.evaluation.simultaneous import simultaneous_intervals

FILE = Path(__file__).parents[1] / "docs" / "measured" / "coverage.csv"
SIZES = (10, 20, 50)
TRUTH_SETS = 5
DETECTORS = 6
GROUPS: Mapping[str, Group] = {**episodes.GROUPS, **recordings.GROUPS}
FAMILIES = "families"
MEDIANS = ("Median delay", "Median delay of events")


@cache
def true_values(group: Group) -> dict[str, float]:
    """Return the numbers of very many units; a median of several medians."""
    if group.known is not None:
        return dict(group.known)
    rng = np.random.default_rng(12345)
    sets = [group.measure(group.simulate(group.truth, rng), 0) for _ in range(TRUTH_SETS)]
    values = {name: [float(each[name].value or 0.0) for each in sets] for name in sets[0]}
    return {name: float(np.median(found) if name in MEDIANS else np.mean(found)) for name, found in values.items()}


def _contains(number: Estimate | Interval, truth: float) -> bool:
    """Whether an interval contains the true value."""
    low, high = number.low, number.high
    return low is not None and high is not None and low - 1e-12 <= truth <= high + 1e-12


def coverage(n: int, sets: int, replicates: int, group: Group) -> list[dict[str, object]]:
    """Return the share of intervals of n units that contain the true value."""
    truth = true_values(group)
    held: dict[str, list[bool]] = {name: [] for name in truth}
    plain: dict[str, list[bool]] = {name: [] for name in truth}
    for seed in range(sets):
        found = group.measure(group.simulate(n, np.random.default_rng([n, seed])), replicates)
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
