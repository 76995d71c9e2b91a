"""Rodents, reptiles and birds."""

from __future__ import annotations

import numpy as np

from offnominal.worlds.road.assets.catalogue import rows_of
from offnominal.worlds.road.assets.primitives import ball, box, lathe, prism, tube
from offnominal.worlds.road.assets.solid import Solid, union
from offnominal.worlds.road.labels import Label


def _rabbit() -> Solid:
    body = (
        tube("stone", ((-0.14, 0.0, 0.1), (-0.02, 0.0, 0.12), (0.08, 0.0, 0.16)), (0.09, 0.11, 0.06), n=10, smooth=3)
        + ball("stone", 0.07, 0.055, 0.06, (0.14, 0.0, 0.22))
        + ball("white", 0.045, 0.045, 0.045, (-0.24, 0.0, 0.1), n=8)
    )
    sides = (
        ball("stone", 0.02, 0.025, 0.09, (0.11, 0.035, 0.34), n=8).turn(y=-6.0)
        + ball("black", 0.012, 0.012, 0.014, (0.18, 0.045, 0.235), n=6)
        + ball("stone", 0.09, 0.035, 0.035, (-0.06, 0.08, 0.035), n=8)
        + tube("stone", ((0.1, 0.04, 0.12), (0.13, 0.04, 0.02)), 0.022, n=6)
    )
    return body + sides.both() + ball("pink", 0.012, 0.015, 0.01, (0.207, 0.0, 0.215), n=6)


def _squirrel() -> Solid:
    body = (
        tube("rust", ((-0.03, 0.0, 0.06), (0.0, 0.0, 0.1), (0.03, 0.0, 0.16)), (0.045, 0.045, 0.03), n=9, smooth=2)
        + ball("rust", 0.038, 0.03, 0.03, (0.055, 0.0, 0.2))
        + ball("cream", 0.02, 0.03, 0.05, (0.03, 0.0, 0.11), n=8)
    )
    tail = tube(
        "chestnut",
        ((-0.05, 0.0, 0.04), (-0.12, 0.0, 0.1), (-0.11, 0.0, 0.2), (-0.15, 0.0, 0.26)),
        (0.02, 0.04, 0.045, 0.015),
        n=8,
        smooth=3,
    )
    sides = (
        ball("black", 0.006, 0.006, 0.007, (0.07, 0.022, 0.21), n=6)
        + ball("rust", 0.008, 0.01, 0.02, (0.045, 0.018, 0.24), n=6)
        + ball("rust", 0.04, 0.02, 0.03, (0.01, 0.04, 0.04), n=7)
        + tube("rust", ((0.03, 0.03, 0.14), (0.07, 0.015, 0.13)), 0.01, n=5)
    )
    return body + tail + sides.both()


def _crocodile() -> Solid:
    body = tube(
        "moss",
        ((-1.9, 0.0, 0.1), (-1.1, 0.0, 0.18), (-0.4, 0.0, 0.28), (0.3, 0.0, 0.28), (0.75, 0.0, 0.26)),
        (0.03, 0.14, 0.24, 0.23, 0.15),
        n=10,
        smooth=4,
    ).scale(1.0, 1.25, 0.9)
    head = prism(
        "moss", ((0.6, 0.2), (0.75, 0.4), (1.0, 0.36), (1.6, 0.26), (1.65, 0.18), (0.8, 0.16)), 0.34, taper=0.8
    ) + prism("moss", ((0.7, 0.06), (0.7, 0.14), (1.6, 0.13), (1.6, 0.08)), 0.3)
    teeth = union([box("white", 0.03, 0.03, 0.06, (0.95 + 0.13 * k, 0.14, 0.12), taper=0.2) for k in range(5)]).both()
    eyes = ball("yellow", 0.05, 0.04, 0.04, (0.82, 0.12, 0.42), n=7).both()
    legs = union(
        [
            tube("moss", ((x, 0.2, 0.24), (x + 0.05, 0.42, 0.16), (x + 0.12, 0.42, 0.03)), (0.09, 0.07, 0.05), n=7)
            for x in (0.4, -0.5)
        ]
    ).both()
    ridge = union(
        [
            box("pine", 0.12, 0.05, 0.1, (-1.6 + 0.2 * k, 0.0, 0.14 + 0.34 * min(1.0, (k + 1) / 6)), taper=(0.2, 0.5))
            for k in range(11)
        ]
    )
    return body + head + teeth + eyes + legs + ridge


def _snake() -> Solid:
    path = [(0.13 * k - 0.8, 0.22 * (1, 0, -1, 0)[k % 4], 0.045) for k in range(12)]
    body = tube(
        "lime", [*path, (0.75, 0.1, 0.06), (0.86, 0.1, 0.14)], [0.01, *([0.04] * 10), 0.04, 0.035, 0.04], n=8, smooth=4
    ).striped("black", 0.16)
    return (
        body
        + ball("lime", 0.07, 0.045, 0.035, (0.92, 0.1, 0.15), n=8)
        + box("red", 0.06, 0.012, 0.004, (1.0, 0.1, 0.14))
        + ball("black", 0.01, 0.01, 0.01, (0.95, 0.13, 0.175), n=5)
        + ball("black", 0.01, 0.01, 0.01, (0.95, 0.07, 0.175), n=5)
    )


