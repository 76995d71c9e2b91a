"""Special objects from building sites, trade and transport."""

from __future__ import annotations

from offnominal.worlds.road.assets.catalogue import rows_of
from offnominal.worlds.road.assets.primitives import ball, box, drum, lathe, prism, ring, tube, wheel
from offnominal.worlds.road.assets.solid import Solid, union
from offnominal.worlds.road.labels import Label


def _barbed_wire() -> Solid:
    coil = tube(
        "steel",
        [
            (
                -0.85 + 0.028 * k,
                0.3 * (1, 0.71, 0, -0.71, -1, -0.71, 0, 0.71)[k % 8],
                0.33 + 0.3 * (0, 0.71, 1, 0.71, 0, -0.71, -1, -0.71)[k % 8],
            )
            for k in range(62)
        ],
        0.012,
        n=4,
    )
    barbs = [
        box("zinc", 0.012, 0.012, 0.11, (0.0, 0.0, -0.055))
        .turn(x=37.0 * k, y=30.0)
        .move(-0.85 + 0.056 * k, 0.3 * (1, 0, -1, 0)[k % 4], 0.33 + 0.3 * (0, 1, 0, -1)[k % 4])
        for k in range(31)
    ]
    return (
        union([coil, *barbs])
        + tube("bark", ((-0.9, 0.0, 0.0), (-0.9, 0.0, 0.75)), 0.04, n=6)
        + tube("bark", ((0.9, 0.0, 0.0), (0.9, 0.0, 0.75)), 0.04, n=6)
    )


def _road_barrier() -> Solid:
    boards = [
        box("red" if (k + j) % 2 else "white", 0.03, 0.25, 0.2, (0.0, -0.625 + 0.25 * k, 0.45 + 0.35 * j))
        for k in range(6)
        for j in range(2)
    ]
    feet = box("dark", 0.6, 0.06, 0.05, (0.0, 0.55, 0.0)).both() + box("dark", 0.04, 0.05, 1.0, (0.0, 0.55, 0.0)).both()
    return union(boards) + feet + ball("amber lamp", 0.05, 0.08, 0.08, (0.02, 0.55, 1.08), n=9).both()


def _crate() -> Solid:
    edges = [box("brown", 1.04, 0.1, 0.1, (0.0, s * 0.47, z)) for s in (1, -1) for z in (0.0, 0.9)] + [
        box("brown", 0.1, 1.04, 0.1, (s * 0.47, 0.0, z)) for s in (1, -1) for z in (0.0, 0.9)
    ]
    brace = prism("brown", ((-0.45, 0.06), (-0.36, 0.02), (0.45, 0.92), (0.36, 0.97)), 0.05)
    return union(
        [
            box("wood", 1.0, 1.0, 1.0),
            *edges,
            box("brown", 0.1, 0.1, 1.0).at_corners(0.47, 0.47),
            brace.move(0.0, 0.5),
            brace.move(0.0, -0.5),
            brace.turn(z=90.0).move(0.5),
            brace.turn(z=90.0).move(-0.5),
        ]
    )


def _tyre_stack() -> Solid:
    one = ring("tyre", 0.26, 0.11, n=16, m=8)
    return union([one.scale(1.0, 1.0, 0.85).move(0.02 * (k % 2), 0.03 * (k % 3), 0.1 + 0.185 * k) for k in range(4)])


def _trolley() -> Solid:
    wires = [
        tube("zinc", ((-0.4, s * 0.26, z), (0.45, s * 0.2, z + 0.06)), 0.008, n=4)
        for s in (1, -1)
        for z in (0.5, 0.62, 0.74, 0.86)
    ]
    ribs = [
        box("zinc", 0.012, 0.012, 0.42, (x, s * 0.24, 0.5))
        for s in (1, -1)
        for x in (-0.36, -0.2, -0.04, 0.12, 0.28, 0.42)
    ]
    ends = [box("zinc", 0.012, 0.48, 0.012, (x, 0.0, z)) for x in (-0.38, 0.44) for z in (0.5, 0.64, 0.78, 0.9)] + [
        box("zinc", 0.82, 0.012, 0.012, (0.02, y, 0.5)) for y in (-0.15, 0.0, 0.15)
    ]
    frame = tube("steel", ((-0.45, 0.24, 0.95), (-0.35, 0.24, 0.2), (0.4, 0.2, 0.16)), 0.018, n=6).both() + tube(
        "red", ((-0.47, -0.28, 0.98), (-0.47, 0.28, 0.98)), 0.025, n=7
    )
    return union([*wires, *ribs, *ends, frame]) + wheel("black", 0.07, 0.04).at_corners(0.36, 0.2).move(z=0.07)


