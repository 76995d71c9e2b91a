"""Tables D.1 to D.4: ensembles of the best configurations of each split or class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from offnominal.papers.comparison.published.comparison_lines import compared, outcomes_of
from offnominal.papers.comparison.published.ensemble_values import EnsembleValues, Unit
from offnominal.papers.comparison.published.printed_cells import image_cells, is_classical, rows_of
from offnominal.papers.comparison.published.rank_rows import (
    DEFECTS,
    FEWEST_TABLES,
    place_lines,
    rank_lines,
)
from offnominal.papers.comparison.published.sampling import sampling_error
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

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
    error = sampling_error(list(changes.values()))
    return compared(labels, ours, published, "deviation", error=error, note=notes, units=len(changes))


def _mean(changes: Mapping[Unit, Sequence[float]]) -> float:
    """Return the mean over tables or image sets, whose classes are averaged first."""
    return fmean(_over_classes({(unit, ""): fmean(found) for unit, found in changes.items()}).values())


def _not_run(labels: Mapping[str, str], printed: Mapping[str, float], note: str = "") -> list[PublishedComparison]:
    metric = "place" if labels["quantity"] == "mean rank" else "deviation"
    return [compared({**labels, "method": method}, None, value, metric, note=note) for method, value in printed.items()]
