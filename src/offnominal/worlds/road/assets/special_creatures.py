"""Special objects that are creatures of fantasy, robots and aliens."""

from __future__ import annotations

from offnominal.worlds.road.assets.catalogue import rows_of
from offnominal.worlds.road.assets.primitives import ball, box, circle, drum, lathe, prism, ring, tube, wheel
from offnominal.worlds.road.assets.solid import Solid, union
from offnominal.worlds.road.labels import Label


def _dinosaur() -> Solid:
    body = tube(
        "green",
        ((-0.9, 0.0, 0.12), (-0.5, 0.0, 0.4), (-0.1, 0.0, 0.75), (0.1, 0.0, 1.15), (0.18, 0.0, 1.5)),
        (0.05, 0.22, 0.4, 0.34, 0.2),
        n=12,
        smooth=4,
    )
    head = (
        ball("green", 0.3, 0.2, 0.2, (0.32, 0.0, 1.68), n=12)
        + ball("green", 0.26, 0.16, 0.1, (0.5, 0.0, 1.62))
        + ball("cream", 0.2, 0.26, 0.4, (0.16, 0.0, 0.9))
        + box("white", 0.2, 0.2, 0.04, (0.58, 0.0, 1.53))
    )
    spikes = union(
        [
            prism("orange", ((-0.1, 0.0), (0.1, 0.0), (-0.08, 0.2)), 0.05).move(x, 0.0, z)
            for x, z in ((0.08, 1.8), (-0.08, 1.5), (-0.28, 1.15), (-0.45, 0.8), (-0.65, 0.5))
        ]
    )
    sides = (
        tube("green", ((0.3, 0.25, 1.2), (0.5, 0.3, 1.05)), (0.09, 0.06), n=7)
        + tube("green", ((-0.05, 0.24, 0.6), (0.05, 0.26, 0.1)), (0.22, 0.14), n=9)
        + ball("green", 0.2, 0.13, 0.08, (0.15, 0.26, 0.08), n=8)
        + ball("white", 0.05, 0.04, 0.06, (0.45, 0.14, 1.8), n=7)
        + ball("black", 0.025, 0.03, 0.03, (0.485, 0.155, 1.8), n=5)
    )
    return body + head + spikes + sides.both()


def _robot() -> Solid:
    body = (
        box("steel", 0.36, 0.5, 0.56, (0.0, 0.0, 0.72))
        + box("dark", 0.02, 0.34, 0.3, (0.18, 0.0, 0.86))
        + box("steel", 0.3, 0.34, 0.28, (0.0, 0.0, 1.36))
        + drum("dark", 0.07, 0.1, (0.0, 0.0, 1.27))
    )
    eyes = (
        wheel("amber lamp", 0.05, 0.03).turn(z=90.0).move(0.155, 0.08, 1.52)
        + wheel("light", 0.08, 0.2, (0.0, 0.32, 1.18))
        + tube("grey", ((0.0, 0.36, 1.15), (0.05, 0.4, 0.85), (0.25, 0.4, 0.7)), 0.05, n=7)
        + box("dark", 0.12, 0.14, 0.1, (0.3, 0.4, 0.64))
        + tube("grey", ((0.0, 0.13, 0.75), (0.0, 0.14, 0.1)), 0.07, n=8)
        + box("dark", 0.32, 0.2, 0.12, (0.04, 0.14, 0.0))
    )
    lamps = union(
        [
            wheel(name, 0.03, 0.02).turn(z=90.0).move(0.19, y, 1.1)
            for name, y in (("red lamp", -0.1), ("green lamp", 0.0), ("blue lamp", 0.1))
        ]
    )
    return (
        body
        + eyes.both()
        + lamps
        + tube("dark", ((0.0, 0.0, 1.64), (0.0, 0.0, 1.8)), 0.012, n=5)
        + ball("red lamp", 0.03, 0.03, 0.03, (0.0, 0.0, 1.82), n=6)
    )


