"""The faults that can be chosen in a world, each with the parameters of its strengths."""

from __future__ import annotations

from functools import cache
from typing import Any

from gymnasium.spaces import Discrete

from offnominal.anomalies.anomaly import Anomaly, CameraAnomaly, DynamicsAnomaly, SignalAnomaly
from offnominal.anomalies.catalogue import anomalies, anomalies_with, camera_anomalies, make_anomaly
from offnominal.anomalies.strengths import strengths_of
from offnominal.worlds.catalogue import worlds
from offnominal.worlds.world_card import PhysicsParameter
from offnominal.worlds.world_source import spaces_of

UNCALIBRATED = {"noise": 0.5, "temporal_noise": 0.5, "offset": 0.5, "drift": 0.02, "quantisation": 0.5}
"""A visible parameter of signal anomalies in worlds without calibrated strengths."""


@cache
def has_discrete_actions(world: str) -> bool:
    """Whether the actions of a world are discrete."""
    return isinstance(spaces_of(world).action, Discrete)


def fault_choices(world: str, *, images: bool = False) -> list[dict[str, Any]]:
    """Return the faults of a world, with the parameter of each strength from weak to strong.

    Args:
        world: Id of the world.
        images: Whether there are images, so that cameras can be faulty.

    Example:
        >>> choice = next(each for each in fault_choices("SAP-Goal0-v0") if each["id"] == "action/offset")
        >>> [name for name, _ in choice["strengths"]]
        ['none', 'tiny', 'medium', 'strong', 'extreme']
    """
    card = worlds.card(world)
    physics = {each.name: each for each in card.physics_parameters}
    ids = anomalies_with(physics, discrete=has_discrete_actions(world)) + (camera_anomalies() if images else [])
    levels: dict[str, list[tuple[str, float]]] = {}
    for (id, level), parameter in strengths_of(world).items():
        levels.setdefault(id, []).append((level, parameter))
    return [_choice(make_anomaly(id), physics, levels.get(id, [])) for id in ids]


def _choice(kind: Anomaly, physics: dict[str, PhysicsParameter], levels: list[tuple[str, float]]) -> dict[str, Any]:
    parameter = physics.get(kind.physics_parameter) if isinstance(kind, DynamicsAnomaly) else None
    neutral = kind.neutral if parameter is None else parameter.neutral
    listed = anomalies.spec(kind.id).summary if kind.id in anomalies else ""
    return {
        "id": kind.id,
        "target": kind.target,
        "summary": listed if parameter is None else parameter.summary or listed,
        "formula": kind.formula,
        "symbol": kind.symbol,
        "unit": "" if parameter is None else parameter.unit,
        "integer": kind.integer,
        "channels": isinstance(kind, SignalAnomaly),
        "strengths": [["none", neutral], *(levels or [("typical", _typical(kind, parameter, neutral))])],
    }


def _typical(kind: Anomaly, parameter: PhysicsParameter | None, neutral: float) -> float:
    """Return a parameter with a visible effect, for faults without calibrated strengths."""
    if isinstance(kind, CameraAnomaly):
        return kind.typical
    if parameter is not None:
        usual = 2.0 * neutral if neutral else 8.0
        return usual if parameter.typical is None else parameter.typical
    return UNCALIBRATED.get(kind.kind, 5.0 if kind.integer else 2.0)
