"""The result of a cell as a table: one row per split, and one per split and alarm."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from offnominal.evaluation.delays import MEDIAN_DELAY, is_median_delay, median_delay, stored_delay
from offnominal.evaluation.estimate import Estimate
from offnominal.studies.base import BaseCell
from offnominal.studies.detector_evaluation import SplitEvaluation

NAMED = ("split", "anomaly", "kind", "level", "variant", "alarm")
FACTS = ("cell", "data", "code", "versions")
SEARCHED = ("method", "table", "configuration", "failure")
GUARANTEE = ("guarantee", "guarantee_unit", "guarantee_verdict")
TEXTS = ("key", "world", "policy", "name", "detector", "parameters", *NAMED, *FACTS, *SEARCHED, *GUARANTEE)
DRAWN = ("auroc", "matched_auroc", "excess_auroc", "average_precision", "fpr95", "equal_cost_mean_delay")
DRAWS = tuple(f"draws_{name}" for name in DRAWN)
POOLED = ("pooled_auroc", "pooled_average_precision", "pooled_fpr95")
# Replicates that older results lack. Neither result_table nor type_of knows them: their code is part of all keys.
POOLED_DRAWS = tuple(f"draws_{name}" for name in POOLED)
COST = ("fit_cpu_s", "score_cpu_s", "evaluate_cpu_s", "wall_s", "peak_mb")
SPENT = (*COST, "fit_s", "score_s")
"""Cost of a cell and of its rows, which differs from run to run."""
WHOLE = (
    "seed",
    "trial",
    "episodes",
    "never_faulty",
    "one_class",
    "steps",
    "active_steps",
    "steps_scored",
    "guarantee_n",
)
DIRECTIONS = ("-up", "-down")
OWN = "labelled"
"""Kind of the faults of own labels in figures."""


def result_table(cell: BaseCell, key: str, splits: Iterable[SplitEvaluation], cost: Mapping[str, float]) -> Any:
    """Return the rows of a cell.

    Rows without an alarm hold discrimination metrics; rows with one hold its delays and false alarms.

    Args:
        cell: The cell.
        key: Key of its result.
        splits: Evaluation of each split.
        cost: Processor time, wall time, memory and the steps scored.
    """
    about = {"key": key, **cell.columns()}
    rows = [about | row | dict(cost) for split in splits for row in _rows(split)]
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: pa.array([row.get(name) for row in rows], type_of(name)) for name in names}
    return pa.table(columns)


def with_pooled_draws(table: Any, splits: Iterable[SplitEvaluation]) -> Any:
    """Return the rows of a cell with the bootstrap replicates of pooled metrics.

    :func:`result_table` leaves them out: its code is part of the keys of results, and older results stay valid.

    Args:
        table: Rows of the cell.
        splits: Evaluation of each split.
    """
    numbers = {split.report.name: split.report.numbers() for split in splits}
    rows = list(zip(table["split"].to_pylist(), table["alarm"].to_pylist(), strict=True))
    for name, column in zip(POOLED, POOLED_DRAWS, strict=True):
        draws = [None if alarm else np.asarray(numbers[split][name].draws, np.float32) for split, alarm in rows]
        table = table.append_column(column, pa.array(draws, pa.list_(pa.float32())))
    return table


def _rows(split: SplitEvaluation) -> Iterator[dict[str, Any]]:
    report = split.report
    named = split_columns(report.name)
    numbers = report.numbers()
    drawn = {f"draws_{name}": np.asarray(numbers[name].draws, np.float32) for name in DRAWN if name in numbers}
    yield {**named, "alarm": None, **report.counts(), **_columns(numbers), **drawn}
    for alarm, found in split.timings.items():
        yield {**named, "alarm": alarm, **report.counts(), **_columns(found), **split.guarantees[alarm].row()}


def _columns(numbers: Mapping[str, Estimate]) -> dict[str, float | None]:
    columns: dict[str, float | None] = {}
    for name, number in numbers.items():
        columns |= number.columns(name)
    return columns


def split_columns(split: str) -> dict[str, str]:
    """Return anomaly, kind and level of a split by its name. Splits of your own are of the kind ``labelled``.

    Example:
        >>> split_columns("action/noise@medium-up")["level"], split_columns("pump failures")["kind"]
        ('medium', 'labelled')
    """
    anomaly, _, variant = split.partition("@")
    kind = anomaly.partition("/")[0] if variant else OWN
    return {
        "split": split,
        "anomaly": anomaly,
        "kind": kind,
        "level": level_of(variant) or anomaly,
        "variant": variant,
    }


def level_of(variant: str) -> str:
    """Return a level without its direction.

    Example:
        >>> level_of("medium-up"), level_of("tiny")
        ('medium', 'tiny')
    """
    for direction in DIRECTIONS:
        variant = variant.removesuffix(direction)
    return variant


def type_of(name: str) -> Any:
    """Return the type of a column of results.

    Columns that are named here, and those that end in ``_name``, are text. All others that are not counts or lists of
    bootstrap replicates are numbers.
    """
    if name in TEXTS or name.endswith("_name"):
        return pa.string()
    if name in DRAWS:
        return pa.list_(pa.float32())
    return pa.int64() if name in WHOLE else pa.float64()


def stored_type(name: str) -> Any:
    """Return the type of a column in the file of a result: as :func:`type_of`, and of pooled replicates.

    Example:
        >>> stored_type("pooled_auroc"), stored_type("draws_pooled_auroc")
        (DataType(double), ListType(list<item: float>))
    """
    return pa.list_(pa.float32()) if name in POOLED_DRAWS else type_of(name)


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
        name: Name of the column; there is a miss rate with the same prefix.

    Example:
        >>> stored_delays(pa.table({"median_delay": [3.0, None, None], "miss_rate": [0.1, 0.9, None]}), "median_delay")
        [3.0, inf]
    """
    missed = table[name.replace(MEDIAN_DELAY, "miss_rate")].to_pylist()
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
    if (names ^ others) - {*SPENT, *POOLED_DRAWS} or first.num_rows != second.num_rows:
        return False
    return all(_bytes(first, name) == _bytes(second, name) for name in sorted((names & others) - set(SPENT)))


def _bytes(table: Any, name: str) -> list[bytes]:
    """Return a column in the order of the keys, as bytes: NaN is then equal to itself."""
    order = [(column, "ascending") for column in ("key", "split", "alarm")]
    ordered = table.select(list(dict.fromkeys(["key", "split", "alarm", name]))).sort_by(order)
    return [repr(value).encode() for value in ordered[name].to_pylist()]