def _alien() -> Solid:
    body = tube(
        "lime", ((0.0, 0.0, 0.45), (0.0, 0.0, 0.7), (0.0, 0.0, 0.95)), (0.11, 0.13, 0.07), n=9, smooth=2
    ) + ball("lime", 0.19, 0.18, 0.24, (0.02, 0.0, 1.18), n=14)
    sides = (
        ball("black", 0.04, 0.07, 0.1, (0.15, 0.09, 1.18), n=9)
        + tube("lime", ((0.0, 0.1, 0.88), (0.08, 0.24, 0.62), (0.2, 0.26, 0.5)), 0.03, n=6)
        + tube("lime", ((0.0, 0.06, 0.5), (0.03, 0.09, 0.25), (0.0, 0.09, 0.03)), 0.045, n=7)
        + ball("lime", 0.1, 0.05, 0.03, (0.06, 0.09, 0.03), n=7)
        + tube("lime", ((0.0, 0.07, 1.36), (0.02, 0.14, 1.55)), 0.012, n=5)
        + ball("magenta", 0.035, 0.035, 0.035, (0.02, 0.14, 1.57), n=6)
    )
    return body + sides.both() + box("dark", 0.02, 0.07, 0.01, (0.185, 0.0, 1.04))


def _star_mouse() -> Solid:
    body = (
        ball("purple", 0.13, 0.14, 0.13, (0.0, 0.0, 0.14), n=12)
        + ball("purple", 0.13, 0.14, 0.12, (0.05, 0.0, 0.33), n=12)
        + ball("cream", 0.07, 0.09, 0.09, (0.08, 0.0, 0.14), n=9)
    )
    sides = (
        ball("purple", 0.03, 0.09, 0.09, (0.0, 0.13, 0.45), n=10)
        + ball("pink", 0.02, 0.06, 0.06, (0.025, 0.13, 0.45), n=9)
        + ball("white", 0.02, 0.03, 0.035, (0.16, 0.055, 0.36), n=7)
        + ball("black", 0.015, 0.018, 0.022, (0.172, 0.055, 0.36), n=6)
        + ball("purple", 0.08, 0.045, 0.03, (0.07, 0.08, 0.03), n=7)
    )
    star = [(0.13 * x, 0.13 * z) if k % 2 == 0 else (0.055 * x, 0.055 * z) for k, (x, z) in enumerate(circle(10, 0.25))]
    tail = tube("purple", ((-0.1, 0.0, 0.1), (-0.24, 0.0, 0.14), (-0.3, 0.0, 0.32)), 0.02, n=6, smooth=3) + prism(
        "gold", star, 0.04
    ).turn(z=90.0).move(-0.3, 0.0, 0.42)
    return body + sides.both() + tail + ball("black", 0.015, 0.02, 0.014, (0.185, 0.0, 0.31), n=6)


def _mushroom_frog() -> Solid:
    body = (
        ball("lime", 0.24, 0.22, 0.16, (0.0, 0.0, 0.2), n=12)
        + ball("lime", 0.17, 0.2, 0.11, (0.16, 0.0, 0.3), n=12)
        + ball("cream", 0.14, 0.17, 0.09, (0.16, 0.0, 0.2), n=10)
    )
    cap = lathe("red", ((0.24, 0.42), (0.2, 0.52), (0.1, 0.58), (0.0, 0.6)), n=14).spotted(
        "white", 0.25, 0.05, 5
    ) + lathe("cream", ((0.06, 0.34), (0.05, 0.44), (0.23, 0.42)), n=14)
    sides = (
        ball("lime", 0.06, 0.06, 0.07, (0.26, 0.14, 0.4), n=8)
        + ball("black", 0.025, 0.03, 0.035, (0.31, 0.15, 0.41), n=7)
        + tube("green", ((-0.12, 0.16, 0.2), (-0.02, 0.3, 0.12), (-0.14, 0.3, 0.03)), (0.09, 0.06, 0.04), n=8, smooth=2)
        + tube("green", ((0.14, 0.16, 0.18), (0.2, 0.22, 0.03)), (0.045, 0.035), n=7)
        + ball("green", 0.09, 0.07, 0.02, (0.26, 0.23, 0.02), n=8)
    )
    return body + cap.move(-0.06) + sides.both() + box("maroon", 0.02, 0.22, 0.012, (0.31, 0.0, 0.28))


