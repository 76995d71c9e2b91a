"""Delays and false alarms per alarm, fault and detector, and over several of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Any

import pyarrow.compute as pc

from offnominal.evaluation.delays import MEDIAN_DELAY, is_median_delay, median_delay, stored_delay
from offnominal.evaluation.metrics import metrics_at
from offnominal.studies.metric_table import world_labels

TIMINGS = tuple(metrics_at("timing"))

Place = tuple[str, str, str, str]
Numbers = dict[str, float | None]


def timings(table: Any, columns: Sequence[str] = TIMINGS) -> dict[Place, Numbers]:
    """Return numbers by (alarm, world, split, detector), over training runs.

    A median delay is infinite where more than half are missed.

    Args:
        table: Rows of a run, see :class:`~offnominal.studies.results.RunResults`.
        columns: Columns of numbers.
    """
    rows = table.filter(pc.is_valid(table["alarm"]))
    if not rows.num_rows:
        return {}
    wanted = [name for name in {*columns, MEDIAN_DELAY, "miss_rate"} if name in rows.column_names]
    groups: dict[Place, list[Numbers]] = {}
    identity = (rows["alarm"].to_pylist(), world_labels(rows), rows["split"].to_pylist(), rows["name"].to_pylist())
    for place, row in zip(zip(*identity, strict=True), rows.select(wanted).to_pylist(), strict=True):
        median = stored_delay(row.get(MEDIAN_DELAY), row.get("miss_rate"))
        groups.setdefault(place, []).append(dict.fromkeys(columns) | row | {MEDIAN_DELAY: median})
    return {place: over(found) for place, found in groups.items()}


def over(rows: Iterable[Numbers]) -> Numbers:
    """Return the timing over several training runs, faults or detectors, with equal weights.

    Median delays are combined by :func:`~offnominal.evaluation.delays.median_delay`, all other numbers by their mean;
    missing values are left out.

    Example:
        >>> over([{"median_delay": 3.0, "miss_rate": 0.1}, {"median_delay": math.inf, "miss_rate": 0.9}])
        {'median_delay': 3.0, 'miss_rate': 0.5}
    """
    columns: dict[str, list[float]] = {}
    for row in rows:
        for name, value in row.items():
            known = columns.setdefault(name, [])
            if value is not None and not math.isnan(value):
                known.append(value)
    return {name: _middle(name, values) for name, values in columns.items()}


def _middle(name: str, values: list[float]) -> float | None:
    if is_median_delay(name):
        return median_delay(values)
    return fmean(values) if values else None
