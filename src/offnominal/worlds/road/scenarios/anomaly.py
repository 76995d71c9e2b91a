"""Anomalies of a scenario: an object on the route, or a road user that behaves anomalously."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias, get_args

from offnominal.core.checks import instance_of, integer_in, number_in, one_of, text
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.core.printable import shown
from offnominal.worlds.road.assets.catalogue import AnomalyObject, Placement, anomaly_object, catalogue
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.scenarios.errors import InvalidScenario, known_name

FARTHEST = 1000.0
WIDEST = 20.0
HIGHEST = 200.0
# Distances that the published generator draws, m.
OBJECT_DISTANCES = (65, 105)
LEAD_DISTANCES = (7, 12)
BRAKING_TICKS = (140, 170)
LATEST_TICK = 100_000
# Kinds that begin with the vehicle in front of the ego vehicle.
LEAD_KINDS = ("sudden-braking", "stopped-car", "swerving-car")
# Names of the temporal anomalies, with their names in scenario files. Only the first one is published.
TEMPORAL_KINDS: dict[str, str] = {
    "sudden-braking": "SUDDEN_BREAKING_OF_VEHICLE_AHEAD",
    "cut-in": "CUT_IN",
    "wrong-way": "WRONG_WAY_DRIVER",
    "jaywalker": "JAYWALKER",
    "swerving-car": "SWERVING_CAR",
    "stopped-car": "STOPPED_CAR",
    "light-ignored": "TRAFFIC_LIGHT_IGNORED",
}


@dataclass(frozen=True)
class ContentAnomaly(Config):
    """An object on the route of the ego vehicle.

    Args:
        name: Name of the object in the catalogue, or its blueprint id.
        distance: Distance from the start along the route, m.
        lateral_offset: Distance from the centre of the lane, m to the left.
        yaw: Direction of the object relative to the lane, degrees to the left.
        placement: ``"lane"``: dropped on the lane; ``"unstable"``: topples over; ``"air"``: above the road. None is the
            placement of the object in the catalogue.
        height: Height of its base at the beginning, m; 0 stands on the ground. None is the height in the catalogue.

    Example:
        >>> cow = ContentAnomaly("cow", distance=80.0)
        >>> cow.size, cow.label, cow.placement, cow.height
        ('big', <Label.ANIMAL: 30>, 'lane', 2.0)
        >>> ContentAnomaly("cow", distance=-3.0)
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: the distance of an object is -3.0; expected a number in [0, 1000].
    """

    name: str
    distance: float
    lateral_offset: float = 0.0
    yaw: float = 0.0
    placement: Placement | None = None
    height: float | None = None

    def __post_init__(self) -> None:
        name = instance_of("the name of an object", self.name, str)
        try:
            found = anomaly_object(name)
        except UnknownName as error:
            raise UnknownName(f"{error} `catalogue()` of offnominal.worlds.road.assets lists them.") from None
        settle(self, "name", found.name)
        number_in("the distance of an object", self.distance, 0.0, FARTHEST)
        number_in("the lateral offset of an object", self.lateral_offset, -WIDEST, WIDEST)
        number_in("the yaw of an object", self.yaw, -360.0, 360.0)
        settle(self, "placement", found.placement if self.placement is None else self.placement)
        settle(self, "height", found.height if self.height is None else self.height)
        one_of("the placement of an object", self.placement, get_args(Placement))
        number_in("the height of an object", self.height, 0.0, HIGHEST)

    @property
    def entry(self) -> AnomalyObject:
        """The object in the catalogue."""
        return catalogue()[self.name]

    @property
    def size(self) -> str:
        """Size of the object, from tiny to huge."""
        return self.entry.size

    @property
    def label(self) -> Label:
        """Semantic label of the anomaly."""
        return self.entry.super_class


@dataclass(frozen=True)
class TemporalAnomaly(Config):
    """A road user that behaves anomalously.

    Args:
        kind: Kind of the anomaly, such as ``"sudden-braking"``.
        actor: Blueprint id of the road user: ``"vehicle.…"`` or, for a jaywalker, ``"walker.…"``.
        lead_distance: Distance of the vehicle ahead at the start, m; only for the kinds in `LEAD_KINDS`.
        ticks: First and last tick at which the anomaly is active. None is 140 to 170 for sudden braking; for the other
            kinds the simulation finds the moment.

    Example:
        >>> TemporalAnomaly("sudden-braking", "vehicle.sedan", lead_distance=9).ticks
        (140, 170)
        >>> TemporalAnomaly("cutin", "vehicle.sedan")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.UnknownName: no temporal anomaly named 'cutin'. Did you mean 'cut-in'? Choose one of ...
    """

    kind: str
    actor: str
    lead_distance: int | None = None
    ticks: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        known_name("temporal anomaly", self.kind, TEMPORAL_KINDS)
        text("the actor of a temporal anomaly", self.actor)
        kind = "walker" if self.kind == "jaywalker" else "vehicle"
        if not self.actor.startswith(f"{kind}."):
            raise InvalidScenario(
                f"the actor of the anomaly {self.kind!r} is {shown(self.actor)}; expected a blueprint id that begins "
                f"with '{kind}.'."
            )
        self._check_lead()
        if self.ticks is None and self.kind == "sudden-braking":
            settle(self, "ticks", BRAKING_TICKS)
        if self.ticks is not None:
            self._check_ticks()

    @property
    def label(self) -> Label:
        """Semantic label of the anomaly."""
        return Label.TEMPORAL_ANOMALY

    def _check_lead(self) -> None:
        if self.kind in LEAD_KINDS:
            integer_in(f"the lead_distance of the anomaly {self.kind!r}", self.lead_distance, 1, 200)
        elif self.lead_distance is not None:
            raise InvalidScenario(
                f"the anomaly {self.kind!r} has the lead_distance {shown(self.lead_distance)}; leave it out, because "
                f"only {', '.join(LEAD_KINDS)} begin with the vehicle ahead."
            )

    def _check_ticks(self) -> None:
        pair = self.ticks
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise InvalidParameter(f"ticks is {shown(pair)}; expected the first and the last tick, such as (140, 170).")
        first = integer_in("the first tick of an anomaly", pair[0], 0, LATEST_TICK)
        integer_in("the last tick of an anomaly", pair[1], first, LATEST_TICK)


Anomaly: TypeAlias = ContentAnomaly | TemporalAnomaly


def settle(config: Config, field: str, value: Any) -> None:
    """Set a field of a frozen configuration while it is created."""
    object.__setattr__(config, field, value)
