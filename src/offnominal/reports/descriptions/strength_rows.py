"""Calibrated strengths as rows: one parameter per level."""

from __future__ import annotations

from typing import Any

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
