"""The leaderboard of a study on faults, as rows."""

from __future__ import annotations

from typing import Any

import pyarrow.compute as pc

from offnominal.evaluation.metrics import LEADERBOARD, LOG_LEADERBOARD, METRICS
from offnominal.studies.leaderboards import leaderboard
from offnominal.studies.results import RunResults


def metrics_of(results: RunResults) -> list[str]:
    """Return the metrics of leaderboards that a run has, the primary one first: those with intervals before others.

    Logs of whole faulty episodes and single long logs have no interval of the AUROC within episodes; then the metrics
    for logs are shown, too.
    """
    table = results.table
    if "alarm" not in table.column_names:
        return []
    plain = table.filter(pc.is_null(table["alarm"]))
    measured = [name for name in (*LEADERBOARD, *LOG_LEADERBOARD) if _has(plain, f"{name}_low")]
    for_logs = [name for name in LOG_LEADERBOARD if name in measured and "auroc" not in measured]
    return sorted(
        filter(lambda name: _has(plain, name), (*LEADERBOARD, *for_logs)), key=lambda name: name not in measured
    )


def _has(rows: Any, column: str) -> bool:
    return column in rows.column_names and rows[column].null_count < rows.num_rows


def leaderboard_rows(results: RunResults) -> list[dict[str, Any]]:
    """Return one row per detector, best first by the first metric; ties are those of that metric.

    Example:
        >>> leaderboard_rows(RunResults.example())[0]
        {'rank': 1, 'detector': 'KNN', 'ties': 'a', 'AUROC': '0.750 [0.740, 0.760]'}
    """
    metrics = metrics_of(results)
    if not metrics:
        return []
    leaderboards = {metric: leaderboard(results.table, metric) for metric in metrics}
    shown = {metric: {each.name: str(each.estimate) for each in entries} for metric, entries in leaderboards.items()}
    return [
        {"rank": each.rank, "detector": each.name, "ties": each.tie}
        | {METRICS[metric].label: shown[metric].get(each.name) for metric in metrics}
        for each in leaderboards[metrics[0]]
    ]
