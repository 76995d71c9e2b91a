"""Proportions of the four-legged animals of the catalogue, one line per species."""

from __future__ import annotations

from offnominal.worlds.road.assets.quadruped import Quadruped

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
