"""Names, limits and reference returns of the particle worlds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from offnominal.core.registry import Spec
from offnominal.worlds.world_card import Channel, PhysicsParameter, TrainingPresets, WorldCard


@dataclass(frozen=True, slots=True)
class Layout:
    """Contents of a particle world.

    Args:
        objects: Number of objects.
        hazards: Number of hazards.
        half: Whether everything is in the left half, with one object between agent and goal.
    """

    objects: int
    hazards: int
    half: bool = False


LAYOUTS = {
    "SAP-Goal0-v0": Layout(objects=1, hazards=0, half=True),
    "SAP-Goal1-v0": Layout(objects=3, hazards=1),
    "SAP-Goal2-v0": Layout(objects=10, hazards=3),
}

_OBSERVATION = (
    *(
        Channel(f"{name} {axis}", "m", -2.0, 2.0, "width of the arena")
        for name in ("goal relative", "desired offset", "agent")
        for axis in "xy"
    ),
    *(Channel(f"agent velocity {axis}", "m/s", -1.0, 1.0, "top speed of the agent") for axis in "xy"),
    *(Channel(f"goal vector {axis}", "m", -2.0, 2.0, "width of the arena") for axis in "xy"),
    *(
        Channel(f"{seen} lidar {45 * k} deg", "1", 0.0, 1.0, "nothing in reach to touching")
        for seen in ("object", "hazard")
        for k in range(8)
    ),
)
_ACTION = tuple(Channel(f"thrust {axis}", "5 N", -1.0, 1.0, "full thrust") for axis in "xy")
_PHYSICS_PARAMETERS = (
    PhysicsParameter(
        "force",
        0.0,
        "constant force on the agent, this much along each axis",
        "N",
        plausible=(-15.0, 15.0),
        range_of="three times the thrust of 5 N per axis",
    ),
    PhysicsParameter(
        "moving_objects",
        0.0,
        "bound of a random force on every object, drawn each step",
        "N",
        minimum=0.0,
        plausible=(0.0, 15.0),
        range_of="three times the thrust of the agent, which moves the objects otherwise",
    ),
    PhysicsParameter(
        "mass",
        1.0,
        "factor on the agent's mass",
        "1",
        minimum=1e-6,
        combine="multiply",
        plausible=(0.1, 10.0),
        range_of="ten times its own mass, more than a robot carries",
    ),
    PhysicsParameter(
        "damping",
        0.25,
        "share of velocity lost per step",
        "1",
        minimum=0.0,
        plausible=(0.0, 1.0),
        range_of="a share, at most all of it",
    ),
)


_PUBLISHED = {"steps": 250_000}


def _card(
    id: str,
    summary: str,
    *,
    expert_return: float,
    random_return: float,
    expert_length: int,
    controller: Mapping[str, float],
    training: Mapping[str, Any],
    steps: int,
) -> WorldCard:
    """Return the card of one layout.

    Args:
        id: Id of the world.
        summary: One line.
        expert_return: Mean return of the published expert.
        random_return: Mean return of random actions, as published.
        expert_length: Transitions of the expert's episodes.
        controller: Parameters of the scripted expert.
        training: Preset of the training settings.
        steps: Transitions of each training of a population.
    """
    return WorldCard(
        id=id,
        summary=summary,
        dt=0.1,
        max_steps=50,
        expert_length=expert_length,
        expert_return=expert_return,
        random_return=random_return,
        observation=_OBSERVATION,
        action=_ACTION,
        physics_parameters=_PHYSICS_PARAMETERS,
        target="offnominal.worlds.particles.world:ParticleWorld",
        options={"id": id},
        tags=("camera",),
        scripted_expert=Spec(
            "PotentialField", "offnominal.worlds.particles.potential_field:PotentialField", options=controller
        ),
        training=TrainingPresets(policy=training, published=_PUBLISHED, population={"steps": steps}),
        page="sap",
    )


CARDS = {
    card.id: card
    for card in (
        _card(
            "SAP-Goal0-v0",
            "reach the goal around one object",
            expert_return=-2.923,
            random_return=-122.551,
            expert_length=13,
            controller={},
            training={"steps": 400_000},
            steps=500_000,
        ),
        _card(
            "SAP-Goal1-v0",
            "reach the goal between 3 objects and 1 hazard",
            expert_return=-6.328,
            random_return=-151.246,
            expert_length=14,
            controller={"repulsion": 5.0},
            training={"steps": 1_500_000},
            steps=1_000_000,
        ),
        _card(
            "SAP-Goal2-v0",
            "reach the goal between 10 objects and 3 hazards",
            expert_return=-9.338,
            random_return=-177.359,
            expert_length=15,
            controller={"repulsion": 10.0, "detour": 6.0, "sharpness": 8.0, "braking": 0.5},
            training={"steps": 4_000_000, "gradient_steps": 24},
            steps=1_500_000,
        ),
    )
}
