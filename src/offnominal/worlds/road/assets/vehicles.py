"""Cars, vans, trucks and buses."""

from __future__ import annotations

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.sensing.material import Colour, Material
from offnominal.worlds.road.assets.asset import Asset, Part, asset, shared_mesh
from offnominal.worlds.road.assets.car_body import BODIES, BUS, lights, mirrors, running_gear, skin
from offnominal.worlds.road.assets.draws import Draws
from offnominal.worlds.road.assets.primitives import box, drum, prism, wheel
from offnominal.worlds.road.assets.solid import Solid, union
from offnominal.worlds.road.labels import Label

CAR_BODIES = tuple(BODIES)
TRUCK_BODIES = ("box", "tanker", "tipper")
# Where the windscreen of the sedan begins, m.
SCREEN = 0.98
PAINTS: tuple[Colour, ...] = (
    (0.86, 0.87, 0.88),
    (0.10, 0.10, 0.11),
    (0.52, 0.54, 0.56),
    (0.70, 0.72, 0.74),
    (0.12, 0.22, 0.46),
    (0.60, 0.08, 0.08),
    (0.16, 0.30, 0.24),
    (0.78, 0.66, 0.42),
    (0.30, 0.44, 0.58),
    (0.85, 0.52, 0.10),
)
LIVERIES: tuple[Colour, ...] = ((0.78, 0.14, 0.12), (0.92, 0.80, 0.20), (0.14, 0.34, 0.60), (0.20, 0.48, 0.30))
CARGO: tuple[Colour, ...] = ((0.88, 0.88, 0.86), (0.70, 0.16, 0.12), (0.16, 0.32, 0.56), (0.80, 0.62, 0.14))


def car(seed: int = 0, *, body: str | None = None, paint: Colour | None = None) -> Asset:
    """Return a car.

    Args:
        seed: Chooses body and paint where they are not given.
        body: One of ``CAR_BODIES``.
        paint: Colour of the body.

    Example:
        >>> car(body="sedan").name
        'sedan'
    """
    draws = Draws(seed, "car")
    chosen = draws.one_of(CAR_BODIES) if body is None else body
    if chosen not in BODIES:
        raise UnknownName(f"no car body named {chosen!r}.{did_you_mean(chosen, CAR_BODIES)}")
    colour = draws.one_of(PAINTS) if paint is None else paint
    return asset(chosen, Part(shared_mesh(_car, chosen), Label.CAR, Material(colour)))


def bonnet(*, paint: Colour = (0.30, 0.32, 0.35)) -> Asset:
    """Return the front of a sedan up to the windscreen, as its own camera sees it."""
    return asset("bonnet", Part(shared_mesh(_bonnet), Label.EGO_VEHICLE, Material(paint)))


def truck(seed: int = 0, *, body: str | None = None, paint: Colour | None = None) -> Asset:
    """Return a truck with a box, a tank or a tipping bed; see :func:`car`."""
    draws = Draws(seed, "truck")
    chosen = draws.one_of(TRUCK_BODIES) if body is None else body
    if chosen not in TRUCK_BODIES:
        raise UnknownName(f"no truck body named {chosen!r}.{did_you_mean(chosen, TRUCK_BODIES)}")
    material = Material(draws.one_of(PAINTS) if paint is None else paint, draws.one_of(CARGO))
    return asset(f"{chosen} truck", Part(shared_mesh(_truck, chosen), Label.TRUCK, material))


def bus(seed: int = 0, *, paint: Colour | None = None) -> Asset:
    """Return a city bus; see :func:`car`."""
    colour = Draws(seed, "bus").one_of(LIVERIES) if paint is None else paint
    return asset("bus", Part(shared_mesh(_bus), Label.BUS, Material(colour)))


def _bonnet() -> Solid:
    stations = BODIES["sedan"]
    front = [station._replace(kind="paint") for station in stations if station.x >= SCREEN]
    base = front[-1]
    return skin(front) + box("black", 0.06, 1.3, 0.03, (base.x + 0.02, 0.0, base.top - 0.02))


def _car(body: str) -> Solid:
    stations = BODIES[body]
    first, second, last = stations[0], stations[1], stations[-1]
    screen = next(station for station in stations if station.kind == "screen")
    tall = body in ("suv", "van", "pickup")
    radius = 0.38 if tall else 0.32
    half = stations[2].half
    front_axle, rear_axle = first.x - (0.92 if tall else 0.86), last.x + (1.05 if tall else 0.95)
    parts = [
        skin(stations),
        running_gear((front_axle, rear_axle), half, radius),
        lights(first.x - 0.02, last.x, second.half, second.belt - 0.2, last.belt + 0.08),
        mirrors(screen.x - 0.25, half, screen.belt + 0.02),
    ]
    return union(parts)


