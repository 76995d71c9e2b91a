"""Means over some of the published tables or classes: how far the mean over all of them may be by chance."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from offnominal.core.types import FloatArray

PUBLISHED_UNITS = 40
"""Tables of the paper; also classes of its four image sets."""
FEWEST_UNITS = 3
"""For a standard error."""


def sampling_error(units: Sequence[Sequence[float]]) -> float:
    """Return the standard error of the difference between our mean over some units and the published one over all.

    Units that were run are no other ones in the paper, so that with all of them only the noise within a unit remains:
    ``V (1 - n / N) + 2 W n / N`` with the variance V of our mean over n of N units, and the part W of it that is due
    to splits. W counts as zero where a unit has fewer than three splits.

    Args:
        units: Values of each table or class, one per split.

    Returns:
        NaN with fewer than three units.

    Example:
        >>> round(sampling_error([[0.1], [0.2], [0.3]]), 4), sampling_error([[0.5]] * 40)
        (0.0555, 0.0)
    """
    count = len(units)
    if count < FEWEST_UNITS:
        return math.nan
    share = min(count / PUBLISHED_UNITS, 1.0)
    of_mean = float(np.var([np.mean(values) for values in units], ddof=1)) / count
    within = [np.var(values, ddof=1) / len(values) for values in units if len(values) >= FEWEST_UNITS]
    return math.sqrt(of_mean * (1.0 - share) + 2.0 * float(np.sum(within)) / count**2 * share)


def place_ranges(ranks: FloatArray) -> list[tuple[int, int]] | None:
    """Return the best and the worst place of each method that the ranks allow for the mean over all published units.

    Another method is certainly better if its mean rank is lower by more than two standard errors of the difference.

    Args:
        ranks: (units, methods) on the tables or classes of the run.

    Returns:
        None with fewer than three units.

    Example:
        >>> place_ranges(np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0], [1.0, 2.0, 3.0]]))
        [(1, 2), (1, 2), (3, 3)]
    """
    count, methods = ranks.shape
    if count < FEWEST_UNITS:
        return None
    behind = ranks[:, :, None] - ranks[:, None, :]
    share = min(count / PUBLISHED_UNITS, 1.0)
    error = np.sqrt(np.var(behind, axis=0, ddof=1) / count * (1.0 - share))
    certain = behind.mean(axis=0) > 2.0 * error
    return [(1 + int(certain[each].sum()), methods - int(certain[:, each].sum())) for each in range(methods)]
