"""Four-legged animals, kangaroo and ape."""

from __future__ import annotations

from offnominal.worlds.road.assets.catalogue import rows_of
from offnominal.worlds.road.assets.primitives import ball, box, prism, tube
from offnominal.worlds.road.assets.quadruped import Quadruped
from offnominal.worlds.road.assets.solid import Solid, union
from offnominal.worlds.road.assets.species import SPECIES
from offnominal.worlds.road.labels import Label

COW = SPECIES["cow"]
HORSE = SPECIES["horse"]
PIG = SPECIES["pig"]
SHEEP = SPECIES["sheep"]
GOAT = SPECIES["goat"]
DOG = SPECIES["dog"]
CAT = SPECIES["cat"]
FOX = SPECIES["fox"]
WOLF = SPECIES["wolf"]
DEER = SPECIES["deer"]
MOOSE = SPECIES["moose"]
BEAR = SPECIES["bear"]
BOAR = SPECIES["boar"]
LION = SPECIES["lion"]
TIGER = SPECIES["tiger"]
ZEBRA = SPECIES["zebra"]
CAMEL = SPECIES["camel"]
DONKEY = SPECIES["donkey"]
ELEPHANT = SPECIES["elephant"]
GIRAFFE = SPECIES["giraffe"]
RAT = SPECIES["rat"]
HEDGEHOG = SPECIES["hedgehog"]


def _sheep() -> Solid:
    z = SHEEP.centre
    wool = ball("cream", 0.5, 0.3, 0.29, (0.0, 0.0, z + 0.04), n=14).rough(0.07, 3) + ball(
        "cream", 0.14, 0.13, 0.1, (SHEEP.skull_at[0] - 0.05, 0.0, SHEEP.skull_at[1] + 0.08)
    ).rough(0.1, 4)
    return (
        SHEEP.legs() + SHEEP.face_parts() + wool + ball("cream", 0.2, 0.18, 0.18, (0.5, 0.0, z + 0.14)).rough(0.08, 5)
    )


def _cow() -> Solid:
    udder = ball("pink", 0.16, 0.14, 0.12, (-0.35, 0.0, COW.centre - 0.38))
    return (
        COW.trunk().spotted("black", 0.5, 0.22, 5)
        + COW.legs()
        + COW.face_parts().recolour("black", lambda p: (p[:, 0] < 1.2) & (p[:, 1] > 0.02) & (p[:, 0] > 0.8))
        + udder
        + COW.horns("cream", ((-0.02, 0.02, 0.0), (0.0, 0.14, 0.06), (0.04, 0.18, 0.18)), 0.035)
    )


def _stag() -> Solid:
    beam = DEER.horns("brown", ((0.0, 0.0, 0.0), (-0.12, 0.16, 0.2), (-0.04, 0.24, 0.48), (0.06, 0.2, 0.66)), 0.022)
    tines = [
        DEER.horns("brown", ((-0.09, 0.13, 0.16), (0.12, 0.16, 0.28)), 0.016),
        DEER.horns("brown", ((-0.07, 0.22, 0.36), (0.12, 0.26, 0.46)), 0.014),
    ]
    return union([DEER.solid(), beam, *tines, ball("white", 0.06, 0.1, 0.12, (-0.58, 0.0, DEER.centre + 0.02))])


def _moose() -> Solid:
    x, z = MOOSE.skull_at
    palm = (
        prism(
            "fawn",
            (
                (-0.35, 0.0),
                (0.3, -0.05),
                (0.42, 0.25),
                (0.2, 0.2),
                (0.12, 0.45),
                (-0.05, 0.3),
                (-0.2, 0.5),
                (-0.3, 0.3),
                (-0.5, 0.36),
            ),
            0.04,
        )
        .turn(x=-55.0)
        .move(x, 0.42, z + 0.22)
    )
    stem = MOOSE.horns("fawn", ((0.0, 0.0, 0.0), (0.0, 0.25, 0.1), (0.0, 0.4, 0.12)), 0.05)
    return (
        MOOSE.solid()
        + palm.both()
        + stem
        + ball("umber", 0.3, 0.2, 0.2, (0.45, 0.0, 1.75))
        + ball("umber", 0.06, 0.05, 0.16, (x + 0.25, 0.0, z - 0.36), n=7)
    )


def _lion() -> Solid:
    x, z = LION.skull_at
    mane = ball("brown", 0.2, 0.28, 0.32, (x - 0.12, 0.0, z - 0.02), n=12).rough(0.1, 6)
    return LION.solid() + mane + ball("brown", 0.07, 0.06, 0.06, (-1.17, 0.0, LION.centre - 0.36), n=7)


