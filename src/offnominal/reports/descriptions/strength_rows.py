"""Calibrated strengths as rows: one parameter per level, and how severe each is."""

from __future__ import annotations

import math
from typing import Any

from offnominal.anomalies.matched_strengths import matched_strengths
from offnominal.anomalies.strengths import CALIBRATED, strengths_table
from offnominal.worlds.catalogue import worlds


def level_parameters(world: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the parameter of each level, by anomaly and direction; None for a level that no parameter attains.

    Args:
        world: Id of the world.

    Example:
        >>> list(level_parameters("SAP-Goal0-v0")["action/noise", ""])
        ['tiny', 'medium', 'strong', 'extreme']
    """
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for line in strengths_table(world):
        levels = found.setdefault((line.anomaly, line.direction), dict.fromkeys(CALIBRATED))
        if line.attainable and line.level in levels:
            levels[line.level] = line.parameter
    for parameter in worlds.card(world).physics_parameters:
        if parameter.levels:
            found.setdefault((f"dynamics/{parameter.name}", ""), dict(parameter.levels))
    return found


def severity_rows(world: str, anomaly: str) -> list[dict[str, Any]]:
    """Return one row per strength of an anomaly: what it costs, how much it changes, and why one is missing.

    Args:
        world: Id of the world.
        anomaly: Id of the anomaly.

    Example:
        >>> severity_rows("SAP-Goal0-v0", "action/offset")[1]["strength"]
        'medium'
    """
    rows = [
        {
            "strength": line.name,
            "parameter": line.parameter if line.attainable else None,
            "return lost": _digits(line.lost),
            "deviation over policies": _digits(line.deviation),
            "change / nominal SD": _digits(line.signal),
            "largest channel": _digits(line.largest_signal),
            "AUROC": None,
            "why not attainable": line.note or None,
        }
        for line in strengths_table(world)
        if line.anomaly == anomaly
    ]
    return rows + [
        {
            "strength": line.name,
            "parameter": line.parameter if line.attainable else None,
            **dict.fromkeys(list(rows[0])[2:6] if rows else ()),
            "AUROC": _digits(line.auroc),
            "why not attainable": line.note or None,
        }
        for line in matched_strengths()
        if (line.world, line.anomaly) == (world, anomaly)
    ]


def _digits(number: float) -> float | None:
    """Return a number with few digits; None for NaN."""
    return None if math.isnan(number) else float(f"{number:.3g}")
