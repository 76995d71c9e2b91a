"""Special objects to play with."""

from __future__ import annotations

from offnominal.worlds.road.assets.catalogue import rows_of
from offnominal.worlds.road.assets.primitives import (
    ball,
    box,
    circle,
    drum,
    lathe,
    plate,
    prism,
    ring,
    sheet,
    tube,
    wheel,
)
from offnominal.worlds.road.assets.solid import Solid, union
from offnominal.worlds.road.labels import Label


def _billiard_table() -> Solid:
    balls = union(
        [
            ball(name, 0.03, 0.03, 0.03, (0.5 + 0.055 * row, 0.06 * (k - 0.5 * row), 0.88), n=7)
            for row, names in enumerate(
                (("yellow",), ("blue", "red"), ("purple", "black", "orange"), ("green", "maroon", "yellow", "red"))
            )
            for k, name in enumerate(names)
        ]
    )
    rails = box("chestnut", 2.5, 0.14, 0.14, (0.0, 0.6, 0.78)).both() + union(
        [box("chestnut", 0.14, 1.3, 0.14, (x, 0.0, 0.78)) for x in (-1.18, 1.18)]
    )
    pockets = union([drum("black", 0.06, 0.01, (x, y, 0.918), n=9) for x in (-1.15, 0.0, 1.15) for y in (-0.57, 0.57)])
    return (
        box("chestnut", 2.4, 1.2, 0.25, (0.0, 0.0, 0.6))
        + box("green", 2.3, 1.1, 0.01, (0.0, 0.0, 0.85))
        + rails
        + pockets
        + balls
        + ball("white", 0.03, 0.03, 0.03, (-0.5, 0.0, 0.88), n=7)
        + drum("chestnut", 0.08, 0.62, top=0.11).at_corners(1.05, 0.45)
        + tube("pale wood", ((-1.0, 0.3, 0.9), (0.2, -0.3, 0.9)), (0.016, 0.008), n=5)
    )


def _trampoline() -> Solid:
    mat = plate("black", [(1.25 * x, 1.25 * y) for x, y in circle(22)], 0.02, (0.0, 0.0, 0.78)) + ring(
        "blue", 1.36, 0.1, n=24, m=6
    ).scale(1.0, 1.0, 0.35).move(z=0.8)
    legs = union(
        [
            (
                tube(
                    "steel", ((1.35, -0.25, 0.8), (1.35, -0.22, 0.03), (1.35, 0.22, 0.03), (1.35, 0.25, 0.8)), 0.03, n=6
                )
            ).turn(z=90.0 * k)
            for k in range(4)
        ]
    )
    posts = union([tube("blue", ((1.42, 0.0, 0.8), (1.42, 0.0, 2.2)), 0.025, n=6).turn(z=60.0 * k) for k in range(6)])
    return (
        mat
        + legs
        + posts
        + ring("blue", 1.42, 0.02, (0.0, 0.0, 2.18), n=24, m=5)
        + ring("dark", 1.42, 0.012, (0.0, 0.0, 1.6), n=24, m=4)
    )


def _slide() -> Solid:
    path = [(1.3, 0.28), (0.9, 0.32), (0.3, 0.85), (-0.3, 1.4), (-0.5, 1.45)]
    chute = (
        sheet("yellow", [[(x, -0.25, z), (x, 0.25, z)] for x, z in path])
        + sheet("red", [[(x, 0.25, z - 0.04), (x, 0.25, z + 0.16)] for x, z in path]).both()
    )
    deck = box("wood", 0.6, 0.6, 0.05, (-0.8, 0.0, 1.4)) + box("blue", 0.07, 0.07, 2.1).at_corners(0.26, 0.27).move(
        -0.8
    )
    roof = prism("green", ((-0.45, 0.0), (0.45, 0.0), (0.0, 0.4)), 0.8, (-0.8, 0.0, 2.05))
    rungs = (
        union([box("wood", 0.05, 0.5, 0.04, (-1.35 + 0.05 * k, 0.0, 0.2 + 0.25 * k)) for k in range(5)])
        + tube("blue", ((-1.42, 0.26, 0.0), (-1.1, 0.26, 1.45)), 0.025, n=6).both()
    )
    return chute + deck + roof + rungs + tube("blue", ((0.6, 0.2, 0.0), (0.6, 0.2, 0.58)), 0.03, n=6).both()


def _rocking_horse() -> Solid:
    body = tube(
        "white",
        ((-0.3, 0.0, 0.55), (0.0, 0.0, 0.52), (0.25, 0.0, 0.56), (0.4, 0.0, 0.85)),
        (0.11, 0.13, 0.12, 0.07),
        n=9,
        smooth=3,
    ).spotted("light", 0.2, 0.07, 3) + tube(
        "white", ((0.36, 0.0, 0.9), (0.44, 0.0, 0.88), (0.6, 0.0, 0.76)), (0.06, 0.075, 0.045), n=8, smooth=2
    )
    gear = (
        box("red", 0.24, 0.24, 0.04, (0.0, 0.0, 0.64))
        + tube("black", ((0.28, 0.0, 0.68), (0.3, 0.0, 0.9), (0.4, 0.0, 1.0)), 0.04, n=5, smooth=2)
        + tube("black", ((-0.38, 0.0, 0.6), (-0.5, 0.0, 0.4)), (0.05, 0.02), n=6)
    )
    side = (
        tube("white", ((0.25, 0.08, 0.5), (0.42, 0.16, 0.14)), (0.05, 0.03), n=6)
        + tube("white", ((-0.25, 0.08, 0.5), (-0.42, 0.16, 0.14)), (0.05, 0.03), n=6)
        + tube(
            "red", ((-0.7, 0.17, 0.16), (-0.3, 0.17, 0.06), (0.3, 0.17, 0.06), (0.7, 0.17, 0.16)), 0.03, n=6, smooth=3
        )
        + ball("black", 0.015, 0.015, 0.018, (0.48, 0.06, 0.89), n=5)
        + ball("white", 0.02, 0.02, 0.05, (0.38, 0.04, 0.99), n=6)
    )
    return body + gear + side.both()


