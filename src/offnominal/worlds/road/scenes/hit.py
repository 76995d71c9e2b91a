"""The event that a vehicle hits the object of a content anomaly."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Hit:
    """A vehicle hits the object of a content anomaly.

    Args:
        tick: Tick in which it happens.
        vehicle: Instance id of the vehicle; 1 is the ego vehicle.
        speed: Speed of the vehicle before, m/s.
        slowdown: Speed that the vehicle loses in that tick, m/s.
        object_speed: Speed of the object at the end of that tick, m/s.
    """

    tick: int
    vehicle: int
    speed: float
    slowdown: float
    object_speed: float