def _truck(body: str) -> Solid:
    cab = box("paint", 1.9, 2.4, 1.35, (3.05, 0.0, 0.75)) + box(
        "paint", 1.9, 2.4, 1.0, (3.05, 0.0, 2.1), taper=(0.86, 0.94)
    )
    glass = prism("glass", ((4.012, 2.15), (3.905, 2.95), (3.86, 2.95), (3.96, 2.15)), 2.05, taper=0.96)
    sides = box("glass", 0.85, 0.04, 0.6, (3.25, 1.185, 2.2)).both()
    front = box("black", 0.06, 1.5, 0.55, (4.0, 0.0, 1.1)) + box("dark", 0.2, 2.4, 0.35, (3.98, 0.0, 0.45))
    lamps = (
        box("lamp", 0.06, 0.35, 0.18, (4.06, 0.9, 0.55)).both()
        + box("red lamp", 0.05, 0.3, 0.14, (-4.02, 0.95, 0.8)).both()
    )
    chassis = box("dark", 7.9, 0.9, 0.3, (0.0, 0.0, 0.62)) + box("black", 1.2, 0.5, 0.5, (0.9, 0.9, 0.45)).both()
    gear = running_gear((3.05, -2.1, -3.25), 1.17, 0.5, 0.32)
    return cab + glass + sides + front + lamps + chassis + gear + _load(body)


def _load(body: str) -> Solid:
    if body == "box":
        ribs = [box("light", 0.05, 2.52, 2.5, (x, 0.0, 1.02)) for x in (1.9, -4.0)]
        return box("second", 5.9, 2.5, 2.45, (-1.05, 0.0, 1.05)) + union(ribs)
    if body == "tanker":
        tank = drum("second", 1.15, 5.8, n=18).turn(y=90.0).move(-4.0, 0.0, 2.1)
        hoops = [drum("light", 1.18, 0.08, n=18).turn(y=90.0).move(x, 0.0, 2.1) for x in (-3.2, -1.6, 0.0, 1.4)]
        return (
            tank
            + union(hoops)
            + box("dark", 5.6, 0.5, 0.25, (-1.1, 0.0, 0.9))
            + drum("light", 0.3, 0.2, (-1.0, 0.0, 3.2))
        )
    walls = box("second", 5.6, 0.1, 1.2, (-1.2, 1.2, 1.1)).both() + box("second", 0.1, 2.5, 1.5, (1.6, 0.0, 1.1))
    load = box("ochre", 5.4, 2.3, 0.9, (-1.2, 0.0, 1.1), taper=(0.9, 0.8))
    return (
        walls + box("second", 0.1, 2.5, 1.2, (-4.0, 0.0, 1.1)) + box("second", 5.6, 2.5, 0.1, (-1.2, 0.0, 1.0)) + load
    )


def _bus() -> Solid:
    roof = box("light", 3.0, 1.5, 0.22, (1.5, 0.0, 2.8)) + box("light", 2.0, 1.5, 0.22, (-3.5, 0.0, 2.8))
    sign = box("black", 0.05, 1.5, 0.25, (5.98, 0.0, 2.5)) + box("amber lamp", 0.05, 1.1, 0.12, (5.99, 0.0, 2.56))
    doors = [box("glass", 1.1, 0.03, 2.1, (x, -1.245, 0.45)) for x in (4.55, 0.2)]
    frames = [box("black", 0.05, 0.04, 2.1, (x, -1.25, 0.45)) for x in (4.55, 0.2)]
    lamps = (
        box("lamp", 0.06, 0.32, 0.18, (5.98, 0.85, 0.7)).both()
        + box("red lamp", 0.06, 0.2, 0.4, (-5.96, 0.98, 0.9)).both()
    )
    rear = box("glass", 0.04, 1.7, 0.8, (-5.98, 0.0, 1.6)) + box("black", 0.06, 1.7, 0.5, (-5.96, 0.0, 0.75))
    gear = running_gear((3.3, -3.0), 1.235, 0.48, 0.3)
    rail = wheel("black", 0.03, 0.5, (5.9, 1.35, 2.3)) + box("black", 0.1, 0.2, 0.4, (5.95, 1.4, 1.9))
    return skin(BUS) + roof + sign + union(doors) + union(frames) + lamps + rear + gear + rail.both()
