"""Special objects of leisure: boats, instruments, camping and odd monuments."""

from __future__ import annotations

from offnominal.worlds.road.assets.catalogue import rows_of
from offnominal.worlds.road.assets.primitives import (
    ball,
    box,
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


def _rowing_boat() -> Solid:
    rings = (
        (-1.75, 0.38, 0.3, 0.62),
        (-1.2, 0.58, 0.08, 0.55),
        (0.0, 0.68, 0.0, 0.5),
        (1.1, 0.5, 0.06, 0.58),
        (1.8, 0.04, 0.35, 0.78),
    )
    outside = [
        [(x, -w, top), (x, -0.75 * w, 0.5 * (low + top)), (x, 0.0, low), (x, 0.75 * w, 0.5 * (low + top)), (x, w, top)]
        for x, w, low, top in rings
    ]
    hull = sheet("white", outside).recolour("red", lambda p: p[:, 2] < 0.2)
    rim = tube("wood", [(x, w, top) for x, w, _, top in rings], 0.035, n=6).both()
    stern = (
        prism("white", ((-0.36, 0.62), (0.36, 0.62), (0.25, 0.45), (0.0, 0.3), (-0.25, 0.45)), 0.03)
        .turn(z=90.0)
        .move(-1.75)
    )
    seats = union([box("wood", 0.22, 1.1, 0.04, (x, 0.0, 0.36)) for x in (-0.9, 0.0, 0.8)]) + box(
        "wood", 2.4, 0.7, 0.02, (-0.2, 0.0, 0.1)
    )
    oar = tube("pale wood", ((0.4, 0.3, 0.58), (-1.3, 0.45, 0.55)), 0.025, n=6) + ball(
        "pale wood", 0.3, 0.09, 0.02, (-1.4, 0.46, 0.55), n=8
    )
    return hull + rim + stern + seats + oar.both()


def _cannon() -> Solid:
    barrel = (
        lathe(
            "dark",
            (
                (0.0, -0.75),
                (0.2, -0.7),
                (0.2, -0.3),
                (0.15, 0.4),
                (0.13, 0.85),
                (0.17, 0.9),
                (0.17, 1.0),
                (0.08, 1.0),
                (0.07, 0.7),
            ),
            n=14,
        )
        .turn(y=80.0)
        .move(0.1, 0.0, 0.85)
    )
    spokes = union([box("wood", 0.05, 0.05, 0.9, (0.0, 0.0, -0.45)).turn(y=30.0 * k) for k in range(6)])
    side = (ring("brown", 0.46, 0.05, n=18).turn(x=90.0) + spokes + wheel("dark", 0.08, 0.12)).move(0.1, 0.42, 0.5)
    trail = tube("brown", ((0.2, 0.2, 0.7), (-1.1, 0.12, 0.08)), (0.09, 0.07), n=7)
    return (
        barrel
        + ball("dark", 0.1, 0.1, 0.1, (-0.68, 0.0, 0.7), n=8)
        + (side + trail).both()
        + tube("dark", ((0.1, -0.4, 0.5), (0.1, 0.4, 0.5)), 0.05, n=7)
    )


def _piano() -> Solid:
    body = (
        box("black", 0.62, 1.5, 0.12)
        + box("black", 0.36, 1.5, 1.2, (-0.12, 0.0, 0.05))
        + box("black", 0.34, 1.5, 0.1, (0.22, 0.0, 0.6))
        + box("black", 0.08, 0.1, 0.62, (0.32, 0.68, 0.0)).both()
    )
    keys = box("white", 0.16, 1.3, 0.03, (0.28, 0.0, 0.7)) + union(
        [box("black", 0.09, 0.022, 0.03, (0.24, -0.6 + 0.062 * k, 0.72)) for k in range(20) if k % 7 not in (2, 6)]
    )
    return (
        body
        + keys
        + box("dark", 0.03, 0.6, 0.26, (0.08, 0.0, 0.85))
        + box("white", 0.02, 0.4, 0.22, (0.1, 0.0, 0.87))
        + box("gold", 0.1, 0.16, 0.03, (0.3, 0.0, 0.05))
    )


def _guitar() -> Solid:
    outline = [
        (-0.5, 0.0),
        (-0.46, 0.14),
        (-0.33, 0.19),
        (-0.2, 0.13),
        (-0.1, 0.13),
        (0.0, 0.14),
        (0.06, 0.08),
        (0.07, 0.0),
    ]
    body = plate("ochre", [*outline, *((x, -y) for x, y in outline[-2:0:-1])], 0.1)
    neck = box("brown", 0.42, 0.06, 0.03, (0.28, 0.0, 0.1)) + box("black", 0.14, 0.08, 0.025, (0.55, 0.0, 0.1))
    strings = box("light", 0.8, 0.03, 0.004, (0.1, 0.0, 0.135)) + box("black", 0.04, 0.14, 0.03, (-0.3, 0.0, 0.1))
    return (
        (body + neck + strings + drum("black", 0.055, 0.004, (-0.08, 0.0, 0.1))).turn(y=-72.0).turn(z=180.0).move(z=0.5)
    )


def _drum_kit() -> Solid:
    bass = drum("red", 0.3, 0.4, n=18).turn(y=90.0).move(-0.1, 0.0, 0.3) + drum("white", 0.28, 0.41, n=18).turn(
        y=90.0
    ).move(-0.1, 0.0, 0.3)
    toms = union(
        [
            drum("red", 0.15, 0.2, (0.05, y, 0.68), n=14) + drum("white", 0.14, 0.21, (0.05, y, 0.68), n=14)
            for y in (-0.18, 0.18)
        ]
    )
    floor = (
        drum("red", 0.2, 0.35, (-0.35, -0.5, 0.15), n=14)
        + drum("white", 0.19, 0.36, (-0.35, -0.5, 0.15), n=14)
        + drum("steel", 0.17, 0.14, (-0.4, 0.45, 0.5), n=14)
        + drum("white", 0.16, 0.15, (-0.4, 0.45, 0.5), n=14)
    )
    stands = tube("steel", ((-0.35, -0.5, 0.0), (-0.35, -0.5, 0.3)), 0.02, n=5) + tube(
        "steel", ((-0.4, 0.45, 0.0), (-0.4, 0.45, 0.5)), 0.02, n=5
    )
    plates = union(
        [
            tube("steel", ((0.1, y, 0.0), (0.1, y, 1.15)), 0.014, n=5)
            + lathe("gold", ((0.26, 0.0), (0.05, 0.03), (0.0, 0.04)), n=16).turn(y=10.0).move(0.1, y, 1.14)
            for y in (-0.62, 0.62)
        ]
    )
    return bass + toms + floor + stands + plates


def _tent() -> Solid:
    cloth = (
        prism("orange", ((-0.9, 0.0), (0.9, 0.0), (0.0, 1.3)), 2.6).turn(z=90.0)
        + prism("green", ((-0.55, 0.0), (0.55, 0.0), (0.0, 1.0)), 0.04).turn(z=90.0).move(1.3)
        + box("black", 0.05, 0.04, 0.95, (1.31, 0.0, 0.0))
    )
    ropes = union([tube("cream", ((x, 0.3, 0.85), (1.05 * x, 1.15, 0.0)), 0.01, n=4) for x in (-1.1, 0.0, 1.1)]).both()
    return cloth + ropes + tube("dark", ((-1.3, 0.0, 1.32), (1.3, 0.0, 1.32)), 0.02, n=5)


def _camp_fire() -> Solid:
    stones = union(
        [ball("stone", 0.12, 0.1, 0.09, (0.4, 0.0, 0.07), n=7).rough(0.15, k).turn(z=40.0 * k) for k in range(9)]
    )
    logs = tube("bark", ((0.32, 0.0, 0.05), (-0.06, 0.0, 0.4)), 0.05, n=6).around(6)
    flames = union(
        [
            lathe(
                "amber lamp" if k % 2 else "red lamp",
                ((0.0, 0.0), (0.09, 0.08), (0.05, 0.25), (0.0, 0.45 + 0.08 * k)),
                n=7,
            ).move(0.08 * (k - 1), 0.05 * (k % 2), 0.12)
            for k in range(3)
        ]
    )
    return stones + logs + flames


def _wheelchair() -> Solid:
    big = (
        ring("tyre", 0.28, 0.02, n=18).turn(x=90.0)
        + ring("steel", 0.24, 0.01, n=16).turn(x=90.0)
        + union([box("light", 0.008, 0.008, 0.56, (0.0, 0.0, -0.28)).turn(y=36.0 * k) for k in range(5)])
    ).move(-0.08, 0.3, 0.3)
    seat = box("navy", 0.42, 0.44, 0.04, (0.02, 0.0, 0.48)) + box("navy", 0.04, 0.44, 0.45, (-0.2, 0.0, 0.5))
    side = (
        tube("dark", ((-0.35, 0.24, 0.95), (-0.22, 0.24, 0.9), (-0.22, 0.24, 0.3)), 0.014, n=6)
        + tube("dark", ((-0.2, 0.24, 0.7), (0.22, 0.24, 0.7), (0.26, 0.22, 0.45), (0.42, 0.16, 0.12)), 0.014, n=6)
        + box("dark", 0.16, 0.14, 0.02, (0.46, 0.14, 0.1))
        + wheel("tyre", 0.09, 0.03, (0.28, 0.24, 0.09))
        + tube("dark", ((0.28, 0.24, 0.1), (0.24, 0.24, 0.48)), 0.014, n=5)
        + box("black", 0.24, 0.05, 0.03, (0.0, 0.24, 0.7))
    )
    return seat + (big + side).both()


def _umbrella() -> Solid:
    top = lathe("red", ((1.1, 0.0), (0.8, 0.22), (0.4, 0.38), (0.0, 0.45)), n=16)
    colours = top.recolour("white", lambda p: (p[:, 0] * p[:, 1] > 0.0) ^ (abs(p[:, 0]) > abs(p[:, 1])))
    return (
        colours.move(z=1.75)
        + tube("white", ((0.0, 0.0, 0.0), (0.0, 0.0, 2.15)), 0.025, n=7)
        + drum("concrete", 0.25, 0.12)
    )


OBJECTS = rows_of(
    Label.SPECIAL,
    (
        ("rowing_boat", "big", 90.0, _rowing_boat),
        (
            "surfboard",
            "big",
            4.0,
            lambda: (
                ball("sky", 1.05, 0.26, 0.04, n=18)
                .recolour("yellow", lambda p: abs(p[:, 1]) < 0.07)
                .turn(y=-75.0)
                .move(z=1.0)
                + prism("dark", ((0.0, 0.0), (0.2, 0.0), (0.04, 0.16)), 0.02).turn(y=-75.0).move(-0.3, 0.0, 0.3)
            ),
        ),
        (
            "treasure_chest",
            "medium",
            60.0,
            lambda: (
                box("brown", 0.55, 0.9, 0.38)
                + wheel("brown", 0.275, 0.9, (0.0, 0.0, 0.38), n=16)
                + union(
                    [
                        wheel("gold", 0.285, 0.06, (0.0, y, 0.38), n=16) + box("gold", 0.57, 0.06, 0.38, (0.0, y, 0.0))
                        for y in (-0.4, 0.0, 0.4)
                    ]
                )
                + box("gold", 0.05, 0.14, 0.16, (0.28, 0.0, 0.3))
                + box("black", 0.055, 0.03, 0.05, (0.28, 0.0, 0.35))
            ),
        ),
        ("cannon", "big", 700.0, _cannon),
        ("piano", "medium", 220.0, _piano),
        ("guitar", "medium", 2.5, _guitar),
        ("drum_kit", "medium", 40.0, _drum_kit),
        ("tent", "big", 12.0, _tent),
        ("camp_fire", "medium", 20.0, _camp_fire),
        (
            "hay_bale",
            "medium",
            250.0,
            lambda: (
                wheel("ochre", 0.7, 1.2, (0.0, 0.0, 0.7), n=18)
                + union(
                    [
                        ring("gold", 0.12 + 0.14 * k, 0.02, n=16, m=4).turn(x=90.0).move(0.0, s * 0.6, 0.7)
                        for k in range(4)
                        for s in (1, -1)
                    ]
                )
                + union([ring("bark", 0.7, 0.012, n=18, m=4).turn(x=90.0).move(0.0, y, 0.7) for y in (-0.3, 0.0, 0.3)])
            ),
        ),
        (
            "coffin",
            "big",
            60.0,
            lambda: (
                plate(
                    "chestnut",
                    ((-1.02, 0.2), (-1.02, -0.2), (0.5, -0.34), (1.02, -0.24), (1.02, 0.24), (0.5, 0.34)),
                    0.4,
                )
                + plate(
                    "brown",
                    ((-0.98, 0.17), (-0.98, -0.17), (0.5, -0.3), (0.98, -0.2), (0.98, 0.2), (0.5, 0.3)),
                    0.08,
                    (0.0, 0.0, 0.4),
                )
                + box("gold", 0.5, 0.06, 0.02, (0.45, 0.0, 0.48))
                + box("gold", 0.06, 0.26, 0.02, (0.55, 0.0, 0.48))
                + tube("gold", ((-0.5, 0.3, 0.22), (0.3, 0.36, 0.22)), 0.02, n=5).both()
            ),
        ),
        (
            "gravestone",
            "medium",
            200.0,
            lambda: (
                box("stone", 0.5, 0.8, 0.12)
                + prism(
                    "stone",
                    [
                        (-0.32, 0.1),
                        (0.32, 0.1),
                        *(
                            (0.32 * x, 0.65 + 0.32 * z)
                            for x, z in (
                                (1.0, 0.0),
                                (0.87, 0.5),
                                (0.5, 0.87),
                                (0.0, 1.0),
                                (-0.5, 0.87),
                                (-0.87, 0.5),
                                (-1.0, 0.0),
                            )
                        ),
                    ],
                    0.14,
                ).turn(z=90.0)
                + box("slate", 0.01, 0.06, 0.3, (0.07, 0.0, 0.6))
                + box("slate", 0.01, 0.2, 0.06, (0.07, 0.0, 0.75))
                + box("slate", 0.01, 0.36, 0.03, (0.07, 0.0, 0.45))
                + box("slate", 0.01, 0.28, 0.03, (0.07, 0.0, 0.36))
            ),
        ),
        ("wheelchair", "medium", 15.0, _wheelchair),
        ("beach_umbrella", "big", 12.0, _umbrella),
    ),
)
