"""The leaderboard of a study on faults, as rows."""

from __future__ import annotations

from typing import Any

import pyarrow.compute as pc

from offnominal.studies.leaderboards import leaderboard
from offnominal.studies.metrics import METRICS
from offnominal.studies.results import RunResults


def metrics_of(results: RunResults) -> list[str]:
    """Return the metrics of a run, the primary one first."""
    table = results.table
    if "alarm" not in table.column_names:
        return []
    plain = table.filter(pc.is_null(table["alarm"]))
    return [name for name in METRICS if name in plain.column_names and plain[name].null_count < plain.num_rows]


def leaderboard_rows(results: RunResults) -> list[dict[str, Any]]:
    """Return one row per detector, best first by the first metric; ties are those of that metric.

    Example:
        >>> import pyarrow as pa
        >>> rows = [
        ...     {
        ...         "world": "Toy-v0",
        ...         "policy": "tqc",
        ...         "name": name,
        ...         "seed": 0,
        ...         "split": "action/noise@tiny",
        ...         "kind": "action",
        ...         "level": "tiny",
        ...         "alarm": None,
        ...         "auroc": value,
        ...         "draws_auroc": [value - 0.01, value],
        ...     }
        ...     for name, value in (("Random", 0.5), ("KNN", 0.8))
        ... ]
        >>> run = RunResults("toy", "A toy", "", "quick", {}, pa.Table.from_pylist(rows), pa.table({}))
        >>> leaderboard_rows(run)[0]
        {'rank': 1, 'detector': 'KNN', 'ties': 'a', 'AUROC': '0.800 [0.790, 0.800]'}
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
