"""Bodies of cars, vans and buses: cross-sections along the vehicle, joined to a skin of paint and glass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from offnominal.worlds.road.assets.primitives import box, wheel
from offnominal.worlds.road.assets.solid import Solid, union

# Share of the way from the bottom edge to the belt line, and of the half width, for the corners below the windows.
LOWER = ((0.0, 0.93), (0.22, 1.0), (0.75, 1.0), (1.0, 0.975))
POINTS = 13


class Station(NamedTuple):
    """One cross-section of a body.

    Args:
        x: Position along the vehicle.
        half: Half width below the windows.
        bottom: Height of the lower edge.
        belt: Height of the lower edge of the windows.
        half_top: Half width at the edge of the roof or bonnet.
        top: Height of that edge.
        kind: What follows up to the next station: ``"paint"``; ``"cabin"``: side windows; ``"screen"``: windscreen or
            rear window; ``"bed"``: an open load bed.
    """

    x: float
    half: float
    bottom: float
    belt: float
    half_top: float
    top: float
    kind: str = "paint"


SEDAN = (
    Station(2.32, 0.66, 0.32, 0.52, 0.56, 0.56),
    Station(2.20, 0.82, 0.24, 0.64, 0.68, 0.70),
    Station(1.60, 0.89, 0.20, 0.80, 0.74, 0.86),
    Station(0.98, 0.90, 0.20, 0.90, 0.74, 0.97, "screen"),
    Station(0.22, 0.90, 0.20, 0.93, 0.61, 1.38, "cabin"),
    Station(-0.30, 0.90, 0.20, 0.94, 0.62, 1.42),
    Station(-0.38, 0.90, 0.20, 0.94, 0.62, 1.42, "cabin"),
    Station(-1.05, 0.90, 0.20, 0.95, 0.60, 1.39, "screen"),
    Station(-1.72, 0.89, 0.21, 0.96, 0.72, 1.02),
    Station(-2.20, 0.86, 0.24, 0.92, 0.74, 0.98),
    Station(-2.32, 0.76, 0.34, 0.76, 0.66, 0.80),
)
HATCHBACK = (
    Station(2.00, 0.64, 0.32, 0.54, 0.56, 0.58),
    Station(1.88, 0.80, 0.24, 0.68, 0.66, 0.74),
    Station(1.35, 0.87, 0.20, 0.84, 0.72, 0.90),
    Station(0.85, 0.88, 0.20, 0.92, 0.72, 0.99, "screen"),
    Station(0.20, 0.88, 0.20, 0.95, 0.62, 1.44, "cabin"),
    Station(-0.35, 0.88, 0.20, 0.96, 0.63, 1.49),
    Station(-0.43, 0.88, 0.20, 0.96, 0.63, 1.49, "cabin"),
    Station(-1.15, 0.88, 0.20, 0.98, 0.61, 1.46),
    Station(-1.40, 0.88, 0.21, 1.00, 0.60, 1.43, "screen"),
    Station(-1.84, 0.85, 0.24, 0.98, 0.70, 1.04),
    Station(-1.98, 0.76, 0.34, 0.80, 0.64, 0.84),
)
ESTATE = (
    *SEDAN[:7],
    Station(-1.10, 0.90, 0.20, 0.95, 0.62, 1.42),
    Station(-1.18, 0.90, 0.20, 0.95, 0.62, 1.42, "cabin"),
    Station(-1.85, 0.89, 0.21, 0.97, 0.60, 1.38, "screen"),
    Station(-2.25, 0.86, 0.24, 0.94, 0.72, 1.00),
    Station(-2.36, 0.76, 0.34, 0.76, 0.66, 0.80),
)
SUV = (
    Station(2.28, 0.72, 0.42, 0.72, 0.62, 0.78),
    Station(2.16, 0.88, 0.32, 0.88, 0.74, 0.96),
    Station(1.55, 0.95, 0.28, 1.02, 0.80, 1.09),
    Station(1.00, 0.96, 0.28, 1.08, 0.80, 1.15, "screen"),
    Station(0.38, 0.96, 0.28, 1.10, 0.70, 1.64, "cabin"),
    Station(-0.20, 0.96, 0.28, 1.11, 0.71, 1.70),
    Station(-0.29, 0.96, 0.28, 1.11, 0.71, 1.70, "cabin"),
    Station(-1.05, 0.96, 0.28, 1.12, 0.70, 1.69),
    Station(-1.14, 0.96, 0.28, 1.12, 0.70, 1.69, "cabin"),
    Station(-1.80, 0.95, 0.29, 1.14, 0.68, 1.64, "screen"),
    Station(-2.16, 0.92, 0.32, 1.12, 0.78, 1.18),
    Station(-2.28, 0.82, 0.44, 0.94, 0.72, 0.98),
)
SPORTS = (
    Station(2.20, 0.68, 0.24, 0.42, 0.58, 0.46),
    Station(2.05, 0.86, 0.18, 0.54, 0.72, 0.58),
    Station(1.40, 0.92, 0.15, 0.70, 0.76, 0.74),
    Station(0.75, 0.93, 0.15, 0.77, 0.74, 0.83, "screen"),
    Station(-0.05, 0.92, 0.15, 0.80, 0.56, 1.16, "cabin"),
    Station(-0.60, 0.93, 0.15, 0.83, 0.56, 1.19),
    Station(-0.85, 0.94, 0.15, 0.85, 0.56, 1.16, "screen"),
    Station(-1.65, 0.94, 0.17, 0.88, 0.72, 0.93),
    Station(-2.10, 0.90, 0.20, 0.86, 0.78, 0.90),
    Station(-2.20, 0.80, 0.32, 0.72, 0.70, 0.76),
)
VAN = (
    Station(2.75, 0.76, 0.42, 0.82, 0.66, 0.90),
    Station(2.62, 0.94, 0.32, 1.04, 0.80, 1.16),
    Station(2.15, 0.98, 0.28, 1.22, 0.84, 1.34, "screen"),
    Station(1.45, 0.99, 0.28, 1.26, 0.82, 2.20, "cabin"),
    Station(0.70, 0.99, 0.28, 1.28, 0.86, 2.36),
    Station(-2.45, 0.99, 0.28, 1.28, 0.86, 2.36),
    Station(-2.72, 0.96, 0.32, 1.28, 0.82, 2.28),
)
PICKUP = (
    Station(2.70, 0.74, 0.46, 0.76, 0.64, 0.84),
    Station(2.58, 0.92, 0.36, 0.94, 0.78, 1.02),
    Station(1.90, 0.98, 0.32, 1.08, 0.84, 1.14),
    Station(1.35, 0.98, 0.32, 1.12, 0.82, 1.18, "screen"),
    Station(0.78, 0.98, 0.32, 1.13, 0.72, 1.74, "cabin"),
    Station(0.22, 0.98, 0.32, 1.13, 0.72, 1.78),
    Station(0.14, 0.98, 0.32, 1.13, 0.72, 1.78, "cabin"),
    Station(-0.45, 0.98, 0.32, 1.13, 0.72, 1.76, "screen"),
    Station(-0.62, 0.98, 0.32, 1.13, 0.86, 1.14, "bed"),
    Station(-2.62, 0.97, 0.34, 1.12, 0.86, 1.13),
    Station(-2.70, 0.92, 0.46, 1.04, 0.84, 1.08),
)
BUS = (
    Station(5.95, 1.12, 0.50, 1.10, 1.06, 2.60, "screen"),
    Station(5.85, 1.22, 0.36, 1.12, 1.17, 2.86, "cabin"),
    *(
        Station(5.10 - 1.45 * k - d, 1.25, 0.32, 1.15, 1.20, 2.78, kind)
        for k in range(8)
        for d, kind in ((0.0, "paint"), (0.12, "cabin"))
    ),
    Station(-5.85, 1.24, 0.34, 1.15, 1.18, 2.82),
    Station(-5.95, 1.16, 0.46, 1.15, 1.10, 2.62),
)
BODIES: dict[str, tuple[Station, ...]] = {
    "sedan": SEDAN,
    "hatchback": HATCHBACK,
    "estate": ESTATE,
    "suv": SUV,
    "sports": SPORTS,
    "van": VAN,
    "pickup": PICKUP,
}


def skin(stations: Sequence[Station]) -> Solid:
    """Return the body as a closed surface: paint, glass, a dark sill and a dark load bed."""
    vertices = np.array([point for station in stations for point in _section(station)])
    faces: dict[str, list[tuple[int, int, int]]] = {"paint": [], "glass": [], "dark": []}
    for s, station in enumerate(stations[:-1]):
        for k in range(POINTS):
            a, b = s * POINTS + k, s * POINTS + (k + 1) % POINTS
            faces[_finish(station.kind, k)] += [(a, b, a + POINTS), (b, b + POINTS, a + POINTS)]
    last = (len(stations) - 1) * POINTS
    for k in range(1, POINTS - 1):
        faces["paint"] += [(0, k, k + 1), (last, last + k + 1, last + k)]
    return union([Solid.painted(name, vertices, rows) for name, rows in faces.items() if rows])


def _section(station: Station) -> list[tuple[float, float, float]]:
    """Return the corners of a cross-section, from the lower right edge over the roof to the lower left edge."""
    height = station.belt - station.bottom
    side = [(station.half * wide, station.bottom + share * height) for share, wide in LOWER]
    crown = 0.04 if station.top - station.belt < 0.3 else 0.06
    side += [(station.half_top, station.top), (0.6 * station.half_top, station.top + 0.8 * crown)]
    right = [(station.x, -y, z) for y, z in side]
    left = [(station.x, y, z) for y, z in reversed(side)]
    return [*right, (station.x, 0.0, station.top + crown), *left]


def _finish(kind: str, k: int) -> str:
    """Return the colour of face k of a cross-section: 0 to 5 on the right, 6 to 11 on the left, 12 below."""
    side = min(k, 11 - k)
    if k == POINTS - 1 or side == 0:
        return "dark"
    if kind == "bed" and side >= 4:
        return "dark"
    if (kind == "screen" and side >= 3) or (kind == "cabin" and side == 3):
        return "glass"
    return "paint"


def running_gear(axles: Sequence[float], half: float, radius: float, width: float = 0.22) -> Solid:
    """Return pairs of wheels in dark arches, with the outside of the tyres at a half width."""
    parts = []
    for x in axles:
        arch = wheel("black", 1.17 * radius, 0.05, (x, half - 0.017, 1.17 * radius), n=16)
        tyre = wheel("tyre", radius, width, (x, half - 0.5 * width + 0.02, radius), n=16)
        rim = wheel("light", 0.62 * radius, 0.02, (x, half + 0.022, radius), n=12)
        hub = wheel("dark", 0.18 * radius, 0.02, (x, half + 0.03, radius), n=8)
        slots = [
            box("dark", 0.07 * radius, 0.012, 0.3 * radius, (0.0, 0.0, 0.24 * radius))
            .turn(y=72.0 * k)
            .move(x, half + 0.03, radius)
            for k in range(5)
        ]
        parts.append(union([arch, tyre, rim, hub, *slots]).both())
    return union(parts)


def lights(front: float, rear: float, half: float, low: float, high: float) -> Solid:
    """Return headlights, tail lights, grille and number plates of a car."""
    head = box("lamp", 0.12, 0.34, 0.12, (front - 0.05, half - 0.22, low)).both()
    tail = box("red lamp", 0.08, 0.22, 0.15, (rear + 0.03, half - 0.13, high - 0.2)).both()
    grille = box("black", 0.08, 0.9 * half, 0.12, (front + 0.03, 0.0, low - 0.1))
    plates = box("white", 0.02, 0.48, 0.1, (front + 0.075, 0.0, low - 0.2)) + box(
        "white", 0.02, 0.48, 0.1, (rear - 0.015, 0.0, high - 0.42)
    )
    return head + tail + grille + plates


def mirrors(x: float, half: float, z: float) -> Solid:
    """Return the two outside mirrors."""
    return box("paint", 0.12, 0.18, 0.12, (x, half + 0.07, z), taper=0.8).both()
