"""Special objects that are figures: statues, costumes, robots and creatures."""

from __future__ import annotations

from offnominal.sensing.shapes import Triple
from offnominal.worlds.road.assets.catalogue import rows_of
from offnominal.worlds.road.assets.primitives import ball, box, circle, drum, lathe, plate, prism, ring, tube
from offnominal.worlds.road.assets.solid import Solid, union
from offnominal.worlds.road.labels import Label


def figure(
    coat: str,
    legs: str,
    skin: str,
    *,
    shoes: str = "black",
    hands: tuple[Triple, Triple] = ((0.1, 0.3, 0.85), (0.1, -0.3, 0.85)),
    stout: float = 1.0,
    head: bool = True,
) -> Solid:
    """Return a standing person of 1.75 m; `hands` are the positions of the left and the right hand."""
    torso = lathe(coat, ((0.0, 0.84), (0.16, 0.88), (0.15, 1.05), (0.19, 1.32), (0.15, 1.44), (0.05, 1.5)), n=12).scale(
        0.72 * stout, 1.08 * stout, 1.0
    )
    parts = [torso]
    for side, hand in ((1, hands[0]), (-1, hands[1])):
        shoulder = (0.0, 0.19 * side * stout, 1.41)
        elbow = (
            0.4 * hand[0] - 0.02,
            0.5 * (shoulder[1] + hand[1]) + 0.06 * side,
            0.5 * (shoulder[2] + hand[2]) - 0.02,
        )
        parts.append(
            tube(coat, (shoulder, elbow, hand), (0.07 * stout, 0.055 * stout, 0.045), n=8)
            + ball(skin, 0.05, 0.045, 0.055, hand, n=7)
        )
        parts.append(ball(coat, 0.075 * stout, 0.075 * stout, 0.075 * stout, shoulder, n=8))
        parts.append(
            tube(
                legs,
                ((0.0, 0.1 * side, 0.9), (0.02, 0.11 * side, 0.48), (0.0, 0.11 * side, 0.08)),
                (0.1 * stout, 0.075 * stout, 0.06),
                n=8,
            )
        )
        parts.append(ball(shoes, 0.14, 0.06, 0.06, (0.06, 0.11 * side, 0.05), n=8))
    if head:
        parts.append(
            ball(skin, 0.1, 0.085, 0.125, (0.02, 0.0, 1.62), n=12)
            + tube(skin, ((0.0, 0.0, 1.45), (0.0, 0.0, 1.56)), 0.055, n=7)
            + ball(skin, 0.025, 0.018, 0.03, (0.12, 0.0, 1.6), n=5)
        )
    return union(parts)


def _statue() -> Solid:
    man = figure("patina", "patina", "patina", shoes="patina", hands=((0.2, 0.28, 1.7), (0.12, -0.3, 0.9)))
    robe = lathe("patina", ((0.3, 0.0), (0.24, 0.5), (0.17, 0.95)), n=10)
    return (
        (man + robe).scale(0.82).move(z=0.5)
        + box("stone", 0.7, 0.7, 0.42)
        + box("stone", 0.82, 0.82, 0.1)
        + box("stone", 0.8, 0.8, 0.08, (0.0, 0.0, 0.42))
    )


def _bust() -> Solid:
    base = drum("white", 0.13, 0.05) + drum("white", 0.08, 0.1, (0.0, 0.0, 0.05), top=0.06)
    chest = ball("white", 0.13, 0.22, 0.12, (0.0, 0.0, 0.24)) + tube(
        "white", ((0.0, 0.0, 0.3), (0.0, 0.0, 0.42)), 0.06, n=9
    )
    face = (
        ball("white", 0.1, 0.085, 0.125, (0.02, 0.0, 0.5), n=12)
        + ball("white", 0.03, 0.018, 0.03, (0.12, 0.0, 0.49), n=6)
        + ball("light", 0.11, 0.1, 0.09, (-0.02, 0.0, 0.55)).rough(0.08, 2)
    )
    return base + chest + face + ball("grey", 0.01, 0.018, 0.01, (0.11, 0.035, 0.53), n=5).both()


