"""Kinds of vehicles: size, how they are driven, and how frequent they are."""

from __future__ import annotations

from dataclasses import dataclass

from offnominal.core.types import FloatArray
from offnominal.worlds.road.labels import Label

FAST = 100.0


@dataclass(frozen=True, slots=True)
class VehicleKind:
    """A kind of vehicle.

    Args:
        name: Name, as in the catalogue of assets.
        label: Semantic label.
        size: Length, width and height in metres.
        axle: Distance between the axles in metres.
        share: Relative frequency in traffic.
        mass: Mass with its driver, kg.
        acceleration: Comfortable acceleration in m/s².
        top_speed: Largest speed in m/s.
        offset: Usual distance to the left of the centre of the lane.
    """

    name: str
    label: Label
    size: tuple[float, float, float]
    axle: float
    share: float
    mass: float
    acceleration: float = 1.8
    top_speed: float = FAST
    offset: float = 0.0


KINDS: tuple[VehicleKind, ...] = (
    VehicleKind("sedan", Label.CAR, (4.73, 1.86, 1.48), 2.9, 22.0, 1600.0),
    VehicleKind("hatchback", Label.CAR, (4.07, 1.80, 1.55), 2.5, 20.0, 1300.0),
    VehicleKind("estate", Label.CAR, (4.77, 1.86, 1.48), 2.9, 12.0, 1650.0),
    VehicleKind("suv", Label.CAR, (4.65, 1.95, 1.76), 2.7, 14.0, 1900.0),
    VehicleKind("sports", Label.CAR, (4.49, 1.90, 1.25), 2.6, 3.0, 1450.0, 2.4),
    VehicleKind("van", Label.CAR, (5.56, 2.02, 2.42), 3.4, 6.0, 2400.0, 1.5),
    VehicleKind("pickup", Label.CAR, (5.49, 2.02, 1.84), 3.4, 4.0, 2200.0, 1.6),
    VehicleKind("truck", Label.TRUCK, (8.10, 2.50, 3.50), 5.2, 4.0, 12000.0, 1.0, 22.0),
    VehicleKind("bus", Label.BUS, (11.9, 2.50, 3.00), 6.3, 3.0, 14000.0, 1.0, 22.0),
    VehicleKind("motorcycle", Label.MOTORCYCLE, (2.20, 0.80, 1.60), 1.4, 5.0, 290.0, 2.4),
    VehicleKind("bicycle", Label.BICYCLE, (1.80, 0.60, 1.75), 1.1, 7.0, 95.0, 1.0, 5.2, -1.0),
)
EGO_KIND = 0
CAR_KINDS = tuple(k for k, kind in enumerate(KINDS) if kind.label == Label.CAR)


def driver_of(kind: VehicleKind, u: FloatArray) -> tuple[float, ...]:
    """Return the driver of a vehicle in traffic, from five uniform numbers.

    Returns:
        Speed factor, time gap in s, standstill gap in m, acceleration and braking in m/s², largest speed in m/s, and
        four parameters that only behaviour agents have, all 0.
    """
    return (
        0.86 + 0.22 * float(u[0]),
        1.0 + 0.6 * float(u[1]),
        1.8 + 0.7 * float(u[2]),
        kind.acceleration * (0.9 + 0.3 * float(u[3])),
        1.8 + 0.6 * float(u[4]),
        kind.top_speed * (0.85 + 0.15 * float(u[0])),
        0.0,
        0.0,
        0.0,
        0.0,
    )
