"""Causes of differences from published values, each measured on the results of the run itself."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from offnominal.papers.comparison.selection.pools import Select, smaller_searches
from offnominal.papers.comparison.selection.protocols import Row
from offnominal.studies.published_comparison import MATCH, Cause

PUBLISHED_SPLITS = 5
SHARE = 4
"""A smaller search has one configuration in this many."""
FEWER = 0.75
"""A search is smaller than the published one if it has at most this share of its configurations."""
STEP = 0.005
"""By how much a larger search must be nearer to the published value; it is printed with two decimals."""


def cause_of(
    rows: Sequence[Row], select: Select, published: float, *, sigma: float = math.nan, splits: int = 0, searched: float
) -> Cause:
    """Return the cause of a difference; empty if there is none, or if no cause can be shown.

    ``chance``: the published value is within two standard errors of the difference between two means over splits.
    ``scale``: fewer configurations were searched than in the paper, and a quarter of ours gives a larger difference.

    Args:
        rows: Rows of one method on one table or image set.
        select: Returns the value of the configuration that is selected from rows.
        published: The published value.
        sigma: Standard deviation of our value over splits; NaN without.
        splits: Number of our splits.
        searched: Number of configurations in the paper.
    """
    ours = select(rows)
    if math.isnan(ours) or abs(ours - published) <= MATCH:
        return ""
    if splits > 1 and abs(ours - published) <= 2.0 * sigma * math.sqrt(1.0 / splits + 1.0 / PUBLISHED_SPLITS):
        return "chance"
    count = len({row["configuration"] for row in rows})
    if count > FEWER * searched:
        return ""
    fewer = np.array(smaller_searches(rows, math.ceil(count / SHARE), select))
    return "scale" if np.nanmean(np.abs(fewer - published)) > abs(ours - published) + STEP else ""
