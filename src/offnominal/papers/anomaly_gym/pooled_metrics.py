"""Pooled metrics with replicates, also from results that store only the interval of each split."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.studies.leaderboards import interval_ends
from offnominal.studies.metric_table import MetricTable

POOLED = "pooled_"


def with_replicates(table: Any, metric: str) -> MetricTable:
    """Return a metric of a run; replicates of a pooled metric that were not stored are approximated.

    Older results have only the interval of each pooled number, which is not enough for that of a mean over splits: the
    same episodes are drawn for all splits, so their replicates are correlated. Those of the local metric, which are
    stored, have nearly the same correlation. They are moved to the pooled number and scaled to its interval. In 126
    means with stored replicates, such approximated intervals have 0.73 to 1.24 of the true width, 1.0 in the middle.

    Args:
        table: Rows of a run.
        metric: A column of numbers.
    """
    measured = MetricTable.of(table, metric)
    stored = {f"draws_{metric.removeprefix(POOLED)}", f"{metric}_low", f"{metric}_high"}
    if not metric.startswith(POOLED) or not stored <= set(table.column_names):
        return measured
    local = MetricTable.of(table, metric.removeprefix(POOLED))
    low, high = (MetricTable.of(table, f"{metric}_{end}").values for end in ("low", "high"))
    return replace(measured, draws=_filled(measured, _scaled(local, measured.values, high - low)))


def _scaled(local: MetricTable, values: FloatArray, widths: FloatArray) -> FloatArray:
    """Return the replicates of a local metric around other values, with intervals of other widths."""
    low, high = interval_ends(local.draws)
    spread = np.where(high > low, high - low, np.inf)
    offsets: FloatArray = (local.draws - local.values[:, None]) * (widths / spread)[:, None]
    return values[:, None] + offsets


def _filled(measured: MetricTable, approximated: FloatArray) -> FloatArray:
    """Return the stored replicates, and approximated ones in rows without any."""
    if measured.draws.shape != approximated.shape:
        return approximated
    missing = np.isnan(measured.draws).all(axis=1, keepdims=True)
    return np.where(missing, approximated, measured.draws)
