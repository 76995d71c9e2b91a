"""Furniture and large household appliances."""

from __future__ import annotations

from offnominal.worlds.road.assets.catalogue import rows_of
from offnominal.worlds.road.assets.primitives import ball, box, circle, drum, lathe, plate, prism, ring, tube, wheel
from offnominal.worlds.road.assets.solid import Solid, union
from offnominal.worlds.road.labels import Label


def _table(name: str, x: float, y: float, z: float, thick: float = 0.04, leg: float = 0.06) -> Solid:
    return box(name, x, y, thick, (0.0, 0.0, z - thick)) + box(name, leg, leg, z - thick).at_corners(
        0.5 * x - leg, 0.5 * y - leg
    )


def _chair() -> Solid:
    legs = box("wood", 0.04, 0.04, 0.45).at_corners(0.19, 0.18)
    back = [box("wood", 0.03, 0.38, 0.06, (-0.2, 0.0, z)) for z in (0.62, 0.76, 0.88)]
    return union(
        [
            legs,
            box("wood", 0.44, 0.42, 0.04, (0.0, 0.0, 0.44)),
            box("wood", 0.04, 0.04, 0.5, (-0.2, 0.18, 0.46)).both(),
            *back,
        ]
    )


def _office_chair() -> Solid:
    star = (
        tube("black", ((0.0, 0.0, 0.12), (0.3, 0.0, 0.07)), (0.03, 0.02), n=6)
        + ball("dark", 0.03, 0.03, 0.03, (0.3, 0.0, 0.03), n=6)
    ).around(5)
    seat = box("navy", 0.5, 0.5, 0.08, (0.0, 0.0, 0.48), taper=0.95) + box(
        "navy", 0.07, 0.46, 0.58, (-0.26, 0.0, 0.6), taper=0.85
    )
    arms = (box("black", 0.3, 0.06, 0.03, (0.0, 0.29, 0.72)) + box("black", 0.04, 0.04, 0.22, (0.0, 0.28, 0.5))).both()
    return star + drum("steel", 0.03, 0.4, (0.0, 0.0, 0.1), n=8) + seat + arms


def _seat(name: str, width: float, cushions: int) -> Solid:
    """Return an armchair or a sofa."""
    inner = width - 0.36
    base = box(name, 0.85, width, 0.3, (0.0, 0.0, 0.08)) + box(
        name, 0.22, width, 0.55, (-0.33, 0.0, 0.35), taper=(0.7, 1.0)
    )
    arms = (
        box(name, 0.85, 0.18, 0.3, (0.0, 0.5 * width - 0.09, 0.3))
        + wheel(name, 0.09, 0.85).turn(z=90.0).move(0.0, 0.5 * width - 0.09, 0.6)
    ).both()
    each = inner / cushions
    soft = [
        box("cream", 0.6, 0.96 * each, 0.14, (0.1, -0.5 * inner + (k + 0.5) * each, 0.36), taper=0.94)
        for k in range(cushions)
    ]
    return union([base, arms, *soft]) + box("brown", 0.06, 0.06, 0.08).at_corners(0.36, 0.5 * width - 0.1)


def _bed(z: float = 0.0) -> Solid:
    frame = (
        box("wood", 2.05, 1.0, 0.14, (0.0, 0.0, z + 0.2))
        + box("wood", 0.06, 1.0, 0.85, (-1.03, 0.0, z))
        + box("wood", 0.06, 1.0, 0.5, (1.03, 0.0, z))
    )
    soft = box("white", 1.98, 0.94, 0.18, (0.0, 0.0, z + 0.32), taper=0.97) + box(
        "blue", 1.3, 0.98, 0.06, (0.32, 0.0, z + 0.48)
    )
    return frame + soft + ball("cream", 0.22, 0.34, 0.08, (-0.72, 0.0, z + 0.54))


def _bookshelf() -> Solid:
    case = [box("wood", 0.3, 0.9, 0.03, (0.0, 0.0, z)) for z in (0.05, 0.5, 0.95, 1.4, 1.85)]
    sides = [box("wood", 0.3, 0.03, 1.88, (0.0, y, 0.0)) for y in (-0.45, 0.45)] + [
        box("brown", 0.02, 0.9, 1.88, (-0.14, 0.0, 0.0))
    ]
    names = ("red", "navy", "green", "ochre", "purple", "teal", "maroon", "cream")
    books = [
        box(
            names[(3 * row + k) % 8],
            0.2,
            0.09,
            0.26 + 0.03 * ((k * 7 + row) % 4),
            (0.02, -0.36 + 0.1 * k, 0.08 + 0.45 * row),
        )
        for row in range(4)
        for k in range(8)
        if (k + row) % 5 != 4
    ]
    return union([*case, *sides, *books])


