"""Models of blocks that are no cubes: boxes and crossed squares."""

from __future__ import annotations

from offnominal.sensing import Model, ModelPart, Texture
from offnominal.sensing.shapes import Triple
from offnominal.worlds.craft.textures import crafted, natural
from offnominal.worlds.craft.textures.painting import (
    area,
    brighter,
    clouded,
    drawn,
    framed,
    plain,
    speckled,
    translucent,
)

IRON = clouded("dark iron", "3A3A3C", "444447", "4E4E52", "59595D")
WOOD = speckled("stick", "7A5C32", "86673A", "927244")


def _box(
    texture: Texture,
    low: Triple,
    high: Triple,
    *,
    top: Texture | None = None,
    stretched: bool = False,
    glowing: bool = False,
) -> ModelPart:
    faces = (texture, texture, texture, texture if top is None else top, texture, texture)
    return ModelPart(faces, low, high, stretched=stretched, glowing=glowing)


def fence() -> Model:
    """Return a post with bars to solid neighbours and other fences."""
    wood = crafted.PLANKS
    parts = [_box(wood, (6.0, 0.0, 6.0), (10.0, 16.0, 10.0))]
    for low, high in ((6.0, 9.0), (12.0, 15.0)):
        parts += [
            ModelPart((wood,) * 6, (0.0, low, 7.0), (6.0, high, 9.0), condition="-x"),
            ModelPart((wood,) * 6, (10.0, low, 7.0), (16.0, high, 9.0), condition="+x"),
            ModelPart((wood,) * 6, (7.0, low, 0.0), (9.0, high, 6.0), condition="-z"),
            ModelPart((wood,) * 6, (7.0, low, 10.0), (9.0, high, 16.0), condition="+z"),
        ]
    return tuple(parts)


def door(leaf: Texture) -> Model:
    """Return a closed door that continues the wall beside it."""
    return (
        ModelPart((leaf,) * 6, (0.0, 0.0, 6.5), (16.0, 16.0, 9.5), condition="along x"),
        ModelPart((leaf,) * 6, (6.5, 0.0, 0.0), (9.5, 16.0, 16.0), condition="not along x"),
    )


def open_door(leaf: Texture) -> Model:
    """Return a door that is turned out of the wall beside it."""
    return (
        ModelPart((leaf,) * 6, (0.0, 0.0, 0.0), (3.0, 16.0, 16.0), condition="along x"),
        ModelPart((leaf,) * 6, (0.0, 0.0, 0.0), (16.0, 16.0, 3.0), condition="not along x"),
    )


def tree_tap() -> Model:
    """Return a wooden bucket under a spout."""
    staves = framed(crafted.PLANKS, "C9A870", "5B4424")
    rim = area(staves, 5, 5, 11, 11, "EFE6C8")
    bucket = area(area(staves, 0, 11, 16, 12, "8C8C8C"), 0, 14, 16, 15, "8C8C8C")
    return (
        _box(bucket, (4.0, 0.0, 4.0), (12.0, 7.0, 12.0), top=rim),
        _box(IRON, (7.0, 7.0, 7.0), (9.0, 11.0, 9.0)),
        _box(IRON, (3.0, 11.0, 7.0), (13.0, 13.0, 9.0)),
        _box(IRON, (7.0, 11.0, 3.0), (9.0, 13.0, 13.0)),
    )


def anvil() -> Model:
    """Return an anvil."""
    top = framed(IRON, "77777C", "2A2A2C")
    return (
        _box(IRON, (2.0, 0.0, 2.0), (14.0, 4.0, 14.0)),
        _box(IRON, (5.0, 4.0, 4.0), (11.0, 5.0, 12.0)),
        _box(IRON, (6.0, 5.0, 5.0), (10.0, 10.0, 11.0)),
        _box(brighter(IRON, 120), (3.0, 10.0, 0.0), (13.0, 16.0, 16.0), top=top),
    )


def cauldron() -> Model:
    """Return a cauldron with water on four feet."""
    wall = framed(IRON, "6A6A6E", "2A2A2C")
    water = clouded("water", "2F55B8", "3864C8", "4474D8")
    feet = [_box(IRON, (x, 0.0, z), (x + 4.0, 3.0, z + 4.0)) for x in (0.0, 12.0) for z in (0.0, 12.0)]
    return (
        *feet,
        _box(wall, (0.0, 3.0, 0.0), (16.0, 16.0, 2.0)),
        _box(wall, (0.0, 3.0, 14.0), (16.0, 16.0, 16.0)),
        _box(wall, (0.0, 3.0, 2.0), (2.0, 16.0, 14.0)),
        _box(wall, (14.0, 3.0, 2.0), (16.0, 16.0, 14.0)),
        _box(IRON, (2.0, 3.0, 2.0), (14.0, 12.0, 14.0), top=water),
    )


