"""The results of a comparison: methods on tables, by every selection of a configuration."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray
from offnominal.papers.comparison.search.defaults import has_default
from offnominal.papers.comparison.selection.defects import AS_PUBLISHED, INVERTED, inverted
from offnominal.papers.comparison.selection.protocols import (
    Row,
    Selected,
    clean_protocol,
    max_protocol,
    mean_protocol,
)
from offnominal.papers.comparison.selection.repetitions import exclude_partial_failures, with_repetition_key

Protocol = Literal["mean", "max"]
_PROTOCOLS = {"mean": mean_protocol, "max": max_protocol}


@dataclass(frozen=True, slots=True, eq=False)
class ComparisonResults:
    """Rows of configurations, by table and method.

    Args:
        single: Rows of single configurations.
        ensemble_rows: Rows of ensembles, by (table, method, size); also of methods with an error of the original.
        default_rows: Rows of the parameters to use where no anomaly is known; see `default_of`.
        defect_rows: Rows of methods with an error of the original, by (table, method that they stand for).
    """

    single: Mapping[tuple[str, str], Sequence[Row]]
    ensemble_rows: Mapping[tuple[str, str, int], Sequence[Row]]
    default_rows: Mapping[tuple[str, str], Sequence[Row]] = field(default_factory=dict)
    defect_rows: Mapping[tuple[str, str], Sequence[Row]] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Any) -> ComparisonResults:
        """Read the results of a run.

        Args:
            table: Arrow table of a run's results.
        """
        single: dict[tuple[str, str], list[Row]] = {}
        ensemble_rows: dict[tuple[str, str, int], list[Row]] = {}
        default_rows: dict[tuple[str, str], list[Row]] = {}
        erring: dict[tuple[str, str], list[Row]] = {}
        for row in table.to_pylist():
            known = {
                name: math.nan if value is None and _is_number(name) else value
                for name, value in with_repetition_key(row).items()
            }
            place, configuration = (row["table"], row["method"]), json.loads(row["configuration"])
            if "ensemble" in configuration:
                ensemble_rows.setdefault((*place, configuration["ensemble"]), []).append(known)
            elif "default" in configuration:
                default_rows.setdefault(place, []).append(known)
            elif row["method"] in AS_PUBLISHED:
                erring.setdefault(place, []).append(known)
            else:
                single.setdefault(place, []).append(known)
        if not single and not erring:
            raise InvalidParameter("there are no results of a comparison; run one first.")
        defect_rows = {(name, AS_PUBLISHED[method]): rows for (name, method), rows in erring.items()}
        defect_rows |= {place: inverted(rows) for place, rows in single.items() if place[1] in INVERTED}
        return cls(single or erring, ensemble_rows, default_rows, defect_rows)

    def as_published(self) -> ComparisonResults:
        """Return the results with the errors of the original, where the run has them."""
        return replace(self, single={**self.single, **self.defect_rows})

    def with_errors_only(self) -> ComparisonResults:
        """Return the results of methods with an error of the original, by the method that they stand for."""
        return replace(self, single=self.defect_rows)

    @property
    def tables(self) -> list[str]:
        """Names of the tables."""
        return list(dict.fromkeys(table for table, _ in self.single))

    @property
    def methods(self) -> list[str]:
        """Names of the methods."""
        return list(dict.fromkeys(method for _, method in self.single))

    def chosen(
        self, protocol: Protocol = "mean", *, criterion: str = "auc", metric: str = "auc"
    ) -> dict[tuple[str, str], Selected]:
        """Return the selected result of each method on each table.

        Args:
            protocol: ``mean`` selects one configuration for all seeds, ``max`` one for each.
            criterion: Validation metric for the selection.
            metric: Test metric to report.
        """
        choose = _PROTOCOLS[protocol]
        taking = {
            place: exclude_partial_failures(rows, criterion) if protocol == "mean" else rows
            for place, rows in self.single.items()
        }
        return {place: choose(rows, criterion=criterion, metric=metric) for place, rows in taking.items()}

    def values(self, protocol: Protocol = "mean", *, criterion: str = "auc", metric: str = "auc") -> FloatArray:
        """Return the same as numbers (tables, methods); NaN where there is no result."""
        return self.matrix(
            {place: found.value for place, found in self.chosen(protocol, criterion=criterion, metric=metric).items()}
        )

    def random_choice(self, metric: str = "auc") -> FloatArray:
        """Return the mean over all configurations, (tables, methods): selection without any knowledge."""
        return self.matrix({place: _mean_of(rows, f"test_{metric}") for place, rows in self.single.items()})

    def clean(self, metric: str = "auc") -> FloatArray:
        """Return the result of a selection without known anomalies, (tables, methods).

        Classical methods have fixed parameters, and NaN where the run did not try them; of the others the configuration
        is taken that gives normal validation points the lowest mean score.
        """
        found = {
            place: clean_protocol(rows, metric=metric).value
            for place, rows in self.single.items()
            if not has_default(place[1])
        }
        return self.matrix(
            found | {place: _mean_of(rows, f"test_{metric}") for place, rows in self.default_rows.items()}
        )

    def ensembles(self, size: int, metric: str = "auc") -> FloatArray:
        """Return the result of ensembles of the best configurations of each seed, (tables, methods)."""
        found = {
            (table, method): _mean_of(rows, f"test_{metric}")
            for (table, method, number), rows in self.ensemble_rows.items()
            if number == size
        }
        return self.matrix(found)

    def polarity(self) -> FloatArray:
        """Return the polarity of the configuration selected by the mean protocol, (tables, methods).

        It is Spearman's correlation of test scores and the distance to the fifth nearest training point, averaged over
        seeds. Where it is negative, the selected detector gives higher scores near the training points.
        """
        found = {}
        for place, chosen in self.chosen("mean").items():
            rows = [row for row in self.single[place] if row["configuration"] in chosen.configurations]
            found[place] = _mean_of(rows, "polarity")
        return self.matrix(found)

    def seconds(self) -> FloatArray:
        """Return CPU seconds to fit and score, mean over configurations and seeds, (tables, methods, 2)."""
        parts = [
            self.matrix({place: _mean_of(rows, name) for place, rows in self.single.items()})
            for name in ("fit_s", "score_s")
        ]
        return np.stack(parts, axis=-1)

    def matrix(self, found: Mapping[tuple[str, str], float]) -> FloatArray:
        """Return values by (table, method) as numbers (tables, methods); NaN where there is none."""
        return np.array([[found.get((table, method), math.nan) for method in self.methods] for table in self.tables])


def _mean_of(rows: Sequence[Row], name: str) -> float:
    """Return the mean of the values that are not NaN; NaN if there are none."""
    values = [row[name] for row in rows if not math.isnan(row[name])]
    return float(np.mean(values)) if values else math.nan


def _is_number(name: str) -> bool:
    return name.startswith(("validation_", "test_")) or name in ("normal_score", "polarity")