def _wheelbarrow() -> Solid:
    tray = box("green", 0.55, 0.4, 0.28, (0.1, 0.0, 0.34), taper=(1.5, 1.5)) + box(
        "ochre", 0.7, 0.5, 0.06, (0.1, 0.0, 0.6)
    )
    bars = (
        tube("wood", ((0.6, 0.08, 0.2), (-0.2, 0.24, 0.35), (-0.8, 0.28, 0.55)), 0.022, n=6).both()
        + tube("black", ((-0.66, 0.27, 0.5), (-0.8, 0.28, 0.55)), 0.03, n=6).both()
    )
    return (
        tray
        + bars
        + wheel("tyre", 0.18, 0.08, (0.62, 0.0, 0.18))
        + wheel("red", 0.1, 0.09, (0.62, 0.0, 0.18))
        + box("dark", 0.04, 0.04, 0.38, (-0.18, 0.22, 0.0)).both()
    )


def _cement_mixer() -> Solid:
    drum_ = (
        lathe("orange", ((0.0, 0.0), (0.2, 0.0), (0.36, 0.25), (0.36, 0.45), (0.18, 0.75), (0.15, 0.75)), n=14)
        .turn(y=55.0)
        .move(-0.1, 0.0, 0.62)
    )
    frame = (
        tube("dark", ((0.0, 0.4, 0.85), (0.3, 0.4, 0.0)), 0.03, n=6).both()
        + tube("dark", ((0.0, 0.4, 0.85), (-0.35, 0.4, 0.15)), 0.03, n=6).both()
        + box("dark", 0.06, 0.8, 0.06, (0.3, 0.0, 0.0))
    )
    return (
        drum_
        + frame
        + wheel("tyre", 0.16, 0.08, (-0.36, 0.42, 0.16)).both()
        + ring("dark", 0.2, 0.02, n=12).turn(x=90.0).move(0.0, 0.5, 0.95)
        + ring("black", 0.38, 0.025, n=16).turn(y=55.0).move(0.2, 0.0, 0.84)
    )


def _pipes() -> Solid:
    one = lathe("orange", ((0.17, -1.5), (0.17, 1.5), (0.14, 1.5), (0.14, -1.5), (0.17, -1.5)), n=12).turn(y=90.0)
    rows = [(0, 0), (1, 0), (2, 0), (3, 0), (0.5, 1), (1.5, 1), (2.5, 1), (1, 2), (2, 2)]
    return union([one.move(0.06 * (int(2 * a + b) % 3), 0.35 * (a - 1.5), 0.17 + 0.3 * b) for a, b in rows])


def _forklift() -> Solid:
    body = (
        box("amber", 1.2, 1.0, 0.55, (-0.3, 0.0, 0.25))
        + box("amber", 0.5, 1.0, 0.5, (-0.75, 0.0, 0.7), taper=(0.8, 0.95))
        + box("black", 0.45, 0.5, 0.15, (-0.2, 0.0, 0.8))
        + box("black", 0.1, 0.5, 0.5, (-0.44, 0.0, 0.9))
    )
    cage = box("dark", 0.06, 0.06, 1.35).at_corners(0.5, 0.44).move(-0.25, 0.0, 0.75) + box(
        "dark", 1.2, 1.0, 0.06, (-0.25, 0.0, 2.08)
    )
    mast = (
        (box("dark", 0.12, 0.1, 2.2, (0.5, 0.3, 0.1)) + box("steel", 1.1, 0.12, 0.05, (1.15, 0.25, 0.12))).both()
        + box("dark", 0.06, 0.8, 0.4, (0.6, 0.0, 0.15))
        + box("dark", 0.08, 0.7, 0.08, (0.5, 0.0, 2.1))
    )
    wheels = (
        wheel("tyre", 0.28, 0.24, (0.15, 0.46, 0.28)).both()
        + wheel("tyre", 0.24, 0.22, (-0.75, 0.44, 0.24)).both()
        + wheel("white", 0.12, 0.25, (0.15, 0.465, 0.28)).both()
    )
    return (
        body
        + cage
        + mast
        + wheels
        + ring("black", 0.16, 0.02, n=12).turn(y=-30.0).move(0.12, 0.0, 1.1)
        + tube("black", ((0.2, 0.0, 0.8), (0.12, 0.0, 1.1)), 0.02, n=5)
    )


