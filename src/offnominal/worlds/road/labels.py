"""Semantic labels of the driving world, with the published ids and colours of AnoVox (Bogdoll et al. 2024).

There are 44 labels: 29 of CARLA 0.9.14 and Cityscapes, six super-classes of content anomalies, one label for temporal
anomalies, seven for road users that a behaviour agent controls, and one for the ego vehicle.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from offnominal.core.errors import InvalidParameter

AGENT_OFFSET = 100


class Label(IntEnum):
    """Semantic class of a pixel, a lidar point or an instance; the value is the published id."""

    UNLABELED = 0
    ROAD = 1
    SIDEWALK = 2
    BUILDING = 3
    WALL = 4
    FENCE = 5
    POLE = 6
    TRAFFIC_LIGHT = 7
    TRAFFIC_SIGN = 8
    VEGETATION = 9
    TERRAIN = 10
    SKY = 11
    PEDESTRIAN = 12
    RIDER = 13
    CAR = 14
    TRUCK = 15
    BUS = 16
    TRAIN = 17
    MOTORCYCLE = 18
    BICYCLE = 19
    STATIC = 20
    DYNAMIC = 21
    OTHER = 22
    WATER = 23
    ROAD_LINE = 24
    GROUND = 25
    BRIDGE = 26
    RAIL_TRACK = 27
    GUARD_RAIL = 28
    HOME = 29
    ANIMAL = 30
    NATURE = 31
    SPECIAL = 32
    AIRPLANE = 33
    FALLING = 34
    TEMPORAL_ANOMALY = 100
    AGENT_PEDESTRIAN = 112
    AGENT_RIDER = 113
    AGENT_CAR = 114
    AGENT_TRUCK = 115
    AGENT_BUS = 116
    AGENT_MOTORCYCLE = 118
    AGENT_BICYCLE = 119
    EGO_VEHICLE = 214

    @property
    def colour(self) -> tuple[int, int, int]:
        """Published colour in red, green and blue, from 0 to 255."""
        return _COLOURS[self]

    @property
    def is_anomaly(self) -> bool:
        """Whether the label is that of a content or temporal anomaly."""
        return self in CONTENT_ANOMALIES or self is Label.TEMPORAL_ANOMALY

    def as_agent(self) -> Label:
        """Return the label of a road user that a behaviour agent controls, for example of a rerouted vehicle.

        Example:
            >>> Label.CAR.as_agent()
            <Label.AGENT_CAR: 114>
        """
        if self not in ROAD_USERS:
            raise InvalidParameter(f"{self.name} is not a road user, so no behaviour agent can control it.")
        return Label(self + AGENT_OFFSET)


ROAD_USERS = (
    Label.PEDESTRIAN,
    Label.RIDER,
    Label.CAR,
    Label.TRUCK,
    Label.BUS,
    Label.MOTORCYCLE,
    Label.BICYCLE,
)
CONTENT_ANOMALIES = (Label.HOME, Label.ANIMAL, Label.NATURE, Label.SPECIAL, Label.AIRPLANE, Label.FALLING)

_COLOURS: dict[Label, tuple[int, int, int]] = {
    Label.UNLABELED: (0, 0, 0),
    Label.ROAD: (128, 64, 128),
    Label.SIDEWALK: (244, 35, 232),
    Label.BUILDING: (70, 70, 70),
    Label.WALL: (102, 102, 156),
    Label.FENCE: (190, 153, 153),
    Label.POLE: (153, 153, 153),
    Label.TRAFFIC_LIGHT: (250, 170, 30),
    Label.TRAFFIC_SIGN: (220, 220, 0),
    Label.VEGETATION: (107, 142, 35),
    Label.TERRAIN: (152, 251, 152),
    Label.SKY: (70, 130, 180),
    Label.PEDESTRIAN: (220, 20, 60),
    Label.RIDER: (255, 0, 0),
    Label.CAR: (0, 0, 142),
    Label.TRUCK: (0, 0, 70),
    Label.BUS: (0, 60, 100),
    Label.TRAIN: (0, 80, 100),
    Label.MOTORCYCLE: (0, 0, 230),
    Label.BICYCLE: (119, 11, 32),
    Label.STATIC: (110, 190, 160),
    Label.DYNAMIC: (170, 120, 50),
    Label.OTHER: (55, 90, 80),
    Label.WATER: (45, 60, 150),
    Label.ROAD_LINE: (157, 234, 50),
    Label.GROUND: (81, 0, 81),
    Label.BRIDGE: (150, 100, 100),
    Label.RAIL_TRACK: (230, 150, 140),
    Label.GUARD_RAIL: (180, 165, 180),
    **{label: (245, int(label), 0) for label in CONTENT_ANOMALIES},
    Label.TEMPORAL_ANOMALY: (245, 0, 0),
    Label.AGENT_PEDESTRIAN: (220, 20, 61),
    Label.AGENT_RIDER: (255, 0, 1),
    Label.AGENT_CAR: (0, 0, 143),
    Label.AGENT_TRUCK: (0, 0, 71),
    Label.AGENT_BUS: (0, 60, 101),
    Label.AGENT_MOTORCYCLE: (0, 0, 231),
    Label.AGENT_BICYCLE: (119, 11, 33),
    Label.EGO_VEHICLE: (0, 0, 1),
}


def colour_table() -> NDArray[np.uint8]:
    """Return the colours as a table (256, 3), so that ``colour_table()[label]`` paints an image of labels.

    Example:
        >>> colour_table()[np.array([Label.ROAD, Label.HOME])].tolist()
        [[128, 64, 128], [245, 29, 0]]
    """
    table = np.zeros((256, 3), np.uint8)
    for label, colour in _COLOURS.items():
        table[label] = colour
    return table
