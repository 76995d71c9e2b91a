"""Household things that one person can carry."""

from __future__ import annotations

from offnominal.worlds.road.assets.catalogue import rows_of
from offnominal.worlds.road.assets.primitives import ball, box, drum, lathe, plate, prism, ring, sheet, tube, wheel
from offnominal.worlds.road.assets.solid import Solid, union
from offnominal.worlds.road.labels import Label


def _handle(name: str, x: float, low: float, high: float, out: float, thick: float) -> Solid:
    """Return a bent handle on the +x side."""
    return tube(
        name, ((x, 0.0, low), (x + out, 0.0, low + 0.1 * out), (x + out, 0.0, high), (x, 0.0, high)), thick, n=6
    )


def _alarm_clock() -> Solid:
    face = wheel("red", 0.08, 0.06, (0.0, 0.0, 0.1)) + wheel("white", 0.07, 0.065, (0.0, 0.0, 0.1))
    hands = box("black", 0.008, 0.07, 0.05, (0.0, 0.0, 0.1)) + box("black", 0.04, 0.07, 0.008, (0.02, 0.0, 0.1))
    bells = [ball("gold", 0.04, 0.03, 0.03, (x, 0.0, 0.19), n=8) for x in (-0.05, 0.05)]
    feet = [tube("black", ((x, 0.0, 0.03), (1.4 * x, 0.0, 0.0)), 0.01, n=5) for x in (-0.05, 0.05)]
    return union([face, hands, *bells, *feet]).turn(z=90.0)


def _teapot() -> Solid:
    pot = lathe("sky", ((0.0, 0.0), (0.05, 0.0), (0.085, 0.05), (0.075, 0.1), (0.035, 0.13), (0.0, 0.135)), n=12)
    spout = tube("sky", ((0.06, 0.0, 0.04), (0.11, 0.0, 0.07), (0.14, 0.0, 0.12)), (0.022, 0.015, 0.01), n=6)
    return (
        pot
        + spout
        + ball("sky", 0.015, 0.015, 0.015, (0.0, 0.0, 0.145), n=6)
        + _handle("sky", 0.07, 0.04, 0.11, 0.05, 0.009).turn(z=180.0)
    )


def _book() -> Solid:
    return (
        box("maroon", 0.17, 0.24, 0.04)
        + box("white", 0.165, 0.236, 0.03, (0.006, 0.0, 0.005))
        + box("gold", 0.09, 0.12, 0.002, (0.0, 0.0, 0.04))
    )


def _telephone() -> Solid:
    body = box("red", 0.2, 0.22, 0.09, taper=0.7) + drum("white", 0.055, 0.012, (0.02, 0.0, 0.088)).turn(y=8.0)
    receiver = tube(
        "black",
        ((-0.05, -0.11, 0.12), (-0.05, -0.08, 0.15), (-0.05, 0.08, 0.15), (-0.05, 0.11, 0.12)),
        (0.028, 0.018, 0.018, 0.028),
        n=7,
    )
    return body + receiver


def _shoe() -> Solid:
    outline = ((-0.14, 0.035), (-0.14, -0.035), (0.03, -0.045), (0.11, -0.04), (0.14, 0.0), (0.11, 0.04), (0.03, 0.045))
    upper = tube(
        "blue", ((0.1, 0.0, 0.035), (0.03, 0.0, 0.055), (-0.09, 0.0, 0.065)), (0.034, 0.042, 0.045), n=9, smooth=3
    )
    laces = [box("white", 0.012, 0.05, 0.01, (0.05 - 0.025 * k, 0.0, 0.084 + 0.006 * k)) for k in range(3)]
    collar = drum("blue", 0.043, 0.06, (-0.085, 0.0, 0.065)) + drum("black", 0.034, 0.004, (-0.085, 0.0, 0.124))
    return union([plate("white", outline, 0.022), upper, collar, *laces])


def _pillow() -> Solid:
    steps = [k / 4.0 - 1.0 for k in range(9)]
    sides = [
        sheet("white", [[(0.22 * u, 0.33 * v, s * 0.1 * (1.0 - u**4) * (1.0 - v**4)) for v in steps] for u in steps])
        for s in (1, -1)
    ]
    return union(sides).recolour("sky", lambda p: (abs(p[:, 1]) > 0.2) & (abs(p[:, 1]) < 0.26))


