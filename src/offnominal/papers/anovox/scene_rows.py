"""The evaluation of a detector on driving scenes as rows of results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from offnominal.evaluation.discrimination import Discrimination, Ranking
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.scenes import SceneMetrics, SceneReport, TemporalMetrics
from offnominal.evaluation.timing import Timing

FRAME, OBJECT = "frame", "object"
"""Names of the rows about temporal anomalies: the score of a frame, and the score inside the road user."""
NOTICED = "noticed"
"""Group of the rows about temporal anomalies over time."""
AS_PUBLISHED = "as_published_"
"""Beginning of the names of columns with metrics as the public code computes them."""
COUNTS = ("frames", "scenarios", "positives", "negatives")
Row = dict[str, Any]


def scene_rows(report: SceneReport) -> list[Row]:
    """Return one row per unit and row of a report, and two per unit with temporal anomalies.

    Columns with the beginning ``as_published_`` are the metrics of the public code of AnoVox.
    """
    found = [_metrics_row(each) for each in report.rows]
    for unit, temporal in report.temporal.items():
        found += _temporal_rows(unit, temporal)
    return found


def _named(unit: str, group: str, name: str) -> Row:
    return {"split": f"{unit}/{group}/{name}", "unit_name": unit, "group_name": group, "row_name": name}


def _metrics_row(metrics: SceneMetrics) -> Row:
    row = _named(metrics.unit, metrics.group, metrics.name)
    row |= {name: float(getattr(metrics, name)) for name in COUNTS} | _ranking(metrics.ranking)
    others = {name: each for name, each in metrics.numbers().items() if name not in ("auroc", "aupr", "fpr95")}
    row |= _columns(others)
    if metrics.operating is not None:
        row["threshold"] = metrics.operating.threshold
    if metrics.as_published is not None:
        published = metrics.as_published
        values = {name: getattr(published, name) for name in ("auroc", "f1", "ppv", "fpr95")}
        row |= {AS_PUBLISHED + name: value for name, value in values.items()}
        row[f"{AS_PUBLISHED}average_precision"] = published.aupr
    return row


def _temporal_rows(unit: str, temporal: TemporalMetrics) -> Iterator[Row]:
    parts = ((FRAME, temporal.frame, temporal.frame_timing), (OBJECT, temporal.object, temporal.object_timing))
    for name, discrimination, timing in parts:
        if discrimination is not None:
            common = _named(unit, NOTICED, name) | {"scenarios": float(temporal.scenes)}
            yield common | _over_time(discrimination, timing)


def _over_time(found: Discrimination, timing: Timing | None) -> Row:
    row = {"frames": float(found.steps), "positives": float(found.active_steps)}
    row |= _ranking(found.pooled) | _columns({"local_auroc": found.local.auroc})
    return row if timing is None else row | _columns(timing.numbers())


def _ranking(ranking: Ranking) -> Row:
    """Return the ranking metrics with their intervals and bootstrap replicates."""
    numbers = {name: getattr(ranking, name) for name in ("auroc", "average_precision", "fpr95")}
    drawn = {f"draws_{name}": np.asarray(each.draws, np.float32) for name, each in numbers.items()}
    return {**_columns(numbers), **drawn}


def _columns(numbers: Mapping[str, Estimate]) -> Row:
    found: Row = {}
    for name, number in numbers.items():
        found |= number.columns(name)
    return found