def _container() -> Solid:
    ribs = union([box("navy", 0.1, 2.48, 2.4, (-2.8 + 0.28 * k, 0.0, 0.1)) for k in range(21)])
    frame = (
        box("blue", 6.06, 2.44, 0.15)
        + box("blue", 6.06, 2.44, 0.1, (0.0, 0.0, 2.5))
        + box("blue", 0.18, 0.18, 2.6).at_corners(2.94, 1.14)
    )
    bars = union([box("light", 0.05, 0.04, 2.3, (3.04, y, 0.15)) for y in (-0.9, -0.4, 0.4, 0.9)])
    return (
        box("blue", 6.0, 2.4, 2.45, (0.0, 0.0, 0.1))
        + ribs
        + frame
        + bars
        + box("white", 1.6, 2.5, 0.5, (0.0, 0.0, 1.5))
    )


def _vending_machine() -> Solid:
    body = (
        box("red", 0.8, 1.0, 1.85)
        + box("glass", 0.02, 0.66, 1.1, (0.4, -0.12, 0.6))
        + box("black", 0.03, 0.6, 0.18, (0.4, -0.12, 0.25))
        + box("dark", 0.03, 0.18, 0.4, (0.4, 0.36, 0.95))
    )
    names = ("yellow", "lime", "orange", "sky", "magenta")
    cans = union(
        [
            drum(names[(j + k) % 5], 0.045, 0.14, (0.41, -0.38 + 0.13 * k, 0.66 + 0.26 * j), n=7)
            for j in range(4)
            for k in range(5)
        ]
    )
    return (
        body
        + cans
        + box("white", 0.02, 0.8, 0.1, (0.4, 0.0, 1.73))
        + box("green lamp", 0.035, 0.1, 0.05, (0.4, 0.36, 1.25))
    )


def _telephone_booth() -> Solid:
    posts = (
        box("red", 0.12, 0.12, 2.15).at_corners(0.42, 0.42)
        + box("red", 1.0, 1.0, 0.15)
        + box("red", 1.0, 1.0, 0.25, (0.0, 0.0, 2.05))
        + box("red", 0.9, 0.9, 0.14, (0.0, 0.0, 2.3), taper=0.7)
    )
    panes = union([box("window", 0.02, 0.74, 1.8, (0.43, 0.0, 0.2)).turn(z=90.0 * k) for k in range(4)])
    bars = union(
        [
            (box("red", 0.05, 0.76, 0.04, (0.43, 0.0, 0.4 + 0.28 * j)).turn(z=90.0 * k))
            for j in range(6)
            for k in range(4)
        ]
    )
    return (
        posts
        + panes
        + bars
        + union([box("white", 0.02, 0.7, 0.14, (0.5, 0.0, 2.1)).turn(z=90.0 * k) for k in range(4)])
    )


def _parking_meter() -> Solid:
    head = (
        ball("slate", 0.1, 0.12, 0.16, (0.0, 0.0, 1.28), n=12)
        + box("slate", 0.18, 0.2, 0.18, (0.0, 0.0, 1.08))
        + box("white", 0.02, 0.14, 0.08, (0.09, 0.0, 1.3))
        + box("red", 0.022, 0.02, 0.06, (0.095, 0.02, 1.31))
    )
    return (
        drum("grey", 0.035, 1.1, n=8)
        + drum("dark", 0.1, 0.04, n=10)
        + head
        + box("steel", 0.02, 0.05, 0.06, (0.095, 0.0, 1.13))
    )


