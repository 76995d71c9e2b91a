"""The table of the paper on images, which selects a configuration per class; ours has one for all classes."""

from __future__ import annotations

import json
import math

from offnominal.evaluation.estimate import Estimate
from offnominal.papers.comparison.selection.class_results import class_values
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults


def table_6(results: RunResults) -> list[PublishedComparison]:
    """Report the test AUC of each method on each class left out, and the mean over classes.

    The published numbers have a configuration per class, so there is no comparison.
    """
    if not results.table.num_rows:
        return []
    outcomes = ComparisonResults.of(results.table)
    notes = {place: _note(found.configurations) for place, found in outcomes.chosen("mean").items()}
    return [
        PublishedComparison(
            {"images": images, "class": name, "method": method},
            Estimate(None if math.isnan(value) else value),
            None,
            note=notes[images, method],
        )
        for (images, name, method), value in class_values(outcomes).items()
    ]


def _note(configurations: tuple[str, ...]) -> str:
    """Return the number of training images of the selected machines."""
    chosen = json.loads(configurations[0]) if configurations else {}
    return f"{chosen['machines']} machines of {chosen['rows']:,} images each" if "machines" in chosen else ""
