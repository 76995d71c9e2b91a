"""Selection of the reported configuration: by labelled validation points, by a few of them, or by none."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray

FEWEST_SEEDS = 3
BEST = 10
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Selected:
    """The result of a method on a table with the selected configuration.

    Attributes:
        value: The test metric, averaged over seeds.
        configurations: The chosen one; one per seed if each seed chooses for itself.
        sigma_1: Deviation of the test metric over seeds, one configuration each.
        sigma_10: Deviation of the test metric among the ten best configurations: the effect of luck in the search.
        failed: Number of failed fits.
        n_fits: Of how many.
    """

    value: float
    configurations: tuple[str, ...]
    sigma_1: float
    sigma_10: float
    failed: int
    n_fits: int


def mean_protocol(rows: Iterable[Row], *, criterion: str = "auc", metric: str = "auc") -> Selected:
    """Choose one configuration for all seeds: the best validation criterion on average.

    Configurations that were fitted on fewer than three seeds (or on fewer than all, where there are fewer) do not take
    part. Of equally good ones the first wins.

    Args:
        rows: Of one method on one table, as `configuration_rows` returns them, all seeds.
        criterion: Validation metric to choose by: ``auc``, ``tpr5``, ``pr_at_50``, ``pr_at_5%``, …
        metric: Test metric to report.

    Example:
        >>> rows = [
        ...     {"seed": s, "configuration": c, "validation_auc": v, "test_auc": t, "failure": ""}
        ...     for c, v, t in (("A", 0.9, 0.7), ("B", 0.8, 0.9))
        ...     for s in (1, 2, 3)
        ... ]
        >>> found = mean_protocol(rows)
        >>> found.configurations, found.value
        (('A',), 0.7)
    """
    table = _Table.of(rows, f"validation_{criterion}", f"test_{metric}")
    by = table.averaged(table.criterion)
    order = _best_first(by)
    if not len(order):
        return table.nothing()
    values = table.averaged(table.metric)
    return Selected(
        float(values[order[0]]),
        (table.configurations[order[0]],),
        _deviation(table.metric[order[0]]),
        _deviation(values[order[:BEST]]),
        table.failed,
        table.n_fits,
    )


def max_protocol(rows: Iterable[Row], *, criterion: str = "auc", metric: str = "auc") -> Selected:
    """Let every seed choose the configuration with the best validation criterion; average what they show.

    Kinder than :func:`mean_protocol`: noise in the validation criterion is chosen anew with every seed.
    """
    table = _Table.of(rows, f"validation_{criterion}", f"test_{metric}")
    orders = [_best_first(column) for column in table.criterion.T]
    chosen = [(order[0], seed) for seed, order in enumerate(orders) if len(order)]
    if not chosen:
        return table.nothing()
    values = np.array([table.metric[place, seed] for place, seed in chosen])
    spreads = [_deviation(table.metric[order[:BEST], seed]) for seed, order in enumerate(orders) if len(order)]
    return Selected(
        float(values.mean()),
        tuple(table.configurations[place] for place, _ in chosen),
        _deviation(values),
        float(np.mean(spreads)),
        table.failed,
        table.n_fits,
    )


def clean_protocol(rows: Iterable[Row], *, metric: str = "auc") -> Selected:
    """Choose without any anomaly: the configuration that gives normal validation points the lowest mean score.

    Means something only where scores of different configurations have the same unit, as those of densities do. For
    other methods use fixed parameters; see `default_of`.
    """
    turned = [{**row, "validation_clean": -row["normal_score"]} for row in rows]
    return mean_protocol(turned, criterion="clean", metric=metric)


def by_configuration(rows: Sequence[Row], *names: str) -> FloatArray:
    """Return columns of rows as an array (names, configurations, seeds), NaN where there is no row.

    Args:
        rows: Of one method on one table.
        *names: Columns with numbers.
    """
    places = {name: number for number, name in enumerate(dict.fromkeys(row["configuration"] for row in rows))}
    seeds = sorted({row["seed"] for row in rows})
    values = np.full((len(names), len(places), len(seeds)), math.nan)
    for row in rows:
        values[:, places[row["configuration"]], seeds.index(row["seed"])] = [row[name] for name in names]
    return values


@dataclass(frozen=True, slots=True)
class _Table:
    """Criterion and metric by (configuration, seed), NaN where a fit failed."""

    configurations: Sequence[str]
    criterion: FloatArray
    metric: FloatArray
    failed: int
    n_fits: int

    @classmethod
    def of(cls, rows: Iterable[Row], criterion: str, metric: str) -> _Table:
        given = list(rows)
        if not given:
            raise InvalidParameter("there are no rows to choose from; give those of one method on one table.")
        for name in (criterion, metric):
            if name not in given[0]:
                raise InvalidParameter(f"the rows have no {name!r}; they have {', '.join(sorted(given[0]))}.")
        mixed = {(row.get("method"), row.get("table")) for row in given}
        if len(mixed) > 1:
            raise InvalidParameter(f"the rows are of {len(mixed)} methods and tables; give those of one.")
        configurations = list(dict.fromkeys(row["configuration"] for row in given))
        values = by_configuration(given, criterion, metric)
        return cls(configurations, values[0], values[1], sum(bool(row["failure"]) for row in given), len(given))

    def averaged(self, values: FloatArray) -> FloatArray:
        """Average over seeds; NaN for configurations that were fitted on too few."""
        there = ~np.isnan(values)
        enough = there.sum(axis=1) >= min(FEWEST_SEEDS, values.shape[1])
        total = np.where(there, values, 0.0).sum(axis=1)
        return np.where(enough, total / np.maximum(there.sum(axis=1), 1), math.nan)

    def nothing(self) -> Selected:
        return Selected(math.nan, (), math.nan, math.nan, self.failed, self.n_fits)


def _best_first(criterion: FloatArray) -> list[int]:
    order = np.argsort(-criterion, kind="stable")
    return [int(place) for place in order if not math.isnan(criterion[place])]


def _deviation(values: FloatArray) -> float:
    there = values[~np.isnan(values)]
    return float(np.std(there, ddof=1)) if len(there) > 1 else math.nan


def with_repetition_key(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row whose ``seed`` also tells its class apart: what is repeated on images is a class, not a split.

    Example:
        >>> with_repetition_key({"seed": 1, "variant": "cat"}), with_repetition_key({"seed": 1})
        ({'seed': ('cat', 1), 'variant': 'cat'}, {'seed': 1})
    """
    name = row.get("variant")
    return dict(row) if name is None else {**row, "seed": (name, row["seed"])}


def exclude_partial_failures(rows: Sequence[Row], criterion: str) -> Sequence[Row]:
    """Leave configurations that failed on a class out of the choice; rows of tables are returned as they are.

    Classes differ more than splits do: a mean over some of them could not be compared with a mean over others.

    Args:
        rows: Of one method on one table or image set.
        criterion: Validation metric to choose by.

    Example:
        >>> rows = [
        ...     {"variant": each, "configuration": "A", "failure": why} for each, why in (("cat", ""), ("dog", "no"))
        ... ]
        >>> [row["validation_auc"] for row in exclude_partial_failures(rows, "auc")]
        [nan, nan]
    """
    lost = {row["configuration"] for row in rows if row.get("variant") and row["failure"]}
    if not lost:
        return rows
    blank = {f"validation_{criterion}": math.nan}
    return [{**row, **blank} if row["configuration"] in lost else row for row in rows]
