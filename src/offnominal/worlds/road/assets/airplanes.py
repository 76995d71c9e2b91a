"""Aircraft above the road."""

from __future__ import annotations

import numpy as np

from offnominal.core.types import BoolArray, FloatArray
from offnominal.worlds.road.assets.catalogue import rows_of
from offnominal.worlds.road.assets.primitives import ball, box, drum, lathe, plate, prism, ring, tube, wheel
from offnominal.worlds.road.assets.solid import Solid, union
from offnominal.worlds.road.labels import Label


def _gores(middles: FloatArray) -> BoolArray:
    """Return every second sector around the z axis, of sixteen."""
    x, y = middles[:, 0], middles[:, 1]
    steep = np.abs(y) > np.abs(x)
    half = np.minimum(np.abs(x), np.abs(y)) > 0.414 * np.maximum(np.abs(x), np.abs(y))
    chosen: BoolArray = (x > 0) ^ (y > 0) ^ steep ^ half
    return chosen


def _balloon() -> Solid:
    envelope = lathe(
        "red",
        ((0.7, 3.0), (1.9, 4.4), (3.2, 6.4), (3.9, 8.4), (3.8, 10.2), (2.9, 11.9), (1.5, 12.9), (0.0, 13.2)),
        n=32,
    ).recolour("yellow", _gores)
    band = lathe("navy", ((3.93, 8.2), (3.95, 8.9)), n=32)
    basket = box("wood", 1.3, 1.3, 1.0) + box("brown", 1.4, 1.4, 0.1, (0.0, 0.0, 0.95)) + box("brown", 1.36, 1.36, 0.1)
    ropes = tube("cream", ((0.62, 0.62, 1.0), (0.5, 0.5, 3.05)), 0.02, n=4).around(4) + tube(
        "cream", ((0.62, 0.0, 1.0), (0.68, 0.0, 3.05)), 0.02, n=4
    ).around(4)
    return (
        envelope
        + band
        + basket
        + ropes
        + drum("steel", 0.15, 0.3, (0.0, 0.0, 2.0), n=8)
        + ball("amber lamp", 0.15, 0.15, 0.45, (0.0, 0.0, 2.7), n=8)
    )


def _propeller_plane() -> Solid:
    fuselage = tube(
        "white",
        ((-3.6, 0.0, 1.45), (-2.0, 0.0, 1.4), (0.2, 0.0, 1.35), (1.8, 0.0, 1.25), (2.6, 0.0, 1.2)),
        (0.12, 0.32, 0.62, 0.56, 0.36),
        n=12,
        smooth=3,
    )
    cabin = tube("glass", ((-0.9, 0.0, 1.7), (0.0, 0.0, 1.85), (0.9, 0.0, 1.7)), (0.3, 0.48, 0.3), n=10, smooth=2)
    wing = (
        plate("red", ((0.9, 0.0), (-0.6, 0.0), (-0.4, 5.0), (0.5, 5.0)), 0.12, (0.1, 0.0, 2.25)).both()
        + (tube("light", ((0.3, 0.5, 0.95), (0.3, 2.4, 2.28)), 0.05, n=6)).both()
    )
    tail = plate("red", ((-2.9, 0.0), (-3.7, 0.0), (-3.6, 1.5), (-3.1, 1.5)), 0.08, (0.0, 0.0, 1.5)).both() + prism(
        "red", ((-2.8, 1.5), (-3.7, 1.5), (-3.8, 2.6), (-3.3, 2.6)), 0.08
    )
    gear = (
        (
            tube("dark", ((0.5, 0.4, 0.9), (0.5, 0.9, 0.3)), 0.05, n=6) + wheel("tyre", 0.28, 0.16, (0.5, 0.95, 0.28))
        ).both()
        + wheel("tyre", 0.16, 0.1, (-3.3, 0.0, 0.9))
        + tube("dark", ((-3.3, 0.0, 0.95), (-3.3, 0.0, 1.35)), 0.03, n=5)
    )
    blades = union(
        [
            ball("black", 0.04, 0.1, 0.85, (2.85, 0.0, 0.0), n=8).turn(x=60.0 + 90.0 * k).move(0.0, 0.0, 1.2)
            for k in range(2)
        ]
    ) + lathe("red", ((0.24, 0.0), (0.15, 0.25), (0.0, 0.36)), n=12).turn(y=90.0).move(2.7, 0.0, 1.2)
    return fuselage + cabin + wing + tail + gear + blades