def _cabinet(name: str, x: float, y: float, z: float, rows: int, columns: int, knob: str) -> Solid:
    """Return a cabinet whose front is divided into doors or drawers."""
    parts = [box(name, x, y, z - 0.08, (0.0, 0.0, 0.08)), box("dark", 0.9 * x, 0.94 * y, 0.08)]
    high, wide = (z - 0.1) / rows, y / columns
    for r in range(rows):
        for c in range(columns):
            at = (0.5 * x, -0.5 * y + (c + 0.5) * wide, 0.1 + r * high)
            parts.append(box(name, 0.03, wide - 0.03, high - 0.03, (at[0] + 0.01, at[1], at[2])))
            parts.append(
                ball(
                    knob,
                    0.02,
                    0.02,
                    0.02,
                    (
                        at[0] + 0.04,
                        at[1] + (0.0 if columns == 1 else 0.36 * wide * (1 if c == 0 else -1)),
                        at[2] + 0.5 * high,
                    ),
                    n=6,
                )
            )
    return union(parts)


def _bathtub() -> Solid:
    shell = box("white", 1.7, 0.75, 0.5, (0.0, 0.0, 0.08), taper=1.0).scale(1.0)
    inner = box("sky", 1.5, 0.55, 0.01, (0.0, 0.0, 0.5))
    rim = [
        box("white", 1.74, 0.1, 0.06, (0.0, 0.35, 0.56)).both(),
        box("white", 0.12, 0.78, 0.06, (0.81, 0.0, 0.56)),
        box("white", 0.12, 0.78, 0.06, (-0.81, 0.0, 0.56)),
    ]
    feet = ball("gold", 0.06, 0.06, 0.06, n=7).at_corners(0.7, 0.3).move(z=0.05)
    tap = tube("steel", ((0.8, 0.0, 0.6), (0.8, 0.0, 0.78), (0.65, 0.0, 0.76)), 0.025, n=7)
    return union([shell, inner.move(z=0.09), *rim, feet, tap])


def _toilet() -> Solid:
    bowl = (
        lathe("white", ((0.12, 0.0), (0.1, 0.12), (0.2, 0.36), (0.22, 0.42), (0.0, 0.42)), n=14)
        .scale(1.2, 0.95, 1.0)
        .move(0.08)
    )
    seat = ring("cream", 0.17, 0.035, n=16, m=6).scale(1.25, 1.0, 0.7).move(0.1, 0.0, 0.43) + plate(
        "slate", [(0.13 * x, 0.1 * y) for x, y in circle(10)], 0.01, (0.1, 0.0, 0.42)
    )
    lid = box("cream", 0.03, 0.36, 0.42, (-0.16, 0.0, 0.42)).turn(y=0.0)
    return (
        bowl
        + seat
        + lid
        + box("white", 0.2, 0.44, 0.36, (-0.27, 0.0, 0.4))
        + box("white", 0.22, 0.46, 0.04, (-0.27, 0.0, 0.76))
        + box("steel", 0.05, 0.05, 0.02, (-0.27, 0.0, 0.8))
    )


def _grandfather_clock() -> Solid:
    case = (
        box("chestnut", 0.3, 0.5, 0.45)
        + box("chestnut", 0.24, 0.36, 0.95, (0.0, 0.0, 0.45))
        + box("chestnut", 0.32, 0.5, 0.5, (0.0, 0.0, 1.4))
    )
    face = (
        wheel("cream", 0.19, 0.02).turn(z=90.0).move(0.165, 0.0, 1.64)
        + box("black", 0.01, 0.015, 0.14, (0.18, 0.0, 1.64))
        + box("black", 0.01, 0.1, 0.015, (0.18, 0.05, 1.64))
    )
    glass = (
        box("glass", 0.02, 0.24, 0.8, (0.12, 0.0, 0.52))
        + wheel("gold", 0.07, 0.02).turn(z=90.0).move(0.135, 0.0, 0.68)
        + box("gold", 0.01, 0.012, 0.5, (0.135, 0.0, 0.7))
    )
    return (
        case
        + face
        + glass
        + prism("chestnut", ((-0.26, 0.0), (0.26, 0.0), (0.0, 0.09)), 0.3, (0.0, 0.0, 1.89)).turn(z=90.0)
    )


