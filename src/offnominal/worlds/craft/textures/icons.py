"""Icons of blocks and items, 16 x 16 texels, for the hot bar and for items on the ground."""

from __future__ import annotations

from functools import cache

import numpy as np

from offnominal.sensing import Texture, VoxelCamera, VoxelLight, pack_models, render_blocks
from offnominal.worlds.craft.blocks import BY_ID
from offnominal.worlds.craft.textures.models import block_model
from offnominal.worlds.craft.textures.painting import SIDE, drawn, empty

FINE = 4
"""Rendered pixels per texel of an icon."""
_VIEW = VoxelCamera((-16.83, 17.83, -16.83), 315.0, 35.3, FINE * SIDE, FINE * SIDE, 3.35)

_WOOD = {"d": "4A3418", "w": "8A6B3A", "l": "B08F58"}
_STEEL = {"k": "3A3A3A", "g": "8C8C8C", "s": "D8D8D8", "h": "FFFFFF"}
_ITEMS: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "stick": (
        (
            "",
            ".............dd",
            "............dld",
            "...........dlwd",
            "..........dlwd",
            ".........dlwd",
            "........dlwd",
            ".......dlwd",
            "......dlwd",
            ".....dlwd",
            "....dlwd",
            "...dlwd",
            "..dlwd",
            ".dlwd",
            ".dwd",
            "..d",
        ),
        _WOOD,
    ),
    "diamond": (
        (
            "",
            "",
            "....kkkkkkkk",
            "...khhbbbbmmk",
            "..khhbbbbbmmmk",
            ".khhbbbbbbmmmmk",
            ".kkkkkkkkkkkkkk",
            "..kbhbbbbbmmdk",
            "...kbhbbbmmdk",
            "....kbhbbmdk",
            ".....kbhbdk",
            "......kbdk",
            ".......kk",
        ),
        {"k": "0F5E5A", "h": "FFFFFF", "b": "8FF0EA", "m": "4FD5CD", "d": "2AA39C"},
    ),
    "iron_pickaxe": (
        (
            "",
            "....kkkkkkk",
            "...kshhhhsgkk",
            "....kkkksggsdk",
            "........kdgdsgk",
            "........dlwdksgk",
            ".......dlwd.ksgk",
            "......dlwd..kshk",
            ".....dlwd...kshk",
            "....dlwd....kshk",
            "...dlwd......kk",
            "..dlwd",
            ".dlwd",
            ".dwd",
            "..d",
        ),
        _WOOD | _STEEL,
    ),
    "iron_axe": (
        (
            "",
            ".......kkkk",
            "......kshhskd",
            ".....kshhhsdld",
            ".....kshhhgdwd",
            ".....kshsgdlwd",
            "......kkkdlwd",
            "........dlwd",
            ".......dlwd",
            "......dlwd",
            ".....dlwd",
            "....dlwd",
            "...dlwd",
            "..dlwd",
            "..dwd",
            "...d",
        ),
        _WOOD | _STEEL,
    ),
    "sack_polyisoprene_pellets": (
        (
            "",
            "......k..k",
            ".....kyykyk",
            "......krrk",
            ".....krrrrk",
            "....kyyyyyyk",
            "...kyywwyyyyk",
            "..kyywwyywwyyk",
            "..kyywyyyywwyk",
            "..kyyyywwyyyyk",
            "..kywwyywyyyok",
            "..kywwyyyywook",
            "...kyyyyywwok",
            "....kkkkkkkk",
        ),
        {"k": "5A4320", "y": "D9B46A", "o": "B58E48", "w": "FFF6DC", "r": "8E2A22"},
    ),
    "wooden_pogo_stick": (
        (
            "..lllllllllll",
            "..wwwwwwwwwww",
            "......lww",
            "......lww",
            "......lww",
            "....gggggg",
            "....kkkkkk",
            "....gsssgg",
            "....kkkkkk",
            "....gsssgg",
            "....kkkkkk",
            "..lllwwwwdddd",
            "......gsg",
            "......gsg",
            "......kkk",
            ".......k",
        ),
        _WOOD | _STEEL,
    ),
    "key": (
        (
            "",
            "...kkkk",
            "..kbbbbk",
            ".kbhkkbbk",
            ".kbk..kbk",
            ".kbk..kbk",
            ".kbbkkbbk",
            "..kbbbbbk",
            "...kkkkbbk",
            "......kkbbk",
            ".......kkbbk",
            "........kkbbk",
            ".......kbkkbbk",
            ".......kbbkkbk",
            "........kkbkk",
            "..........k",
        ),
        {"k": "10245E", "b": "3F74FF", "h": "BCD2FF"},
    ),
    "wheat_seeds": (
        (
            "",
            "",
            "",
            "......gg",
            ".....gsg..gg",
            "......g..gsg",
            "...gg.....g",
            "..gsg..gg",
            "...g..gsg..gg",
            ".......g..gsg",
            "....gg.....g",
            "...gsg..gg",
            "....g..gsg",
            "........g",
        ),
        {"g": "4B7A24", "s": "9CC957"},
    ),
    "apple": (
        (
            "",
            "........d",
            ".......dd.gg",
            ".......d.ggg",
            "...kkkkdkkkk",
            "..krrrrdrrrrk",
            ".krhhrrrrrrrrk",
            ".krhrrrrrrrrrk",
            ".krrrrrrrrrrok",
            ".krrrrrrrrrrok",
            ".krrrrrrrrrook",
            "..krrrrrrrrok",
            "..krrrrrrrook",
            "...kkrrrookk",
            ".....kkkkk",
        ),
        {"k": "4A0A0A", "r": "D22B2B", "o": "9A1A1A", "h": "FFB0A8", "d": "4A3418", "g": "4BA035"},
    ),
}


@cache
def icon(id: int) -> Texture:
    """Return the icon of a block or item; items without one show an empty icon.

    Example:
        >>> icon(128).shape
        (16, 16, 4)
    """
    block = BY_ID.get(id)
    if block is None or block.texture == "air":
        return empty()
    if not block.is_block:
        return drawn(*_ITEMS[block.texture])
    model = block_model(block.texture)
    if model[0].crossed:
        return model[0].faces[0]
    grid = np.ones((1, 1, 1), np.uint8)
    image = render_blocks(grid, pack_models({1: model}), _VIEW, light=VoxelLight(ambient_occlusion=0.0))
    shown = (image.block > 0).reshape(SIDE, FINE, SIDE, FINE)
    weight = shown.sum(axis=(1, 3))
    colours = (image.rgb.reshape(SIDE, FINE, SIDE, FINE, 3) * shown[..., None]).astype(np.int64).sum(axis=(1, 3))
    made = empty()
    made[..., :3] = colours // np.maximum(weight, 1)[..., None]
    made[..., 3] = np.where(2 * weight >= FINE * FINE, 255, 0)
    return made
