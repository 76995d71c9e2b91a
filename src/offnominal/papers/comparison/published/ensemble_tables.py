"""Tables D.1 to D.4: ensembles of the best configurations of each split or class."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, Literal

from offnominal.core.rounding import signed
from offnominal.papers.comparison.comparison_results import AS_PUBLISHED, ComparisonResults
from offnominal.papers.comparison.configuration_results import Ensemble, Normalisation
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


Which = Ensemble | Literal["single", "best"]
"""An ensemble, the best configuration of each split, or the ensemble with the best validation value of each split."""
SINGLE: Which = "single"
BEST: Which = "best"


class EnsembleValues:
    """Test metrics of the best configuration of each split, and of ensembles.

    Args:
        outcomes: Results of a run.
        metric: ``"auc"`` or ``"tpr5"``; the best configuration has the largest validation value of it.
    """

    def __init__(self, outcomes: ComparisonResults, metric: str) -> None:
        self.outcomes = outcomes
        self.metric = metric
        self._values: dict[Which, BySplit] = {SINGLE: self._selected(outcomes.single)}
        self._defective_single = self._selected(outcomes.defect_rows)
        averaged: dict[tuple[str, str], list[Row]] = {}
        for (table, method, each), rows in outcomes.ensemble_rows.items():
            self._values.setdefault(each, {}).update(self._selected({(table, method): rows}))
            if each.normalise == PUBLISHED_AVERAGE:
                averaged.setdefault((table, method), []).extend(rows)
        self._values[BEST] = self._selected(averaged)

    def units(self, which: Which = SINGLE) -> Values:
        """Return the values of an ensemble; by default, of the best configuration."""
        return {place: list(by_split.values()) for place, by_split in self._values.get(which, {}).items()}

    def defective_units(self, which: Which = SINGLE) -> Values:
        """Return the values of methods with an error of the original, by the method that they stand for."""
        if which == SINGLE:
            return {place: list(by_split.values()) for place, by_split in self._defective_single.items()}
        ensembles = self.units(which).items()
        return {(unit, AS_PUBLISHED[name]): values for (unit, name), values in ensembles if name in AS_PUBLISHED}

    def changes(self, method: str, which: Which) -> dict[Unit, list[float]]:
        """Return by how much ensembles change the metric on each table or class, one value per split."""
        return self._changes(method, method, which, self._values[SINGLE])

    def defective_changes(self, method: str, which: Which) -> dict[Unit, list[float]]:
        """Return the changes of a method with the error of the original; none if the run does not have it."""
        names = [name for name, each in AS_PUBLISHED.items() if each == method]
        return self._changes(names[0], method, which, self._defective_single) if names else {}

    def _changes(self, name: str, method: str, which: Which, single: BySplit) -> dict[Unit, list[float]]:
        found: dict[Unit, list[float]] = {}
        for (unit, each), by_split in self._values.get(which, {}).items():
            before = single.get((unit, method), {})
            both = [value - before[split] for split, value in by_split.items() if split in before]
            if each == name and both:
                found[unit] = both
        return found

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
CRITERIA = {"AUC_val": "auc", "TPR@5_val": "tpr5"}
"""Our name of the validation metric that selects the configurations of an ensemble."""
PUBLISHED_AVERAGE: Normalisation = "raw"
"""What the paper averages: scores as they are."""
BASELINE, BEST_ENSEMBLE = "baseline", "best_ensemble"
CHOSEN = "the best of the four ensembles by the validation metric of each split"
RANKS = "the mean of ranks instead of scores changes it by {}"


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
        which = _which(criterion, size)
        for quantity in ("mean_rank", "mean_change"):
            rows = rows_of(item, criterion=criterion, ensemble_size=size, quantity=quantity)
            printed = {row["method"]: float(row["value"]) for row in rows if _in_run(row["method"], classical)}
            labels = {"selection": criterion, "size": size or "–", "quantity": quantity.replace("_", " ")}
            if quantity == "mean_rank":
                lines += _places(values, which, labels, printed, item)
            else:
                lines += [_change(values, which, {**labels, "method": each}, printed[each], item) for each in printed]
    return lines


def _which(criterion: str, size: str) -> Which:
    """Return the ensemble that a row of a published table is about."""
    if criterion in CRITERIA:
        return Ensemble(int(size), CRITERIA[criterion], PUBLISHED_AVERAGE)
    return SINGLE if criterion == BASELINE else BEST


def _in_run(method: str, classical: bool | None) -> bool:
    return classical is None or is_classical(method) == classical


def _places(
    values: EnsembleValues, which: Which, labels: Mapping[str, str], printed: Mapping[str, float], item: str
) -> list[PublishedComparison]:
    """Compare places; the values behind the ranks of Table D.3 without ensembles are those of Table C.5."""
    units = {place: fmean(found) for place, found in values.units(which).items() if place[1] in printed}
    ours = _over_classes(units)
    if item == "table_D3" and which == SINGLE:
        classes = {((images, name), method): value for (images, name, method), value in image_cells("table_C5").items()}
        same = _over_classes({place: value for place, value in classes.items() if place in units})
        return rank_lines(ours, same, labels, "image sets") or _not_run(labels, printed)
    defective = _over_classes({place: fmean(found) for place, found in values.defective_units(which).items()})
    fewest = 1 if item in IMAGES else FEWEST_TABLES
    lines = place_lines(ours, printed, labels, defective=defective, units=units, fewest=fewest)
    return lines or _not_run(labels, printed)


def _over_classes(units: Mapping[tuple[tuple[str, str], str], float]) -> dict[tuple[str, str], float]:
    """Return the mean over the classes of each image set; a table has no classes."""
    found: dict[tuple[str, str], list[float]] = {}
    for ((name, _), method), value in units.items():
        found.setdefault((name, method), []).append(value)
    return {place: fmean(known) for place, known in found.items()}


def _change(
    values: EnsembleValues, which: Which, labels: Mapping[str, str], published: float, item: str
) -> PublishedComparison:
    """Compare the change of the metric by an ensemble, mean over tables or image sets."""
    method, changes = labels["method"], values.changes(labels["method"], which)
    if len(changes) < (1 if item in IMAGES else FEWEST_TABLES):
        return compared(labels, None, published, "deviation")
    defective = values.defective_changes(method, which)
    notes = [
        f"over {len(changes)} {'classes' if item in IMAGES else 'tables'}, published over 40",
        CHOSEN if which == BEST else _of_ranks(values, which, method),
        DEFECTS.format(_mean(defective)) if defective else "",
    ]
    note, half = "; ".join(filter(None, notes)), of_mean(list(changes.values()))
    return compared(labels, _mean(changes), published, "deviation", half=half, note=note, units=len(changes))


def _of_ranks(values: EnsembleValues, which: Which, method: str) -> str:
    """Return the change by the same ensemble if ranks are averaged; empty if it was not run."""
    changes = values.changes(method, which._replace(normalise="rank")) if isinstance(which, Ensemble) else {}
    return RANKS.format(signed(_mean(changes), 3)) if changes else ""


def _mean(changes: Mapping[Unit, Sequence[float]]) -> float:
    """Return the mean over tables or image sets, whose classes are averaged first."""
    return fmean(_over_classes({(unit, ""): fmean(found) for unit, found in changes.items()}).values())


def _not_run(labels: Mapping[str, str], printed: Mapping[str, float]) -> list[PublishedComparison]:
    return [compared({**labels, "method": method}, None, value, "place") for method, value in printed.items()]