def _washing_machine() -> Solid:
    body = box("white", 0.6, 0.6, 0.85) + box("light", 0.01, 0.58, 0.12, (0.3, 0.0, 0.71))
    door = ring("light", 0.19, 0.035, n=18).turn(y=90.0).move(0.3, 0.0, 0.4) + ball(
        "glass", 0.04, 0.17, 0.17, (0.3, 0.0, 0.4), n=14
    )
    return (
        body
        + door
        + wheel("grey", 0.035, 0.03).turn(z=90.0).move(0.31, 0.18, 0.77)
        + box("black", 0.012, 0.16, 0.05, (0.3, -0.02, 0.75))
        + box("grey", 0.012, 0.16, 0.08, (0.3, -0.2, 0.73))
    )


def _oven() -> Solid:
    body = (
        box("light", 0.6, 0.6, 0.88)
        + box("black", 0.58, 0.58, 0.015, (0.0, 0.0, 0.88))
        + box("glass", 0.02, 0.46, 0.36, (0.3, 0.0, 0.2))
    )
    rings = union([ring("grey", 0.09, 0.012, n=12)]).at_corners(0.14, 0.14).move(z=0.9)
    knobs = [wheel("black", 0.025, 0.03).turn(z=90.0).move(0.31, -0.2 + 0.1 * k, 0.8) for k in range(5)]
    return union([body, rings, tube("steel", ((0.33, -0.22, 0.64), (0.33, 0.22, 0.64)), 0.014, n=6), *knobs])