def _backpack() -> Solid:
    bag = box("teal", 0.2, 0.32, 0.46, taper=(0.8, 0.85)) + ball("teal", 0.08, 0.135, 0.06, (0.0, 0.0, 0.46))
    pocket = box("navy", 0.08, 0.24, 0.2, (0.12, 0.0, 0.05), taper=0.9) + box(
        "orange", 0.01, 0.2, 0.015, (0.158, 0.0, 0.2)
    )
    straps = tube(
        "navy", ((-0.08, 0.09, 0.44), (-0.16, 0.1, 0.36), (-0.16, 0.1, 0.15), (-0.1, 0.1, 0.04)), 0.018, n=5, smooth=2
    ).both()
    return bag + pocket + straps + ring("navy", 0.04, 0.01, (0.0, 0.0, 0.52), n=8).turn(x=0.0)


def _suitcase() -> Solid:
    shell = box("maroon", 0.24, 0.45, 0.6, (0.0, 0.0, 0.04))
    ribs = [box("brown", 0.26, 0.02, 0.6, (0.0, y, 0.04)) for y in (-0.15, 0.0, 0.15)]
    grip = tube("grey", ((0.0, -0.1, 0.62), (0.0, -0.1, 0.71), (0.0, 0.1, 0.71), (0.0, 0.1, 0.62)), 0.012, n=5)
    return union([shell, *ribs, grip]) + wheel("black", 0.03, 0.03).at_corners(0.09, 0.18).move(z=0.03)


def _cardboard_box() -> Solid:
    flaps = [
        box("card", 0.22, 0.5, 0.012, (0.11, 0.0, 0.0)).turn(y=-35.0).move(0.3, 0.0, 0.42),
        box("card", 0.22, 0.5, 0.012, (-0.11, 0.0, 0.0)).turn(y=50.0).move(-0.3, 0.0, 0.42),
    ]
    return union(
        [
            box("card", 0.6, 0.5, 0.42),
            box("bark", 0.56, 0.46, 0.004, (0.0, 0.0, 0.42)),
            box("sand", 0.604, 0.06, 0.3, (0.0, 0.0, 0.06)),
            *flaps,
        ]
    )


def _basket() -> Solid:
    weave = lathe(
        "pale wood", ((0.0, 0.0), (0.2, 0.0), (0.24, 0.2), (0.26, 0.42), (0.23, 0.42), (0.2, 0.3)), n=14
    ).striped("wood", 0.1, axis=2)
    clothes = ball("white", 0.2, 0.2, 0.12, (0.02, 0.02, 0.42)).rough(0.2, 1) + ball(
        "sky", 0.12, 0.1, 0.08, (-0.06, 0.08, 0.48)
    ).rough(0.2, 2)
    return weave + clothes + ring("wood", 0.06, 0.012, n=8).turn(x=90.0).both().move(y=0.0, z=0.36).scale(1.0)


def _teddy_bear() -> Solid:
    body = (
        ball("wood", 0.11, 0.12, 0.14, (0.0, 0.0, 0.15))
        + ball("sand", 0.05, 0.08, 0.09, (0.075, 0.0, 0.15))
        + ball("wood", 0.1, 0.105, 0.095, (0.02, 0.0, 0.36))
    )
    face = ball("sand", 0.05, 0.05, 0.04, (0.1, 0.0, 0.34)) + ball("black", 0.015, 0.02, 0.013, (0.148, 0.0, 0.35), n=6)
    sides = ball("black", 0.012, 0.012, 0.014, (0.105, 0.04, 0.39), n=6) + ball(
        "wood", 0.025, 0.045, 0.045, (0.0, 0.085, 0.44), n=8
    )
    limbs = tube("wood", ((0.02, 0.09, 0.24), (0.07, 0.18, 0.18)), (0.045, 0.04), n=7) + tube(
        "wood", ((0.04, 0.07, 0.07), (0.18, 0.12, 0.05)), (0.055, 0.05), n=7
    )
    return body + face + (sides + limbs + ball("sand", 0.015, 0.035, 0.035, (0.2, 0.13, 0.05), n=7)).both()


