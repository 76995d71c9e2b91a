"""Classes of normal scenes for training: the 19 classes of Cityscapes, and one for other objects."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from offnominal.worlds.road.labels import AGENT_OFFSET, ROAD_USERS, Label

IGNORED = 255
"""Class of pixels and points without a normal class; they are not part of a loss."""

CLASSES: tuple[tuple[Label, ...], ...] = (
    (Label.ROAD, Label.ROAD_LINE, Label.RAIL_TRACK),
    (Label.SIDEWALK, Label.GROUND),
    (Label.BUILDING,),
    (Label.WALL, Label.BRIDGE),
    (Label.FENCE, Label.GUARD_RAIL),
    (Label.POLE,),
    (Label.TRAFFIC_LIGHT,),
    (Label.TRAFFIC_SIGN,),
    (Label.VEGETATION,),
    (Label.TERRAIN,),
    (Label.SKY,),
    (Label.PEDESTRIAN,),
    (Label.RIDER,),
    (Label.CAR,),
    (Label.TRUCK,),
    (Label.BUS,),
    (Label.TRAIN,),
    (Label.MOTORCYCLE,),
    (Label.BICYCLE,),
    (Label.STATIC, Label.DYNAMIC, Label.OTHER, Label.WATER),
)
"""Labels of each class; road users that a behaviour agent controls belong to the class of their kind."""
N_CLASSES = len(CLASSES)


def class_table() -> NDArray[np.uint8]:
    """Return the class of each label, (256,); :data:`IGNORED` for labels without one.

    Example:
        >>> class_table()[[Label.CAR, Label.AGENT_CAR, Label.ROAD_LINE, Label.ANIMAL]].tolist()
        [13, 13, 0, 255]
    """
    table = np.full(256, IGNORED, np.uint8)
    for number, labels in enumerate(CLASSES):
        for label in labels:
            table[label] = number
            if label in ROAD_USERS:
                table[label + AGENT_OFFSET] = number
    return table


def classes_of(label: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Return the class of each pixel or point."""
    return class_table()[np.clip(label, 0, 255)]
