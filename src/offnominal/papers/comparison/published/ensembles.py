"""Tables D.1 to D.4: ensembles of the best configurations of each split or class."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean

from offnominal.papers.comparison.published.comparison_lines import DEVIATIONS, compared, outcomes_of
from offnominal.papers.comparison.published.ensemble_values import EnsembleValues, Unit
from offnominal.papers.comparison.published.evidence import FEWER, STEP
from offnominal.papers.comparison.published.image_rows import searched
from offnominal.papers.comparison.published.printed_cells import image_cells, is_classical, rows_of, table_cells
from offnominal.papers.comparison.published.rank_rows import (
    DEFECTS,
    FEWEST_TABLES,
    place_lines,
    rank_lines,
)
from offnominal.papers.comparison.published.sampling import IN_SAMPLE, sampling_error
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.studies.published_comparison import Cause, PublishedComparison
from offnominal.studies.results import RunResults

METRICS = {"table_D1": "auc", "table_D2": "tpr5", "table_D3": "auc", "table_D4": "tpr5"}
IMAGES = ("table_D3", "table_D4")
CRITERION = "AUC_val"
BASELINE = "baseline"
SIZES = {"5": "10", "10": "5"}
"""The other size of an ensemble by a size."""
GAIN = 0.25
"""Share of a difference that goes with twice the share of the search, so that the smaller search may be its cause."""
SIMILAR = {"table_D1": "table_IV", "table_D2": "table_B1"}
"""Published values of the same methods on the same tables."""
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
    similar = table_cells(SIMILAR[item]) if item in SIMILAR else None
    fewest = 1 if item in IMAGES else FEWEST_TABLES
    lines = place_lines(ours, printed, labels, defective=defective, similar=similar, units=units, fewest=fewest)
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
        return compared(labels, None, published, note=CHANGE)
    ours = _mean(changes)
    note = f"{CHANGE}; over {len(changes)} {'classes' if item in IMAGES else 'tables'}, published over 40"
    cause: Cause = ""
    reason = ""
    if abs(ours - published) > DEVIATIONS.match:
        cause, reason = _change_cause(values, method, size, published, _searched(values.outcomes, method, item))
    note = "; ".join(filter(None, [note, reason]))
    return compared(labels, ours, published, note=note, cause=cause, within=DEVIATIONS, units=len(changes))


def _change_cause(
    values: EnsembleValues, method: str, size: str, published: float, searched: float
) -> tuple[Cause, str]:
    """Return the cause of a difference between changes, and the measurement behind it.

    ``defect``: with the error of the original ours is nearer. ``chance``: within two standard errors of the difference
    between the mean over our tables or classes and the one over all. ``scale``: fewer configurations were searched
    than in the paper, and twice the share of our search in an ensemble is further away by a quarter of the difference.
    """
    changes, defective = values.changes(method, size), values.defective_changes(method, size)
    apart = abs(_mean(changes) - published)
    if defective and abs(_mean(defective) - published) + STEP < apart:
        return "defect", DEFECTS.format(_mean(defective))
    if apart <= 2.0 * sampling_error(list(changes.values())):
        return "chance", IN_SAMPLE
    other, count = values.changes(method, SIZES[size]), fmean(values.configurations(method).values())
    beside = abs(_mean(other) - published) if other else math.nan
    gain = beside - apart if size == "5" else apart - beside
    if gain > max(STEP, GAIN * apart) and count <= FEWER * searched:
        return "scale", f"{_mean(other):.3f} with {SIZES[size]} of our {count:.0f} configurations"
    return "", ""


def _mean(changes: Mapping[Unit, Sequence[float]]) -> float:
    """Return the mean over tables or image sets, whose classes are averaged first."""
    return fmean(_over_classes({(unit, ""): fmean(found) for unit, found in changes.items()}).values())


def _searched(outcomes: ComparisonResults, method: str, item: str) -> float:
    """Return the published number of configurations, mean over the tables or image sets of the run."""
    counts = searched("leave-one-out") if item in IMAGES else table_cells("table_B3")
    return fmean(counts[place] for place in outcomes.single if place[1] == method)


def _not_run(labels: Mapping[str, str], printed: Mapping[str, float], note: str = "") -> list[PublishedComparison]:
    return [compared({**labels, "method": method}, None, value, note=note) for method, value in printed.items()]
