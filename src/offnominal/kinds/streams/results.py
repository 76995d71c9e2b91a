"""The results of a study of streams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.kinds.streams.measures import ALL
from offnominal.kinds.streams.null_scores import NULLS
from offnominal.studies.results import RunResults

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class StreamResults:
    """The results of a study of streams.

    Args:
        rows: Rows about all faults of a world in a condition, by detector and alarm, without nulls.
        nulls: The same of the nulls.
        faults: Rows about one kind of fault, without nulls.
        shown: The first stream of each world, condition and detector.
    """

    rows: list[Row]
    nulls: list[Row]
    faults: list[Row]
    shown: list[Row]

    @classmethod
    def of(cls, results: RunResults) -> StreamResults:
        """Return the results of a run."""
        everything = results.table.to_pylist()
        whole = [row for row in everything if row["split"] == ALL]
        return cls(
            [row for row in whole if row["detector"] not in NULLS],
            [row for row in whole if row["detector"] in NULLS],
            [row for row in everything if row["split"] != ALL and row["detector"] not in NULLS],
            results.examples.to_pylist(),
        )

    @property
    def worlds(self) -> list[str]:
        """Worlds."""
        return list(dict.fromkeys(row["world"] for row in self.rows))

    @property
    def conditions(self) -> list[str]:
        """Conditions."""
        return list(dict.fromkeys(row["condition_name"] for row in self.rows))

    @property
    def names(self) -> list[str]:
        """Detectors."""
        return list(dict.fromkeys(row["name"] for row in self.rows))

    @property
    def alarms(self) -> list[str]:
        """Alarms: the most net detection first."""
        names = dict.fromkeys(row["alarm"] for row in self.rows)
        return sorted(names, key=lambda name: -(self.mean("net_detection", alarm=name) or 0.0))

    def chosen(self, **wanted: str) -> list[Row]:
        """Return the rows with some values of columns."""
        return [row for row in self.rows if all(row[name] == value for name, value in wanted.items())]

    def mean(self, number: str, **wanted: str) -> float | None:
        """Return the mean of a number over the rows with some values of columns; None if no row has it."""
        return mean_of([row.get(number) for row in self.chosen(**wanted)])

    def excess(self, **wanted: str) -> float | None:
        """Return the mean rate of false alarms, in multiples of the promised rate of the study."""
        return mean_of([row["false_alarms_h"] / row["budget_h"] for row in self.chosen(**wanted)])


def mean_of(values: list[float | None]) -> float | None:
    """Return the mean of the values that are known; None if there are none."""
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
