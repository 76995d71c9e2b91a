"""Tables C.5 and C.6, and the table in Figure C.3: test AUC on single classes of images."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from offnominal.papers.comparison.published.comparison_lines import DEVIATIONS, compared, outcomes_of
from offnominal.papers.comparison.published.evidence import cause_of
from offnominal.papers.comparison.published.image_rows import by_class, largest, missing, searched, with_all_classes
from offnominal.papers.comparison.published.printed_cells import IMAGE_SETS, class_name, image_cells, overall, rows_of
from offnominal.papers.comparison.published.rank_rows import rank_lines
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults


def class_table(results: RunResults, *, item: Literal["table_C5", "table_C6"]) -> list[PublishedComparison]:
    """Compare the test AUC of each method on each class, every class with its own configuration.

    Args:
        results: Of a run, or without rows.
        item: The published table.
    """
    outcomes = outcomes_of(results)
    counts = searched("leave-one-out" if item == "table_C5" else "leave-one-in")
    found = {
        (images, name, method): rows
        for (images, method), all_rows in outcomes.single.items()
        for name, rows in by_class(all_rows).items()
    }
    values = {place: largest(rows) for place, rows in found.items()}
    lines = []
    for place, published in image_cells(item).items():
        images, name, method = place
        labels = {"images": images, "class": name, "method": method}
        if place in found:
            cause = cause_of(found[place], largest, published, searched=counts[images, method])
            lines.append(compared(labels, values[place], published, cause=cause))
        else:
            lines.append(missing(labels, published))
    cells = {((images, name), method): value for (images, name, method), value in image_cells(item).items()}
    ours = {((images, name), method): value for (images, name, method), value in values.items()}
    return lines + _class_overall(outcomes, item, ours, cells)


def _class_overall(
    outcomes: ComparisonResults,
    item: str,
    ours: Mapping[tuple[tuple[str, str], str], float],
    cells: Mapping[tuple[tuple[str, str], str], float],
) -> list[PublishedComparison]:
    chosen = with_all_classes(outcomes).chosen("max")
    lines = []
    for method, published in overall(item, "sigma_10").items():
        known = [found.sigma_10 for (_, name), found in chosen.items() if name == method]
        labels = {"images": "sigma 10", "class": "–", "method": method}
        value = sum(known) / len(known) if known else None
        lines.append(compared(labels, value, published, within=DEVIATIONS))
    labels = {"images": "mean rank", "class": "–"}
    return lines + (
        rank_lines(ours, cells, labels, "classes")
        or [compared({**labels, "method": method}, None, value) for method, value in overall(item, "mean_rank").items()]
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
