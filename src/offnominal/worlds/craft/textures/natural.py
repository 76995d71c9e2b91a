"""Textures of ground, stone, wood, ores and plants."""

from __future__ import annotations

import numpy as np

from offnominal.core.types import IntArray
from offnominal.sensing import Texture
from offnominal.worlds.craft.textures.painting import (
    COLUMNS,
    ROWS,
    area,
    brighter,
    clouded,
    drawn,
    framed,
    noise,
    palette,
    perforated,
    plain,
    smooth_noise,
    speckled,
    translucent,
    where,
)

DIRT = clouded("dirt", "593D29", "6B4A32", "79553A", "866043", "966C4A", cells=8, grain=2)
STONE = clouded("stone", "686868", "747474", "7D7D7D", "848484", "8F8F8F", cells=8)


def _fringed(top: Texture, name: str) -> Texture:
    """Return dirt with the colours of its top hanging over its upper edge."""
    depth = 3 + noise(name + " fringe", 16)[0] % 3
    return where(depth > ROWS, top, DIRT)


def grass() -> tuple[Texture, Texture, Texture]:
    """Return top, side and bottom."""
    top = clouded("grass", "4C7A2E", "588B36", "65993F", "72A847", "80B552", cells=8, grain=2)
    return top, _fringed(top, "grass"), DIRT


def mycelium() -> tuple[Texture, Texture, Texture]:
    """Return top, side and bottom."""
    top = clouded("mycelium", "594B57", "6B5A6B", "7B6A7D", "8E7C93", "A895AE", cells=8, grain=2)
    return top, _fringed(top, "mycelium"), DIRT


def bedrock() -> Texture:
    """Return a rough, dark stone with strong contrasts."""
    return clouded("bedrock", "353535", "454545", "565656", "686868", "7D7D7D", "949494", cells=8, grain=1)