OBJECTS = rows_of(
    Label.HOME,
    (
        (
            "ironing_board",
            "medium",
            6.0,
            lambda: (
                plate(
                    "sky",
                    ((-0.65, 0.16), (-0.65, -0.16), (0.35, -0.18), (0.65, 0.0), (0.35, 0.18)),
                    0.04,
                    (0.0, 0.0, 0.85),
                )
                + (
                    tube("steel", ((-0.4, 0.14, 0.0), (0.25, 0.1, 0.85)), 0.015, n=6)
                    + tube("steel", ((0.4, 0.14, 0.0), (-0.25, 0.1, 0.85)), 0.015, n=6)
                ).both()
                + box("grey", 0.22, 0.1, 0.04, (-0.35, 0.0, 0.89))
                + box("red", 0.18, 0.07, 0.07, (-0.35, 0.0, 0.93), taper=(0.6, 0.5))
            ),
        ),
        ("chair", "medium", 6.0, _chair),
        ("office_chair", "medium", 14.0, _office_chair),
        ("armchair", "medium", 28.0, lambda: _seat("maroon", 1.0, 1)),
        ("sofa", "big", 55.0, lambda: _seat("teal", 2.1, 3)),
        (
            "dining_table",
            "medium",
            35.0,
            lambda: _table("chestnut", 1.6, 0.9, 0.75, 0.05, 0.08) + box("chestnut", 1.4, 0.7, 0.08, (0.0, 0.0, 0.62)),
        ),
        (
            "desk",
            "medium",
            40.0,
            lambda: (
                box("pale wood", 0.7, 1.4, 0.04, (0.0, 0.0, 0.71))
                + _cabinet("pale wood", 0.6, 0.42, 0.71, 3, 1, "steel").move(0.0, 0.45)
                + box("pale wood", 0.6, 0.04, 0.71, (0.0, -0.66, 0.0))
                + box("pale wood", 0.03, 1.3, 0.4, (-0.3, 0.0, 0.3))
            ),
        ),
        ("bed", "big", 45.0, _bed),
        (
            "mattress",
            "big",
            20.0,
            lambda: (
                box("white", 2.05, 0.95, 0.22)
                + union([box("sky", 2.052, 0.06, 0.222, (0.0, 0.19 * (k - 2), 0.0)) for k in range(5)])
                + box("blue", 2.06, 0.96, 0.03, (0.0, 0.0, 0.03))
                + box("blue", 2.06, 0.96, 0.03, (0.0, 0.0, 0.17))
            ),
        ),
        (
            "bunk_bed",
            "big",
            60.0,
            lambda: (
                _bed()
                + _bed(1.0)
                + box("wood", 0.08, 0.08, 1.9).at_corners(1.03, 0.48)
                + union(
                    [box("wood", 0.05, 0.05, 1.5, (0.55 + 0.4 * k, 0.55, 0.0)) for k in range(2)]
                    + [box("wood", 0.4, 0.04, 0.04, (0.75, 0.55, 0.25 + 0.28 * k)) for k in range(5)]
                )
            ),
        ),
        (
            "wardrobe",
            "big",
            80.0,
            lambda: _cabinet("wood", 0.6, 1.3, 2.1, 1, 2, "gold") + box("brown", 0.68, 1.4, 0.08, (0.0, 0.0, 2.08)),
        ),
        ("bookshelf", "medium", 55.0, _bookshelf),
        (
            "chest_of_drawers",
            "medium",
            40.0,
            lambda: (
                _cabinet("pale wood", 0.5, 0.9, 1.05, 4, 1, "brown") + box("wood", 0.55, 0.96, 0.04, (0.0, 0.0, 1.04))
            ),
        ),
        (
            "fridge",
            "medium",
            75.0,
            lambda: (
                box("white", 0.65, 0.68, 1.76, (0.0, 0.0, 0.05))
                + box("black", 0.55, 0.6, 0.05)
                + box("light", 0.03, 0.66, 0.6, (0.335, 0.0, 1.19))
                + box("light", 0.03, 0.66, 1.08, (0.335, 0.0, 0.07))
                + box("steel", 0.04, 0.03, 0.35, (0.37, -0.27, 1.25))
                + box("steel", 0.04, 0.03, 0.5, (0.37, -0.27, 0.55))
            ),
        ),
        ("oven", "medium", 45.0, _oven),
        ("washing_machine", "medium", 65.0, _washing_machine),
        (
            "kitchen_sink",
            "medium",
            30.0,
            lambda: (
                box("white", 0.6, 1.1, 0.84)
                + box("steel", 0.62, 1.12, 0.04, (0.0, 0.0, 0.84))
                + box("slate", 0.4, 0.42, 0.01, (0.0, -0.22, 0.876))
                + tube(
                    "steel",
                    ((-0.22, -0.22, 0.88), (-0.22, -0.22, 1.15), (-0.06, -0.22, 1.18), (-0.02, -0.22, 1.08)),
                    0.018,
                    n=7,
                    smooth=3,
                )
                + box("light", 0.02, 0.5, 0.7, (0.3, 0.27, 0.08))
                + box("light", 0.02, 0.5, 0.7, (0.3, -0.27, 0.08))
            ),
        ),
        ("bathtub", "medium", 45.0, _bathtub),
        ("toilet", "medium", 28.0, _toilet),
        (
            "mirror",
            "medium",
            14.0,
            lambda: (
                (
                    box("gold", 0.04, 0.66, 1.6)
                    + box("sky", 0.02, 0.56, 1.48, (0.015, 0.0, 0.06))
                    + box("white", 0.022, 0.08, 1.2, (0.015, 0.1, 0.2))
                ).turn(y=-10.0)
                + box("wood", 0.03, 0.5, 1.2, (-0.33, 0.0, 0.0)).turn(y=4.0)
            ),
        ),
        (
            "rug",
            "big",
            14.0,
            lambda: (
                union(
                    [
                        wheel("sand" if k % 2 else "maroon", 0.16, 0.244, (0.0, -0.976 + 0.244 * k, 0.16))
                        + box("sand" if k % 2 else "maroon", 0.34, 0.244, 0.02, (0.2, -0.976 + 0.244 * k, 0.0))
                        for k in range(9)
                    ]
                )
                + union(
                    [
                        ring("sand", 0.02 + 0.045 * k, 0.01, n=14, m=5).turn(x=90.0).move(0.0, 1.1, 0.16)
                        for k in range(3)
                    ]
                )
            ),
        ),
        ("grandfather_clock", "medium", 40.0, _grandfather_clock),
        (
            "floor_lamp",
            "medium",
            7.0,
            lambda: (
                drum("black", 0.16, 0.03, n=14)
                + drum("black", 0.018, 1.4, n=7)
                + lathe("cream", ((0.24, 1.3), (0.14, 1.62), (0.13, 1.62), (0.23, 1.3)), n=14)
                + ball("lamp", 0.06, 0.06, 0.07, (0.0, 0.0, 1.42), n=8)
            ),
        ),
    ),
)
