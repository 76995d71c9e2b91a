"""Bicycles and motorcycles, with or without riders."""

from __future__ import annotations

import math
from functools import lru_cache

from offnominal.core.deterministic_math import sincos
from offnominal.sensing.material import Colour, Material
from offnominal.worlds.road.assets.asset import Asset, Part, asset, shared_mesh
from offnominal.worlds.road.assets.draws import Draws
from offnominal.worlds.road.assets.people import CACHED, SKINS, clothes, head, limb
from offnominal.worlds.road.assets.primitives import ball, box, drum, lathe, ring, tube, wheel
from offnominal.worlds.road.assets.solid import Solid, union
from offnominal.worlds.road.labels import Label

POSTURES = 8
HELMETS = ("white", "red", "blue", "black")
FRAMES: tuple[Colour, ...] = (
    (0.70, 0.10, 0.10),
    (0.10, 0.28, 0.60),
    (0.12, 0.12, 0.13),
    (0.16, 0.50, 0.34),
    (0.9, 0.9, 0.9),
)


def bicycle(seed: int = 0, *, rider: bool = True, phase: float = 0.0) -> Asset:
    """Return a bicycle; `phase` turns the pedals, from 0 to 1."""
    return _bicycle_asset(seed, math.floor(phase * POSTURES) % POSTURES if rider else -1)


@lru_cache(maxsize=CACHED)
def _bicycle_asset(seed: int, posture: int) -> Asset:
    """Return a bicycle, without a rider if the posture is negative."""
    draws = Draws(seed, "bicycle")
    parts = [Part(shared_mesh(_bicycle), Label.BICYCLE, Material(draws.one_of(FRAMES)))]
    if posture >= 0:
        mesh = shared_mesh(_cyclist, draws.one_of(SKINS), draws.one_of(HELMETS), posture)
        parts.append(Part(mesh, Label.RIDER, clothes(seed)))
    return asset("bicycle", *parts)


def motorcycle(seed: int = 0, *, rider: bool = True) -> Asset:
    """Return a motorcycle."""
    draws = Draws(seed, "motorcycle")
    parts = [Part(shared_mesh(_motorcycle), Label.MOTORCYCLE, Material(draws.one_of(FRAMES)))]
    if rider:
        mesh = shared_mesh(_motorcyclist, draws.one_of(SKINS), draws.one_of(("white", "black", "red", "yellow")))
        parts.append(Part(mesh, Label.RIDER, clothes(seed)))
    return asset("motorcycle", *parts)


def _tyre(x: float, radius: float, thick: float) -> Solid:
    spokes = union([box("steel", 0.012, 0.012, 2.0 * radius, (0.0, 0.0, -radius)).turn(y=45.0 * k) for k in range(4)])
    return (ring("tyre", radius - thick, thick, n=18, m=6).turn(x=90.0) + spokes).move(x, 0.0, radius)


def _bicycle() -> Solid:
    rear, crank, seat, steer, front = (
        (-0.5, 0.0, 0.34),
        (-0.05, 0.0, 0.30),
        (-0.2, 0.0, 0.82),
        (0.36, 0.0, 0.84),
        (0.52, 0.0, 0.34),
    )
    frame = [
        tube("paint", pair, 0.02, n=6)
        for pair in ((crank, seat), (crank, steer), (seat, steer), (crank, rear), (seat, rear), (steer, front))
    ]
    bar = tube("black", ((0.33, 0.0, 1.0), (0.36, 0.22, 1.02), (0.28, 0.28, 1.02)), 0.016, n=6).both()
    stem = tube("dark", (steer, (0.33, 0.0, 1.0)), 0.018, n=6) + tube("dark", (seat, (-0.23, 0.0, 0.94)), 0.016, n=6)
    saddle = ball("black", 0.14, 0.08, 0.035, (-0.22, 0.0, 0.96), n=8)
    gear = wheel("dark", 0.1, 0.02, crank, n=12) + box("red lamp", 0.03, 0.05, 0.05, (-0.24, 0.0, 0.84))
    return union([_tyre(-0.5, 0.34, 0.022), _tyre(0.52, 0.34, 0.022), *frame, bar, stem, saddle, gear])


