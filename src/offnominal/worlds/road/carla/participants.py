"""The road users and objects of a run, and their state at a frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.worlds.road.carla.coordinates import heading, pose, vector
from offnominal.worlds.road.carla.errors import CarlaError
from offnominal.worlds.road.carla.instance_matching import Boxes
from offnominal.worlds.road.carla.semantic_tags import NO_ROLE, Role, label_of_actor
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.town.snapshot import Snapshot
from offnominal.worlds.road.town.traffic_state import GREEN, RED, YELLOW


@dataclass
class Participant:
    """A road user or object.

    Args:
        actor: The actor of CARLA.
        kind: Name of its kind.
        role: What it is in the scenario.
        anomalous: Whether it is an anomaly, or behaves anomalously now.
    """

    actor: Any
    kind: str
    role: Role = NO_ROLE
    anomalous: bool = False
    tagged: Label = field(init=False)
    offset: FloatArray = field(init=False)
    half: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        box = self.actor.bounding_box
        self.tagged = label_of_actor(list(self.actor.semantic_tags))
        self.offset = vector(box.location)
        self.half = np.array([box.extent.x, box.extent.y, box.extent.z])

    @property
    def label(self) -> Label:
        """Semantic label."""
        return Label(int(self.role.relabel(np.array([self.tagged]))[0]))


def light_states(carla: Any, lights: list[Any]) -> list[int]:
    """Return the states of traffic lights: 0 green, 1 yellow, 2 red; one that is off counts as green."""
    states = {carla.TrafficLightState.Red: RED, carla.TrafficLightState.Yellow: YELLOW}
    return [states.get(light.state, GREEN) for light in lights]


def boxes_of(participants: list[Participant], snapshot: Any) -> Boxes:
    """Return the bounding boxes of all participants; their instance ids count from 1."""
    poses = [pose(_found(each, snapshot).get_transform()) for each in participants]
    return Boxes(
        np.arange(1, len(participants) + 1),
        np.array([p + r @ each.offset for each, (p, r) in zip(participants, poses, strict=True)]).reshape(-1, 3),
        np.array([r for _, r in poses]).reshape(-1, 3, 3),
        np.array([each.half for each in participants]).reshape(-1, 3),
    )


def state_of(participants: list[Participant], snapshot: Any, tick: int, lights: list[int], control: Any) -> Snapshot:
    """Return the state of all participants.

    Args:
        participants: All participants, the ego vehicle first.
        snapshot: Snapshot of the world of CARLA.
        tick: Number of the tick.
        lights: States of the traffic lights.
        control: Control of the ego vehicle.
    """
    found = [_found(each, snapshot) for each in participants]
    boxes = boxes_of(participants, snapshot)
    velocity = np.array([vector(each.get_velocity()) for each in found]).reshape(-1, 3)
    acceleration = np.array([vector(each.get_acceleration()) for each in found]).reshape(-1, 3)
    ahead = boxes.rotation[:, :, 0]
    return Snapshot(
        tick=tick,
        instance=boxes.instance,
        kind=tuple(each.kind for each in participants),
        label=np.array([each.label for each in participants], np.int64),
        position=boxes.centre[:, :2].copy(),
        heading=np.array([heading(each.get_transform()) for each in found]),
        speed=np.sqrt((velocity**2).sum(axis=1)),
        acceleration=(acceleration * ahead).sum(axis=1),
        size=2.0 * boxes.half,
        lights=np.array(lights, np.int64),
        controls=(float(control.throttle), -float(control.steer) + 0.0, float(control.brake)),
        anomalous=np.array([each.anomalous for each in participants], np.bool_),
    )


def _found(participant: Participant, snapshot: Any) -> Any:
    if not snapshot.has_actor(participant.actor.id):
        raise CarlaError(
            f"the {participant.kind} with the id {participant.actor.id} has vanished from the CARLA server at frame "
            f"{snapshot.frame}; did another client destroy it?"
        )
    return snapshot.find(participant.actor.id)
