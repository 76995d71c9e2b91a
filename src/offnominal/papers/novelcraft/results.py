"""The results of a run on the embedded world, by table, method and variant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.alarms.guarantee_check import GuaranteeCheck, over_runs
from offnominal.evaluation.estimate import Estimate, average_over_seeds

AS_PUBLISHED = "as_published_"
"""Beginning of the names of columns with metrics by the rules of the public code."""
VALIDATION = "validation_"
"""Beginning of the names of columns at thresholds that were chosen on the validation frames."""
ALARM = "alarm_"
"""Beginning of the names of columns of the conformal alarm."""
FRAMES, EPISODES, DISCOVERY = "frames", "episodes", "discovery"
FRAME_CLASSES, EPISODE_NOVELTIES, DISCOVERY_CLASSES = "frames by class", "episodes by novelty", "discovery by class"
"""Names of the tasks in rows about one class or one type of novelty."""
TASKS = {"3": FRAMES, "E1": FRAMES, "4": EPISODES, "fig4": DISCOVERY}
"""Task of each table."""


@dataclass(frozen=True, slots=True, eq=False)
class NoveltyResults:
    """Results of a run.

    Args:
        rows: Rows of all cells, as plain data, one per training seed: `task_name`, `name` of the method, `variant`,
            and the numbers of :class:`~offnominal.evaluation.novelty.NoveltyMetrics` or the accuracies of category
            discovery. Rows of one class or type of novelty have a `row_name`.
    """

    rows: Sequence[dict[str, Any]]

    @classmethod
    def of(cls, table: Any) -> NoveltyResults:
        """Return the results in a table of a run."""
        return cls(table.to_pylist())

    def methods(self, task: str) -> list[tuple[str, str]]:
        """Return name and variant of the methods of a task, in the order of their first row."""
        return list(dict.fromkeys((row["name"], row["variant"]) for row in self.rows if row["task_name"] == task))

    def row_names(self, task: str) -> list[str]:
        """Return the classes or types of novelty of a task, in the order of their first row."""
        return list(dict.fromkeys(row["row_name"] for row in self.rows if row["task_name"] == task))

    def guarantee(self, name: str, variant: str) -> GuaranteeCheck | None:
        """Return the guarantee of the alarm on novel episodes and what was measured, over training seeds."""
        rows = [
            row for row in self.rows if (row["task_name"], row["name"], row["variant"]) == (EPISODES, name, variant)
        ]
        checks = [check for check in map(GuaranteeCheck.from_row, rows) if check is not None]
        return over_runs(checks) if checks else None

    def estimate(self, task: str, name: str, variant: str, metric: str, row_name: str | None = None) -> Estimate:
        """Return a metric of a method, as the mean over training seeds; undefined if there is none.

        Args:
            task: Name of the task.
            name: Name of the method.
            variant: Its variant.
            metric: Name of the column.
            row_name: Class or type of novelty, for tasks that have rows of them.
        """
        wanted = (task, name, variant, row_name)
        found = [
            row for row in self.rows if (row["task_name"], row["name"], row["variant"], row.get("row_name")) == wanted
        ]
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
