"""Textures of blocks that are made: boards, metal, machines and furniture."""

from __future__ import annotations

import numpy as np

from offnominal.sensing import Texture
from offnominal.worlds.craft.textures.natural import STONE
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
    plain,
    speckled,
    translucent,
    where,
)


def boards(name: str, *codes: str, joint: str = "6B5330") -> Texture:
    """Return four boards, one above the other."""
    grain = noise(name)[ROWS // 2, COLUMNS // 5] // 2 + noise(name + " grain") // 4 + noise(name)[ROWS // 4, 0] // 2
    made = palette(grain, *codes)
    ends = ((ROWS // 4 % 2 == 0) & (COLUMNS == 7)) | ((ROWS // 4 % 2 == 1) & (COLUMNS == 15))
    return where((ROWS % 4 == 3) | ends, plain(joint), made)


PLANKS = boards("planks", "96784A", "A2834F", "AF8F58", "BC9C63")
COBBLE_METAL = clouded("machine", "5F5F5F", "6A6A6A", "757575", "808080")


def metal(name: str, bright: str, middle: str, dark: str, edge: str) -> Texture:
    """Return a polished block: a bright frame, a dark edge and a diagonal gleam."""
    made = palette(4 * (COLUMNS + ROWS) + noise(name) // 16, bright, middle, middle, dark)
    gleam = np.isin((COLUMNS - ROWS) % 16, (3, 4, 8))
    made = where(gleam & (COLUMNS > 2) & (COLUMNS < 13) & (ROWS > 2) & (ROWS < 13), plain(bright), made)
    return framed(framed(made, dark, bright, inset=1), bright, edge)


def iron() -> Texture:
    """Return white metal in three bars."""
    made = speckled("iron", "DADADA", "E0E0E0", "E6E6E6")
    for top in (0, 5, 10):
        made = area(area(made, 0, top, 16, top + 1, "F8F8F8"), 0, top + 4, 16, top + 5, "B0B0B0")
    return framed(made, "F2F2F2", "9A9A9A")


def gem_block(name: str, bright: str, middle: str, dark: str, edge: str) -> Texture:
    """Return a block of gems: facets within a frame."""
    made = clouded(name, middle, middle, bright, cells=4)
    facets = (np.abs(2 * COLUMNS - 15) + np.abs(2 * ROWS - 15)) // 2
    made = where(facets < 6, plain(bright), made)
    made = where(np.isin(facets, (6, 11)), plain(dark), made)
    return framed(framed(made, bright, dark, inset=1), dark, edge)


def lapis() -> Texture:
    """Return deep blue stone with golden specks."""
    made = clouded("lapis", "16307F", "1C3B96", "2347AB", "2C55BF", cells=4, grain=2)
    return where(noise("lapis gold") > 246, plain("C9B458"), framed(made, "3763CF", "10256B"))


def crafting_table() -> tuple[Texture, Texture, Texture]:
    """Return top, front and side."""
    top = framed(area(brighter(PLANKS, 92), 2, 2, 14, 14, "B98D52"), "5B3B1E", "4A2F17")
    for line in (2, 6, 10, 13):
        top = area(area(top, 2, line, 14, line + 1, "6E4824"), line, 2, line + 1, 14, "6E4824")
    body = area(area(PLANKS, 0, 0, 16, 3, "B98D52"), 0, 3, 16, 4, "4A2F17")
    body = area(area(body, 0, 4, 2, 16, "6E4824"), 14, 4, 16, 16, "6E4824")
    saw = (
        "", "", "", "", "",
        "...ggg....h.....",
        "...ggg....hh....",
        "....h.....sh....",
        "....h....ss.....",
        "....h....ss.....",
        "....h...ss......",
        "....h...ss......",
        "....h...s.......",
        "....h...........",
    )  # fmt: skip
    pincers = (
        "", "", "", "", "",
        "...s..s...ggg...",
        "...s..s...gsg...",
        "....ss....ggg...",
        "....ss.....h....",
        "...h..h....h....",
        "...h..h....h....",
        "...h..h....h....",
        "...h..h....h....",
    )  # fmt: skip
    colours = {"g": "8C8C8C", "s": "D0D0D0", "h": "4A2F17"}
    return top, drawn(saw, colours, body), drawn(pincers, colours, body)


def plastic_chest() -> tuple[Texture, Texture, Texture]:
    """Return top, front and side of a chest of turquoise plastic."""
    shell = framed(speckled("plastic", "3FB8C4", "45BEC9", "4BC4CF"), "8CE6EC", "1F7F8A")
    side = area(area(shell, 1, 5, 15, 6, "17646E"), 1, 6, 15, 7, "7FDDE4")
    front = area(area(side, 6, 4, 10, 9, "F1F1F1"), 7, 6, 9, 8, "8A8A8A")
    top = area(framed(shell, "A5EFF3", "2C919C", inset=3), 7, 7, 9, 9, "2C919C")
    return top, front, side


def safe(lamp: str, opened: bool) -> tuple[Texture, Texture]:
    """Return front and side of a steel safe with a dial, a handle and a lamp."""
    steel = framed(clouded("safe", "3C4048", "434851", "4A505A", "525963"), "7B838F", "1E2126")
    door = framed(steel, "1E2126", "6B727D", inset=2)
    dial = (
        "", "", "",
        "...........ll...",
        "....ww.....ll...",
        "...wggw.........",
        "..wgwggw...bb...",
        "..wggggw....b...",
        "...wggw.....b...",
        "....ww.....bb...",
        "............b...",
        "............b...",
    )  # fmt: skip
    front = drawn(dial, {"l": lamp, "w": "D9DCE0", "g": "8B929C", "b": "C9A93B"}, door)
    if opened:
        front = area(front, 13, 2, 15, 14, "0C0D0F")
    return front, steel


def door(locked: bool = False) -> Texture:
    """Return the leaf of a door, the same for its lower and its upper half."""
    made = palette(noise("door")[COLUMNS // 3, ROWS // 8] + noise("door grain") // 5, "7A5A30", "86653A", "927044")
    made = where(COLUMNS % 4 == 3, plain("5E4322"), made)
    made = framed(made, "A2834F", "4A3418")
    made = area(area(made, 1, 2, 15, 4, "5A5A5A"), 1, 12, 15, 14, "5A5A5A")
    made = drawn(("", "", ".e..........e...", *[""] * 9, ".e..........e..."), {"e": "B5B5B5"}, made)
    if locked:
        return drawn(
            ("", "", "", "", ".....yyyyyy.....", ".....y....y.....", "...yyyyyyyyyy...", "...yyykkkkyyy...",
             "...yyyykkyyyy...", "...yyyykkyyyy...", "...yyyyyyyyyy..."), {"y": "D8A82A", "k": "2B2108"}, made,
        )  # fmt: skip
    return area(area(made, 12, 7, 14, 9, "D9D9D9"), 12, 9, 14, 10, "3A3A3A")


def tnt() -> tuple[Texture, Texture, Texture]:
    """Return top, side and bottom of red sticks with a white label."""
    red = palette((COLUMNS % 4 * 60) + noise("tnt") // 4, "8E2018", "B92B20", "D63A2C", "E8594A")
    label = area(area(red, 0, 5, 16, 11, "EDEDED"), 0, 11, 16, 12, "B9B9B9")
    letters = ("", "", "", "", "", "", "kkk.k...k.kkk...", ".k..kk..k..k....", ".k..k.k.k..k....", ".k..k..kk..k....")
    side = drawn([" " + row for row in letters], {"k": "1E1E1E"}, label)
    ends = where((COLUMNS % 4 - 1) ** 2 + (ROWS % 4 - 1) ** 2 < 3, plain("D63A2C"), plain("7A1B14"))
    return where((COLUMNS % 4 == 1) & (ROWS % 4 == 1), plain("F2E3C6"), ends), side, ends


def bookshelf() -> Texture:
    """Return two shelves with books of many colours."""
    spines = ("7A2E2A", "2F4F7A", "3B6B35", "8A6B2A", "5B3B72", "9A4A2C", "35605E", "A8A08C")
    made = area(plain("2B1D0E"), 0, 0, 16, 1, "A2834F")
    for shelf in (0, 1):
        top = 1 + 8 * shelf
        left = 0
        for book in range(8):
            wide = 2 + int(noise("books")[shelf, book]) % 2
            tall = int(noise("books")[shelf + 2, book]) % 2
            made = area(made, left, top + tall, min(16, left + wide), top + 6, spines[(3 * book + 5 * shelf) % 8])
            left += wide
        made = area(area(made, 0, top + 6, 16, top + 7, "BC9C63"), 0, top + 7, 16, top + 8, "6B5330")
    lines = (np.isin(ROWS, (3, 11))) & (noise("gilt")[0][COLUMNS] > 120)
    return where(lines, brighter(made, 150), made)


def machine(front: str) -> tuple[Texture, Texture, Texture]:
    """Return top, front and side of a machine of stone: ``"dispenser"`` or ``"dropper"``."""
    shell = framed(COBBLE_METAL, "8F8F8F", "464646")
    faces = {
        "dispenser": (
            "", "", "....dddddddd....", "...dd......dd...", "...d.kkkkkk.d...", "...d.kkkkkk.d...",
            "...d.kkkkkk.d...", "...d..kkkk..d...", "...dd......dd...", "....dddddddd....", "",
            "....r..rr..r....",
        ),
        "dropper": (
            "", "", "", "..dddd....dddd..", "..dkkd....dkkd..", "..dkkd....dkkd..", "..dddd....dddd..", "",
            ".....dddddd.....", "....dkkkkkkd....", "....dkkkkkkd....", ".....dddddd.....",
        ),
    }  # fmt: skip
    drawn_face = drawn(faces[front], {"d": "3B3B3B", "k": "0F0F0F", "r": "B02020"}, shell)
    return area(shell, 5, 5, 11, 11, "4F4F4F"), drawn_face, shell


def jukebox() -> tuple[Texture, Texture]:
    """Return top and side."""
    wood = speckled("jukebox", "5E3B26", "69432C", "744C33")
    top = framed(area(wood, 4, 7, 12, 9, "15100C"), "8A5D40", "3C2416")
    side = where((COLUMNS + ROWS) % 4 == 0, plain("4B2E1C"), wood)
    return top, framed(side, "8A5D40", "3C2416")


def noteblock() -> Texture:
    """Return dark wood with a note."""
    wood = framed(speckled("noteblock", "5E3B26", "69432C", "744C33"), "8A5D40", "3C2416")
    rows = ("", "", "", "......yyyyyy....", "......y....y....", "......y....y....", "......y....y....",
            "......y....y....", "....yyy..yyy....", "....yyy..yyy....", "....yyy..yyy....")  # fmt: skip
    return drawn(rows, {"y": "E8C77E"}, area(wood, 2, 2, 14, 14, "4A2D1B"))


def piston() -> tuple[Texture, Texture, Texture]:
    """Return top, side and bottom."""
    top = framed(PLANKS, "C9A870", "5B4424")
    for x, y in ((2, 2), (12, 2), (2, 12), (12, 12)):
        top = area(top, x, y, x + 2, y + 2, "5B4424")
    stone = where(ROWS < 4, PLANKS, STONE)
    side = area(area(stone, 0, 4, 16, 5, "3A3A3A"), 0, 15, 16, 16, "4A4A4A")
    for x in (1, 12):
        side = area(side, x, 7, x + 3, 10, "5A5A5A")
    return top, side, area(framed(STONE, "9A9A9A", "4A4A4A"), 6, 6, 10, 10, "4A4A4A")


def pumpkin() -> tuple[Texture, Texture]:
    """Return top and side."""
    ribs = np.abs(COLUMNS % 8 - 4) * 40 + noise("pumpkin") // 5
    side = palette(-ribs, "A85A0E", "C36F16", "D98221", "EC9A35")
    ring = np.maximum(np.abs(2 * ROWS - 15), np.abs(2 * COLUMNS - 15))
    top = palette(-(np.abs(ROWS - COLUMNS) % 5) * 40 - noise("pumpkin top") // 5, "B5640F", "CC7719", "E08B27")
    return area(where(ring > 13, plain("A85A0E"), top), 6, 6, 10, 10, "5E7F2A"), side


def pumpkin_face() -> Texture:
    """Return the front."""
    rows = ("", "", "", "..kkk......kkk..", "..kkkk....kkkk..", "..kkk......kkk..", "", ".......kk.......", "",
            ".kk..kk..kk..kk.", ".kkkkkkkkkkkkkk.", "..kkkkkkkkkkkk..", "....kkk..kkk....")  # fmt: skip
    return drawn(rows, {"k": "2A1503"}, pumpkin()[1])


def wool() -> Texture:
    """Return white wool with soft curls."""
    made = clouded("wool", "DADDDD", "E6E8E8", "F3F5F5", cells=4, grain=1)
    curls = ((COLUMNS % 4 == 0) & (ROWS % 4 < 3)) | ((ROWS % 4 == 3) & (COLUMNS % 4 != 2))
    return where(curls, speckled("curls", "AEB4B4", "BCC2C2", "C8CDCD"), made)


def quartz() -> Texture:
    """Return white stone with faint lines."""
    made = clouded("quartz", "E6E0D8", "ECE7E0", "F1EDE7", "F6F3EF", cells=2, grain=0)
    return framed(where((COLUMNS + 2 * ROWS) % 13 == 0, plain("DCD4CA"), made), "FBF9F6", "CFC7BB")


def sea_lantern() -> Texture:
    """Return pale crystals in a frame of prismarine."""
    away = np.maximum(np.abs(2 * ROWS - 15), np.abs(2 * COLUMNS - 15))
    made = palette(-4 * away + noise("sea lantern") // 12, "9CC9C4", "BFE0DA", "DCF2EC", "F4FFFB")
    made = where(((COLUMNS // 4 + ROWS // 4) % 2 == 0) & (away < 13), brighter(made, 90), made)
    return framed(made, "6FAF9F", "4F8C80")


def coal() -> Texture:
    """Return black blocks of coal."""
    made = clouded("coal", "0E0E0E", "171717", "202020", "2C2C2C", cells=8, grain=1)
    return where((COLUMNS + ROWS) % 7 == 0, brighter(made, 175), framed(made, "3A3A3A", "060606"))


def glass() -> Texture:
    """Return glass: a frame and gleams around a hole."""
    made = translucent(plain("CDE9F2"), 40)
    gleam = np.isin(COLUMNS + ROWS, (7, 8, 20)) & (COLUMNS > 1) & (COLUMNS < 14)
    return framed(where(gleam, plain("F4FCFF"), made), "E4F4F9", "A9CBD6")


def slime() -> Texture:
    """Return green jelly."""
    made = clouded("slime", "6FBF55", "7BCB60", "88D76D", cells=4, grain=0)
    return framed(translucent(made, 170), "A4E88C", "57A142")


def web() -> Texture:
    """Return threads of a spider, for crossed squares."""
    x, y = 2 * COLUMNS - 15, 2 * ROWS - 15
    rings = np.isin((np.abs(x) + np.abs(y)) // 2, (4, 9, 13))
    spokes = (np.abs(x) == np.abs(y)) | (np.abs(x) <= 1) | (np.abs(y) <= 1)
    return where(rings | spokes, speckled("web", "D9D9D9", "E8E8E8", "F7F7F7"), np.zeros((16, 16, 4), np.uint8))
