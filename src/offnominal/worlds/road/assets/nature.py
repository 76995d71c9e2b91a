"""Things of nature on the road: trees, rocks and wood."""

from __future__ import annotations

from offnominal.worlds.road.assets.catalogue import rows_of
from offnominal.worlds.road.assets.primitives import ball, drum, lathe, ring, sheet, tube
from offnominal.worlds.road.assets.solid import Solid, union
from offnominal.worlds.road.assets.vegetation import crown
from offnominal.worlds.road.labels import Label


def rock(x: float, y: float, z: float, seed: int, name: str = "stone") -> Solid:
    """Return a rock with the radii x, y and z."""
    return ball(name, x, y, z, (0.0, 0.0, 0.75 * z), n=9).rough(0.2, seed)


def log(length: float, radius: float, seed: int = 0) -> Solid:
    """Return a log along x with a bright cut at both ends."""
    body = drum("bark", radius, length, (0.0, 0.0, -0.5 * length), n=10).rough(0.015, seed)
    cuts = union(
        [
            drum("pale wood", 0.9 * radius, 0.02, (0.0, 0.0, z), n=10)
            + ring("wood", 0.45 * radius, 0.02 * radius, (0.0, 0.0, z + (0.02 if z > 0 else 0.0)), n=12, m=4)
            for z in (-0.5 * length - 0.012, 0.5 * length - 0.008)
        ]
    )
    return (body + cuts).turn(y=90.0).move(z=radius)


def _tree() -> Solid:
    trunk = tube("bark", ((0.0, 0.0, 0.0), (0.05, 0.0, 0.9), (0.0, 0.05, 1.9)), (0.17, 0.12, 0.08), n=8)
    roots = tube("bark", ((0.1, 0.0, 0.12), (0.42, 0.05, 0.02)), (0.08, 0.03), n=6).around(5)
    leaves = crown(
        "leaf",
        (
            (0.0, 0.0, 2.4, 0.85),
            (0.55, 0.2, 2.1, 0.6),
            (-0.5, 0.35, 2.2, 0.62),
            (-0.1, -0.55, 2.1, 0.6),
            (0.1, 0.1, 3.1, 0.62),
        ),
        31,
    )
    apples = union(
        [
            ball("red", 0.06, 0.06, 0.06, at, n=7)
            for at in (
                (0.85, 0.2, 2.4),
                (0.6, 0.65, 2.1),
                (0.1, -0.95, 2.4),
                (-0.85, 0.4, 2.6),
                (0.5, 0.3, 3.0),
                (0.9, -0.1, 2.0),
            )
        ]
    )
    return trunk + roots + leaves + apples


def _fallen_tree() -> Solid:
    trunk = tube(
        "bark",
        ((-3.2, 0.0, 0.35), (-1.0, 0.05, 0.34), (1.2, 0.0, 0.45), (2.2, 0.1, 0.7)),
        (0.34, 0.28, 0.2, 0.12),
        n=9,
        smooth=2,
    )
    roots = union(
        [
            tube("umber", ((-3.1, 0.0, 0.35), (-3.5, 0.5, 0.35), (-3.6, 0.85, 0.35)), (0.12, 0.07, 0.02), n=6)
            .move(3.3, 0.0, -0.35)
            .turn(x=51.0 * k)
            .move(-3.3, 0.0, 0.35 + 0.2 * (k % 2))
            for k in range(7)
        ]
    )
    limbs = union(
        [
            tube("bark", ((0.4 + 0.5 * k, 0.0, 0.45), (1.2 + 0.5 * k, 0.9 * s, 0.9)), (0.1, 0.03), n=6)
            for k, s in ((0, 1), (1, -1), (2, 1))
        ]
    )
    leaves = crown(
        "leaf",
        (
            (2.2, 0.2, 0.95, 0.95),
            (1.4, 1.0, 0.9, 0.7),
            (1.9, -0.9, 0.8, 0.75),
            (2.9, 0.3, 0.8, 0.7),
            (2.6, -0.5, 1.2, 0.6),
        ),
        45,
    )
    return trunk + roots + limbs + leaves


def _bush() -> Solid:
    leaves = crown(
        "leaf", ((0.0, 0.0, 0.4, 0.45), (0.32, 0.2, 0.32, 0.34), (-0.3, 0.22, 0.35, 0.36), (0.0, -0.35, 0.32, 0.36)), 52
    )
    return leaves + union(
        [
            ball("magenta", 0.05, 0.05, 0.05, at, n=6)
            for at in (
                (0.42, 0.1, 0.6),
                (0.2, 0.42, 0.5),
                (-0.2, 0.1, 0.78),
                (0.35, -0.3, 0.55),
                (0.1, -0.1, 0.78),
                (-0.5, 0.3, 0.55),
                (0.62, 0.3, 0.35),
            )
        ]
    )