def _elephant() -> Solid:
    x, z = ELEPHANT.skull_at
    trunk = tube(
        "slate",
        ((x + 0.45, 0.0, z - 0.25), (x + 0.75, 0.0, z - 0.9), (x + 0.75, 0.0, z - 1.6), (x + 1.0, 0.0, z - 1.85)),
        (0.26, 0.18, 0.12, 0.09),
        n=10,
        smooth=4,
    )
    ears = ball("grey", 0.08, 0.5, 0.62, (0.0, 0.42, -0.2), n=12).turn(z=25.0).move(x - 0.2, 0.3, z + 0.05)
    tusks = tube(
        "cream",
        ((x + 0.4, 0.28, z - 0.5), (x + 0.75, 0.34, z - 0.8), (x + 1.05, 0.3, z - 0.75)),
        (0.07, 0.055, 0.02),
        n=7,
        smooth=3,
    )
    return ELEPHANT.solid() + trunk + (ears + tusks).both()


def _kangaroo() -> Solid:
    body = tube(
        "fawn",
        ((-0.2, 0.0, 0.5), (-0.02, 0.0, 0.62), (0.12, 0.0, 0.95), (0.2, 0.0, 1.2), (0.26, 0.0, 1.36)),
        (0.2, 0.24, 0.16, 0.09, 0.07),
        n=10,
        smooth=3,
    )
    head = tube(
        "fawn", ((0.2, 0.0, 1.42), (0.32, 0.0, 1.42), (0.48, 0.0, 1.34)), (0.07, 0.085, 0.045), n=8, smooth=2
    ) + ball("black", 0.03, 0.03, 0.025, (0.5, 0.0, 1.34), n=6)
    ears = ball("fawn", 0.025, 0.04, 0.1, (0.22, 0.06, 1.56), n=7) + ball(
        "black", 0.015, 0.015, 0.018, (0.36, 0.065, 1.45), n=6
    )
    legs = tube(
        "fawn", ((-0.05, 0.15, 0.55), (0.2, 0.2, 0.38), (-0.02, 0.2, 0.1)), (0.16, 0.09, 0.05), n=8, smooth=2
    ) + tube("umber", ((-0.05, 0.2, 0.05), (0.4, 0.2, 0.04)), (0.05, 0.035), n=6)
    arms = tube("fawn", ((0.2, 0.12, 1.05), (0.34, 0.14, 0.88), (0.44, 0.1, 0.9)), (0.045, 0.035, 0.03), n=6)
    tail = tube("fawn", ((-0.25, 0.0, 0.45), (-0.6, 0.0, 0.14), (-1.05, 0.0, 0.06)), (0.14, 0.08, 0.03), n=8, smooth=3)
    return body + head + (ears + legs + arms).both() + tail + ball("cream", 0.1, 0.14, 0.2, (0.12, 0.0, 0.7))


def _ape() -> Solid:
    body = tube(
        "black",
        ((-0.1, 0.0, 0.42), (0.0, 0.0, 0.75), (0.12, 0.0, 1.1), (0.18, 0.0, 1.22)),
        (0.26, 0.32, 0.34, 0.2),
        n=12,
        smooth=3,
    ).scale(0.9, 1.1, 1.0)
    head = (
        ball("black", 0.17, 0.15, 0.19, (0.28, 0.0, 1.36))
        + ball("umber", 0.09, 0.1, 0.1, (0.4, 0.0, 1.3))
        + ball("umber", 0.06, 0.12, 0.03, (0.4, 0.0, 1.41), n=8)
        + ball("grey", 0.3, 0.28, 0.3, (-0.12, 0.0, 0.8))
    )
    arms = tube(
        "black", ((0.14, 0.36, 1.12), (0.3, 0.52, 0.6), (0.42, 0.46, 0.1)), (0.14, 0.11, 0.08), n=9, smooth=2
    ) + ball("umber", 0.1, 0.08, 0.07, (0.46, 0.46, 0.07), n=8)
    legs = tube(
        "black", ((-0.1, 0.2, 0.45), (0.08, 0.3, 0.3), (-0.05, 0.26, 0.08)), (0.17, 0.12, 0.08), n=8, smooth=2
    ) + ball("umber", 0.14, 0.08, 0.06, (0.0, 0.26, 0.06), n=8)
    eyes = ball("white", 0.02, 0.025, 0.018, (0.47, 0.04, 1.37), n=6) + ball(
        "black", 0.012, 0.012, 0.012, (0.488, 0.04, 1.37), n=6
    )
    return body + head + (arms + legs + eyes).both()


def _hedgehog() -> Solid:
    spines = union(
        [
            box("bark", 0.006, 0.006, 0.035, (0.0, 0.0, 0.055), taper=0.2).turn(x=40.0 * (j - 2)).turn(y=30.0 * (k - 3))
            for j in range(5)
            for k in range(6)
        ]
    ).scale(1.45, 1.0, 1.0)
    return (
        HEDGEHOG.legs()
        + HEDGEHOG.face_parts()
        + ball("bark", 0.1, 0.065, 0.06, (-0.01, 0.0, HEDGEHOG.centre + 0.01), n=10)
        + spines.scale(0.92).move(-0.015, 0.0, HEDGEHOG.centre)
    )


