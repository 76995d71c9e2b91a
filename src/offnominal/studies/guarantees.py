"""Guarantees of alarms and what was measured, per detector and world, and over all worlds."""

from __future__ import annotations

from typing import Any

import pyarrow.compute as pc

from offnominal.alarms.guarantee_check import PREFIX, GuaranteeCheck, over_runs, over_worlds
from offnominal.studies.metric_table import world_labels

Place = tuple[str, str, str]
"""Alarm, detector and world."""


def guarantees(table: Any) -> dict[Place, GuaranteeCheck]:
    """Return the guarantee of each alarm and what was measured, by (alarm, detector, world), over training runs.

    Args:
        table: Rows of a run, see :class:`~offnominal.studies.results.RunResults`. All rows of a cell and an alarm have
            the same guarantee.
    """
    if PREFIX not in table.column_names:
        return {}
    rows = table.filter(pc.is_valid(table["alarm"]))
    if not rows.num_rows:
        return {}
    columns = [name for name in rows.column_names if name.startswith(PREFIX)]
    keys = zip(*(rows[name].to_pylist() for name in ("alarm", "name")), world_labels(rows), strict=True)
    last = {(key, seed): number for number, (key, seed) in enumerate(zip(keys, rows["seed"].to_pylist(), strict=True))}
    runs: dict[Place, dict[int, GuaranteeCheck]] = {}
    for (place, seed), row in zip(last, rows.select(columns).take(list(last.values())).to_pylist(), strict=True):
        check = GuaranteeCheck.from_row(row)
        if check is not None:
            runs.setdefault(place, {})[seed] = check
    return {place: over_runs(list(checks.values())) for place, checks in runs.items()}


def over_all_worlds(found: dict[Place, GuaranteeCheck]) -> dict[tuple[str, str], GuaranteeCheck]:
    """Return the guarantees by (alarm, detector), over worlds.

    Args:
        found: See :func:`guarantees`.
    """
    groups: dict[tuple[str, str], list[GuaranteeCheck]] = {}
    for (alarm, name, _), check in found.items():
        groups.setdefault((alarm, name), []).append(check)
    return {place: over_worlds(checks) for place, checks in groups.items()}
