"""Behaviour agents: the published parameters of cautious, normal and aggressive drivers."""

from __future__ import annotations

from dataclasses import dataclass

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.worlds.road.town.description import KMH


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Parameters of a behaviour agent.

    Args:
        name: Name of the behaviour.
        max_speed: Largest speed in km/h.
        speed_below_limit: How much slower than the limit it drives, in km/h.
        speed_decrease: How much slower than the vehicle ahead it drives if that one is too near, in km/h.
        safety_time: Time to collision in seconds below which a vehicle ahead is too near.
        min_proximity: Distance in metres within which vehicles ahead are always considered.
        braking_distance: Distance in metres at which it stops behind an obstacle.
    """

    name: str
    max_speed: float
    speed_below_limit: float
    speed_decrease: float
    safety_time: float
    min_proximity: float
    braking_distance: float

    @property
    def driver(self) -> tuple[float, ...]:
        """The agent as a driver; see :func:`offnominal.worlds.road.town.vehicle_kinds.driver_of`."""
        return (
            1.0,
            0.5 * self.safety_time,
            self.braking_distance - 1.5,
            2.0,
            2.0,
            self.max_speed * KMH,
            self.speed_below_limit * KMH,
            self.safety_time,
            self.speed_decrease * KMH,
            self.min_proximity,
        )


BEHAVIOURS: dict[str, Behaviour] = {
    "cautious": Behaviour("cautious", 40.0, 6.0, 12.0, 3.0, 12.0, 6.0),
    "normal": Behaviour("normal", 70.0, 3.0, 12.0, 3.0, 12.0, 5.0),
    "aggressive": Behaviour("aggressive", 70.0, 1.0, 8.0, 2.0, 8.0, 4.0),
}


def make_behaviour(name: str) -> Behaviour:
    """Return a behaviour by its name.

    Example:
        >>> make_behaviour("cautious").max_speed
        40.0
        >>> make_behaviour("agressive")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.UnknownName: no behaviour named 'agressive'. Did you mean 'aggressive'?
    """
    if name not in BEHAVIOURS:
        raise UnknownName(f"no behaviour named {name!r}.{did_you_mean(str(name), BEHAVIOURS)}")
    return BEHAVIOURS[name]