def _tortoise() -> Solid:
    shell = (
        lathe("brown", ((0.26, 0.0), (0.25, 0.07), (0.19, 0.16), (0.1, 0.21), (0.0, 0.225)), n=12)
        .spotted("ochre", 0.4, 0.07, 3)
        .scale(1.1, 0.9, 1.0)
        .move(z=0.08)
    )
    legs = tube("moss", ((0.16, 0.15, 0.12), (0.22, 0.24, 0.03)), (0.06, 0.055), n=7) + tube(
        "moss", ((-0.16, 0.15, 0.12), (-0.22, 0.22, 0.03)), (0.06, 0.055), n=7
    )
    head = (
        tube("moss", ((0.24, 0.0, 0.13), (0.34, 0.0, 0.18)), (0.05, 0.055), n=8)
        + ball("moss", 0.065, 0.05, 0.05, (0.38, 0.0, 0.2))
        + ball("black", 0.012, 0.012, 0.012, (0.42, 0.04, 0.22), n=5).both()
    )
    return shell + legs.both() + head + tube("moss", ((-0.28, 0.0, 0.1), (-0.36, 0.0, 0.06)), (0.03, 0.01), n=6)


def _bird(name: str, beak: str, leg: str, size: float, *, neck: float, shanks: float, wing: str) -> Solid:
    """Return a bird with a body of about the given half length."""
    z = shanks + 0.62 * size
    body = tube(
        name,
        (
            (-1.1 * size, 0.0, z + 0.35 * size),
            (-0.5 * size, 0.0, z),
            (0.2 * size, 0.0, z),
            (0.75 * size, 0.0, z + 0.25 * size),
        ),
        (0.08 * size, 0.5 * size, 0.58 * size, 0.3 * size),
        n=10,
        smooth=3,
    ).scale(1.0, 0.85, 1.0)
    top = (0.95 * size + 0.12 * neck, 0.0, z + 0.45 * size + neck)
    throat = tube(
        name,
        ((0.6 * size, 0.0, z + 0.25 * size), (0.85 * size + 0.2 * neck, 0.0, z + 0.3 * size + 0.4 * neck), top),
        (0.36 * size, 0.17 * size, 0.19 * size),
        n=8,
        smooth=3,
    )
    head = ball(name, 0.3 * size, 0.22 * size, 0.24 * size, (top[0] + 0.06 * size, 0.0, top[2]), n=9) + tube(
        beak,
        ((top[0] + 0.28 * size, 0.0, top[2] - 0.02 * size), (top[0] + 0.6 * size, 0.0, top[2] - 0.1 * size)),
        (0.1 * size, 0.03 * size),
        n=6,
    )
    eyes = ball(
        "black", 0.045 * size, 0.04 * size, 0.045 * size, (top[0] + 0.2 * size, 0.17 * size, top[2] + 0.06 * size), n=5
    )
    wings = ball(wing, 0.72 * size, 0.12 * size, 0.34 * size, (-0.15 * size, 0.46 * size, z + 0.1 * size), n=10).turn(
        y=-3.0
    )
    legs = tube(leg, ((0.0, 0.2 * size, z - 0.3 * size), (0.02, 0.22 * size, 0.02 * size)), 0.05 * size, n=5) + box(
        leg, 0.34 * size, 0.16 * size, 0.03 * size, (0.1 * size, 0.22 * size, 0.0)
    )
    return body + throat + head + (eyes + wings + legs).both()


def _chicken() -> Solid:
    comb = prism("red", ((0.2, 0.4), (0.23, 0.45), (0.26, 0.41), (0.29, 0.45), (0.32, 0.39)), 0.02)
    return (
        _bird("white", "amber", "amber", 0.19, neck=0.05, shanks=0.09, wing="cream")
        + comb.move(-0.06, 0.0, -0.03)
        + ball("red", 0.02, 0.02, 0.035, (0.27, 0.0, 0.29), n=6)
        + prism("cream", ((-0.2, 0.25), (-0.32, 0.42), (-0.2, 0.44), (-0.12, 0.3)), 0.03)
    )


OBJECTS = rows_of(
    Label.ANIMAL,
    (
        ("rabbit", "small", 2.0, _rabbit),
        ("squirrel", "tiny", 0.4, _squirrel),
        ("crocodile", "big", 400.0, _crocodile),
        ("tortoise", "medium", 25.0, _tortoise),
        ("snake", "medium", 5.0, _snake),
        ("chicken", "small", 2.0, _chicken),
        (
            "duck",
            "small",
            1.3,
            lambda: _bird("stone", "amber", "orange", 0.2, neck=0.06, shanks=0.05, wing="brown").recolour(
                "pine", lambda p: np.asarray(p[:, 2] > 0.29) & (p[:, 0] > 0.1)
            ),
        ),
        ("swan", "medium", 10.0, lambda: _bird("white", "orange", "black", 0.4, neck=0.5, shanks=0.06, wing="white")),
        (
            "ostrich",
            "big",
            110.0,
            lambda: _bird("black", "pink", "pink", 0.5, neck=0.75, shanks=0.85, wing="dark").recolour(
                "pink", lambda p: (p[:, 2] > 1.45) & (p[:, 0] > 0.4)
            ),
        ),
    ),
)