def _cyclist(skin: str, helmet: str, posture: int) -> Solid:
    torso = lathe("paint", ((0.0, 0.0), (0.14, 0.02), (0.15, 0.2), (0.18, 0.42), (0.14, 0.56), (0.05, 0.62)), n=10)
    body = torso.scale(0.7, 1.05, 1.0).turn(y=32.0).move(-0.24, 0.0, 0.93)
    arms = limb("paint", (0.03, 0.19, 1.38), (0.17, 0.27, 1.16), (0.3, 0.25, 1.05), 0.052, 0.038)
    legs = []
    for side, shift in ((1, 0.0), (-1, 0.5)):
        sine, cosine = sincos(2.0 * math.pi * (posture / POSTURES + shift))
        foot = (-0.05 + 0.17 * cosine, 0.1 * side, 0.34 + 0.17 * sine)
        knee = (0.17 + 0.06 * cosine, 0.11 * side, 0.70 + 0.09 * sine)
        legs.append(limb("second", (-0.2, 0.09 * side, 0.95), knee, foot, 0.085, 0.05))
        legs.append(ball("black", 0.12, 0.045, 0.045, (foot[0] + 0.04, foot[1], foot[2] - 0.03), n=7))
    return union([body, arms.both(), head(skin, helmet, (0.17, 0.0, 1.62), helmet=True), *legs])


def _motorcycle() -> Solid:
    wheels = [
        (ring("tyre", 0.25, 0.075, n=16, m=7).turn(x=90.0) + wheel("light", 0.2, 0.05, n=12)).move(x, 0.0, 0.32)
        for x in (-0.72, 0.74)
    ]
    tank = ball("paint", 0.32, 0.17, 0.17, (0.16, 0.0, 0.86)) + ball("paint", 0.22, 0.14, 0.1, (-0.72, 0.0, 0.86))
    seat = ball("black", 0.42, 0.15, 0.08, (-0.38, 0.0, 0.82))
    engine = (
        box("steel", 0.42, 0.3, 0.34, (0.06, 0.0, 0.3))
        + drum("dark", 0.14, 0.34, (-0.1, 0.0, 0.4))
        + box("dark", 0.5, 0.22, 0.16, (-0.1, 0.0, 0.58))
    )
    fork = (
        tube("steel", ((0.74, 0.1, 0.32), (0.5, 0.1, 0.95)), 0.03, n=6).both()
        + tube("dark", ((-0.72, 0.1, 0.32), (-0.1, 0.1, 0.5)), 0.035, n=6).both()
    )
    bar = tube("black", ((0.45, 0.0, 1.0), (0.42, 0.25, 1.06), (0.3, 0.38, 1.04)), 0.02, n=6).both()
    pipe = tube("steel", ((0.1, -0.16, 0.35), (-0.4, -0.2, 0.3), (-0.95, -0.22, 0.45)), (0.03, 0.045, 0.05), n=7)
    lamps = ball("lamp", 0.09, 0.1, 0.1, (0.58, 0.0, 0.9), n=8) + box("red lamp", 0.04, 0.14, 0.07, (-0.95, 0.0, 0.85))
    guards = ring("paint", 0.36, 0.06, n=8, m=5, arc=0.32).scale(1.0, 1.0, 1.2).turn(x=90.0).move(0.74, 0.0, 0.32)
    return union([*wheels, tank, seat, engine, fork, bar, pipe, lamps, guards])


def _motorcyclist(skin: str, helmet: str) -> Solid:
    torso = lathe("paint", ((0.0, 0.0), (0.16, 0.02), (0.16, 0.2), (0.2, 0.42), (0.16, 0.56), (0.06, 0.62)), n=10)
    body = torso.scale(0.75, 1.08, 1.0).turn(y=18.0).move(-0.34, 0.0, 0.86)
    arms = limb("paint", (-0.14, 0.2, 1.34), (0.05, 0.34, 1.12), (0.3, 0.34, 1.06), 0.06, 0.045)
    legs = limb("second", (-0.28, 0.12, 0.9), (0.12, 0.24, 0.78), (-0.08, 0.24, 0.38), 0.1, 0.06)
    boots = ball("black", 0.14, 0.05, 0.06, (-0.02, 0.24, 0.33), n=7)
    hood = ball(helmet, 0.15, 0.135, 0.155, (-0.05, 0.0, 1.64)) + ball(
        "black", 0.08, 0.11, 0.06, (0.04, 0.0, 1.65), n=8
    )
    neck = tube(skin, ((-0.12, 0.0, 1.42), (-0.06, 0.0, 1.55)), 0.06, n=6)
    return union([body, arms.both(), legs.both(), boots.both(), hood, neck])
