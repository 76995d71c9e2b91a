"""Tall unstable things that topple over: pillars, poles and trees of unknown kinds."""

from __future__ import annotations

from offnominal.worlds.road.assets.catalogue import rows_of
from offnominal.worlds.road.assets.primitives import ball, box, drum, lathe, prism, tube
from offnominal.worlds.road.assets.solid import Solid, union
from offnominal.worlds.road.assets.vegetation import crown
from offnominal.worlds.road.labels import Label


def _column(height: float, name: str = "white") -> Solid:
    """Return a fluted column without its capital."""
    flutes = union([box("light", 0.05, 0.06, height, (0.29, 0.0, 0.35)).turn(z=30.0 * k) for k in range(12)])
    base = box("stone", 0.9, 0.9, 0.2) + drum(name, 0.4, 0.15, (0.0, 0.0, 0.2), n=16)
    return base + drum(name, 0.31, height, (0.0, 0.0, 0.35), top=0.27, n=16) + flutes


def _pillar() -> Solid:
    capital = drum("white", 0.32, 0.15, (0.0, 0.0, 3.65), top=0.42, n=16) + box(
        "stone", 0.95, 0.95, 0.2, (0.0, 0.0, 3.8)
    )
    return _column(3.3) + capital


def _dead_tree() -> Solid:
    trunk = tube(
        "bark",
        ((0.0, 0.0, 0.0), (0.1, 0.05, 2.0), (-0.05, 0.0, 4.0), (0.1, 0.1, 6.0)),
        (0.3, 0.22, 0.14, 0.04),
        n=9,
        smooth=3,
    )
    limbs = union(
        [
            tube(
                "bark", ((0.0, 0.0, z), (0.7 * r, 0.1, z + 0.7), (1.3 * r, 0.3, z + 1.3)), (0.1, 0.06, 0.02), n=6
            ).turn(z=110.0 * k)
            for k, (z, r) in enumerate(((2.0, 1.0), (2.7, 0.9), (3.3, 0.8), (3.9, 0.7), (4.5, 0.5)))
        ]
    )
    twigs = union(
        [
            tube("bark", ((0.6, 0.1, z + 0.7), (0.7, 0.6, z + 1.3)), (0.04, 0.01), n=5).turn(z=110.0 * k)
            for k, z in enumerate((2.0, 2.7, 3.3, 3.9))
        ]
    )
    return trunk + limbs + twigs


def _pine() -> Solid:
    cones = union(
        [
            lathe("pine", ((r, z), (0.5 * r, z + 0.5), (0.0, z + 1.15)), n=11)
            .rough(0.06, k)
            .spotted("white", 0.3, 0.25, k)
            for k, (r, z) in enumerate(
                ((1.4, 1.2), (1.25, 1.95), (1.05, 2.7), (0.9, 3.4), (0.7, 4.1), (0.5, 4.75), (0.32, 5.3))
            )
        ]
    )
    return drum("bark", 0.18, 5.0, top=0.06, n=8) + cones


def _coral_tree() -> Solid:
    trunk = tube("purple", ((0.0, 0.0, 0.0), (0.15, 0.0, 1.0), (0.0, 0.1, 2.2)), (0.22, 0.15, 0.12), n=9, smooth=2)
    arms = union(
        [
            tube("purple", ((0.0, 0.1, 2.0), (0.5, 0.1, 2.6), (0.9, 0.1, 3.4)), (0.1, 0.08, 0.05), n=7, smooth=2).turn(
                z=72.0 * k
            )
            for k in range(5)
        ]
    )
    tips = union([crown("magenta", ((0.9, 0.1, 3.5, 0.42),), k).turn(z=72.0 * k) for k in range(5)]) + crown(
        "magenta", ((0.0, 0.1, 3.6, 0.6),), 9
    )
    return trunk + arms + tips


def _spiral_tree() -> Solid:
    trunk = drum("wood", 0.14, 4.2, top=0.06, n=8)
    coil = tube(
        "teal",
        [
            (
                0.75 * (1.0 - 0.02 * k) * (1, 0.71, 0, -0.71, -1, -0.71, 0, 0.71)[k % 8],
                0.75 * (1.0 - 0.02 * k) * (0, 0.71, 1, 0.71, 0, -0.71, -1, -0.71)[k % 8],
                1.0 + 0.095 * k,
            )
            for k in range(38)
        ],
        [0.22 * (1.0 - 0.02 * k) for k in range(38)],
        n=7,
    )
    return trunk + coil + ball("gold", 0.22, 0.22, 0.22, (0.0, 0.0, 4.6), n=10)