def enchanting_table() -> Model:
    """Return a table of obsidian with a red cloth, diamonds and a book."""
    side = area(natural.obsidian(), 0, 4, 16, 7, "8E1F1F")
    side = area(area(side, 0, 4, 3, 8, "4FDFD6"), 13, 4, 16, 8, "4FDFD6")
    top = framed(area(natural.obsidian(), 2, 2, 14, 14, "A32828"), "4FDFD6", "2A9D97")
    page = framed(drawn(("", "", "", "..kkkk....kkkk..", "", "..kkkk....kkk...", "", "..kkk.....kkkk.."),
                        {"k": "5A4A3A"}, plain("F0E8CF")), "8A5A2A", "6A431E")  # fmt: skip
    return (
        _box(side, (0.0, 0.0, 0.0), (16.0, 12.0, 16.0), top=top),
        _box(plain("6A431E"), (4.0, 13.0, 5.0), (12.0, 14.5, 11.0), top=page, stretched=True),
    )


def cake() -> Model:
    """Return a cake with cream and cherries."""
    side = area(speckled("sponge cake", "A8683A", "B4723F", "BF7C47"), 0, 8, 16, 11, "F6F0EA")
    side = drawn(("",) * 11 + ("w..ww..w..w..ww.",), {"w": "F6F0EA"}, side)
    cream = speckled("cream", "F1E9E2", "F6F0EA", "FBF7F3")
    cherries = (
        "",
        "",
        "....rr......r...",
        "....rr....rr....",
        "..........rr....",
        "...r............",
        "...rr...rr......",
        "........rr...r..",
        ".............r..",
        "....rr..........",
        "....rr...rr.....",
        ".........rr.....",
        "..r.........rr",
        "............rr",
    )
    top = drawn(cherries, {"r": "D02A2A"}, cream)
    return (_box(side, (1.0, 0.0, 1.0), (15.0, 8.0, 15.0), top=top),)


def rows_of(texture: Texture) -> Model:
    """Return a crop: four upright squares, two in each direction."""
    return tuple(
        ModelPart((texture,) * 6, low, high)
        for low, high in (
            ((4.0, 0.0, 0.0), (4.0, 16.0, 16.0)),
            ((12.0, 0.0, 0.0), (12.0, 16.0, 16.0)),
            ((0.0, 0.0, 4.0), (16.0, 16.0, 4.0)),
            ((0.0, 0.0, 12.0), (16.0, 16.0, 12.0)),
        )
    )


def waterlily() -> Model:
    """Return a leaf that lies on the ground."""
    return (ModelPart((natural.waterlily(),) * 6, (0.0, 0.25, 0.0), (16.0, 0.25, 16.0)),)


def vine() -> Model:
    """Return leaves that hang on all four sides of a cell."""
    leaf = natural.vine()
    return tuple(
        ModelPart((leaf,) * 6, low, high)
        for low, high in (
            ((1.0, 0.0, 0.0), (1.0, 16.0, 16.0)),
            ((15.0, 0.0, 0.0), (15.0, 16.0, 16.0)),
            ((0.0, 0.0, 1.0), (16.0, 16.0, 1.0)),
            ((0.0, 0.0, 15.0), (16.0, 16.0, 15.0)),
        )
    )


def bed() -> Model:
    """Return a short bed with a red blanket and a white pillow."""
    blanket = framed(speckled("blanket", "A81E1E", "B42525", "C02D2D"), "D24A4A", "7A1212")
    top = area(area(blanket, 1, 0, 15, 5, "F2F2F2"), 1, 5, 15, 6, "C9C9C9")
    side = area(blanket, 0, 9, 16, 13, "8A6A3E")
    legs = [_box(WOOD, (x, 0.0, z), (x + 3.0, 3.0, z + 3.0)) for x in (0.0, 13.0) for z in (0.0, 13.0)]
    return (*legs, _box(side, (0.0, 3.0, 0.0), (16.0, 9.0, 16.0), top=top))


def lever() -> Model:
    """Return a lever on a plate of stone."""
    return (
        _box(natural.cobblestone(), (4.0, 0.0, 5.0), (12.0, 3.0, 11.0)),
        _box(WOOD, (7.0, 3.0, 7.0), (9.0, 12.0, 9.0)),
        _box(plain("5A4020"), (6.5, 12.0, 6.5), (9.5, 14.0, 9.5)),
    )