def _old_tv() -> Solid:
    case = box("brown", 0.4, 0.7, 0.5, (0.0, 0.0, 0.06)) + box("dark", 0.25, 0.5, 0.38, (-0.28, 0.0, 0.1), taper=0.9)
    screen = ball("slate", 0.04, 0.24, 0.19, (0.19, -0.06, 0.31), n=16) + box(
        "sand", 0.02, 0.12, 0.42, (0.2, 0.27, 0.1)
    )
    dials = [wheel("dark", 0.03, 0.03).turn(z=90.0).move(0.215, 0.27, z) for z in (0.44, 0.36)]
    aerial = tube("steel", ((0.0, 0.0, 0.56), (0.0, 0.16, 0.72)), 0.008, n=5).both()
    return union([case, screen, *dials, aerial]) + box("black", 0.04, 0.04, 0.06).at_corners(0.15, 0.28)


def _laptop() -> Solid:
    lid = (
        box("steel", 0.01, 0.36, 0.24)
        + box("navy", 0.012, 0.33, 0.2, (0.002, 0.0, 0.02))
        + box("sky", 0.013, 0.16, 0.09, (0.003, 0.05, 0.08))
    )
    return (
        box("steel", 0.25, 0.36, 0.02)
        + box("black", 0.12, 0.32, 0.004, (0.0, 0.0, 0.02))
        + box("grey", 0.05, 0.1, 0.004, (0.09, 0.0, 0.02))
        + lid.turn(y=-18.0).move(-0.125, 0.0, 0.015)
    )


def _vacuum_cleaner() -> Solid:
    body = ball("red", 0.24, 0.15, 0.14, (0.0, 0.0, 0.16)) + wheel("black", 0.1, 0.36, (-0.12, 0.0, 0.1))
    hose = tube("dark", ((0.2, 0.0, 0.2), (0.45, 0.1, 0.5), (0.6, 0.0, 0.75), (0.75, 0.0, 0.7)), 0.022, n=7, smooth=4)
    return (
        body
        + hose
        + tube("steel", ((0.75, 0.0, 0.7), (0.98, 0.0, 0.08)), 0.018, n=6)
        + box("dark", 0.1, 0.28, 0.06, (1.02, 0.0, 0.0))
    )


def _table_fan() -> Solid:
    blade = ball("sky", 0.02, 0.05, 0.09, (0.06, 0.0, 0.09), n=8).turn(z=15.0)
    blades = union([blade.turn(x=120.0 * k) for k in range(3)]) + ball(
        "blue", 0.05, 0.035, 0.035, (0.06, 0.0, 0.0), n=8
    )
    guard = [ring("light", r, 0.006, n=18, m=5).turn(y=90.0).move(x=0.07) for r in (0.19, 0.13, 0.07)]
    wires = [box("light", 0.006, 0.006, 0.38, (0.075, 0.0, -0.19)).turn(x=45.0 * k) for k in range(4)]
    return (
        (blades + union([*guard, *wires]) + ball("white", 0.09, 0.06, 0.06, (-0.02, 0.0, 0.0))).move(z=0.36)
        + drum("white", 0.12, 0.03)
        + drum("white", 0.02, 0.32)
    )