def _lamp_post() -> Solid:
    post = drum("dark", 0.22, 0.5, n=10) + tube("dark", ((0.0, 0.0, 0.4), (0.0, 0.0, 5.6)), (0.1, 0.06), n=8)
    arms = (
        tube("dark", ((0.0, 0.0, 5.5), (0.3, 0.0, 6.0), (0.8, 0.0, 5.9)), 0.035, n=6, smooth=3)
        + lathe("dark", ((0.26, 0.0), (0.12, 0.22), (0.0, 0.28)), n=10).move(0.8, 0.0, 5.65)
        + ball("lamp", 0.17, 0.17, 0.2, (0.8, 0.0, 5.6), n=10)
    )
    return post + arms + arms.turn(z=180.0) + ball("dark", 0.08, 0.08, 0.2, (0.0, 0.0, 5.75), n=8)


def _billboard() -> Solid:
    board = (
        box("white", 0.12, 5.2, 2.4, (0.0, 0.0, 2.4))
        + box("sky", 0.14, 5.0, 2.2, (0.0, 0.0, 2.5))
        + box("green", 0.16, 5.0, 0.7, (0.0, 0.0, 2.5))
    )
    art = drum("yellow", 0.5, 0.02, n=18).turn(y=90.0).move(0.075, 1.5, 4.0) + prism(
        "slate", ((-1.2, 0.0), (1.2, 0.0), (0.2, 1.1), (-0.1, 0.8), (-0.4, 1.2)), 0.03
    ).turn(z=90.0).move(0.08, -0.9, 3.1)
    legs = box("steel", 0.2, 0.25, 2.5, (-0.1, 1.7, 0.0)).both() + union(
        [tube("steel", ((-1.0, s * 1.7, 0.0), (-0.1, s * 1.7, 2.3)), 0.06, n=6) for s in (1, -1)]
    )
    return board + art + legs + box("dark", 0.5, 4.8, 0.08, (0.2, 0.0, 2.25))


def _scaffold() -> Solid:
    poles = tube("zinc", ((0.0, 0.0, 0.0), (0.0, 0.0, 4.6)), 0.03, n=6).at_corners(0.6, 1.2)
    rails = union(
        [tube("zinc", ((x, -1.2, z), (x, 1.2, z)), 0.022, n=5) for x in (-0.6, 0.6) for z in (0.5, 1.9, 2.5, 3.9, 4.5)]
        + [tube("zinc", ((-0.6, y, z), (0.6, y, z)), 0.022, n=5) for y in (-1.2, 1.2) for z in (1.9, 3.9)]
    )
    braces = union(
        [tube("zinc", ((x, -1.2, z), (x, 1.2, z + 1.4)), 0.018, n=5) for x in (-0.6, 0.6) for z in (0.5, 2.5)]
    )
    decks = union([box("wood", 1.1, 2.3, 0.06, (0.0, 0.0, z)) for z in (1.9, 3.9)]) + box(
        "red", 0.03, 2.4, 0.15, (0.6, 0.0, 3.96)
    )
    return poles + rails + braces + decks + drum("blue", 0.14, 0.3, (0.2, 0.6, 1.96), n=9)


def _totem() -> Solid:
    parts = []
    for k, (name, beak) in enumerate((("red", "yellow"), ("teal", "white"), ("ochre", "red"))):
        z = 1.0 * k
        parts += [
            drum(name, 0.4, 0.96, (0.0, 0.0, z), n=14),
            box("black", 0.06, 0.5, 0.1, (0.38, 0.0, z + 0.2)),
            box("white", 0.07, 0.4, 0.05, (0.38, 0.0, z + 0.23)),
            prism(beak, ((0.0, 0.0), (0.35, -0.06), (0.0, 0.2)), 0.14).move(0.36, 0.0, z + 0.4),
        ]
        parts.append(
            (
                ball("white", 0.06, 0.11, 0.11, (0.36, 0.17, z + 0.68), n=9)
                + ball("black", 0.05, 0.05, 0.06, (0.4, 0.18, z + 0.68), n=7)
            ).both()
        )
    wings = (
        prism("red", ((0.0, 0.0), (0.9, 0.35), (0.85, 0.0), (0.6, -0.15), (0.0, -0.2)), 0.08)
        .turn(z=90.0)
        .move(0.0, 0.3, 2.5)
    )
    return union([*parts, wings.both(), lathe("ochre", ((0.42, 2.96), (0.3, 3.2), (0.0, 3.3)), n=14)])


OBJECTS = rows_of(
    Label.FALLING,
    (
        ("pillar", "big", 2500.0, _pillar),
        ("dead_tree", "huge", 600.0, _dead_tree),
        ("snowy_pine", "huge", 700.0, _pine),
        ("coral_tree", "big", 300.0, _coral_tree),
        ("spiral_tree", "big", 250.0, _spiral_tree),
        ("old_lamp_post", "huge", 200.0, _lamp_post),
        ("billboard", "huge", 900.0, _billboard),
        ("scaffold", "big", 350.0, _scaffold),
        ("totem_pole", "big", 1200.0, _totem),
    ),
    placement="unstable",
    height=0.0,
)
