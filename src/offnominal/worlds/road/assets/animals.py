"""Four-legged animals, kangaroo and ape."""

from __future__ import annotations

from offnominal.worlds.road.assets.catalogue import rows_of
from offnominal.worlds.road.assets.primitives import ball, box, prism, tube
from offnominal.worlds.road.assets.quadruped import Quadruped
from offnominal.worlds.road.assets.solid import Solid, union
from offnominal.worlds.road.labels import Label

# Columns as in Quadruped; points are x/z, separated by commas.
_TABLE = """
species coat body tall depth slim neck thick head skull muzzle droop leg tail thick ear foot face
cow white 1.55 1.42 .38 .85 .34/.1 .6 .5 .15 .62 .45 .075 -.06/-.1,-.1/-.75 .025 .2 dark pink
horse chestnut 1.5 1.6 .34 .75 .42/.5 .62 .55 .14 .6 .7 .065 -.1/-.05,-.2/-.4,-.16/-.8 .06 .15 black brown
pig pink 1 .78 .26 .9 .2/0 .8 .36 .16 .55 .35 .06 -.06/.06,-.1/0,-.06/-.04 .015 .16 umber pink
sheep dark .85 .8 .2 .9 .2/.14 .6 .3 .1 .6 .5 .04 -.06/-.05,-.06/-.18 .03 .14 black dark
goat cream .9 .85 .2 .75 .2/.26 .5 .3 .085 .6 .5 .038 -.05/.06,-.1/.08 .03 .15 dark cream
dog fawn .7 .62 .14 .75 .14/.2 .6 .26 .09 .55 .3 .035 -.12/.1,-.18/.26 .025 .12 fawn dark
cat orange .36 .28 .07 .8 .05/.07 .6 .1 .055 .55 .2 .018 -.08/.06,-.1/.18,-.06/.26 .014 .06 white white
fox rust .62 .42 .1 .75 .12/.1 .65 .24 .075 .35 .3 .025 -.15/-.04,-.34/-.1,-.46/-.06 .06 .13 black white
wolf grey .95 .8 .18 .7 .2/.16 .7 .36 .11 .45 .3 .045 -.14/-.12,-.2/-.36 .05 .15 light light
deer fawn 1.15 1.15 .24 .7 .26/.42 .5 .38 .1 .5 .5 .042 -.05/.02,-.08/-.12 .045 .18 dark umber
moose umber 1.8 1.9 .42 .7 .36/.2 .62 .7 .17 .8 .5 .075 -.04/-.05,-.06/-.15 .05 .22 fawn brown
bear umber 1.5 1.12 .42 .85 .24/.02 .75 .42 .2 .5 .35 .13 -.05/-.05,-.08/-.1 .06 .14 black brown
boar bark 1.1 .86 .27 .75 .2/-.06 .85 .46 .17 .45 .4 .05 -.05/-.06,-.06/-.3 .02 .15 black umber
lion ochre 1.35 1 .26 .75 .24/.14 .7 .36 .16 .6 .35 .075 -.2/-.2,-.35/-.5,-.5/-.45 .03 .12 ochre cream
tiger orange 1.45 .98 .26 .78 .24/.1 .7 .36 .16 .6 .35 .08 -.2/-.2,-.4/-.45,-.6/-.35 .035 .12 orange white
zebra white 1.3 1.35 .3 .78 .34/.4 .6 .46 .12 .6 .65 .055 -.1/-.05,-.15/-.5 .035 .17 black dark
camel sand 1.6 1.75 .36 .7 .65/.42 .45 .48 .13 .65 .3 .07 -.06/-.1,-.1/-.5 .03 .1 fawn sand
donkey grey 1.1 1.15 .27 .8 .28/.28 .62 .44 .12 .62 .6 .05 -.06/-.05,-.1/-.5 .025 .3 dark white
elephant slate 2.9 2.9 .95 .85 .5/.1 .65 .7 .5 .5 .6 .24 -.1/-.3,-.15/-1.1 .04 .1 slate slate
giraffe sand 1.7 2.6 .5 .7 .75/1.75 .42 .62 .15 .6 .45 .085 -.1/-.2,-.15/-.9 .035 .2 umber cream
rat grey .12 .07 .03 .9 .02/0 .8 .05 .022 .35 .2 .007 -.05/-.02,-.1/-.03,-.12/-.03 .004 .03 pink pink
hedgehog sand .16 .1 .045 .9 .02/-.02 .8 .06 .026 .35 .2 .01 -.005/-.01,-.01/-.02 .005 .02 umber sand
"""


def _species(line: str) -> tuple[str, Quadruped]:
    name, coat, body, tall, depth, slim, neck, thick, head, skull, muzzle, droop, leg, tail, wag, ear, foot, face = (
        line.split()
    )
    return name, Quadruped(
        coat=coat,
        body=float(body),
        tall=float(tall),
        depth=float(depth),
        slim=float(slim),
        neck=_point(neck),
        neck_thick=float(thick),
        head=float(head),
        skull=float(skull),
        muzzle=float(muzzle),
        droop=float(droop),
        leg=float(leg),
        tail=tuple(_point(point) for point in tail.split(",")),
        tail_thick=float(wag),
        ear=float(ear),
        foot=foot,
        face=face,
    )


def _point(text: str) -> tuple[float, float]:
    x, _, z = text.partition("/")
    return float(x), float(z)


SPECIES: dict[str, Quadruped] = dict(_species(line) for line in _TABLE.strip().splitlines()[1:])


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
