"""The results of a comparison: methods on tables, by every selection of a configuration, by class and by labels."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.rounding import fixed
from offnominal.core.types import FloatArray
from offnominal.papers.comparison.configuration_results import Ensemble
from offnominal.papers.comparison.metrics import NUMBERS, PERCENTS
from offnominal.papers.comparison.protocols import (
    Row,
    Selected,
    clean_protocol,
    exclude_partial_failures,
    max_protocol,
    mean_protocol,
    with_repetition_key,
)
from offnominal.papers.comparison.search_spaces import has_default

Protocol = Literal["mean", "max"]
_PROTOCOLS = {"mean": mean_protocol, "max": max_protocol}


@dataclass(frozen=True, slots=True, eq=False)
class ComparisonResults:
    """Rows of configurations, by table and method.

    Args:
        single: Rows of single configurations.
        ensemble_rows: Rows of ensembles, by (table, method, ensemble); also of methods with an error of the original.
        default_rows: Rows of the parameters to use where no anomaly is known; see `default_of`.
        defect_rows: Rows of methods with an error of the original, by (table, method that they stand for).
        variant_rows: Rows of variants of a method that are in no leaderboard; see :data:`VARIANTS`.
    """

    single: Mapping[tuple[str, str], Sequence[Row]]
    ensemble_rows: Mapping[tuple[str, str, Ensemble], Sequence[Row]]
    default_rows: Mapping[tuple[str, str], Sequence[Row]] = field(default_factory=dict)
    defect_rows: Mapping[tuple[str, str], Sequence[Row]] = field(default_factory=dict)
    variant_rows: Mapping[tuple[str, str], Sequence[Row]] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Any) -> ComparisonResults:
        """Read the results of a run.

        Args:
            table: Arrow table of a run's results.
        """
        single: dict[tuple[str, str], list[Row]] = {}
        ensemble_rows: dict[tuple[str, str, Ensemble], list[Row]] = {}
        default_rows: dict[tuple[str, str], list[Row]] = {}
        erring: dict[tuple[str, str], list[Row]] = {}
        variant: dict[tuple[str, str], list[Row]] = {}
        for row in table.to_pylist():
            known = {
                name: math.nan if value is None and _is_number(name) else value
                for name, value in with_repetition_key(row).items()
            }
            place, configuration = (row["table"], row["method"]), json.loads(row["configuration"])
            if "ensemble" in configuration:
                ensemble_rows.setdefault((*place, Ensemble.of(configuration)), []).append(known)
            elif "default" in configuration:
                default_rows.setdefault(place, []).append(known)
            elif row["method"] in AS_PUBLISHED:
                erring.setdefault(place, []).append(known)
            elif row["method"] in VARIANTS:
                variant.setdefault(place, []).append(known)
            else:
                single.setdefault(place, []).append(known)
        if not single and not erring and not variant:
            raise InvalidParameter("there are no results of a comparison; run one first.")
        defect_rows = {(name, AS_PUBLISHED[method]): rows for (name, method), rows in erring.items()}
        defect_rows |= {place: inverted(rows) for place, rows in single.items() if place[1] in INVERTED}
        return cls(single or erring or variant, ensemble_rows, default_rows, defect_rows, variant)

    def as_published(self) -> ComparisonResults:
        """Return the results with the errors of the original, where the run has them."""
        return replace(self, single={**self.single, **self.defect_rows})

    def with_errors_only(self) -> ComparisonResults:
        """Return the results of methods with an error of the original, by the method that they stand for."""
        return replace(self, single=self.defect_rows)

    def whole(self) -> ComparisonResults:
        """Return the results without gaps, for means and ranks of a run that is not complete.

        Methods with less than half as many tables as others are left out, then tables that one of the others lacks.
        """
        counts = Counter(method for _, method in self.single)
        methods = [method for method, count in counts.items() if 2 * count >= max(counts.values())]
        tables = {table for table in self.tables if all((table, method) in self.single for method in methods)}
        if not tables:
            return self
        single, default_rows = (
            {place: rows for place, rows in group.items() if place[0] in tables and place[1] in methods}
            for group in (self.single, self.default_rows)
        )
        return replace(self, single=single, default_rows=default_rows)

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

    def ensembles(self, wanted: Ensemble, metric: str = "auc") -> FloatArray:
        """Return the result of ensembles of the best configurations of each seed, (tables, methods).

        Args:
            wanted: Size, criterion and average.
            metric: Test metric to report.
        """
        found = {
            (table, method): _mean_of(rows, f"test_{metric}")
            for (table, method, each), rows in self.ensemble_rows.items()
            if each == wanted
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


AS_PUBLISHED = {"dsvp": "dsvd", "lodp": "loda", "pidp": "pidf"}
"""Methods of our studies that have an error of the original, and the method that they stand for."""
VARIANTS = {"vaec": "vae", "vaes": "vae"}
"""Variants of a method for Table VIII and Figure 5, and that method; the paper's own is compared elsewhere."""
INVERTED = ("mgal",)
"""Methods whose scores have the wrong sign in the original; their AUC follows from ours."""


