"""How soon alarms come, per alarm, fault and detector."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from offnominal.studies.measured import settings

TIMING = {
    "median_delay": "median delay (steps)",
    "mean_delay": "mean delay up to 20 (steps)",
    "within_10": "within 10 steps",
    "miss_rate": "missed",
    "early_rate": "early",
    "false_alarms": "false per 1,000 steps",
}

Timings = dict[tuple[str, str, str, str], list[float | None]]


def timings(table: Any) -> Timings:
    """Return the numbers of :data:`TIMING` by (alarm, world, split, name), each the mean over training runs."""
    rows = table.filter(pc.is_valid(table["alarm"]))
    columns = [column for column in TIMING if column in rows.column_names]
    if not rows.num_rows:
        return {}
    keyed = pa.table(
        {
            "alarm": rows["alarm"],
            "setting": pa.array(settings(rows).tolist()),
            "split": rows["split"],
            "name": rows["name"],
            **{column: rows[column].cast("float64") for column in columns},
        }
    )
    keys = ["alarm", "setting", "split", "name"]
    grouped = keyed.group_by(keys, use_threads=False).aggregate([(column, "mean") for column in columns]).to_pylist()
    return {
        (row["alarm"], row["setting"], row["split"], row["name"]): [row.get(f"{column}_mean") for column in TIMING]
        for row in grouped
    }


def timing_rows(table: Any) -> list[dict[str, Any]]:
    """Return one row per alarm and detector: means over worlds and faults, each fault counting the same."""
    found = timings(table)
    groups: dict[tuple[str, str], list[list[float | None]]] = {}
    for (alarm, _, _, name), numbers in found.items():
        groups.setdefault((alarm, name), []).append(numbers)
    return [
        {"alarm": alarm, "detector": name}
        | {label: _mean([row[i] for row in rows]) for i, label in enumerate(TIMING.values())}
        for (alarm, name), rows in groups.items()
    ]


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None and np.isfinite(value)]
    return float(np.mean(known)) if known else None