def _gargoyle() -> Solid:
    body = (
        tube("stone", ((-0.25, 0.0, 0.35), (0.0, 0.0, 0.5), (0.15, 0.0, 0.8)), (0.22, 0.26, 0.16), n=9, smooth=3)
        + ball("stone", 0.17, 0.14, 0.15, (0.28, 0.0, 0.95))
        + ball("stone", 0.09, 0.08, 0.06, (0.43, 0.0, 0.9), n=8)
    )
    wing = (
        prism("grey", ((0.0, 0.0), (-0.1, 0.5), (-0.5, 0.75), (-0.42, 0.4), (-0.6, 0.3), (-0.35, 0.1)), 0.05)
        .turn(z=-35.0)
        .move(-0.05, 0.18, 0.6)
    )
    sides = (
        tube("stone", ((0.2, 0.08, 1.05), (0.16, 0.14, 1.24)), (0.04, 0.01), n=6)
        + tube("stone", ((0.12, 0.2, 0.75), (0.3, 0.24, 0.45), (0.32, 0.2, 0.24)), 0.07, n=7)
        + ball("stone", 0.24, 0.13, 0.2, (-0.05, 0.22, 0.34))
        + ball("red", 0.025, 0.025, 0.025, (0.42, 0.06, 0.99), n=5)
    )
    return body + (wing + sides).both() + box("concrete", 0.8, 0.7, 0.22)


def _gnome() -> Solid:
    body = (
        lathe("blue", ((0.0, 0.0), (0.1, 0.0), (0.12, 0.12), (0.08, 0.24), (0.0, 0.26)), n=12)
        + ball("skin", 0.07, 0.07, 0.075, (0.0, 0.0, 0.29))
        + ball("pink", 0.025, 0.022, 0.022, (0.075, 0.0, 0.29), n=6)
    )
    beard = ball("white", 0.05, 0.07, 0.1, (0.055, 0.0, 0.21), n=9)
    return (
        body
        + beard
        + lathe("red", ((0.085, 0.32), (0.05, 0.42), (0.0, 0.55)), n=12)
        + tube("blue", ((0.0, 0.1, 0.22), (0.08, 0.12, 0.12)), 0.03, n=6).both()
        + ball("brown", 0.06, 0.04, 0.035, (0.06, 0.05, 0.02), n=7).both()
        + box("black", 0.02, 0.2, 0.03, (0.1, 0.0, 0.09))
    )


def _snowman() -> Solid:
    balls = (
        ball("white", 0.45, 0.45, 0.42, (0.0, 0.0, 0.4), n=16)
        + ball("white", 0.33, 0.33, 0.31, (0.0, 0.0, 0.98), n=14)
        + ball("white", 0.22, 0.22, 0.21, (0.0, 0.0, 1.4), n=12)
    )
    face = (
        tube("orange", ((0.2, 0.0, 1.4), (0.42, 0.0, 1.37)), (0.04, 0.008), n=7)
        + ball("black", 0.025, 0.025, 0.025, (0.19, 0.07, 1.47), n=6).both()
    )
    buttons = union([ball("black", 0.03, 0.03, 0.03, (0.32, 0.0, z), n=6) for z in (0.88, 1.0, 1.12)])
    return (
        balls
        + face
        + buttons
        + drum("black", 0.22, 0.03, (0.0, 0.0, 1.57))
        + drum("black", 0.14, 0.25, (0.0, 0.0, 1.58))
        + tube("bark", ((0.0, 0.28, 1.05), (0.05, 0.75, 1.25)), 0.02, n=5).both()
        + ring("red", 0.2, 0.05, (0.0, 0.0, 1.23), n=14)
    )


def _scarecrow() -> Solid:
    frame = box("wood", 0.06, 0.06, 1.8) + box("wood", 0.06, 1.5, 0.06, (0.0, 0.0, 1.28))
    coat = (
        lathe("brick", ((0.24, 0.75), (0.17, 1.1), (0.2, 1.38), (0.08, 1.44)), n=10)
        + tube("brick", ((0.0, 0.12, 1.32), (0.0, 0.6, 1.3)), (0.1, 0.09), n=8).both()
    )
    straw = tube("ochre", ((0.0, 0.6, 1.3), (0.0, 0.74, 1.27)), (0.06, 0.09), n=7).both() + lathe(
        "ochre", ((0.26, 0.62), (0.2, 0.8)), n=10
    )
    hat = lathe("ochre", ((0.3, 1.72), (0.14, 1.74), (0.1, 1.92), (0.0, 1.95)), n=12)
    return (
        frame
        + coat
        + straw
        + ball("sand", 0.14, 0.13, 0.16, (0.0, 0.0, 1.6))
        + hat
        + ball("black", 0.02, 0.02, 0.025, (0.13, 0.05, 1.63), n=5).both()
        + box("black", 0.01, 0.1, 0.015, (0.135, 0.0, 1.54))
    )