def _cactus() -> Solid:
    stem = tube("green", ((0.0, 0.0, 0.0), (0.0, 0.0, 0.9), (0.0, 0.0, 1.75)), (0.17, 0.19, 0.14), n=10, smooth=2)
    arms = tube(
        "green", ((0.0, 0.12, 0.7), (0.0, 0.42, 0.75), (0.0, 0.46, 1.25)), (0.1, 0.11, 0.09), n=9, smooth=3
    ) + tube("green", ((0.0, -0.12, 0.95), (0.0, -0.38, 1.0), (0.0, -0.4, 1.4)), (0.09, 0.1, 0.08), n=9, smooth=3)
    ridges = tube("lime", ((0.17, 0.0, 0.05), (0.19, 0.0, 0.9), (0.13, 0.0, 1.7)), 0.02, n=5).around(7)
    return stem + arms + ridges + ball("pink", 0.09, 0.09, 0.07, (0.0, 0.0, 1.83), n=8)


def _branch() -> Solid:
    main = tube(
        "bark",
        ((-0.9, 0.0, 0.06), (-0.2, 0.1, 0.12), (0.5, 0.0, 0.2), (0.95, -0.1, 0.2)),
        (0.07, 0.055, 0.03, 0.015),
        n=7,
        smooth=2,
    )
    twigs = union(
        [
            tube("bark", ((x, 0.05, z), (x + 0.35, s * 0.4, z + 0.18)), (0.03, 0.01), n=5)
            for x, z, s in ((-0.3, 0.12, 1), (0.05, 0.15, -1), (0.4, 0.2, 1))
        ]
    )
    leaf = sheet(
        "leaf",
        [
            [(0.0, -0.01, 0.0), (0.0, 0.01, 0.0)],
            [(0.08, -0.05, 0.03), (0.08, 0.05, 0.03)],
            [(0.18, -0.01, 0.0), (0.18, 0.01, 0.0)],
        ],
    )
    leaves = union(
        [
            leaf.scale(1.3)
            .turn(z=47.0 * k)
            .move(0.05 * k - 0.1 + 0.25 * (k % 3), 0.38 * (1, -1, 0.1)[k % 3], 0.26 + 0.02 * (k % 4))
            for k in range(16)
        ]
    )
    return main + twigs + leaves


OBJECTS = rows_of(
    Label.NATURE,
    (
        ("tree", "big", 180.0, _tree),
        ("fallen_tree", "huge", 900.0, _fallen_tree),
        (
            "tree_stump",
            "medium",
            90.0,
            lambda: (
                lathe("bark", ((0.42, 0.0), (0.31, 0.15), (0.28, 0.45)), n=11).rough(0.05, 8)
                + drum("pale wood", 0.26, 0.45, n=11)
                + union([ring("wood", r, 0.008, (0.0, 0.0, 0.452), n=12, m=4) for r in (0.08, 0.15, 0.21)])
                + tube("bark", ((0.3, 0.0, 0.12), (0.6, 0.05, 0.02)), (0.1, 0.03), n=6).around(4)
            ),
        ),
        (
            "log",
            "big",
            300.0,
            lambda: log(2.6, 0.24, 3) + tube("bark", ((0.5, 0.15, 0.35), (0.6, 0.4, 0.5)), (0.06, 0.03), n=6),
        ),
        (
            "log_pile",
            "big",
            900.0,
            lambda: union(
                [
                    log(2.2, 0.17, k).move(0.05 * (k % 3), 0.36 * a, 0.31 * b)
                    for k, (a, b) in enumerate(
                        ((-1.5, 0), (-0.5, 0), (0.5, 0), (1.5, 0), (-1, 1), (0, 1), (1, 1), (-0.5, 2), (0.5, 2))
                    )
                ]
            ),
        ),
        ("branch", "big", 6.0, _branch),
        ("rock", "small", 60.0, lambda: rock(0.3, 0.24, 0.22, 3)),
        (
            "boulder",
            "medium",
            2500.0,
            lambda: rock(0.85, 0.7, 0.65, 12) + rock(0.35, 0.3, 0.25, 5, "grey").move(0.55, 0.5),
        ),
        (
            "rock_slide",
            "big",
            4000.0,
            lambda: union(
                [
                    rock(r, 0.9 * r, 0.8 * r, k, ("stone", "grey", "concrete")[k % 3]).move(x, y)
                    for k, (x, y, r) in enumerate(
                        (
                            (0.0, 0.0, 0.7),
                            (0.9, 0.5, 0.45),
                            (-0.9, 0.4, 0.5),
                            (0.3, -0.9, 0.4),
                            (-0.6, -0.7, 0.35),
                            (1.3, -0.4, 0.25),
                            (-1.4, -0.2, 0.22),
                            (0.5, 1.1, 0.2),
                        )
                    )
                ]
            ),
        ),
        ("bush", "medium", 20.0, _bush),
        ("cactus", "medium", 120.0, _cactus),
        (
            "giant_mushroom",
            "medium",
            15.0,
            lambda: (
                lathe("cream", ((0.0, 0.0), (0.16, 0.0), (0.11, 0.25), (0.1, 0.6)), n=12)
                + lathe("red", ((0.48, 0.55), (0.46, 0.68), (0.3, 0.86), (0.0, 0.95)), n=18)
                + union([ball("white", 0.07, 0.07, 0.03, (0.36, 0.0, 0.8), n=8).turn(z=60.0 * k) for k in range(6)])
                + ball("white", 0.09, 0.09, 0.03, (0.0, 0.0, 0.94), n=8)
                + lathe("sand", ((0.1, 0.6), (0.47, 0.55)), n=18)
            ),
        ),
    ),
)
