"""Lines of the comparisons with published tables: our number beside the published one, and its note."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from offnominal.core.rounding import fixed
from offnominal.evaluation.estimate import Estimate
from offnominal.papers.comparison.comparison_results import ComparisonResults
from offnominal.papers.comparison.published.printed_cells import PAPER
from offnominal.papers.protocol import protocol
from offnominal.studies.published_comparison import PublishedComparison, Rule
from offnominal.studies.results import RunResults

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
    metric: str = "share",
    *,
    half: float = math.nan,
    note: str = "",
    units: int = 1,
) -> PublishedComparison:
    """Return a line of the comparison.

    Args:
        labels: Row of the published table.
        ours: Our value; undefined for None and NaN.
        published: The published value.
        metric: Its metric in the protocol.
        half: Half the 95 % interval of the difference; NaN without one.
        note: Remark.
        units: Number of tables or classes that ours is a mean over.

    Example:
        >>> compared({"method": "knn"}, 3.4, 3.0, "rank", half=0.2).verdict
        'reproduced'
        >>> compared({"method": "knn"}, 3.4, 3.0, "rank").verdict
        'no interval'
    """
    if ours is None or math.isnan(ours):
        return PublishedComparison(labels, Estimate(None), published, rule(metric), note, units=units)
    ends = np.empty(0) if math.isnan(half) else np.array([ours - half, ours + half])
    return PublishedComparison(labels, Estimate(float(ours), ends), published, rule(metric), note, units=units)


def rule(metric: str) -> Rule:
    """Return the rule of a metric of the protocol."""
    return protocol(PAPER).rule(metric)


DEFECTS = {
    "dsvd": "the public code never trains the hypersphere; with this error ours is {}",
    "loda": "PyOD reads the wrong bins; with this error ours is {}",
    "pidf": "the public code gives rows outside of the boxes the log density zero; with its errors ours is {}",
    "mgal": "PyOD's score has the wrong sign; with this error ours is {}",
}
"""What is wrong in the original of a method, with our value if ours is wrong in the same way."""


def defect_note(method: str, defective: float) -> str:
    """Return what our value is with the error of the original; empty if it was not run.

    Args:
        method: Short name of the method.
        defective: Our value with the error; NaN if it was not run.

    Example:
        >>> defect_note("mgal", 0.2)
        "PyOD's score has the wrong sign; with this error ours is 0.200"
        >>> defect_note("mgal", float("nan"))
        ''
    """
    return "" if math.isnan(defective) else DEFECTS[method].format(fixed(defective, 3))