def _mascot(fur: str, belly: str, ear: Solid) -> Solid:
    """Return a person in a plush costume."""
    body = figure(fur, fur, fur, shoes=belly, stout=1.35, head=False)
    head = (
        ball(fur, 0.24, 0.26, 0.24, (0.02, 0.0, 1.68), n=14)
        + ball(belly, 0.13, 0.14, 0.1, (0.2, 0.0, 1.62))
        + ball("black", 0.04, 0.05, 0.035, (0.32, 0.0, 1.66), n=7)
    )
    return (
        body
        + head
        + ball(belly, 0.13, 0.18, 0.24, (0.09, 0.0, 1.12))
        + (
            ear
            + ball("white", 0.03, 0.05, 0.06, (0.21, 0.1, 1.76), n=7)
            + ball("black", 0.02, 0.025, 0.03, (0.235, 0.1, 1.76), n=6)
        ).both()
    )


def _ghost() -> Solid:
    sheet = lathe("white", ((0.42, 0.0), (0.34, 0.5), (0.3, 1.0), (0.26, 1.4), (0.2, 1.62), (0.0, 1.74)), n=14).rough(
        0.03, 4
    )
    arms = tube("white", ((0.0, 0.22, 1.25), (0.2, 0.5, 1.2)), (0.14, 0.1), n=8).both()
    return (
        sheet
        + arms
        + ball("black", 0.03, 0.045, 0.07, (0.2, 0.08, 1.52), n=8).both()
        + ball("black", 0.03, 0.05, 0.06, (0.24, 0.0, 1.34), n=8)
    )


def _knight() -> Solid:
    man = figure(
        "steel", "zinc", "steel", shoes="steel", hands=((0.32, 0.24, 1.0), (0.32, -0.3, 1.05)), stout=1.15, head=False
    )
    helm = (
        lathe("zinc", ((0.13, 1.48), (0.14, 1.65), (0.1, 1.8), (0.0, 1.86)), n=12)
        + box("black", 0.05, 0.2, 0.03, (0.12, 0.0, 1.66))
        + ball("red", 0.16, 0.03, 0.1, (-0.12, 0.0, 1.86), n=8)
    )
    shield = prism("blue", ((-0.25, 0.3), (0.25, 0.3), (0.25, 0.0), (0.0, -0.4), (-0.25, 0.0)), 0.04).turn(z=90.0).move(
        0.42, 0.26, 1.0
    ) + box("gold", 0.06, 0.06, 0.5, (0.43, 0.26, 0.78))
    sword = (
        box("light", 0.02, 0.06, 0.9, (0.36, -0.3, 0.2))
        + box("gold", 0.05, 0.24, 0.04, (0.36, -0.3, 1.1))
        + tube("brown", ((0.36, -0.3, 1.1), (0.36, -0.3, 1.26)), 0.025, n=6)
    )
    return man + helm + shield + sword


def _astronaut() -> Solid:
    man = figure(
        "white", "white", "light", shoes="grey", hands=((0.2, 0.42, 0.95), (0.2, -0.42, 0.95)), stout=1.45, head=False
    )
    helmet = ball("white", 0.22, 0.21, 0.22, (0.0, 0.0, 1.66), n=14) + ball(
        "gold", 0.16, 0.17, 0.14, (0.09, 0.0, 1.67), n=12
    )
    return (
        man
        + helmet
        + box("light", 0.24, 0.46, 0.6, (-0.28, 0.0, 0.95))
        + box("blue", 0.08, 0.24, 0.14, (0.2, 0.0, 1.15))
        + box("red", 0.03, 0.08, 0.06, (0.245, 0.06, 1.2))
    )


