"""Tables D.1 to D.4: ensembles of the best configurations of each split or class."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from offnominal.papers.comparison.comparison_results import AS_PUBLISHED, ComparisonResults
from offnominal.papers.comparison.protocols import Row, max_protocol
from offnominal.papers.comparison.published.comparison_lines import compared, outcomes_of
from offnominal.papers.comparison.published.difference_intervals import of_mean
from offnominal.papers.comparison.published.printed_cells import image_cells, is_classical, rows_of
from offnominal.papers.comparison.published.rank_lines import DEFECTS, FEWEST_TABLES, place_lines, rank_lines
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

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


METRICS = {"table_D1": "auc", "table_D2": "tpr5", "table_D3": "auc", "table_D4": "tpr5"}
IMAGES = ("table_D3", "table_D4")
CRITERION = "AUC_val"
BASELINE = "baseline"
SIZES = {"5": "10", "10": "5"}
"""The other size of an ensemble by a size."""
CHANGE = "ours average ranks of scores, published ones average scores"
NOT_RUN = "our ensembles are of the best configurations by validation AUC, of 5 and of 10"


def ensemble_table(results: RunResults, *, item: str, classical: bool | None = None) -> list[PublishedComparison]:
    """Compare the places of ensembles among methods, and how much an ensemble changes the metric.

    Args:
        results: Of a run, or without rows.
        item: The published table.
        classical: Whether the run is that of classical methods; None if it has all methods.
    """
    values = EnsembleValues(outcomes_of(results), METRICS[item])
    lines: list[PublishedComparison] = []
    for criterion, size in dict.fromkeys((row["criterion"], row["ensemble_size"]) for row in rows_of(item)):
        for quantity in ("mean_rank", "mean_change"):
            rows = rows_of(item, criterion=criterion, ensemble_size=size, quantity=quantity)
            printed = {row["method"]: float(row["value"]) for row in rows if _in_run(row["method"], classical)}
            labels = {"selection": criterion, "size": size or "–", "quantity": quantity.replace("_", " ")}
            if criterion != BASELINE and (criterion != CRITERION or not size):
                lines += _not_run(labels, printed, NOT_RUN)
            elif quantity == "mean_rank":
                lines += _places(values, labels, printed, item)
            else:
                lines += [_change(values, {**labels, "method": each}, printed[each], item) for each in printed]
    return lines


def _in_run(method: str, classical: bool | None) -> bool:
    return classical is None or is_classical(method) == classical


def _places(
    values: EnsembleValues, labels: Mapping[str, str], printed: Mapping[str, float], item: str
) -> list[PublishedComparison]:
    """Compare places; the values behind the ranks of Table D.3 without ensembles are those of Table C.5."""
    size = labels["size"] if labels["size"] in SIZES else ""
    units = {place: fmean(found) for place, found in values.units(size).items() if place[1] in printed}
    ours = _over_classes(units)
    if item == "table_D3" and not size:
        classes = {((images, name), method): value for (images, name, method), value in image_cells("table_C5").items()}
        same = _over_classes({place: value for place, value in classes.items() if place in units})
        return rank_lines(ours, same, labels, "image sets") or _not_run(labels, printed)
    defective = _over_classes({place: fmean(found) for place, found in values.defective_units(size).items()})
    fewest = 1 if item in IMAGES else FEWEST_TABLES
    lines = place_lines(ours, printed, labels, defective=defective, units=units, fewest=fewest)
    return lines or _not_run(labels, printed)


def _over_classes(units: Mapping[tuple[tuple[str, str], str], float]) -> dict[tuple[str, str], float]:
    """Return the mean over the classes of each image set; a table has no classes."""
    found: dict[tuple[str, str], list[float]] = {}
    for ((name, _), method), value in units.items():
        found.setdefault((name, method), []).append(value)
    return {place: fmean(known) for place, known in found.items()}


def _change(values: EnsembleValues, labels: Mapping[str, str], published: float, item: str) -> PublishedComparison:
    """Compare the change of the metric by an ensemble, mean over tables or image sets."""
    method, size = labels["method"], labels["size"]
    changes = values.changes(method, size)
    if len(changes) < (1 if item in IMAGES else FEWEST_TABLES):
        return compared(labels, None, published, "deviation", note=CHANGE)
    ours = _mean(changes)
    note = f"{CHANGE}; over {len(changes)} {'classes' if item in IMAGES else 'tables'}, published over 40"
    defective = values.defective_changes(method, size)
    notes = "; ".join(filter(None, [note, DEFECTS.format(_mean(defective)) if defective else ""]))
    half = of_mean(list(changes.values()))
    return compared(labels, ours, published, "deviation", half=half, note=notes, units=len(changes))


def _mean(changes: Mapping[Unit, Sequence[float]]) -> float:
    """Return the mean over tables or image sets, whose classes are averaged first."""
    return fmean(_over_classes({(unit, ""): fmean(found) for unit, found in changes.items()}).values())


def _not_run(labels: Mapping[str, str], printed: Mapping[str, float], note: str = "") -> list[PublishedComparison]:
    metric = "place" if labels["quantity"] == "mean rank" else "deviation"
    return [compared({**labels, "method": method}, None, value, metric, note=note) for method, value in printed.items()]
