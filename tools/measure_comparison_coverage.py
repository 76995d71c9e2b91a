"""Measure how often intervals of differences contain the truth: `python tools/measure_comparison_coverage.py`.

Two runs of the same methods on the same simulated tables are compared, so that the true difference is that of two runs
with other splits: zero, apart from the tables that only the second run has. Tables differ in size, difficulty, and how
much trainings vary. The result is docs/measured/comparison_coverage.csv, which `python docs/tables.py` shows in
docs/reference/metrics.md.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

from offnominal.core.types import FloatArray
from offnominal.papers.comparison.published.difference_intervals import (
    NORMAL,
    PUBLISHED_SPLITS,
    PUBLISHED_UNITS,
    of_mean,
    of_paired_mean,
    of_value,
    place_ranges,
    point_error_of,
)
from offnominal.papers.comparison.published.rank_lines import places
from offnominal.papers.comparison.ranks import table_ranks

FILE = Path(__file__).parents[1] / "docs" / "measured" / "comparison_coverage.csv"
SPLITS, TABLES = (3, 5), (3, 5, 28, 40)
METHODS = 8
ROUNDING = 0.005
"""Half of the last published digit."""
LARGEST = 0.1
"""Share of the tables with the largest deviations, whose coverage is shown apart."""


class SimulatedTable:
    """A table with nominal and anomalous points, and a method whose trainings differ.

    Args:
        rng: Source of random numbers.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        normal = int(10.0 ** rng.uniform(2.0, 3.6))
        anomalous = max(10, int(normal * 10.0 ** rng.uniform(-1.3, -0.3)))
        self.deviation = float(rng.lognormal(np.log(0.15), 0.8))
        self._distance = rng.uniform(0.2, 3.0)
        self._normal, self._anomalous = rng.normal(size=normal), rng.normal(size=anomalous)
        self.test = normal // 5, anomalous // 2

    def value(self, metric: str) -> float:
        """Return the metric of another training on another split."""
        rng, (normal, anomalous) = self._rng, self.test
        shift = self._distance + self.deviation * rng.normal()
        low = 0.9 * rng.choice(self._normal, normal, replace=False) + 0.44 * rng.normal(size=normal)
        high = 0.9 * rng.choice(self._anomalous, anomalous, replace=False) + 0.44 * rng.normal(size=anomalous) + shift
        if metric == "tpr5":
            return float((high > np.quantile(low, 0.95)).mean())
        ranks = rankdata(np.concatenate([low, high]))[normal:]
        return float((ranks.sum() - anomalous * (anomalous + 1) / 2) / (normal * anomalous))


@dataclass(frozen=True, slots=True)
class Held:
    """Whether the interval of a value on one table contains the truth, and that with normal quantiles does.

    Args:
        student: By the rule of the protocol.
        normal: With the quantile of the normal distribution.
        deviation: How much trainings on the table vary.
    """

    student: bool
    normal: bool
    deviation: float


def of_values(metric: str, splits: int, sets: int, rng: np.random.Generator) -> list[Held]:
    """Return whether intervals of values on one table contain the truth."""
    found = []
    for _ in range(sets):
        table = SimulatedTable(rng)
        ours = [table.value(metric) for _ in range(splits)]
        published = round(float(np.mean([table.value(metric) for _ in range(PUBLISHED_SPLITS)])), 2)
        rows = [{"seed": seed, "configuration": "A", "test": value} for seed, value in enumerate(ours)]
        mean = float(np.mean(ours))
        error = point_error_of(mean, metric, normal=table.test[0], anomalous=table.test[1])
        half = of_value(rows, lambda some: float(np.mean([row["test"] for row in some])), error)
        share = np.sqrt(1.0 / splits + 1.0 / PUBLISHED_SPLITS)
        narrow = NORMAL * share * max(float(np.std(ours, ddof=1)), error)
        student, normal = (abs(mean - published) <= each + ROUNDING for each in (half, narrow))
        found.append(Held(student, normal, table.deviation))
    return found


def two_runs(rng: np.random.Generator, splits: int) -> tuple[FloatArray, FloatArray]:
    """Return (tables, methods, splits) of two runs: table and method have effects, and so has each pair of them."""
    size = PUBLISHED_UNITS, METHODS
    level = rng.normal(1.5, 0.8, (PUBLISHED_UNITS, 1)) + rng.normal(0.0, 0.3, (1, METHODS)) + rng.normal(0.0, 0.4, size)
    noise = rng.lognormal(np.log(0.1), 0.6, (PUBLISHED_UNITS, 1, 1))
    runs = (level[..., None] + noise * rng.normal(size=(*size, each)) for each in (splits, PUBLISHED_SPLITS))
    ours, published = (1.0 / (1.0 + np.exp(-each)) for each in runs)
    return ours, published


def of_tables(tables: int, sets: int, rng: np.random.Generator) -> Iterator[tuple[str, bool | None]]:
    """Yield whether each interval of a number over some tables contains the truth; None without an interval."""
    for number in range(sets):
        ours, published = two_runs(rng, SPLITS[number % 2])
        ours = ours[:tables]
        ranks, of_paper = (table_ranks(each.mean(axis=2), ties="min", decimals=2) for each in (ours, published))
        method = number % METHODS
        apart = (ranks[:, method] - of_paper[:tables, method]).tolist()
        yield "mean rank, published on the same tables", _contains(0.0, float(np.mean(apart)), of_paired_mean(apart))
        for name, values in (("with", ours[:, method]), ("without", ours[:, method].mean(axis=1, keepdims=True))):
            truth = float(published[:, method].mean())
            yield (
                f"mean over tables, {name} values by split",
                _contains(truth, float(ours[:, method].mean()), of_mean(values.tolist())),
            )
        names = [str(each) for each in range(METHODS)]
        printed = places(dict(zip(names, of_paper.mean(axis=0), strict=True)), names)
        ranges = place_ranges(ranks)
        inside = (
            None
            if ranges is None
            else all(low <= printed[n] <= high for n, (low, high) in zip(names, ranges, strict=True))
        )
        yield "places of all methods", inside


def _contains(truth: float, value: float, half: float) -> bool | None:
    return None if np.isnan(half) else abs(value - truth) <= half + 1e-12


def line(
    number: str, units: str, held: Sequence[bool], largest: Sequence[bool] = (), normal: Sequence[bool] = ()
) -> dict[str, object]:
    """Return one line of the table."""
    shares = {"coverage": held, "largest": largest, "normal": normal}
    return {
        "number": number,
        "n": units,
        **{name: f"{np.mean(each):.3f}" if each else "" for name, each in shares.items()},
        "sets": len(held),
    }


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=2000, help="simulated tables, and simulated pairs of runs")
    sets, rows = parser.parse_args().sets, []
    for metric, label in (("auc", "AUC"), ("tpr5", "TPR at 5 % false alarms")):
        for splits in SPLITS:
            found = of_values(metric, splits, sets, np.random.default_rng([splits, len(metric)]))
            limit = float(np.quantile([each.deviation for each in found], 1.0 - LARGEST))
            largest = [each.student for each in found if each.deviation > limit]
            held, normal = [each.student for each in found], [each.normal for each in found]
            rows.append(line(f"{label} on one table", f"{splits} splits", held, largest, normal))
    for tables in TABLES:
        by_name: dict[str, list[bool]] = {}
        for name, inside in of_tables(tables, sets, np.random.default_rng(tables)):
            by_name.setdefault(name, []).extend([] if inside is None else [inside])
        rows += [line(name, f"{tables} tables", each) for name, each in by_name.items()]
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
