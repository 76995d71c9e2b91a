"""Description of an anomaly."""

from __future__ import annotations

import math
from typing import Any

from offnominal.anomalies.anomaly import Anomaly, DynamicsAnomaly
from offnominal.anomalies.catalogue import anomalies, make_anomaly
from offnominal.anomalies.world_anomalies import anomalies_of
from offnominal.core.errors import MissingDependency, UnknownName, did_you_mean
from offnominal.reports.descriptions.description import Description, page
from offnominal.reports.descriptions.docstrings import opening
from offnominal.reports.descriptions.strength_rows import level_parameters, severity_rows
from offnominal.worlds.catalogue import worlds
from offnominal.worlds.world_card import PhysicsParameter


def anomaly_rows(world: str) -> list[dict[str, Any]]:
    """Return one row per anomaly of a world, with the parameter at which it has no effect.

    Args:
        world: Id of the world.
    """
    physics = {f"dynamics/{each.name}": each for each in worlds.card(worlds.spec(world).id).physics_parameters}
    return [
        {
            "id": id,
            "neutral": float(physics[id].neutral if id in physics else make_anomaly(id).neutral),
            "summary": anomalies.spec(id).summary if id in anomalies else physics[id].summary,
        }
        for id in anomalies_of(world, cameras=True)
    ]


def describe_anomaly(id: str, world: str | None = None) -> Description:
    """Return the description of an anomaly: formula, parameter, and its strengths in every world that has it.

    With a world, also what each strength costs and changes there.

    Args:
        id: Id of the anomaly, such as ``"action/noise"``.
        world: Only its strengths in this world.

    Raises:
        UnknownName: There is no such anomaly, or the world does not have it.

    Example:
        >>> found = describe_anomaly("action/offset", "SAP-Goal0-v0")
        >>> found.facts["neutral"], [row["world"] for row in found.tables["strengths"]]
        (0.0, ['SAP-Goal0-v0'])
    """
    anomaly = _known(id)
    chosen = [worlds.spec(world).id] if world else worlds.ids()
    having = [each for each in chosen if _has(each, id)]
    if not having:
        raise UnknownName(f"{id} exists in none of: {', '.join(chosen)}. `offnominal anomalies --world ID` lists them.")
    return Description(
        name=id,
        summary=anomalies.spec(id).summary if id in anomalies else "physics parameter of a world",
        text=opening(type(anomaly)),
        facts={
            "changes": anomaly.target,
            "formula": anomaly.formula or None,
            "parameter": anomaly.symbol,
            **_facts(anomaly, having),
        },
        tables={"strengths": _strengths(id, having), **({"severity": severity_rows(world, id)} if world else {})},
        documentation=page("guide/anomalies.md"),
    )


def _has(world: str, id: str) -> bool:
    """Whether a world has an anomaly; no if a package that the world needs is not installed."""
    if id.startswith("dynamics/"):
        return any(f"dynamics/{each.name}" == id for each in worlds.card(world).physics_parameters)
    try:
        return id in anomalies_of(world, cameras=True)
    except MissingDependency:
        return False


def _known(id: str) -> Anomaly:
    """Return an anomaly by id; one of the dynamics must be a physics parameter of some world."""
    parameters = [f"dynamics/{each.name}" for name in worlds.ids() for each in worlds.card(name).physics_parameters]
    if id in anomalies or id in parameters:
        return make_anomaly(id)
    known = [*anomalies.ids(), *parameters]
    raise UnknownName(f"no anomaly named {id!r}.{did_you_mean(id, known)} `offnominal anomalies` lists all of them.")


def _facts(anomaly: Anomaly, having: list[str]) -> dict[str, Any]:
    """Return neutral value and range; for a physics parameter they are those of its worlds."""
    if isinstance(anomaly, DynamicsAnomaly):
        parameters = [_physics_parameter(each, anomaly) for each in having]
        units = dict.fromkeys(each.unit for each in parameters if each.unit)
        return {
            "unit": ", ".join(units) or None,
            "effect": "; ".join(dict.fromkeys(each.summary for each in parameters)),
        }
    ends = [anomaly.minimum, anomaly.maximum]
    bounds = [None if math.isinf(end) else end for end in ends]
    return {
        "unit": None,
        "neutral": anomaly.neutral,
        "smallest": bounds[0],
        "largest": bounds[1],
        "whole numbers": anomaly.integer,
    }


def _strengths(id: str, having: list[str]) -> list[dict[str, Any]]:
    """Return one row per world and direction with the parameter of each level."""
    found = []
    for world in having:
        levels = {direction: each for (name, direction), each in level_parameters(world).items() if name == id}
        physics = [each for each in worlds.card(world).physics_parameters if f"dynamics/{each.name}" == id]
        own = {"neutral": physics[0].neutral, "unit": physics[0].unit} if physics else {}
        found += [(world, direction, own, each) for direction, each in (levels or {"": {}}).items()]
    columns = list(dict.fromkeys(level for *_, levels in found for level in levels))
    return [
        {
            "world": f"{world} ({direction})" if direction else world,
            **own,
            **{level: levels.get(level) for level in columns},
        }
        for world, direction, own, levels in found
    ]


def _physics_parameter(world: str, anomaly: DynamicsAnomaly) -> PhysicsParameter:
    return next(each for each in worlds.card(world).physics_parameters if each.name == anomaly.physics_parameter)