def _clown() -> Solid:
    man = figure("yellow", "purple", "white", shoes="red", hands=((0.15, 0.5, 1.2), (0.15, -0.45, 1.1)), stout=1.2)
    wig = union(
        [
            ball("orange", 0.09, 0.09, 0.09, at, n=7)
            for at in (
                (-0.05, 0.1, 1.68),
                (-0.05, -0.1, 1.68),
                (-0.08, 0.0, 1.72),
                (-0.02, 0.12, 1.6),
                (-0.02, -0.12, 1.6),
            )
        ]
    )
    dots = union([ball("magenta", 0.03, 0.04, 0.04, (0.13, 0.0, z), n=7) for z in (0.98, 1.14, 1.3)])
    return (
        man
        + wig
        + dots
        + ball("red", 0.04, 0.04, 0.04, (0.14, 0.0, 1.6), n=7)
        + lathe("white", ((0.26, 1.44), (0.08, 1.5), (0.0, 1.5)), n=14)
        + ball("red", 0.28, 0.1, 0.09, (0.14, 0.11, 0.08), n=9).both()
        + ball("blue", 0.02, 0.02, 0.03, (0.105, 0.04, 1.66), n=5).both()
    )


def _wizard() -> Solid:
    man = figure("purple", "purple", "skin", hands=((0.2, 0.3, 1.05), (0.3, -0.32, 1.1)))
    robe = lathe("purple", ((0.34, 0.0), (0.25, 0.5), (0.17, 1.0)), n=12) + lathe(
        "gold", ((0.35, 0.0), (0.325, 0.1)), n=12
    )
    hat = lathe("purple", ((0.26, 1.7), (0.13, 1.73), (0.08, 1.95), (0.0, 2.2)), n=12) + ring(
        "gold", 0.13, 0.02, (0.0, 0.0, 1.75), n=12
    )
    beard = lathe("white", ((0.0, 1.1), (0.09, 1.35), (0.08, 1.55)), n=8).scale(0.6, 1.0, 1.0).move(0.1)
    return (
        man
        + robe
        + hat
        + beard
        + tube("brown", ((0.32, -0.32, 0.0), (0.3, -0.32, 1.7)), 0.025, n=6)
        + ball("blue lamp", 0.07, 0.07, 0.07, (0.3, -0.32, 1.76), n=9)
    )


OBJECTS = rows_of(
    Label.SPECIAL,
    (
        ("statue", "medium", 450.0, _statue),
        ("bust", "small", 25.0, _bust),
        (
            "obelisk",
            "big",
            3000.0,
            lambda: (
                box("stone", 0.9, 0.9, 0.3)
                + box("stone", 0.7, 0.7, 0.2, (0.0, 0.0, 0.3))
                + box("sand", 0.5, 0.5, 2.6, (0.0, 0.0, 0.5), taper=0.6)
                + box("gold", 0.3, 0.3, 0.3, (0.0, 0.0, 3.1), taper=0.02)
            ),
        ),
        (
            "fountain",
            "big",
            1500.0,
            lambda: (
                lathe("stone", ((1.2, 0.0), (1.2, 0.45), (1.05, 0.45), (1.0, 0.3), (0.0, 0.3)), n=20)
                + plate("sky", [(1.03 * x, 1.03 * y) for x, y in circle(18)], 0.02, (0.0, 0.0, 0.36))
                + lathe("stone", ((0.2, 0.3), (0.12, 0.9), (0.55, 1.1), (0.5, 1.14), (0.0, 1.08)), n=16)
                + lathe("stone", ((0.08, 1.1), (0.07, 1.5), (0.25, 1.6), (0.0, 1.6)), n=12)
                + lathe("white", ((0.1, 1.62), (0.04, 1.95), (0.0, 2.0)), n=8)
            ),
        ),
        ("gargoyle", "medium", 180.0, _gargoyle),
        ("garden_gnome", "small", 6.0, _gnome),
        ("snowman", "medium", 150.0, _snowman),
        ("scarecrow", "medium", 12.0, _scarecrow),
        (
            "bear_costume",
            "medium",
            85.0,
            lambda: _mascot("brown", "fawn", ball("brown", 0.05, 0.09, 0.09, (0.0, 0.2, 1.88), n=9)),
        ),
        (
            "rabbit_costume",
            "big",
            85.0,
            lambda: _mascot(
                "white",
                "pink",
                ball("white", 0.05, 0.08, 0.24, (0.0, 0.12, 2.05), n=9)
                + ball("pink", 0.02, 0.045, 0.18, (0.05, 0.12, 2.05), n=8),
            ),
        ),
        ("ghost_costume", "medium", 75.0, _ghost),
        ("knight_armour", "medium", 110.0, _knight),
        ("astronaut", "medium", 130.0, _astronaut),
        ("clown", "medium", 80.0, _clown),
        ("wizard", "big", 80.0, _wizard),
    ),
)
