"""Tables of results: the types of their columns, means over rows, and whether two hold the same numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from offnominal.evaluation.delays import MEDIAN_DELAY, is_median_delay, median_delay, stored_delay
from offnominal.evaluation.metrics import LEADERBOARD, REPLICATED
from offnominal.evaluation.outcome_steps import OUTCOME_STEPS

NAMED = ("split", "anomaly", "kind", "level", "variant", "alarm")
FACTS = ("cell", "data", "code", "versions")
SEARCHED = ("method", "table", "configuration", "failure")
GUARANTEE = ("guarantee", "guarantee_unit", "guarantee_verdict")
TEXTS = ("key", "world", "policy", "name", "detector", "parameters", *NAMED, *FACTS, *SEARCHED, *GUARANTEE)
FORMER = ("budget_detected", "budget_mean_delay", "budget_area")
"""Metrics whose bootstrap replicates only older results have."""
DRAWS = tuple(f"draws_{name}" for name in (*REPLICATED, *FORMER))
"""Columns of bootstrap replicates."""
LISTS = (*DRAWS, *OUTCOME_STEPS)
"""All columns of lists. Questions in SQL are about the others."""
LATER_DRAWS = tuple(f"draws_{name}" for name in REPLICATED if name not in LEADERBOARD)
"""Those that older results lack."""
COST = ("fit_cpu_s", "score_cpu_s", "evaluate_cpu_s", "wall_s", "peak_mb")
SPENT = (*COST, "fit_s", "score_s")
"""Cost of a cell and of its rows, which differs from run to run."""
WHOLE = (
    "seed",
    "trial",
    "episodes",
    "events",
    "recovered_episodes",
    "never_faulty",
    "nominal_episodes",
    "unpaired_episodes",
    "one_class",
    "steps",
    "active_steps",
    "steps_scored",
    "guarantee_n",
)


def table_of(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return rows as a table, with the types of results."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return pa.table({name: pa.array([row.get(name) for row in rows], type_of(name)) for name in names})


def type_of(name: str) -> Any:
    """Return the type of a column of results.

    Columns that are named here, and those that end in ``_name``, are text. All others that are not counts or lists are
    numbers.
    """
    if name in TEXTS or name.endswith("_name"):
        return pa.string()
    if name in DRAWS:
        return pa.list_(pa.float32())
    if name in OUTCOME_STEPS:
        return pa.list_(pa.int32())
    return pa.int64() if name in WHOLE else pa.float64()


def means_of(table: Any) -> dict[str, float]:
    """Return the mean over splits of each number that is defined somewhere, alarms together; median delays by median.

    Example:
        >>> means_of(pa.table({"auroc": [0.5, None, 0.7], "auroc_low": [0.4, None, 0.6], "split": ["a", "a", "b"]}))
        {'auroc': 0.6}
    """
    means: dict[str, float] = {}
    names = dict.fromkeys(table.column_names)
    for name in names:
        if is_median_delay(name):
            middle = median_delay(stored_delays(table, name))
            means |= {name: middle} if middle is not None and math.isfinite(middle) else {}
        elif f"{name}_low" in names:
            values = [value for value in table[name].to_pylist() if value is not None]
            means |= {name: sum(values) / len(values)} if values else {}
    return means


def stored_delays(table: Any, name: str) -> list[float]:
    """Return the median delays of some rows, infinite where more than half were missed; rows without one are left out.

    Args:
        table: Rows of results.
        name: Name of the column; there is a miss rate with the same prefix, or the share of detected events.

    Example:
        >>> stored_delays(pa.table({"median_delay": [3.0, None, None], "miss_rate": [0.1, 0.9, None]}), "median_delay")
        [3.0, inf]
        >>> stored_delays(
        ...     pa.table({"event_median_delay": [3.0, None], "event_detected": [0.9, 0.1]}), "event_median_delay"
        ... )
        [3.0, inf]
    """
    share = "event_detected" if name.startswith("event_") else name.replace(MEDIAN_DELAY, "miss_rate")
    missed = table[share].to_pylist()
    found = (stored_delay(*pair) for pair in zip(table[name].to_pylist(), missed, strict=True))
    return [delay for delay in found if delay is not None]


def same_results(first: Any, second: Any) -> bool:
    """Whether two tables of results hold the same numbers, apart from their cost and from replicates that one lacks.

    Args:
        first: Rows of some cells.
        second: Rows of as many, in any order.

    Example:
        >>> one = pa.table({"key": ["a"], "split": ["s"], "alarm": ["x"], "auroc": [0.5], "wall_s": [1.0]})
        >>> other = pa.table({"key": ["a"], "split": ["s"], "alarm": ["x"], "auroc": [0.5], "wall_s": [2.0]})
        >>> same_results(one, other)
        True
    """
    names, others = set(first.column_names), set(second.column_names)
    if (names ^ others) - {*SPENT, *LATER_DRAWS} or first.num_rows != second.num_rows:
        return False
    return all(_bytes(first, name) == _bytes(second, name) for name in sorted((names & others) - set(SPENT)))


def _bytes(table: Any, name: str) -> list[bytes]:
    """Return a column in the order of the keys, as bytes: NaN is then equal to itself."""
    order = [(column, "ascending") for column in ("key", "split", "alarm")]
    ordered = table.select(list(dict.fromkeys(["key", "split", "alarm", name]))).sort_by(order)
    return [repr(value).encode() for value in ordered[name].to_pylist()]
