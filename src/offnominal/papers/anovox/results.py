"""The results of a run on driving scenes, by detector, unit and row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.evaluation.estimate import Estimate, average_over_seeds

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class SceneResults:
    """Results of a run.

    Args:
        rows: Rows of all cells, as plain data.
    """

    rows: Sequence[Row]

    @classmethod
    def of(cls, table: Any) -> SceneResults:
        """Return the results in a table of a run."""
        return cls(table.to_pylist())

    @property
    def names(self) -> list[str]:
        """Detectors, in the order of their first row."""
        return list(dict.fromkeys(row["name"] for row in self.rows))

    @property
    def splits(self) -> list[tuple[str, str, str]]:
        """Unit, group and name of every row of the tables."""
        return list(dict.fromkeys((row["unit_name"], row["group_name"], row["row_name"]) for row in self.rows))

    def estimate(self, name: str, unit: str, row: str, metric: str) -> Estimate:
        """Return a metric of a detector, as the mean over training seeds; undefined if there is none."""
        wanted = (name, unit, row)
        found = [each for each in self.rows if (each["name"], each["unit_name"], each["row_name"]) == wanted]
        values = [each for each in found if each.get(metric) is not None]
        if not values or len(values) < len(found):
            return Estimate(None)
        return average_over_seeds([_estimate(each, metric) for each in values])


def _estimate(row: Row, metric: str) -> Estimate:
    """Return a number with its bootstrap replicates, or with the ends of its interval in their place."""
    draws = row.get(f"draws_{metric}")
    if draws is None:
        ends = (row.get(f"{metric}_low"), row.get(f"{metric}_high"))
        draws = [] if None in ends else ends
    return Estimate(float(row[metric]), np.asarray(draws, np.float64))
