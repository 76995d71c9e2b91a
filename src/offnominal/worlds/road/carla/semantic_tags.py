"""Semantic tags of CARLA 0.9.14 to 0.9.16, and the 44 published labels.

The first 29 tags have the numbers of the published labels. The tags 29 to 34 exist only in the server of AnoVox. The
other labels depend on the role of an actor: ego vehicle, vehicle of a behaviour agent, anomaly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from offnominal.core.types import Array, BoolArray
from offnominal.worlds.road.carla.errors import CarlaError
from offnominal.worlds.road.labels import AGENT_OFFSET, CONTENT_ANOMALIES, ROAD_USERS, Label

TAGS: dict[int, Label] = {int(label): label for label in Label if label <= Label.FALLING}
# Tags of actors. CARLA gives props one of the last four.
ACTOR_TAGS = (*ROAD_USERS, *CONTENT_ANOMALIES, Label.UNLABELED, Label.STATIC, Label.DYNAMIC, Label.OTHER)
_IS_ROAD_USER = np.zeros(256, np.bool_)
_IS_ROAD_USER[list(ROAD_USERS)] = True


@dataclass(frozen=True)
class Role:
    """What an actor is in a scenario, as far as it changes labels.

    Args:
        label: Label of everything that belongs to the actor; None keeps those of its tags.
        is_agent: Whether a behaviour agent controls it.

    Example:
        >>> Role(is_agent=True).relabel(np.array([Label.MOTORCYCLE, Label.RIDER, Label.STATIC])).tolist()
        [118, 113, 20]
    """

    label: Label | None = None
    is_agent: bool = False

    def relabel(self, labels: Array) -> Array:
        """Return the labels of pixels or points of the actor, given those of their tags."""
        if self.label is not None:
            return np.full_like(labels, self.label)
        return np.where(_IS_ROAD_USER[labels] & self.is_agent, labels + AGENT_OFFSET, labels)


NO_ROLE = Role()


def labels_of(tags: Array) -> NDArray[np.int32]:
    """Return the labels of semantic tags.

    Example:
        >>> labels_of(np.array([[1, 24]]))
        array([[ 1, 24]], dtype=int32)
    """
    unknown: BoolArray = tags > Label.FALLING
    if unknown.any():
        raise CarlaError(
            f"the CARLA server sends the semantic tag {int(tags[unknown].max())}; expected 0 to {int(Label.FALLING)}, "
            "as of CARLA 0.9.14 and AnoVox."
        )
    return tags.astype(np.int32)


def label_of_actor(tags: list[int]) -> Label:
    """Return the label of an actor, given its tags; a two-wheeler has those of its rider as well.

    Example:
        >>> label_of_actor([13, 19])
        <Label.BICYCLE: 19>
    """
    known = [TAGS[tag] for tag in tags if tag in TAGS]
    for label in known:
        if label in ROAD_USERS and label is not Label.RIDER:
            return label
    return known[0] if known else Label.UNLABELED