OBJECTS = rows_of(
    Label.HOME,
    (
        ("alarm_clock", "tiny", 0.4, _alarm_clock),
        (
            "cup",
            "tiny",
            0.3,
            lambda: (
                lathe("red", ((0.0, 0.0), (0.035, 0.0), (0.045, 0.1), (0.04, 0.1), (0.032, 0.03)), n=12)
                + _handle("red", 0.04, 0.025, 0.08, 0.03, 0.007)
            ),
        ),
        ("teapot", "tiny", 0.8, _teapot),
        ("book", "tiny", 0.7, _book),
        ("telephone", "tiny", 1.2, _telephone),
        ("shoe", "tiny", 0.4, _shoe),
        (
            "kettle",
            "tiny",
            1.0,
            lambda: (
                lathe("steel", ((0.0, 0.0), (0.09, 0.0), (0.095, 0.04), (0.06, 0.14), (0.0, 0.17)), n=14)
                + tube("steel", ((0.07, 0.0, 0.07), (0.14, 0.0, 0.13)), (0.022, 0.012), n=6)
                + tube(
                    "black", ((-0.06, 0.0, 0.14), (-0.05, 0.0, 0.22), (0.05, 0.0, 0.22), (0.06, 0.0, 0.14)), 0.011, n=6
                )
                + ball("black", 0.015, 0.015, 0.015, (0.0, 0.0, 0.175), n=6)
            ),
        ),
        (
            "bottle",
            "small",
            1.1,
            lambda: (
                lathe(
                    "green", ((0.0, 0.0), (0.04, 0.0), (0.042, 0.19), (0.015, 0.24), (0.015, 0.31), (0.0, 0.312)), n=12
                )
                + lathe("cream", ((0.0425, 0.06), (0.0435, 0.15)), n=12)
                + drum("maroon", 0.017, 0.05, (0.0, 0.0, 0.27), n=10)
            ),
        ),
        (
            "toaster",
            "small",
            2.0,
            lambda: (
                box("steel", 0.18, 0.34, 0.2, (0.0, 0.0, 0.02), taper=0.94)
                + box("black", 0.16, 0.32, 0.03)
                + box("black", 0.03, 0.24, 0.004, (0.035, 0.0, 0.221))
                + box("black", 0.03, 0.24, 0.004, (-0.035, 0.0, 0.221))
                + box("card", 0.02, 0.18, 0.07, (0.035, 0.0, 0.19))
                + box("black", 0.03, 0.03, 0.03, (0.0, 0.18, 0.15))
            ),
        ),
        (
            "bucket",
            "small",
            1.5,
            lambda: (
                lathe("blue", ((0.0, 0.01), (0.11, 0.0), (0.15, 0.3), (0.135, 0.29), (0.1, 0.03)), n=14)
                + ring("steel", 0.15, 0.008, n=10, arc=0.5).turn(x=65.0).move(z=0.29)
            ),
        ),
        (
            "cooking_pot",
            "small",
            2.5,
            lambda: (
                drum("steel", 0.15, 0.18, n=16)
                + lathe("steel", ((0.155, 0.18), (0.1, 0.21), (0.0, 0.22)), n=16)
                + ball("black", 0.025, 0.025, 0.02, (0.0, 0.0, 0.235), n=7)
                + box("black", 0.05, 0.06, 0.02, (0.0, 0.17, 0.13)).both()
            ),
        ),
        (
            "microwave",
            "small",
            12.0,
            lambda: (
                box("white", 0.36, 0.5, 0.28, (0.0, 0.0, 0.02))
                + box("glass", 0.01, 0.32, 0.21, (0.18, -0.05, 0.055))
                + box("black", 0.01, 0.08, 0.21, (0.18, 0.18, 0.055))
                + box("green lamp", 0.012, 0.06, 0.03, (0.18, 0.18, 0.22))
                + box("light", 0.03, 0.02, 0.2, (0.19, 0.12, 0.06))
                + box("black", 0.03, 0.03, 0.02).at_corners(0.15, 0.2)
            ),
        ),
        ("backpack", "small", 5.0, _backpack),
        (
            "handbag",
            "small",
            1.0,
            lambda: (
                box("magenta", 0.14, 0.36, 0.24, taper=(0.4, 0.85))
                + ring("magenta", 0.09, 0.012, n=10, arc=0.5).turn(x=90.0).turn(z=90.0).move(z=0.23)
                + box("gold", 0.02, 0.05, 0.04, (0.05, 0.0, 0.16))
            ),
        ),
        ("suitcase", "small", 15.0, _suitcase),
        ("cardboard_box", "medium", 4.0, _cardboard_box),
        ("laundry_basket", "small", 4.0, _basket),
        ("pillow", "small", 1.0, _pillow),
        ("teddy_bear", "small", 0.8, _teddy_bear),
        (
            "table_lamp",
            "small",
            2.5,
            lambda: (
                lathe("teal", ((0.0, 0.0), (0.09, 0.0), (0.03, 0.04), (0.07, 0.14), (0.02, 0.26), (0.012, 0.36)), n=12)
                + lathe("cream", ((0.17, 0.32), (0.1, 0.54), (0.09, 0.54), (0.16, 0.32)), n=14)
                + ball("lamp", 0.04, 0.04, 0.05, (0.0, 0.0, 0.4), n=8)
            ),
        ),
        ("old_tv", "small", 28.0, _old_tv),
        (
            "computer_monitor",
            "small",
            5.0,
            lambda: (
                box("black", 0.04, 0.6, 0.36, (0.0, 0.0, 0.12))
                + box("blue", 0.01, 0.57, 0.32, (0.02, 0.0, 0.14))
                + box("sky", 0.012, 0.2, 0.12, (0.02, -0.1, 0.26))
                + box("dark", 0.03, 0.06, 0.14, (-0.02, 0.0, 0.0))
                + box("dark", 0.18, 0.24, 0.015)
            ),
        ),
        ("laptop", "small", 2.0, _laptop),
        (
            "printer",
            "small",
            9.0,
            lambda: (
                box("light", 0.36, 0.46, 0.2)
                + box("dark", 0.3, 0.42, 0.05, (0.0, 0.0, 0.2), taper=0.9)
                + box("black", 0.02, 0.34, 0.05, (0.175, 0.0, 0.08))
                + box("white", 0.2, 0.22, 0.005, (0.26, 0.0, 0.09))
                + box("white", 0.005, 0.22, 0.16, (-0.14, 0.0, 0.24)).turn(y=-6.0)
                + box("green lamp", 0.02, 0.03, 0.01, (0.14, 0.17, 0.25))
            ),
        ),
        ("table_fan", "small", 3.0, _table_fan),
        (
            "potted_plant",
            "medium",
            8.0,
            lambda: (
                lathe("tile", ((0.0, 0.0), (0.12, 0.0), (0.17, 0.26), (0.18, 0.3), (0.15, 0.3), (0.0, 0.27)), n=12)
                + union(
                    [
                        ball("leaf", 0.05, 0.1, 0.3, (0.0, 0.0, 0.3), n=8)
                        .turn(y=18.0 + 7.0 * (k % 3))
                        .turn(z=51.0 * k)
                        .move(z=0.32)
                        for k in range(7)
                    ]
                )
            ),
        ),
        (
            "broom",
            "medium",
            1.0,
            lambda: (
                tube("wood", ((0.0, 0.0, 0.28), (0.0, 0.0, 1.4)), 0.015, n=7)
                + box("red", 0.05, 0.3, 0.06, (0.0, 0.0, 0.24))
                + box("ochre", 0.09, 0.4, 0.24, taper=(0.5, 0.7))
            ),
        ),
        ("vacuum_cleaner", "medium", 7.0, _vacuum_cleaner),
        (
            "stool",
            "small",
            3.0,
            lambda: (
                drum("wood", 0.18, 0.05, (0.0, 0.0, 0.45), n=14)
                + tube("pale wood", ((0.17, 0.0, 0.0), (0.1, 0.0, 0.46)), 0.02, n=6).around(4)
                + ring("pale wood", 0.13, 0.012, (0.0, 0.0, 0.2), n=12)
            ),
        ),
        (
            "toolbox",
            "small",
            8.0,
            lambda: (
                box("red", 0.24, 0.5, 0.2)
                + prism("red", ((-0.12, 0.0), (0.12, 0.0), (0.05, 0.07), (-0.05, 0.07)), 0.5, (0.0, 0.0, 0.2))
                + tube("black", ((0.0, -0.1, 0.26), (0.0, -0.1, 0.33), (0.0, 0.1, 0.33), (0.0, 0.1, 0.26)), 0.014, n=6)
                + box("steel", 0.02, 0.05, 0.06, (0.122, 0.15, 0.15)).both()
            ),
        ),
    ),
)
