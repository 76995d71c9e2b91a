"""What a fault does, and what its strengths cost."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from offnominal.anomalies.anomaly import DynamicsAnomaly
from offnominal.anomalies.catalogue import anomalies, make_anomaly
from offnominal.anomalies.strengths import LEVELS, named_levels, strengths_table
from offnominal.core.errors import OffnominalError
from offnominal.reports.page_numbers import rounded
from offnominal.worlds.catalogue import worlds


@dataclass(frozen=True, slots=True)
class FaultDescription:
    """What a fault does.

    Args:
        summary: Its effect in words.
        formula: Its effect in one line; empty if it is unknown.
        symbol: Symbol of the parameter.
        unit: Unit of the parameter.
        neutral: Parameter without effect; None if it is unknown.
    """

    summary: str
    formula: str = ""
    symbol: str = ""
    unit: str = ""
    neutral: float | None = None


def describe_fault(world: str, anomaly: str) -> FaultDescription:
    """Return what a fault does in a world; faults of own labels and of other packages have no formula.

    Args:
        world: Id of the world.
        anomaly: Id of the anomaly.

    Example:
        >>> found = describe_fault("SAP-Goal0-v0", "dynamics/mass")
        >>> found.symbol, found.unit, found.neutral
        ('b', '1', 1.0)
    """
    if anomaly not in anomalies:
        return FaultDescription("A fault of the data's own labels.")
    try:
        kind = make_anomaly(anomaly)
    except OffnominalError as error:
        return FaultDescription(str(error))
    summary = anomalies.spec(anomaly).summary
    if isinstance(kind, DynamicsAnomaly):
        known = {each.name: each for each in (worlds.card(world).physics_parameters if world in worlds else ())}
        parameter = known.get(kind.physics_parameter)
        if parameter is not None:
            text = parameter.summary or summary
            return FaultDescription(text, kind.formula, kind.symbol, parameter.unit, parameter.neutral)
    unit = "steps" if kind.integer else "units of the channel" if kind.target in ("observation", "action") else ""
    unit = "1" if kind.kind == "scaling" else unit
    return FaultDescription(f"{kind.target}: {summary}", kind.formula, kind.symbol, unit, float(kind.neutral))


def strengths_of_fault(world: str, anomaly: str) -> list[dict[str, Any]]:
    """Return the strengths of a fault in a world, from weak to strong, with the share of the return that each costs.

    Args:
        world: Id of the world.
        anomaly: Id of the anomaly.

    Example:
        >>> [row["name"] for row in strengths_of_fault("SAP-Goal0-v0", "action/offset")]
        ['tiny', 'medium', 'strong', 'extreme']
    """
    if world not in worlds:
        return []
    named = [
        {
            "name": name,
            "parameter": value,
            "attainable": True,
            "lost": None,
            "lost_random": None,
            "signal": None,
            "note": "",
        }
        for (each, name), value in named_levels(world).items()
        if each == anomaly
    ]
    lines = [line for line in strengths_table(world) if line.anomaly == anomaly]
    order = list(LEVELS)
    lines.sort(key=lambda line: (line.direction, order.index(line.level) if line.level in order else len(order)))
    return named + [
        {
            "name": line.name,
            "parameter": line.parameter,
            "attainable": line.attainable,
            "lost": _lost(line.score, line.low, line.high),
            "lost_random": _lost(line.dataset_score, line.dataset_low, line.dataset_high),
            "signal": None if math.isnan(line.signal) else rounded(line.signal),
            "note": line.note,
        }
        for line in lines
    ]


def _lost(score: float, low: float, high: float) -> list[float | None] | None:
    """Return the share of the return that is lost, with its interval."""
    return None if math.isnan(score) else [rounded(1.0 - each) for each in (score, high, low)]