def _dark_points(animal: Quadruped, period: float) -> Solid:
    legs = animal.legs().striped("black", 0.6 * period, axis=2)
    return animal.trunk().striped("black", period) + legs + animal.face_parts().striped("black", 0.8 * period)


OBJECTS = rows_of(
    Label.ANIMAL,
    (
        ("cow", "big", 600.0, _cow),
        (
            "horse",
            "big",
            500.0,
            lambda: (
                HORSE.solid()
                + HORSE.mane("black", 0.07)
                + ball("white", 0.02, 0.04, 0.1, (HORSE.skull_at[0] + 0.22, 0.0, HORSE.skull_at[1] - 0.02), n=6)
            ),
        ),
        ("donkey", "medium", 180.0, lambda: DONKEY.solid() + DONKEY.mane("dark", 0.05)),
        ("pig", "medium", 120.0, PIG.solid),
        ("sheep", "medium", 70.0, _sheep),
        (
            "goat",
            "medium",
            50.0,
            lambda: (
                GOAT.solid()
                + GOAT.horns("umber", ((0.0, 0.0, 0.0), (-0.1, 0.04, 0.14), (-0.22, 0.08, 0.14)), 0.03)
                + ball("cream", 0.03, 0.03, 0.09, (GOAT.skull_at[0] + 0.2, 0.0, GOAT.skull_at[1] - 0.22), n=6)
            ),
        ),
        (
            "dog",
            "medium",
            28.0,
            lambda: (
                DOG.trunk().spotted("brown", 0.3, 0.16, 2)
                + DOG.legs()
                + DOG.face_parts()
                + tube("red", ((0.4, 0.0, 0.62), (0.42, 0.0, 0.66)), 0.11, n=10)
            ),
        ),
        (
            "cat",
            "small",
            4.5,
            lambda: CAT.trunk().striped("brown", 0.07) + CAT.legs() + CAT.face_parts().striped("brown", 0.09),
        ),
        (
            "fox",
            "medium",
            7.0,
            lambda: (
                FOX.solid()
                + ball("white", 0.06, 0.05, 0.05, (-0.76, 0.0, FOX.centre - 0.02), n=7)
                + ball("white", 0.1, 0.06, 0.08, (0.3, 0.0, FOX.centre - 0.04), n=8)
            ),
        ),
        (
            "wolf",
            "medium",
            45.0,
            lambda: WOLF.solid() + ball("light", 0.2, 0.11, 0.14, (0.36, 0.0, WOLF.centre - 0.04), n=9),
        ),
        ("stag", "big", 150.0, _stag),
        ("moose", "big", 450.0, _moose),
        ("bear", "big", 300.0, lambda: BEAR.solid() + ball("umber", 0.35, 0.3, 0.22, (0.35, 0.0, 0.98))),
        (
            "wild_boar",
            "medium",
            110.0,
            lambda: (
                BOAR.solid()
                + BOAR.mane("black", 0.06)
                + tube(
                    "cream",
                    (
                        (BOAR.skull_at[0] + 0.3, 0.1, BOAR.skull_at[1] - 0.2),
                        (BOAR.skull_at[0] + 0.34, 0.13, BOAR.skull_at[1] - 0.08),
                    ),
                    (0.02, 0.008),
                    n=5,
                ).both()
            ),
        ),
        ("hedgehog", "tiny", 0.9, _hedgehog),
        ("rat", "small", 0.4, RAT.solid),
        ("ape", "medium", 140.0, _ape),
        ("elephant", "big", 4000.0, _elephant),
        (
            "giraffe",
            "big",
            900.0,
            lambda: (
                GIRAFFE.trunk().spotted("brown", 0.55, 0.14, 4)
                + GIRAFFE.legs()
                + GIRAFFE.face_parts()
                + GIRAFFE.horns("umber", ((0.0, 0.0, 0.0), (0.0, 0.02, 0.14)), 0.04)
            ),
        ),
        ("lion", "big", 190.0, _lion),
        (
            "tiger",
            "big",
            200.0,
            lambda: _dark_points(TIGER, 0.22) + ball("white", 0.4, 0.14, 0.1, (0.0, 0.0, TIGER.centre - 0.18), n=9),
        ),
        ("zebra", "big", 350.0, lambda: _dark_points(ZEBRA, 0.18) + ZEBRA.mane("black", 0.05)),
        (
            "camel",
            "big",
            500.0,
            lambda: (
                CAMEL.solid()
                + ball("sand", 0.28, 0.2, 0.34, (-0.3, 0.0, 1.72))
                + ball("sand", 0.26, 0.2, 0.32, (0.32, 0.0, 1.7))
                + ball("brown", 0.12, 0.1, 0.12, (-0.3, 0.0, 2.0), n=7)
                + ball("brown", 0.12, 0.1, 0.12, (0.32, 0.0, 1.96), n=7)
            ),
        ),
        ("kangaroo", "medium", 60.0, _kangaroo),
    ),
)