def _baby_dragon() -> Solid:
    body = tube(
        "magenta",
        ((-0.55, 0.0, 0.08), (-0.3, 0.0, 0.14), (-0.02, 0.0, 0.26), (0.05, 0.0, 0.5), (0.14, 0.0, 0.64)),
        (0.02, 0.08, 0.19, 0.1, 0.09),
        n=11,
        smooth=4,
    )
    head = (
        tube("magenta", ((0.08, 0.0, 0.7), (0.2, 0.0, 0.72), (0.38, 0.0, 0.66)), (0.11, 0.12, 0.06), n=10, smooth=2)
        + ball("cream", 0.09, 0.12, 0.15, (0.1, 0.0, 0.28), n=10)
        + prism("gold", ((-0.1, 0.0), (0.08, 0.06), (-0.12, 0.1)), 0.05).move(-0.56, 0.0, 0.04)
    )
    wing = (
        prism("purple", ((0.0, 0.0), (-0.08, 0.3), (-0.4, 0.42), (-0.3, 0.24), (-0.36, 0.14), (-0.18, 0.1)), 0.02)
        .turn(z=-40.0)
        .move(-0.06, 0.14, 0.42)
    )
    sides = (
        ball("white", 0.03, 0.03, 0.04, (0.25, 0.09, 0.77), n=7)
        + ball("black", 0.015, 0.018, 0.025, (0.275, 0.105, 0.77), n=6)
        + tube("gold", ((0.1, 0.06, 0.8), (0.02, 0.09, 0.93)), (0.03, 0.008), n=6)
        + tube("magenta", ((0.08, 0.13, 0.42), (0.2, 0.17, 0.34)), (0.045, 0.03), n=7)
        + ball("magenta", 0.1, 0.09, 0.13, (0.0, 0.15, 0.14), n=8)
        + ball("magenta", 0.12, 0.06, 0.04, (0.07, 0.16, 0.04), n=8)
    )
    spikes = union(
        [
            prism("gold", ((-0.05, 0.0), (0.05, 0.0), (-0.02, 0.1)), 0.03).move(x, 0.0, z)
            for x, z in ((0.0, 0.64), (-0.1, 0.46), (-0.22, 0.3), (-0.36, 0.2))
        ]
    )
    return body + head + (wing + sides).both() + spikes


def _crystal_snail() -> Solid:
    foot = tube(
        "sky",
        ((-0.32, 0.0, 0.04), (-0.1, 0.0, 0.06), (0.15, 0.0, 0.07), (0.28, 0.0, 0.2)),
        (0.03, 0.09, 0.09, 0.07),
        n=10,
        smooth=3,
    ) + ball("sky", 0.09, 0.08, 0.08, (0.31, 0.0, 0.24), n=10)
    shell = union(
        [
            ring("teal", 0.15 - 0.05 * k, 0.06 - 0.012 * k, n=14, m=7).turn(x=90.0).move(-0.06, 0.0, 0.27)
            for k in range(3)
        ]
    ) + ball("teal", 0.15, 0.08, 0.15, (-0.06, 0.0, 0.27), n=12)
    crystal = lathe("blue lamp", ((0.0, 0.0), (0.035, 0.04), (0.03, 0.12), (0.0, 0.17)), n=6)
    stalks = tube("sky", ((0.33, 0.03, 0.3), (0.37, 0.06, 0.42)), 0.014, n=6) + ball(
        "black", 0.024, 0.024, 0.024, (0.37, 0.06, 0.43), n=7
    )
    return (
        foot
        + shell
        + union(
            [
                crystal.turn(y=-50.0 + 40.0 * k)
                .move(-0.06 + 0.0 * k, 0.0, 0.27)
                .move((-0.13, -0.04, 0.07, 0.14)[k], 0.0, (0.1, 0.16, 0.15, 0.07)[k])
                for k in range(4)
            ]
        )
        + stalks.both()
    )


OBJECTS = rows_of(
    Label.SPECIAL,
    (
        ("dinosaur_costume", "big", 90.0, _dinosaur),
        ("robot", "medium", 140.0, _robot),
        ("alien", "medium", 40.0, _alien),
        ("star_mouse", "small", 6.0, _star_mouse),
        ("mushroom_frog", "small", 7.0, _mushroom_frog),
        ("baby_dragon", "medium", 9.0, _baby_dragon),
        ("crystal_snail", "small", 9.0, _crystal_snail),
    ),
)
