"""The results of a run on the embedded world, by table, method and variant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.evaluation.estimate import Estimate, average_over_seeds

AS_PUBLISHED = "as_published_"
"""Beginning of the names of columns with metrics by the rules of the public code."""
FRAMES, EPISODES, DISCOVERY = "frames", "episodes", "discovery"
TASKS = {"3": FRAMES, "E1": FRAMES, "4": EPISODES, "fig4": DISCOVERY}
"""Task of each table."""


@dataclass(frozen=True, slots=True, eq=False)
class NoveltyResults:
    """Results of a run.

    Args:
        rows: Rows of all cells, as plain data, one per training seed: `task`, `name` of the method, `variant`, and the
            numbers of :class:`~offnominal.evaluation.novelty.NoveltyMetrics` or the accuracies of category discovery.
    """

    rows: Sequence[dict[str, Any]]

    @classmethod
    def of(cls, table: Any) -> NoveltyResults:
        """Return the results in a table of a run."""
        return cls(table.to_pylist())

    def estimate(self, task: str, name: str, variant: str, metric: str) -> Estimate:
        """Return a metric of a method, as the mean over training seeds; undefined if there is none."""
        wanted = (task, name, variant)
        found = [row for row in self.rows if (row["task"], row["name"], row["variant"]) == wanted]
        values = [row for row in found if row.get(metric) is not None]
        if not values or len(values) < len(found):
            return Estimate(None)
        return average_over_seeds([_estimate(row, metric) for row in values])


def _estimate(row: dict[str, Any], metric: str) -> Estimate:
    """Return a number with its bootstrap replicates, or with the ends of its interval in their place."""
    draws = row.get(f"draws_{metric}")
    if draws is None:
        ends = (row.get(f"{metric}_low"), row.get(f"{metric}_high"))
        draws = [] if None in ends else ends
    return Estimate(float(row[metric]), np.asarray(draws, np.float64))