def cobblestone() -> Texture:
    """Return rounded stones between dark joints."""
    spots = ((2, 2), (8, 1), (13, 3), (4, 7), (10, 7), (15, 9), (1, 11), (7, 12), (12, 13))
    away = np.stack([_wrapped(ROWS - y) ** 2 + _wrapped(COLUMNS - x) ** 2 for x, y in spots])
    first, second = np.sort(away, axis=0)[:2]
    shade = np.argmin(away, axis=0) * 23 % 5 * 12 - 2 * first
    stones = palette(shade + noise("cobblestone") // 24, "6E6E6E", "7D7D7D", "8C8C8C", "9C9C9C", "AEAEAE")
    return where(second - first <= 5, speckled("joint", "484848", "525252", "5C5C5C"), stones)


def _wrapped(distance: IntArray) -> IntArray:
    away: IntArray = np.minimum(np.abs(distance), 16 - np.abs(distance))
    return away


def stonebrick() -> Texture:
    """Return large bricks of stone."""
    shift = np.where(ROWS // 8 % 2 == 0, 0, 8)
    x, y = (COLUMNS + shift) % 16, ROWS % 8
    bricks = brighter(clouded("stonebrick", "6C6C6C", "767676", "808080", "8A8A8A"), 100)
    bricks = where((y == 0) | (x == 0), plain("989898"), bricks)
    return where((y == 7) | (x == 15), plain("4A4A4A"), bricks)


def log(name: str, bark: tuple[str, ...], wood: tuple[str, ...]) -> tuple[Texture, Texture]:
    """Return end and side of a log.

    Args:
        name: Name of the noise.
        bark: Four colours from dark to bright.
        wood: Two colours of the rings.
    """
    streaks = noise(name)[0][None, :] * 2 + noise(name + " bark") // 2 + smooth_noise(name, 4) // 2
    side = palette(np.broadcast_to(streaks, (16, 16)), *bark)
    ring = np.maximum(np.abs(2 * ROWS - 15), np.abs(2 * COLUMNS - 15)) // 2
    end = where((ring % 3 == 0) & (ring < 7), plain(wood[1]), speckled(name + " wood", wood[0], brighten(wood[0], 106)))
    return where(ring >= 7, side, end), side


def brighten(code: str, percent: int) -> str:
    """Return a colour code with its colour multiplied."""
    return bytes(int(part) for part in brighter(plain(code), percent)[0, 0, :3]).hex()


def rotten_log() -> tuple[Texture, Texture]:
    """Return end and side of a grey log with mould and holes."""
    end, side = log("rotten", ("2F2B26", "403A33", "4E4840", "5E574D"), ("6B5F4E", "4A4136"))
    mould = smooth_noise("mould", 4) + noise("mould") // 4 > 185
    green = speckled("mould colour", "5E7A3A", "6F8F46", "86A85A")
    return where(mould, green, end), where(mould, green, side)


def leaves(name: str, *codes: str) -> Texture:
    """Return leaves with holes."""
    return perforated(clouded(name, *codes, cells=8, grain=3), name + " holes", 22)


def ore(name: str, dark: str, middle: str, bright: str) -> Texture:
    """Return stone with gems."""
    rows = (
        "................",
        "...dmb......dm..",
        "..dmbbm....dmbm.",
        "...dmm......dm..",
        "................",
        ".......dmm......",
        "dm....dmbbm...d.",
        "bm....dmbm...dm.",
        "m......dm...dmbb",
        ".............mm.",
        "....dm..........",
        "...dmbm...dmm...",
        "...mbbm..dmbbm..",
        "....mm....mbm...",
        "..........dm....",
        "................",
    )
    return drawn(rows, {"d": dark, "m": middle, "b": bright}, clouded(name, "686868", "767676", "808080", "8C8C8C"))


def sandstone() -> tuple[Texture, Texture, Texture]:
    """Return top, side and bottom."""
    top = clouded("sandstone top", "D2C48F", "D9CC98", "E0D4A4", "E7DDB2")
    layers = palette(
        noise("sandstone layer")[0][:, None] * 3 + smooth_noise("sandstone", 4) // 2 + noise("sandstone") // 3,
        "C4B47C", "D0C189", "DACC97", "E3D7A6",
    )  # fmt: skip
    side = area(area(layers, 0, 0, 16, 3, "E4D9AC"), 0, 3, 16, 4, "B7A66E")
    return top, area(side, 0, 13, 16, 14, "B7A66E"), brighter(top, 92)


def snow() -> Texture:
    """Return snow."""
    return clouded("snow", "E6EFF2", "EEF5F6", "F5FAFA", "FDFFFF")


def ice() -> Texture:
    """Return translucent ice with cracks."""
    made = clouded("ice", "7FA9F0", "8CB4F5", "9ABFF8", "A9CCFB", cells=4)
    cracks = (np.abs(COLUMNS - ROWS - 3) == 0) | (COLUMNS + ROWS == 11) | ((COLUMNS + 2 * ROWS) % 29 == 0)
    return translucent(where(cracks, plain("DCEBFF"), made), 190)


def sponge() -> Texture:
    """Return a yellow sponge with pores."""
    made = clouded("sponge", "B9B63B", "C6C24A", "D3CF57", "DEDB6A")
    pores = (smooth_noise("pores", 8) + noise("pores") // 2) > 255
    shadow = np.roll(pores, 1, axis=0) & ~pores
    return where(pores, plain("6E6B1C"), where(shadow, plain("E8E78E"), made))


def soul_sand() -> Texture:
    """Return brown sand with faces."""
    face = (
        "................",
        "..dd..dd........",
        "..dd..dd....dd.d",
        "............dd.d",
        "...dddd.........",
        "..dd..dd.....dd.",
        "................",
        "................",
        "........dd..dd..",
        "........dd..dd..",
        ".dd..dd.........",
        ".dd..dd..dddd...",
        "........dd..dd..",
        "..ddd...........",
        ".dd.dd..........",
        "................",
    )
    return drawn(face, {"d": "33251B"}, clouded("soul sand", "463429", "513E31", "5E483A", "6A5344"))


def prismarine() -> Texture:
    """Return blue-green rock with bright veins."""
    made = clouded("prismarine", "4F8C80", "5E9E90", "6DAE9F", "7FC0B0", cells=4, grain=2)
    return where(np.abs(smooth_noise("prismarine vein", 4) - 128) < 9, plain("B4E0D2"), made)


def obsidian() -> Texture:
    """Return black glass with purple gleams."""
    made = clouded("obsidian", "0B0812", "120D1C", "181225", "1E172F", cells=4, grain=1)
    return where(smooth_noise("gleam", 8) + noise("gleam") // 3 > 248, plain("46336B"), made)


def glowstone() -> Texture:
    """Return bright crystals."""
    return clouded("glowstone", "7C5A2E", "B48A4A", "DDB45E", "F5D989", "FFF3C4", cells=8, grain=1)


def tallgrass() -> Texture:
    """Return blades of grass, for crossed squares."""
    return _blades("tallgrass", ("48762C", "5C9438", "74AE4A"), 11, 9)


def wheat() -> Texture:
    """Return ripe wheat, for crossed squares."""
    made = _blades("wheat", ("A8872E", "C9A63C", "DCC159"), 13, 8)
    ears = (noise("ears")[0] % 2 == 0)[None, :] & (ROWS < 7) & (made[..., 3] > 0)
    return where(ears, speckled("ear", "E5D27A", "C8A53A", "B58E2C"), made)


def reeds() -> Texture:
    """Return sugar cane, for crossed squares."""
    stalk = np.isin(COLUMNS, (2, 3, 7, 8, 12, 13))
    made = where(stalk, palette(COLUMNS % 5 * 40 + noise("reeds") // 4, "6FA548", "86BC5A", "A6D677"), _none())
    joints = stalk & ((ROWS + COLUMNS // 5 * 3) % 6 == 0)
    leaves = ((COLUMNS + ROWS) % 9 == 0) & np.isin(COLUMNS, (4, 5, 9, 10, 14))
    return where(leaves, plain("7DB552"), where(joints, plain("4F7F33"), made))


def _none() -> Texture:
    return np.zeros((16, 16, 4), np.uint8)


def _blades(name: str, codes: tuple[str, ...], tall: int, low: int) -> Texture:
    """Return upright blades of different heights."""
    height = low + noise(name)[0] % (tall - low + 4)
    bend = (ROWS < 8) * ((noise(name)[1] % 3) - 1)
    column = (COLUMNS + bend) % 16
    shown = (height[column] >= 16 - ROWS) & (noise(name)[2][column] % 4 > 0)
    return where(shown, palette(noise(name)[3][column] + 6 * (15 - ROWS), *codes), _none())


def vine() -> Texture:
    """Return hanging leaves with holes."""
    made = clouded("vine", "23531C", "2F6B24", "3B7E2D", "4B9539", cells=8, grain=3)
    gaps = (smooth_noise("vine gaps", 8) + noise("vine gaps") // 2) < 150
    return where(gaps & (COLUMNS % 4 != 1), _none(), made)


def waterlily() -> Texture:
    """Return a round leaf with a notch, seen from above."""
    x, y = 2 * COLUMNS - 15, 2 * ROWS - 15
    leaf = (x * x + y * y <= 196) & ~((y < 0) & (np.abs(x) < -y // 2))
    veins = (x == y) | (x == -y) | (np.abs(x) <= 1)
    green = clouded("waterlily", "1C6B2E", "237C37", "2C8E42")
    return where(leaf, where(veins, plain("4FAF5C"), green), _none())


def cactus() -> tuple[Texture, Texture]:
    """Return top and side."""
    ribs = palette(np.isin(COLUMNS % 4, (0,)) * -300 + np.isin(COLUMNS % 4, (2,)) * 200 + noise("cactus") // 3,
                   "2C6A24", "3A8030", "4A963C", "5FAE4C")  # fmt: skip
    spines = (COLUMNS % 4 == 2) & ((ROWS + COLUMNS // 4 * 2) % 5 == 1)
    top = framed(clouded("cactus top", "6FB75A", "7DC466", "8CD274"), "3A8030", "2C6A24")
    return area(top, 6, 6, 10, 10, "C9DE9A"), where(spines, plain("E9EFD0"), ribs)
