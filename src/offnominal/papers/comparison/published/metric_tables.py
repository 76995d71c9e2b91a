"""Tables IV, B.1 and V: test AUC, TPR@5 and mean ranks on tables."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from functools import partial
from statistics import fmean

from offnominal.datasets.tables import table_entry
from offnominal.papers.comparison.comparison_results import ComparisonResults, Protocol
from offnominal.papers.comparison.protocols import Row, Selected, mean_protocol
from offnominal.papers.comparison.published.comparison_lines import compared, defect_note, outcomes_of
from offnominal.papers.comparison.published.difference_intervals import of_mean, of_value, point_error_of
from offnominal.papers.comparison.published.printed_cells import is_classical, overall, rows_of, table_cells
from offnominal.papers.comparison.published.rank_lines import FEWEST_TABLES, Cells, place_lines, rank_lines
from offnominal.papers.comparison.smaller_searches import at_seed
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

METRICS = {"AUC": "auc", "TPR@5": "tpr5"}
ITEMS = {"AUC": "table_IV", "TPR@5": "table_B1"}
IDENTIFIER = "with the column of row numbers, as published"
NOTES = {"glass": IDENTIFIER}
SIGMAS = ("sigma_1", "sigma_10")


def cell_table(
    results: RunResults, *, metric: str, classical: bool, as_published: bool = False
) -> list[PublishedComparison]:
    """Compare a metric of each method on each table, its deviations and its mean ranks; mean protocol.

    Args:
        results: Of a run, or without rows.
        metric: ``"AUC"`` (Table IV) or ``"TPR@5"`` (Table B.1).
        classical: Whether the run is that of classical methods.
        as_published: Whether methods have the errors of the original.
    """
    item, name, outcomes = ITEMS[metric], METRICS[metric], outcomes_of(results)
    outcomes = outcomes.as_published() if as_published else outcomes
    published = {place: value for place, value in table_cells(item).items() if is_classical(place[1]) == classical}
    selected = outcomes.chosen("mean", criterion=name, metric=name)
    chosen = {place: found for place, found in selected.items() if place in published}
    lines = [_cell(outcomes, place, chosen.get(place), value, name) for place, value in published.items()]
    lines += _sigmas(item, chosen, classical)
    values = {place: found.value for place, found in chosen.items()}
    defective = _with_errors(outcomes, name, published)
    labels = {"table": "mean rank"}
    ranks = rank_lines(values, published, labels, "tables", defective=defective, fewest=FEWEST_TABLES)
    return lines + (ranks or _without_ours(item, classical))


def _with_errors(outcomes: ComparisonResults, metric: str, wanted: Container[tuple[str, str]]) -> Cells:
    """Return our values with the errors of the originals."""
    values = _values(outcomes.with_errors_only(), metric, "mean")
    return {place: value for place, value in values.items() if place in wanted}


def _values(outcomes: ComparisonResults, metric: str, protocol: Protocol) -> dict[tuple[str, str], float]:
    """Return the selected values that are known."""
    chosen = outcomes.chosen(protocol, criterion=metric, metric=metric)
    return {place: found.value for place, found in chosen.items() if not math.isnan(found.value)}


def _cell(
    outcomes: ComparisonResults, place: tuple[str, str], found: Selected | None, published: float, metric: str
) -> PublishedComparison:
    table, method = place
    labels, note = {"table": table, "method": method}, NOTES.get(table, "")
    if found is None:
        return compared(labels, None, published, note=note)
    rows, select = outcomes.single[place], partial(_selected, metric=metric)
    defective = select(outcomes.defect_rows[place]) if place in outcomes.defect_rows else math.nan
    notes = "; ".join(filter(None, [note, defect_note(method, defective)]))
    half = of_value(rows, select, _point_error(table, found.value, metric))
    return compared(labels, found.value, published, half=half, note=notes)


def _point_error(table: str, value: float, metric: str) -> float:
    """Return the standard error on the test points of one split: a fifth of the normal rows, half of the others."""
    entry = table_entry(table)
    return point_error_of(value, metric, normal=entry.normal // 5, anomalous=entry.anomalous // 2)


def _selected(rows: Sequence[Row], metric: str) -> float:
    return mean_protocol(rows, criterion=metric, metric=metric).value


def _sigmas(item: str, chosen: Mapping[tuple[str, str], Selected], classical: bool) -> list[PublishedComparison]:
    """Compare deviations over splits and among the ten best configurations, each a mean over tables."""
    lines = []
    for quantity in SIGMAS:
        for method, published in overall(item, quantity).items():
            if is_classical(method) == classical:
                known = [getattr(found, quantity) for (_, name), found in chosen.items() if name == method]
                labels = {"table": quantity.replace("_", " "), "method": method}
                lines.append(_sigma(labels, known, published))
    return lines


def _sigma(labels: Mapping[str, str], known: Sequence[float], published: float) -> PublishedComparison:
    """Compare a deviation, mean over our tables, with the one over all tables of the paper."""
    if len(known) < FEWEST_TABLES:
        return compared(labels, None, published, "deviation")
    note, half = f"over {len(known)} tables, published over 40", of_mean([[value] for value in known])
    return compared(labels, fmean(known), published, "deviation", half=half, note=note, units=len(known))


def _without_ours(item: str, classical: bool) -> list[PublishedComparison]:
    return [
        compared({"table": "mean rank", "method": method}, None, value, "rank")
        for method, value in overall(item, "mean_rank").items()
        if is_classical(method) == classical
    ]


def table_v(results: RunResults, *, classical: bool) -> list[PublishedComparison]:
    """Compare mean ranks by the selection of the configuration: one for all splits, one for each, or of one split.

    Args:
        results: Of a run, or without rows.
        classical: Whether the run is that of classical methods.
    """
    outcomes = outcomes_of(results)
    lines: list[PublishedComparison] = []
    for metric in METRICS:
        for selection in dict.fromkeys(row["selection"] for row in rows_of("table_V")):
            printed = {
                row["method"]: float(row["value"])
                for row in rows_of("table_V", metric=metric, selection=selection)
                if is_classical(row["method"]) == classical
            }
            lines += _ranks(outcomes, metric, selection, printed)
    return lines


def _ranks(
    outcomes: ComparisonResults, metric: str, selection: str, printed: dict[str, float]
) -> list[PublishedComparison]:
    labels = {"metric": metric, "selection": selection}
    name = METRICS[metric]
    protocol: Protocol = "mean" if selection == "mean" else "max"
    seeds = [int(selection.removeprefix("seed="))] if selection.startswith("seed=") else []
    part = at_seed(outcomes, seeds[0]) if seeds else outcomes
    chosen = part.chosen(protocol, criterion=name, metric=name)
    values = {place: found.value for place, found in chosen.items() if place[1] in printed}
    if selection == "mean":
        cells = table_cells(ITEMS[metric])
        defective = _with_errors(part, name, values)
        lines = rank_lines(values, cells, labels, "tables", defective=defective, fewest=FEWEST_TABLES)
    else:
        defective = _values(part.with_errors_only(), name, protocol)
        lines = place_lines(values, printed, labels, defective=defective, fewest=FEWEST_TABLES)
    ranked = "rank" if selection == "mean" else "place"
    return lines or [compared({**labels, "method": each}, None, printed[each], ranked) for each in printed]
