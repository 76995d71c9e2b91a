"""The hot bar: the nine slots of the inventory in the 22 lowest rows of an image."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from offnominal.core.types import Frame
from offnominal.sensing import Texture
from offnominal.worlds.craft.inventory import HOT_BAR, Inventory
from offnominal.worlds.craft.textures.icons import icon

IMAGE = 256
"""Pixels per side of the images for which the hot bar is drawn."""
BAR_ROWS, SLOT = 22, 20
LEFT = (IMAGE - (SLOT * HOT_BAR + 2)) // 2
_DIGITS = (
    ("xxx", "x.x", "x.x", "x.x", "xxx"),
    (".x.", "xx.", ".x.", ".x.", "xxx"),
    ("xxx", "..x", "xxx", "x..", "xxx"),
    ("xxx", "..x", ".xx", "..x", "xxx"),
    ("x.x", "x.x", "xxx", "..x", "..x"),
    ("xxx", "x..", "xxx", "..x", "xxx"),
    ("xxx", "x..", "xxx", "x.x", "xxx"),
    ("xxx", "..x", "..x", ".x.", ".x."),
    ("xxx", "x.x", "xxx", "x.x", "xxx"),
    ("xxx", "x.x", "xxx", "..x", "xxx"),
)
_CLEAR, _EDGE, _LIGHT, _FRAME = (20, 20, 20, 128), (15, 15, 15, 255), (110, 110, 110, 255), (240, 240, 240, 255)
_WHITE, _SHADOW = (255, 255, 255, 255), (40, 40, 40, 255)


def draw_hot_bar(image: Frame, inventory: Inventory) -> None:
    """Draw the hot bar over the lowest rows of a square image, in place.

    Args:
        image: (side, side, 3) bytes. The bar has 22 of 256 rows.
        inventory: The inventory, with the selected slot.
    """
    side = image.shape[0]
    bar = _bar(tuple(inventory.items[:HOT_BAR]), tuple(inventory.counts[:HOT_BAR]), inventory.selected)
    rows = (BAR_ROWS * side + IMAGE // 2) // IMAGE
    if side != IMAGE:
        down, along = np.arange(rows) * BAR_ROWS // max(rows, 1), np.arange(side) * IMAGE // side
        bar = bar[down[:, None], along]
    under = image[side - rows :]
    opacity = bar[..., 3:].astype(np.int32)
    under[...] = (bar[..., :3] * opacity + under * (255 - opacity) + 127) // 255


@lru_cache(maxsize=512)
def _bar(items: tuple[int, ...], counts: tuple[int, ...], selected: int) -> Texture:
    """Return the hot bar with opacity, (22, 256, 4)."""
    bar = np.zeros((BAR_ROWS, IMAGE, 4), np.uint8)
    end = LEFT + SLOT * HOT_BAR + 2
    bar[:, LEFT:end] = _EDGE
    for slot in range(HOT_BAR):
        left = LEFT + 1 + SLOT * slot
        bar[1 : BAR_ROWS - 1, left : left + SLOT] = _LIGHT
        bar[2 : BAR_ROWS - 2, left + 1 : left + SLOT - 1] = _CLEAR
        _put(bar, icon(items[slot]), left + 2, 3)
        if counts[slot] > 1:
            _write(bar, str(counts[slot]), left + SLOT - 2, BAR_ROWS - 4)
    if selected < HOT_BAR:
        left = LEFT + SLOT * selected
        for inset, shade in ((0, _FRAME), (1, _FRAME), (2, _EDGE)):
            right = left + SLOT + 2 - inset
            bar[inset : BAR_ROWS - inset, [left + inset, right - 1]] = shade
            bar[[inset, BAR_ROWS - 1 - inset], left + inset : right] = shade
    bar.setflags(write=False)
    return bar


def _put(bar: Texture, texture: Texture, left: int, top: int) -> None:
    area = bar[top : top + texture.shape[0], left : left + texture.shape[1]]
    shown = texture[..., 3] > 0
    area[shown] = texture[shown]
    area[shown, 3] = 255


def _write(bar: Texture, text: str, right: int, bottom: int) -> None:
    """Write digits that end at a column and a row, white with a dark shadow."""
    for shift, shade in ((1, _SHADOW), (0, _WHITE)):
        for place, digit in enumerate(reversed(text)):
            for y, row in enumerate(_DIGITS[int(digit)]):
                for x, sign in enumerate(row):
                    if sign == "x":
                        bar[bottom - 5 + y + shift, right - 3 - 4 * place + x + shift] = shade