OBJECTS = rows_of(
    Label.SPECIAL,
    (
        ("barbedwire", "medium", 9.0, _barbed_wire),
        ("road_barrier", "medium", 20.0, _road_barrier),
        (
            "concrete_barrier",
            "big",
            1800.0,
            lambda: (
                prism(
                    "concrete",
                    (
                        (-0.3, 0.0),
                        (0.3, 0.0),
                        (0.27, 0.2),
                        (0.12, 0.4),
                        (0.08, 0.85),
                        (-0.08, 0.85),
                        (-0.12, 0.4),
                        (-0.27, 0.2),
                    ),
                    3.0,
                )
                + box("amber", 0.02, 0.2, 0.1, (0.1, 1.0, 0.6)).both()
            ),
        ),
        ("wooden_crate", "medium", 60.0, _crate),
        (
            "oil_barrel",
            "medium",
            180.0,
            lambda: (
                drum("rust", 0.29, 0.88, n=16)
                + union([ring("rust", 0.29, 0.02, (0.0, 0.0, z), n=16) for z in (0.02, 0.3, 0.58, 0.87)])
                + lathe("yellow", ((0.293, 0.38), (0.293, 0.52)), n=16)
                + drum("dark", 0.04, 0.03, (0.15, 0.0, 0.88), n=8)
            ),
        ),
        (
            "gas_cylinder",
            "medium",
            60.0,
            lambda: (
                lathe("red", ((0.0, 0.0), (0.14, 0.0), (0.14, 1.0), (0.09, 1.15), (0.04, 1.2), (0.0, 1.2)), n=14)
                + drum("gold", 0.03, 0.12, (0.0, 0.0, 1.18), n=8)
                + lathe("white", ((0.143, 0.7), (0.143, 0.85)), n=14)
                + wheel("dark", 0.04, 0.12, (0.0, 0.0, 1.32), n=8)
            ),
        ),
        (
            "pallet",
            "medium",
            22.0,
            lambda: union(
                [box("pale wood", 1.2, 0.12, 0.025, (0.0, -0.34 + 0.17 * k, 0.12)) for k in range(5)]
                + [box("wood", 0.1, 0.8, 0.1, (x, 0.0, 0.02)) for x in (-0.55, 0.0, 0.55)]
                + [box("pale wood", 1.2, 0.1, 0.02, (0.0, y, 0.0)) for y in (-0.35, 0.0, 0.35)]
            ),
        ),
        ("tyre_stack", "medium", 36.0, _tyre_stack),
        ("shopping_trolley", "medium", 18.0, _trolley),
        ("wheelbarrow", "medium", 20.0, _wheelbarrow),
        (
            "ladder",
            "big",
            14.0,
            lambda: (
                tube("zinc", ((0.35, 0.26, 0.0), (0.0, 0.17, 2.6)), 0.025, n=6).both()
                + union(
                    [
                        box("zinc", 0.04, 0.5 - 0.016 * k, 0.03, (0.32 - 0.035 * k, 0.0, 0.25 + 0.26 * k))
                        for k in range(9)
                    ]
                )
                + tube("zinc", ((-0.45, 0.26, 0.0), (0.0, 0.17, 2.6)), 0.025, n=6).both()
            ),
        ),
        ("cement_mixer", "medium", 70.0, _cement_mixer),
        (
            "cable_drum",
            "medium",
            90.0,
            lambda: (
                wheel("wood", 0.6, 0.08, (0.0, 0.36, 0.6), n=20).both()
                + wheel("black", 0.42, 0.66, (0.0, 0.0, 0.6), n=16)
                + wheel("dark", 0.1, 0.84, (0.0, 0.0, 0.6), n=10)
            ),
        ),
        ("pipe_stack", "big", 400.0, _pipes),
        (
            "sandbags",
            "medium",
            200.0,
            lambda: union(
                [
                    ball(
                        "sand" if (a + b) % 2 else "fawn",
                        0.17,
                        0.3,
                        0.11,
                        (0.04 * (a % 2), 0.52 * (a - 1 + 0.5 * (b % 2)), 0.1 + 0.18 * b),
                        n=9,
                    ).rough(0.06, 3 * a + b)
                    for b in range(4)
                    for a in range(3 - (b % 2))
                ]
            ),
        ),
        ("forklift", "big", 2500.0, _forklift),
        ("container", "huge", 2300.0, _container),
        (
            "anchor",
            "medium",
            150.0,
            lambda: (
                tube("dark", ((0.0, 0.0, 0.1), (0.0, 0.0, 1.25)), 0.06, n=8)
                + tube("dark", ((0.0, -0.35, 1.05), (0.0, 0.35, 1.05)), 0.045, n=7)
                + ring("dark", 0.11, 0.03, n=12).turn(y=90.0).move(0.0, 0.0, 1.38)
                + tube(
                    "dark", ((0.0, 0.0, 0.08), (0.0, 0.3, 0.16), (0.0, 0.5, 0.5)), (0.07, 0.06, 0.04), n=8, smooth=3
                ).both()
                + prism("dark", ((-0.14, 0.0), (0.14, 0.0), (0.0, 0.22)), 0.06).turn(z=90.0).move(0.0, 0.5, 0.42).both()
            ),
        ),
        ("telephone_booth", "big", 350.0, _telephone_booth),
        ("vending_machine", "medium", 250.0, _vending_machine),
        ("parking_meter", "medium", 30.0, _parking_meter),
        (
            "satellite_dish",
            "medium",
            25.0,
            lambda: (
                (
                    lathe("light", ((0.0, 0.0), (0.3, 0.05), (0.55, 0.17), (0.72, 0.32)), n=18)
                    + tube("grey", ((0.0, 0.0, 0.0), (0.0, 0.0, 0.6)), 0.02, n=6)
                    + union([tube("grey", ((0.6, 0.0, 0.24), (0.03, 0.0, 0.6)), 0.012, n=5)]).around(3)
                    + ball("dark", 0.06, 0.06, 0.08, (0.0, 0.0, 0.62), n=8)
                )
                .turn(y=50.0)
                .move(0.1, 0.0, 0.75)
                + drum("steel", 0.05, 0.75, n=8)
                + drum("dark", 0.3, 0.05, n=12)
            ),
        ),
    ),
)