def _helicopter() -> Solid:
    body = (
        ball("blue", 1.7, 0.85, 0.95, (0.4, 0.0, 1.5), n=16)
        + ball("glass", 1.0, 0.78, 0.72, (1.25, 0.0, 1.55), n=14)
        + box("white", 1.4, 1.74, 0.2, (-0.1, 0.0, 1.3), taper=0.98)
    )
    boom = (
        tube("blue", ((-0.9, 0.0, 1.75), (-2.8, 0.0, 1.95), (-4.6, 0.0, 2.1)), (0.42, 0.22, 0.12), n=10)
        + prism("blue", ((-4.2, 2.1), (-4.8, 2.1), (-5.1, 3.1), (-4.8, 3.1)), 0.1)
        + box("white", 0.4, 1.5, 0.06, (-4.1, 0.0, 2.05))
    )
    mast = drum("dark", 0.12, 0.55, (0.2, 0.0, 2.35), n=8) + box("grey", 1.3, 0.7, 0.3, (0.0, 0.0, 2.35), taper=0.8)
    rotor = union([box("black", 4.6, 0.22, 0.04, (2.3, 0.0, 2.88)).turn(z=20.0 + 90.0 * k) for k in range(4)]).move(
        0.2
    ) + union([box("black", 0.12, 0.04, 0.8, (0.0, 0.12, 0.0)).turn(y=90.0 * k).move(-4.8, 0.0, 2.6) for k in range(4)])
    skids = (
        tube("dark", ((1.9, 0.9, 0.2), (1.6, 0.9, 0.06), (-1.2, 0.9, 0.06)), 0.06, n=6).both()
        + union([tube("dark", ((x, 0.5, 0.8), (x, 0.9, 0.08)), 0.05, n=6) for x in (0.9, -0.4)]).both()
    )
    return body + boom + mast + rotor + skids


def _airliner() -> Solid:
    fuselage = tube(
        "white",
        ((-9.0, 0.0, 3.3), (-5.5, 0.0, 2.9), (0.0, 0.0, 2.6), (5.5, 0.0, 2.6), (8.2, 0.0, 2.5), (9.2, 0.0, 2.35)),
        (0.15, 0.95, 1.15, 1.15, 0.8, 0.25),
        n=16,
        smooth=3,
    )
    panes = (
        union([box("navy", 0.28, 2.28, 0.3, (-4.8 + 0.62 * k, 0.0, 2.75)) for k in range(18)])
        + box("black", 0.5, 1.3, 0.4, (7.95, 0.0, 2.75), taper=(0.5, 0.8))
        + box("blue", 11.0, 2.31, 0.14, (0.3, 0.0, 2.35))
    )
    wing = (
        plate("light", ((1.6, 0.0), (-1.6, 0.0), (-3.6, 8.6), (-2.6, 8.6)), 0.25, (0.0, 0.0, 1.9)).both()
        + prism("blue", ((0.5, 0.0), (-0.5, 0.0), (-1.0, 1.0), (-0.5, 1.0)), 0.1, (-3.1, 8.6, 2.0)).both()
    )
    engine = (
        lathe("light", ((0.35, -1.2), (0.55, 0.0), (0.6, 1.0), (0.5, 1.1), (0.45, 0.9), (0.0, 0.8)), n=14).turn(y=90.0)
        + drum("black", 0.48, 0.05, n=14).turn(y=90.0).move(0.9)
    ).move(0.6, 3.2, 1.25)
    tail = (
        prism("blue", ((-6.6, 3.4), (-8.8, 3.4), (-9.6, 6.4), (-8.2, 6.4)), 0.25)
        + plate("light", ((-7.4, 0.0), (-8.8, 0.0), (-9.6, 3.2), (-8.8, 3.2)), 0.15, (0.0, 0.0, 3.4)).both()
    )
    gear = (
        (wheel("tyre", 0.45, 0.6, (-0.8, 1.3, 0.45)) + box("steel", 0.2, 0.2, 1.4, (-0.8, 1.3, 0.5))).both()
        + wheel("tyre", 0.35, 0.4, (6.6, 0.0, 0.35))
        + box("steel", 0.15, 0.15, 1.4, (6.6, 0.0, 0.4))
    )
    return (
        fuselage
        + panes
        + wing
        + engine.both()
        + tail
        + gear
        + ring("gold", 0.7, 0.05, (0.0, 0.0, 0.0), n=14).turn(x=90.0).move(-8.3, -0.13, 5.2)
    )


OBJECTS = rows_of(
    Label.AIRPLANE,
    (
        ("hot_air_balloon", "huge", 600.0, _balloon),
        ("propeller_plane", "huge", 1100.0, _propeller_plane),
        ("helicopter", "huge", 1800.0, _helicopter),
        ("airliner", "huge", 40000.0, _airliner),
    ),
    placement="air",
    height=8.0,
)
