"""Table C.4: configurations among the ten best of every class."""

from __future__ import annotations

from collections.abc import Sequence

from offnominal.papers.comparison.cells import Leave
from offnominal.papers.comparison.published.comparison_lines import compared, outcomes_of
from offnominal.papers.comparison.published.image_rows import by_class, missing, with_all_classes
from offnominal.papers.comparison.published.printed_cells import IMAGE_SETS, rows_of
from offnominal.papers.comparison.selection.protocols import BEST, Row
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults


def table_c4(results: RunResults, *, setting: Leave) -> list[PublishedComparison]:
    """Compare how many configurations are among the ten best of every class.

    Args:
        results: Of a run, or without rows.
        setting: Which classes are anomalous.
    """
    outcomes = with_all_classes(outcomes_of(results))
    lines = []
    for row in rows_of("table_C4", setting=setting):
        images, method, published = IMAGE_SETS[row["dataset"]], row["method"], float(row["value"])
        labels = {"setting": setting, "images": images, "method": method}
        rows = outcomes.single.get((images, method))
        if rows is None:
            lines.append(missing(labels, published, "place"))
            continue
        lines.append(compared(labels, common_configurations(rows), published, "place"))
    return lines


def common_configurations(rows: Sequence[Row]) -> float:
    """Return how many configurations are among the ten with the best validation AUC of every class.

    Example:
        >>> rows = [
        ...     {"variant": name, "configuration": configuration, "validation_auc": value}
        ...     for name in ("cat", "dog")
        ...     for configuration, value in (("A", 0.9), ("B", 0.8))
        ... ]
        >>> common_configurations(rows)
        2.0
    """
    best = []
    for found in by_class(rows).values():
        known = [row for row in found if row["validation_auc"] == row["validation_auc"]]
        order = sorted(known, key=lambda row: -row["validation_auc"])
        best.append({row["configuration"] for row in order[:BEST]})
    return float(len(set.intersection(*best))) if best else 0.0
