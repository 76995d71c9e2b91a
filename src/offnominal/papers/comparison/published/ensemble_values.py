"""Values of single configurations and of ensembles on each table, or on each class of an image set."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.papers.comparison.selection.defects import AS_PUBLISHED
from offnominal.papers.comparison.selection.protocols import Row, max_protocol

Unit = tuple[str, str]
"""A table or image set, and the class; empty for a table."""
Values = dict[tuple[Unit, str], list[float]]
"""Values by unit and method, one per split."""
BySplit = dict[tuple[Unit, str], dict[Any, float]]
"""The same by split."""


class EnsembleValues:
    """Test metrics of the best configuration of each split, and of ensembles.

    Args:
        outcomes: Results of a run.
        metric: ``"auc"`` or ``"tpr5"``; the best configuration has the largest validation value of it.
    """

    def __init__(self, outcomes: ComparisonResults, metric: str) -> None:
        self.outcomes = outcomes
        self.metric = metric
        self._best = self._selected(outcomes.single)
        self._ensembles: dict[str, BySplit] = {}
        for (table, method, size), rows in outcomes.ensemble_rows.items():
            for row in rows:
                value = row[f"test_{metric}"]
                if not math.isnan(value):
                    place = self._ensembles.setdefault(str(size), {}).setdefault((_unit(table, row), method), {})
                    place[row["seed"]] = value

    def units(self, size: str = "") -> Values:
        """Return the values of ensembles of a size; without one, of the best configuration."""
        found = self._ensembles.get(size, {}) if size else self._best
        return {place: list(by_split.values()) for place, by_split in found.items()}

    def defective_units(self, size: str = "") -> Values:
        """Return the values of methods with an error of the original, by the method that they stand for."""
        if not size:
            found = self._selected(self.outcomes.defect_rows)
            return {place: list(by_split.values()) for place, by_split in found.items()}
        ensembles = self.units(size).items()
        return {(unit, AS_PUBLISHED[name]): values for (unit, name), values in ensembles if name in AS_PUBLISHED}

    def changes(self, method: str, size: str) -> dict[Unit, list[float]]:
        """Return by how much ensembles change the metric on each table or class, one value per split."""
        return self._changes(method, method, size, self._best)

    def defective_changes(self, method: str, size: str) -> dict[Unit, list[float]]:
        """Return the changes of a method with the error of the original; none if the run does not have it."""
        names = [name for name, each in AS_PUBLISHED.items() if each == method]
        return self._changes(names[0], method, size, self._selected(self.outcomes.defect_rows)) if names else {}

    def _changes(self, name: str, method: str, size: str, best: BySplit) -> dict[Unit, list[float]]:
        found: dict[Unit, list[float]] = {}
        for (unit, each), by_split in self._ensembles.get(size, {}).items():
            before = best.get((unit, method), {})
            both = [value - before[split] for split, value in by_split.items() if split in before]
            if each == name and both:
                found[unit] = both
        return found

    def configurations(self, method: str) -> dict[str, int]:
        """Return the number of configurations of a method on each table or image set."""
        single = self.outcomes.single.items()
        return {table: len({row["configuration"] for row in rows}) for (table, name), rows in single if name == method}

    def _selected(self, groups: Mapping[tuple[str, str], Sequence[Row]]) -> BySplit:
        found: BySplit = {}
        for (table, method), rows in groups.items():
            by_split: dict[Any, list[Row]] = {}
            for row in rows:
                by_split.setdefault(row["seed"], []).append(row)
            for split, some in by_split.items():
                value = max_protocol(some, criterion=self.metric, metric=self.metric).value
                if not math.isnan(value):
                    found.setdefault((_unit(table, some[0]), method), {})[split] = value
        return found


def _unit(table: str, row: Row) -> Unit:
    return table, row.get("variant") or ""
