"""Lines of the comparisons with published tables: results of a run, and a number beside the published one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from offnominal.evaluation.estimate import Estimate
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults
from offnominal.studies.published_comparison import MATCH, NEAR, Cause, PublishedComparison
from offnominal.studies.results import RunResults


class Tolerance(NamedTuple):
    """Largest differences of a match and of a value that is near."""

    match: float
    near: float


SHARES = Tolerance(MATCH, NEAR)
"""Of AUC and TPR."""
DEVIATIONS = Tolerance(0.01, 0.02)
"""Of standard deviations and of changes by ensembles; they are printed with two decimals."""
RANKS = Tolerance(0.5, 1.0)
PLACES = Tolerance(1.0, 2.0)
COUNTS = Tolerance(10.0, 25.0)
NO_ROWS = ComparisonResults({}, {})
OTHER_METRICS = ("pr_at_", "auprc", "ap")
"""Metrics that no published table has."""


@lru_cache(maxsize=4)
def outcomes_of(results: RunResults) -> ComparisonResults:
    """Return the results by table and method, empty if there are none; several tables of one run share them.

    Metrics that no published table has are left out, because a run has a row for every configuration.
    """
    if not results.table.num_rows:
        return NO_ROWS
    columns = results.table.column_names
    return ComparisonResults.of(
        results.table.select([name for name in columns if not name.partition("_")[2].startswith(OTHER_METRICS)])
    )


def compared(
    labels: Mapping[str, str],
    ours: float | None,
    published: float,
    *,
    note: str = "",
    cause: Cause = "",
    within: Tolerance = SHARES,
    units: int = 1,
) -> PublishedComparison:
    """Return a line without an interval; ours is undefined for None and NaN.

    Example:
        >>> compared({"method": "knn"}, 3.4, 3.0, within=RANKS).verdict
        'match'
    """
    value = None if ours is None or math.isnan(ours) else float(ours)
    match, near = within
    return PublishedComparison(
        labels, Estimate(value), published, note=note, cause=cause, match=match, near=near, units=units
    )