def _bouncy_castle() -> Solid:
    tower = (
        drum("red", 0.4, 2.2, n=12)
        + lathe("blue", ((0.48, 2.2), (0.25, 2.7), (0.0, 3.3)), n=12)
        + ring("yellow", 0.4, 0.08, (0.0, 0.0, 2.2), n=12)
    )
    walls = [
        wheel("yellow", 0.25, 3.6).turn(z=90.0).move(0.0, y, 0.7 + 0.45 * k) for y in (-1.8, 1.8) for k in range(3)
    ]
    back = [wheel("sky", 0.25, 3.6, (-1.8, 0.0, 0.7 + 0.45 * k)) for k in range(3)]
    floor = union([wheel("magenta" if k % 2 else "yellow", 0.26, 4.0, (-1.75 + 0.5 * k, 0.0, 0.26)) for k in range(8)])
    return tower.at_corners(1.9, 1.8) + union([*walls, *back]) + floor


def _arcade_machine() -> Solid:
    side = prism(
        "black",
        ((-0.4, 0.0), (0.4, 0.0), (0.4, 0.85), (0.18, 0.98), (0.1, 1.35), (0.34, 1.5), (0.34, 1.75), (-0.4, 1.75)),
        0.66,
    )
    trim = prism(
        "magenta",
        ((-0.36, 0.05), (0.36, 0.05), (0.36, 0.8), (0.12, 0.95), (0.06, 1.38), (0.3, 1.52), (0.3, 1.7), (-0.36, 1.7)),
        0.68,
    )
    screen = box("blue", 0.02, 0.52, 0.4).turn(y=-12.0).move(0.19, 0.0, 0.98) + union(
        [
            box(name, 0.02, 0.05, 0.05).turn(y=-12.0).move(0.19 - 0.06 * k, 0.12 * (k - 1), 1.05 + 0.1 * k)
            for k, name in enumerate(("lime", "yellow", "red"))
        ]
    )
    deck = (
        ball("red", 0.03, 0.03, 0.03, (0.3, 0.15, 1.03), n=7)
        + tube("black", ((0.3, 0.15, 0.9), (0.3, 0.15, 1.0)), 0.012, n=5)
        + union([drum("yellow", 0.025, 0.03, (0.32, -0.06 - 0.08 * k, 0.9), n=8) for k in range(3)])
    )
    return (
        side
        + trim
        + screen
        + deck
        + box("amber lamp", 0.02, 0.56, 0.16, (0.345, 0.0, 1.55))
        + box("grey", 0.02, 0.2, 0.3, (0.4, 0.0, 0.3))
    )


OBJECTS = rows_of(
    Label.SPECIAL,
    (
        ("billiard_table", "big", 300.0, _billiard_table),
        ("trampoline", "big", 80.0, _trampoline),
        ("slide", "big", 90.0, _slide),
        ("rocking_horse", "medium", 15.0, _rocking_horse),
        ("bouncy_castle", "big", 150.0, _bouncy_castle),
        ("arcade_machine", "medium", 110.0, _arcade_machine),
        ("football", "tiny", 0.4, lambda: ball("white", 0.11, 0.11, 0.11, n=18).spotted("black", 0.3, 0.035, 9)),
        (
            "bowling_pin",
            "small",
            1.5,
            lambda: (
                lathe(
                    "white",
                    (
                        (0.0, 0.0),
                        (0.03, 0.0),
                        (0.06, 0.12),
                        (0.05, 0.19),
                        (0.023, 0.26),
                        (0.03, 0.33),
                        (0.02, 0.37),
                        (0.0, 0.38),
                    ),
                    n=14,
                )
                + ring("red", 0.026, 0.006, (0.0, 0.0, 0.25), n=12, m=5)
                + ring("red", 0.023, 0.006, (0.0, 0.0, 0.275), n=12, m=5)
            ),
        ),
        (
            "dice",
            "tiny",
            0.3,
            lambda: (
                box("red", 0.2, 0.2, 0.2)
                + union(
                    [
                        ball("white", 0.006, 0.02, 0.02, (0.1, 0.05 * a, 0.1 + 0.05 * b), n=8)
                        for a, b in ((-1, -1), (1, 1), (0, 0), (-1, 1), (1, -1))
                    ]
                )
                + union(
                    [
                        ball("white", 0.02, 0.02, 0.006, (0.05 * a, 0.05 * b, 0.2), n=8)
                        for a, b in ((-1, -1), (1, 1), (0, 0))
                    ]
                )
                + union(
                    [
                        ball("white", 0.02, 0.006, 0.02, (0.05 * a, 0.1, 0.1 + 0.05 * b), n=8)
                        for a, b in ((-1, 0), (1, 0))
                    ]
                )
            ),
        ),
    ),
)
