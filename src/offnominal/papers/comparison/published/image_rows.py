"""Rows of a run on images by class, and what tables on images share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from offnominal.papers.comparison.published.comparison_lines import compared
from offnominal.papers.comparison.published.defect_notes import defect_note
from offnominal.papers.comparison.search.image_search_spaces import image_methods
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.papers.comparison.selection.pools import Select
from offnominal.papers.comparison.selection.protocols import Row, max_protocol
from offnominal.studies.published_comparison import PublishedComparison

CLASSES = 10
"""Number of classes of each image set."""
NO_METHOD = "not among our methods for images"


def by_class(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the rows of each class.

    Args:
        rows: Of one method on one image set; those without a class are left out.

    Example:
        >>> by_class([{"variant": "cat", "seed": 1}, {"variant": "dog", "seed": 1}])["dog"]
        [{'variant': 'dog', 'seed': 1}]
    """
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row.get("variant"):
            found.setdefault(row["variant"], []).append(row)
    return found


def with_all_classes(outcomes: ComparisonResults) -> ComparisonResults:
    """Return the results of image sets of which the run has every class: published values are means over ten.

    Args:
        outcomes: Of a run.
    """
    single, defective = (
        {place: rows for place, rows in group.items() if len(by_class(rows)) == CLASSES}
        for group in (outcomes.single, outcomes.defect_rows)
    )
    return replace(outcomes, single=single, defect_rows=defective)


def largest(rows: Sequence[Row]) -> float:
    """Return the test AUC where every class selects its own configuration; the mean if there are several."""
    return max_protocol(rows).value


def image_line(
    labels: Mapping[str, str],
    rows: Sequence[Row],
    defective: Sequence[Row],
    select: Select,
    published: float,
    note: str = "",
) -> PublishedComparison:
    """Compare a value on some classes. It has no interval: images have one split, and every network one training.

    Args:
        labels: Labels of the line.
        rows: Our rows of these classes.
        defective: Our rows of the method with the error of the original; those of other classes do not count.
        select: Returns the value of the configuration that is selected from rows.
        published: The published value.
        note: Remark on the line.
    """
    classes, ours = by_class(rows), select(rows)
    wrong = [row for name, some in by_class(defective).items() if name in classes for row in some]
    known = len(by_class(wrong)) == len(classes)
    error = defect_note(labels["method"], select(wrong) if known else math.nan)
    notes = "; ".join(filter(None, [note, error]))
    return compared(labels, ours, published, note=notes, units=len(classes))


def missing(labels: Mapping[str, str], published: float, metric: str = "share") -> PublishedComparison:
    """Return the line of a value without a result."""
    note = "" if labels["method"] in image_methods() else NO_METHOD
    return compared(labels, None, published, metric, note=note)
