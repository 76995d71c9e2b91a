"""Smaller searches from the results of a large one: what would fewer configurations, or one seed, have given?"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray
from offnominal.papers.comparison.comparison_results import ComparisonResults
from offnominal.papers.comparison.protocols import Row, by_configuration

DRAWS = 8
"""Random pools over which a smaller search is averaged."""
REPETITIONS = 20
"""Bootstrap samples of the configurations of a search."""
Select = Callable[[Sequence[Row]], float]


def pool_of(rows: Sequence[Row], size: int, draw: int = 0) -> list[Row]:
    """Return the rows of some configurations, drawn at random; all if there are no more.

    Of one draw, a small pool is a part of every larger one.

    Args:
        rows: Of one method on one table or image set.
        size: Number of configurations.
        draw: Number of the draw.

    Example:
        >>> rows = [{"configuration": name, "seed": seed} for name in "ABCD" for seed in (1, 2)]
        >>> [row["configuration"] + str(row["seed"]) for row in pool_of(rows, 2)]
        ['A1', 'A2', 'B1', 'B2']
    """
    names = list(dict.fromkeys(row["configuration"] for row in rows))
    order = np.argsort(Stream.named(draw, 0, "pool").uniform(len(names)), kind="stable")
    chosen = {names[place] for place in order[:size]}
    return [row for row in rows if row["configuration"] in chosen]


def smaller_searches(rows: Sequence[Row], size: int, select: Select) -> list[float]:
    """Return what random pools of a size give.

    Args:
        rows: Of one method on one table or image set.
        size: Number of configurations of a pool.
        select: Returns the value of the configuration that is selected from rows.
    """
    return [select(pool_of(rows, size, draw)) for draw in range(DRAWS)]


def repeated_searches(rows: Sequence[Row], select: Select) -> list[float]:
    """Return what searches of the same size would give: the configurations are drawn with replacement.

    Args:
        rows: Of one method on one table or image set.
        select: Returns the value of the configuration that is selected from rows.
    """
    names = list(dict.fromkeys(row["configuration"] for row in rows))
    by_name: dict[str, list[Row]] = {name: [] for name in names}
    for row in rows:
        by_name[row["configuration"]].append(row)
    stream, values = Stream.named(0, 0, "repeated search"), []
    for draw in range(REPETITIONS):
        drawn = np.unique((stream.uniform(len(names), step=draw) * len(names)).astype(int))
        values.append(select([row for place in drawn for row in by_name[names[place]]]))
    return values


def pool_differences(
    outcomes: ComparisonResults, published: Mapping[tuple[str, str], float], sizes: Sequence[int], select: Select
) -> dict[int, float]:
    """Return the mean absolute difference from published values by the number of configurations in the search.

    Args:
        outcomes: Of a run.
        published: Published values by (table, method).
        sizes: Numbers of configurations.
        select: Returns the value of the configuration that is selected from rows.
    """
    places = [place for place in outcomes.single if place in published]
    found = {}
    for size in sizes:
        apart = [
            abs(value - published[place])
            for place in places
            for value in smaller_searches(outcomes.single[place], size, select)
        ]
        found[size] = float(np.nanmean(apart))
    return found


def at_seed(outcomes: ComparisonResults, seed: int) -> ComparisonResults:
    """Return the results of one seed; those of an image set keep all classes.

    Args:
        outcomes: Of a run.
        seed: Seed of the split.
    """
    kept, defective = (
        {place: found for place, rows in group.items() if (found := [row for row in rows if _split(row) == seed])}
        for group in (outcomes.single, outcomes.defect_rows)
    )
    return ComparisonResults(kept, {}, defect_rows=defective)


def _split(row: Row) -> int:
    return int(row["seed"][1] if isinstance(row["seed"], tuple) else row["seed"])


SIZES = (1, 5, 10, 20, 50)
"""Numbers of configurations that reports show."""


def expected_best(criterion: FloatArray, metric: FloatArray, size: int) -> float:
    """Return the expected metric of the best of some random configurations; exact, without random numbers.

    Configurations without a criterion are left out. NaN if there are fewer than `size`.

    Args:
        criterion: (n,) validation metric of each configuration, by which the best one is selected.
        metric: (n,) its test metric.
        size: Number of configurations, drawn without replacement.

    Raises:
        InvalidParameter: The size is less than one.

    Example:
        >>> validation, test = np.array([0.9, 0.6, 0.8]), np.array([0.7, 0.5, 0.9])
        >>> [round(expected_best(validation, test, size), 3) for size in (1, 2, 3)]
        [0.7, 0.767, 0.7]
    """
    if size < 1:
        raise InvalidParameter(f"size is {size}; expected at least one configuration.")
    known = ~np.isnan(criterion)
    ordered = metric[known][np.argsort(-criterion[known], kind="stable")]
    n = len(ordered)
    if n < size:
        return math.nan
    # The configuration in place i is the best of those drawn if the others are all after it.
    ways = [math.comb(n - 1 - place, size - 1) / math.comb(n, size) for place in range(n)]
    return float(np.dot(ways, ordered))


def by_search_size(outcomes: ComparisonResults, size: int, *, metric: str = "auc") -> FloatArray:
    """Return the expected test metric of the best configuration of each seed, (tables, methods).

    NaN where some seed has fewer configurations.

    Args:
        outcomes: Of a run.
        size: Number of configurations of each seed.
        metric: To report; configurations are selected by the same on validation points.
    """
    found = {}
    for place, rows in outcomes.single.items():
        validation, test = by_configuration(rows, f"validation_{metric}", f"test_{metric}")
        seeds = zip(validation.T, test.T, strict=True)
        found[place] = float(np.mean([expected_best(*values, size) for values in seeds]))
    return outcomes.matrix(found)
