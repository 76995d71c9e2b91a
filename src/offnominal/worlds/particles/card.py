"""Names, limits and reference returns of the particle worlds."""

from __future__ import annotations

from dataclasses import dataclass

from offnominal.worlds.world import Channel, PhysicsParameter, WorldCard


@dataclass(frozen=True, slots=True)
class Layout:
    """How many things there are, and whether all is kept in the left half with one object in the way."""

    objects: int
    hazards: int
    half: bool = False


LAYOUTS = {
    "SAP-Goal0-v0": Layout(objects=1, hazards=0, half=True),
    "SAP-Goal1-v0": Layout(objects=3, hazards=1),
    "SAP-Goal2-v0": Layout(objects=10, hazards=3),
}

_OBSERVATION = (
    Channel("goal relative x", "m"),
    Channel("goal relative y", "m"),
    Channel("desired offset x", "m"),
    Channel("desired offset y", "m"),
    Channel("agent x", "m"),
    Channel("agent y", "m"),
    Channel("agent velocity x", "m/s"),
    Channel("agent velocity y", "m/s"),
    Channel("goal vector x", "m"),
    Channel("goal vector y", "m"),
    *(Channel(f"object lidar {45 * k} deg", "1") for k in range(8)),
    *(Channel(f"hazard lidar {45 * k} deg", "1") for k in range(8)),
)
_ACTION = (Channel("thrust x", "5 N"), Channel("thrust y", "5 N"))
_PHYSICS_PARAMETERS = (
    PhysicsParameter("force", 0.0, "constant force on the agent, this much along each axis", "N"),
    PhysicsParameter(
        "moving_objects", 0.0, "bound of a random force on every object, drawn each step", "N", minimum=0.0
    ),
    PhysicsParameter("mass", 1.0, "factor on the agent's mass", "1", minimum=1e-6, combine="multiply"),
    PhysicsParameter("damping", 0.25, "share of velocity lost per step", "1", minimum=0.0),
)


def _card(id: str, summary: str, expert: float, random: float, length: int) -> WorldCard:
    return WorldCard(
        id=id,
        summary=summary,
        dt=0.1,
        max_steps=50,
        expert_length=length,
        expert_return=expert,
        random_return=random,
        observation=_OBSERVATION,
        action=_ACTION,
        physics_parameters=_PHYSICS_PARAMETERS,
    )


CARDS = {
    "SAP-Goal0-v0": _card("SAP-Goal0-v0", "reach the goal around one object", -2.923, -122.551, 13),
    "SAP-Goal1-v0": _card("SAP-Goal1-v0", "reach the goal between 3 objects and 1 hazard", -6.328, -151.246, 14),
    "SAP-Goal2-v0": _card("SAP-Goal2-v0", "reach the goal between 10 objects and 3 hazards", -9.338, -177.359, 15),
}