def torch() -> Model:
    """Return a stick with a glowing head."""
    flame = speckled("flame", "FFB52E", "FFD75E", "FFF3B0")
    return (
        _box(WOOD, (7.0, 0.0, 7.0), (9.0, 8.0, 9.0)),
        _box(flame, (6.75, 8.0, 6.75), (9.25, 11.0, 9.25), glowing=True),
    )


def slime() -> Model:
    """Return a cube of jelly around a darker one."""
    core = translucent(brighter(crafted.slime(), 72), 235)
    return (_box(core, (3.0, 3.0, 3.0), (13.0, 13.0, 13.0)), _box(crafted.slime(), (0.0, 0.0, 0.0), (16.0, 16.0, 16.0)))


def beacon() -> Model:
    """Return a glowing core on obsidian under glass."""
    core = framed(clouded("beacon", "6FE9E4", "9DF5F1", "CFFFFD", cells=4), "FFFFFF", "3FC5BF")
    return (
        _box(natural.obsidian(), (2.0, 0.1, 2.0), (14.0, 3.0, 14.0)),
        _box(core, (3.0, 3.0, 3.0), (13.0, 14.0, 13.0), glowing=True),
        _box(crafted.glass(), (0.0, 0.0, 0.0), (16.0, 16.0, 16.0)),
    )


def cactus() -> Model:
    """Return a cactus, a little thinner than a block."""
    top, side = natural.cactus()
    return (ModelPart((side, side, top, top, side, side), (1.0, 0.0, 1.0), (15.0, 16.0, 15.0)),)


def hopper() -> Model:
    """Return a funnel of iron."""
    rim = framed(brighter(IRON, 115), "77777C", "2A2A2C")
    return (
        _box(rim, (0.0, 10.0, 0.0), (16.0, 16.0, 2.0)),
        _box(rim, (0.0, 10.0, 14.0), (16.0, 16.0, 16.0)),
        _box(rim, (0.0, 10.0, 2.0), (2.0, 16.0, 14.0)),
        _box(rim, (14.0, 10.0, 2.0), (16.0, 16.0, 14.0)),
        _box(IRON, (2.0, 10.0, 2.0), (14.0, 11.0, 14.0)),
        _box(IRON, (4.0, 4.0, 4.0), (12.0, 10.0, 12.0)),
        _box(IRON, (6.0, 0.0, 6.0), (10.0, 4.0, 10.0)),
    )


def brewing_stand() -> Model:
    """Return a glowing rod with three bottles on stone plates."""
    rod = speckled("rod", "D8A52A", "EBBF45", "FBDD7A")
    bottle = translucent(clouded("potion", "C04FA0", "D466B4", "E488C8"), 215)
    spots = ((10.0, 6.0), (2.0, 2.0), (2.0, 10.0))
    plates = [_box(natural.cobblestone(), (x - 1.0, 0.0, z - 1.0), (x + 5.0, 2.0, z + 5.0)) for x, z in spots]
    bottles = [_box(bottle, (x, 2.0, z), (x + 4.0, 7.0, z + 4.0)) for x, z in spots]
    necks = [_box(crafted.quartz(), (x + 1.5, 7.0, z + 1.5), (x + 2.5, 9.0, z + 2.5)) for x, z in spots]
    return (*plates, *bottles, *necks, _box(rod, (7.0, 2.0, 7.0), (9.0, 14.0, 9.0), glowing=True))


def sapling(dark: str, bright: str, stem: str) -> Texture:
    """Return a young tree, for crossed squares."""
    rows = ("", "", "......bb........", "....bbdbb.......", "...bdbbdbbb.....", "..bbbdbbbdb.....", "..bdbbbdbbbb....",
            "...bbdbbbdb.....", "....bbsbbb......", "......ss.bb.....", "...bb.ss.b......", "....bbss........",
            "......ss........", "......ss........", "......ss........", "......ss........")  # fmt: skip
    return drawn([" " + row for row in rows], {"d": dark, "b": bright, "s": stem})


def deadbush() -> Texture:
    """Return bare twigs, for crossed squares."""
    rows = ("..b.......b.....", "..bb.....bb..b..", "...b..b..b...b..", "b..bb.b.bb..bb..", "bb..b.bbb..bb...",
            ".bb.bbbb..bb..b.", "..bb.bb..bb..bb.", "...bbbbbbb..bb..", "b...bbbb...bb...", "bb...bbbbbbb....",
            ".bbb.bbbb.......", "...bbbb.........", ".....bb.........", ".....bb.........", "......bb........",
            "......bb........")  # fmt: skip
    return drawn(rows, {"b": "8A6A38"})
