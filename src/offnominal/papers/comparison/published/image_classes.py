"""Tables C.5 and C.6, and the table in Figure C.3: test AUC on single classes of images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from offnominal.papers.comparison.published.comparison_lines import compared, outcomes_of
from offnominal.papers.comparison.published.image_rows import (
    by_class,
    image_line,
    largest,
    missing,
    with_all_classes,
)
from offnominal.papers.comparison.published.printed_cells import IMAGE_SETS, class_name, image_cells, overall, rows_of
from offnominal.papers.comparison.published.rank_rows import Cells, rank_lines
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.papers.comparison.selection.protocols import Row
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

Place = tuple[str, str, str]
"""Image set, class and method."""


def class_table(
    results: RunResults, *, item: Literal["table_C5", "table_C6"], as_published: bool = False
) -> list[PublishedComparison]:
    """Compare the test AUC of each method on each class, every class with its own configuration.

    Args:
        results: Of a run, or without rows.
        item: The published table.
        as_published: Whether methods have the errors of the original.
    """
    outcomes = outcomes_of(results)
    outcomes = outcomes.as_published() if as_published else outcomes
    found, defective, printed = _by_class(outcomes.single), _by_class(outcomes.defect_rows), image_cells(item)
    ours, wrong = _largest(found), _largest(defective)
    lines = []
    for place, published in printed.items():
        images, name, method = place
        labels = {"images": images, "class": name, "method": method}
        if place in found:
            lines.append(image_line(labels, found[place], defective.get(place, ()), largest, published))
        else:
            lines.append(missing(labels, published))
    return lines + _class_overall(outcomes, item, _as_cells(ours), _as_cells(wrong), _as_cells(printed))


def _by_class(group: Mapping[tuple[str, str], Sequence[Row]]) -> dict[Place, list[Row]]:
    return {
        (images, name, method): rows
        for (images, method), all_rows in group.items()
        for name, rows in by_class(all_rows).items()
    }


def _largest(found: Mapping[Place, Sequence[Row]]) -> dict[Place, float]:
    return {place: largest(rows) for place, rows in found.items()}


def _as_cells(values: Mapping[Place, float]) -> Cells:
    """Return the values by class and method."""
    return {((images, name), method): value for (images, name, method), value in values.items()}


def _class_overall(
    outcomes: ComparisonResults, item: str, ours: Cells, defective: Cells, cells: Cells
) -> list[PublishedComparison]:
    chosen = with_all_classes(outcomes).chosen("max")
    lines = []
    for method, published in overall(item, "sigma_10").items():
        known = [found.sigma_10 for (_, name), found in chosen.items() if name == method]
        labels = {"images": "sigma 10", "class": "–", "method": method}
        value = sum(known) / len(known) if known else None
        lines.append(compared(labels, value, published, "deviation"))
    labels = {"images": "mean rank", "class": "–"}
    return lines + (
        rank_lines(ours, cells, labels, "classes", defective=defective)
        or [
            compared({**labels, "method": method}, None, value, "rank")
            for method, value in overall(item, "mean_rank").items()
        ]
    )


def figure_c3(results: RunResults) -> list[PublishedComparison]:
    """Compare the AUC of methods trained on the airplanes of CIFAR10."""
    outcomes = outcomes_of(results)
    lines = []
    for row in rows_of("figure_C3"):
        images, name, method = IMAGE_SETS[row["dataset"]], class_name(row["class"]), row["method"]
        labels = {"images": images, "class": name, "method": method}
        rows = by_class(outcomes.single.get((images, method), [])).get(name)
        if rows:
            lines.append(compared(labels, largest(rows), float(row["value"])))
        else:
            lines.append(missing(labels, float(row["value"])))
    return lines
