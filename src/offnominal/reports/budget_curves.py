"""Detection and delay over all budgets of false alarms, and the alarms beside them, as data of pages and figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.compute as pc

from offnominal.core.types import FloatArray
from offnominal.evaluation.alarm_budget import GRID, curve_name
from offnominal.evaluation.false_alarm_rate import HOUR, PER_STEPS
from offnominal.reports.budget_text import allowed_rates
from offnominal.reports.page_numbers import rounded
from offnominal.studies.metric_table import world_labels
from offnominal.worlds.catalogue import worlds

CURVES = {"detected": "within_20", "delay": "mean_delay"}
"""Each curve of what an operator sees, and the number of an alarm that is a point beside it."""
NET_CURVES = ("net_detected", "net_delay")
"""The same controlled for time: an alarm is no point of them."""


@dataclass(frozen=True, slots=True, eq=False)
class BudgetCurve:
    """A curve of one detector over budgets.

    Args:
        values: (k,): mean over faults, then worlds, with equal weights.
        low: (k,): mean of the lower ends; wider than a 95 % band unless the faults err together.
        high: (k,): mean of the upper ends.
    """

    values: FloatArray
    low: FloatArray
    high: FloatArray

    def rows(self) -> list[list[float | None]]:
        """Return value and band of each point, rounded for a page."""
        points = zip(self.values.tolist(), self.low.tolist(), self.high.tolist(), strict=True)
        return [[rounded(number) for number in point] for point in points]


def budget_curves(table: Any, what: str, *, world: str | None = None) -> dict[str, BudgetCurve]:
    """Return a curve of each detector; none if the run has no budgets.

    Args:
        table: Rows of a run.
        what: One of :data:`CURVES` or :data:`NET_CURVES`.
        world: Only this world; all if None.
    """
    columns = [curve_name(what, budget) for budget in GRID]
    wanted = [f"{column}{end}" for end in ("", "_low", "_high") for column in columns]
    if any(name not in table.column_names for name in wanted):
        return {}
    rows = table.filter(pc.is_null(table["alarm"]))
    numbers = np.array([rows[name].to_numpy(zero_copy_only=False).astype(np.float64) for name in wanted]).T
    names, worlds = np.array(rows["name"].to_pylist(), object), world_labels(rows)
    found = {}
    for name in dict.fromkeys(names.tolist()):
        places = [world] if world is not None else list(dict.fromkeys(worlds.tolist()))
        parts = [numbers[(names == name) & (worlds == place)] for place in places]
        means = [part[~np.isnan(part).any(axis=1)] for part in parts]
        if any(len(part) for part in means):
            points = np.mean([part.mean(axis=0) for part in means if len(part)], axis=0)
            found[name] = BudgetCurve(*points.reshape(3, len(GRID)))
    return found


def curve_data(table: Any, names: Sequence[str], places: Sequence[str]) -> dict[str, Any] | None:
    """Return the curves of a page: for all worlds ("-1") and each, a list of points per detector.

    Runs of older versions have no curves that are controlled for time.

    Args:
        table: Rows of a run.
        names: Detectors of the page.
        places: Worlds of the page.
    """
    data: dict[str, Any] = {"budgets": list(GRID), "points": CURVES, "hourly": [_hourly(world) for world in places]}
    data["allowed"] = allowed_rates(table, places)
    for what in (*CURVES, *NET_CURVES):
        parts = {
            number: budget_curves(table, what, world=None if number < 0 else places[number])
            for number in range(-1, len(places))
        }
        if not parts[-1] and what in NET_CURVES:
            continue
        if not parts[-1]:
            return None
        data[what] = {
            str(number): [part[name].rows() if name in part else None for name in names]
            for number, part in parts.items()
        }
    return data


def _hourly(world: str) -> float | None:
    """Return how many false alarms per hour one in 1,000 steps is; None for worlds without a known step length."""
    id = world.partition(" (")[0]
    return HOUR / (PER_STEPS * worlds.card(id).dt) if id in worlds else None
