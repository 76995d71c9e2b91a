"""Roundabouts: a node of this kind becomes a one-way ring with one junction per arm."""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.deterministic_math import PI, sincos
from offnominal.worlds.road.town.curves import arc, heading_of
from offnominal.worlds.road.town.description import Node, Road, TownPlan, changed

RADIUS = 24.0
RING_LIMIT = 30.0
ARM_RADIUS = 9.5


def expand_roundabouts(plan: TownPlan) -> TownPlan:
    """Return a plan in which every roundabout is a ring of one-way roads with priority."""
    nodes, roads = dict(plan.nodes), list(plan.roads)
    for name, node in plan.nodes.items():
        if node.kind == "roundabout":
            _expand(name, node, nodes, roads)
    return TownPlan(
        plan.name,
        plan.published,
        plan.summary,
        nodes,
        tuple(roads),
        plan.vehicles,
        plan.pedestrians,
        plan.surroundings,
    )


def _expand(name: str, node: Node, nodes: dict[str, Node], roads: list[Road]) -> None:
    radius = node.radius or RADIUS
    arms = sorted(
        (_angle(node, road, at_start, nodes), k, at_start)
        for k, road in enumerate(roads)
        for at_start in (True, False)
        if name == (road.start if at_start else road.end)
    )
    ranks = [roads[k].rank for _, k, _ in arms]
    walk = any(roads[k].sidewalks != "none" for _, k, _ in arms)
    for angle, k, at_start in arms:
        sine, cosine = sincos(angle)
        corner = f"{name}/{k}"
        nodes[corner] = Node(
            node.x + radius * cosine, node.y + radius * sine, "priority", ARM_RADIUS, crossings=node.crossings
        )
        roads[k] = changed(roads[k], **{"start" if at_start else "end": corner})
    del nodes[name]
    for (first, k, _), (second, m, _) in zip(arms, arms[1:] + arms[:1], strict=True):
        stop = second if second > first else second + 2.0 * PI
        points = arc((node.x, node.y), radius, first, stop, 2.0)[1:-1]
        roads.append(
            Road(
                f"{name}/{k}",
                f"{name}/{m}",
                1,
                0,
                RING_LIMIT,
                tuple((float(x), float(y)) for x, y in points),
                sidewalks="right" if walk else "none",
                rank=max(ranks) + 1,
                bend=radius,
            )
        )


def _angle(node: Node, road: Road, at_start: bool, nodes: dict[str, Node]) -> float:
    """Return the direction in which a road leaves a node, as an angle in [0, 2 pi)."""
    other = nodes[road.end if at_start else road.start]
    path = [*road.via] if at_start else [*reversed(road.via)]
    x, y = path[0] if path else (other.x, other.y)
    return math.fmod(heading_of(np.array([x - node.x, y - node.y])) + 2.0 * PI, 2.0 * PI)
