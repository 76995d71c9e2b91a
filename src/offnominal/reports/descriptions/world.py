"""Description of a world."""

from __future__ import annotations

from typing import Any

from offnominal.agents.experts import expert_cards
from offnominal.anomalies.catalogue import anomalies
from offnominal.anomalies.world_anomalies import anomalies_of
from offnominal.core.rounding import fixed
from offnominal.reports.descriptions.description import Description, page
from offnominal.reports.descriptions.strength_rows import level_parameters
from offnominal.worlds.catalogue import worlds
from offnominal.worlds.world_card import Channel
from offnominal.worlds.world_source import build_world


def describe_world(id: str) -> Description:
    """Return the description of a world: spaces, channels, anomalies with their strengths, and returns.

    Args:
        id: Id of the world.

    Raises:
        UnknownName: There is no such world.

    Example:
        >>> found = describe_world("SAP-Goal0-v0")
        >>> found.facts["seconds per step"], found.tables["actions"][0]
        (0.1, {'channel': 0, 'name': 'thrust x', 'unit': '5 N'})
    """
    card = worlds.card(worlds.spec(id).id)
    world = build_world(id, 1)
    experts = {each.algorithm: each for each in expert_cards() if each.world == card.id}
    returns = {
        name: f"{fixed(each.mean_return, 2)} ± {fixed(each.return_interval, 2)}" for name, each in experts.items()
    }
    return Description(
        name=card.id,
        summary=card.summary,
        facts={
            "observations": str(world.observation_space),
            "action space": str(world.action_space),
            "seconds per step": card.dt,
            "time limit (steps)": card.max_steps,
            "length of expert episodes": card.expert_length,
            "return of experts": ", ".join(f"{name} {text}" for name, text in returns.items()) or None,
            "published return": card.expert_return,
            "return of random actions": card.random_return,
            "camera": world.camera is not None,
        },
        tables={
            "channels": _channels(card.observation),
            "actions": _channels(card.action),
            "anomalies": _anomalies(card.id),
        },
        documentation=_documentation(card.page),
    )


def _channels(channels: tuple[Channel, ...]) -> list[dict[str, Any]]:
    return [{"channel": number, "name": each.name, "unit": each.unit} for number, each in enumerate(channels)]


def _anomalies(id: str) -> list[dict[str, Any]]:
    """Return one row per anomaly, with the parameter of each level."""
    strengths = level_parameters(id)
    levels = list(dict.fromkeys(level for found in strengths.values() for level in found))
    rows: list[dict[str, Any]] = []
    for anomaly in anomalies_of(id, cameras=True):
        found = {direction: each for (name, direction), each in strengths.items() if name == anomaly}
        for direction, parameters in (found or {"": {}}).items():
            name = f"{anomaly} ({direction})" if direction else anomaly
            effect = {} if levels else {"effect": anomalies.spec(anomaly).summary if anomaly in anomalies else ""}
            rows.append({"anomaly": name, **effect, **{level: parameters.get(level) for level in levels}})
    return rows


def _documentation(name: str) -> str:
    return "" if not name else name if "://" in name else page(f"worlds/{name}.md")