def inverted(rows: Iterable[Row]) -> list[Row]:
    """Return the rows of a method as if its scores had the opposite sign; of the metrics only the AUC is known.

    Example:
        >>> inverted([{"configuration": "{}", "test_auc": 0.75, "test_tpr5": 0.5}])
        [{'configuration': '{}', 'test_auc': 0.25, 'test_tpr5': nan}]
    """
    return [{name: _inverted(name, value) for name, value in row.items()} for row in rows]


def _inverted(name: str, value: object) -> object:
    if not name.startswith(("validation_", "test_")):
        return value
    return 1.0 - value if name.endswith("_auc") and isinstance(value, float) else math.nan


MEAN = "mean"
Place = tuple[str, str, str]


def class_values(outcomes: ComparisonResults, metric: str = "auc") -> dict[Place, float]:
    """Return the test metric by (image set, class, method), and the mean over classes; nothing of tables.

    The configuration is the one with the best validation AUC over all classes.
    """
    found: dict[Place, float] = {}
    for (images, method), chosen in outcomes.chosen("mean", metric=metric).items():
        values: dict[str, list[float]] = {}
        for row in outcomes.single[images, method]:
            if row.get("variant") and row["configuration"] in chosen.configurations:
                values.setdefault(row["variant"], []).append(row[f"test_{metric}"])
        if values:
            found |= {(images, name, method): float(np.mean(each)) for name, each in values.items()}
            found[images, MEAN, method] = chosen.value
    return found


def class_rows(outcomes: ComparisonResults) -> list[dict[str, Any]]:
    """Return a row per image set and class with the test AUC of every method; none for tables."""
    values = class_values(outcomes)
    places = dict.fromkeys((images, name) for images, name, _ in values if name != MEAN)
    means = dict.fromkeys((images, MEAN) for images, _ in places)
    rows = []
    for images, name in sorted((*places, *means), key=lambda place: [*means].index((place[0], MEAN))):
        known = {method: values.get((images, name, method), math.nan) for method in outcomes.methods}
        details = {method: None if math.isnan(value) else float(fixed(value, 3)) for method, value in known.items()}
        rows.append({"images": images, "class": name, **details})
    return rows


Budget = Literal["numbers", "percents"]
BUDGETS: dict[Budget, dict[str, str]] = {
    "percents": {f"{percent:g}%": f"pr_at_{percent:g}%" for percent in PERCENTS},
    "numbers": {f"{n:,}": f"pr_at_{n}" for n in NUMBERS},
}
"""Validation criteria by name: an analyst labels the most suspicious points of each configuration and
takes the one with the most hits. All normal points stay; the number is not one of anomalies that are known."""
RANDOM_CHOICE, CLEAN, ALL = "any", "none", "all"
"""A configuration drawn at random; one for which no anomaly was looked at; one chosen by every validation label."""


def by_label_budget(
    outcomes: ComparisonResults, budget: Budget = "percents", *, metric: str = "auc"
) -> dict[str, FloatArray]:
    """Return test metrics (tables, methods) by the labels that select the configuration, from none to all.

    A criterion without results for every method on some table is left out: means over other tables are not comparable.

    Args:
        outcomes: Of a run.
        budget: Whether the analyst labels a number of points or a percentage.
        metric: To report.
    """
    values = {RANDOM_CHOICE: outcomes.random_choice(metric), CLEAN: outcomes.clean(metric)}
    for label, criterion in BUDGETS[budget].items():
        values[label] = outcomes.values("mean", criterion=criterion, metric=metric)
    values[ALL] = outcomes.values("mean", metric=metric)
    return {label: found for label, found in values.items() if not np.isnan(found).all(axis=1).any()}
