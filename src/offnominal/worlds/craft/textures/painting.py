"""Tools for textures of 16 x 16 texels: noise, palettes, areas and texels drawn as text.

All noise follows from a name by integer arithmetic, so textures have the same bytes on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from offnominal.core.streams import purpose_hash
from offnominal.core.types import BoolArray, IntArray
from offnominal.sensing import Texture

SIDE = 16
ROWS, COLUMNS = np.mgrid[:SIDE, :SIDE]


def colour(code: str) -> tuple[int, int, int]:
    """Return the colour of a code such as ``"F36966"``."""
    red, green, blue = bytes.fromhex(code)
    return red, green, blue


def noise(name: str, side: int = SIDE) -> IntArray:
    """Return (side, side) whole numbers from 0 to 255, the same for a name everywhere."""
    rows, columns = np.mgrid[:side, :side].astype(np.uint64)
    word = rows * np.uint64(0x9E3779B97F4A7C15) + columns * np.uint64(0xC2B2AE3D27D4EB4F) + purpose_hash(name)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        word = (word ^ (word >> np.uint64(shift))) * np.uint64(factor)
    found: IntArray = ((word >> np.uint64(40)) & np.uint64(255)).astype(np.int64)
    return found


def smooth_noise(name: str, cells: int = 4) -> IntArray:
    """Return (16, 16) whole numbers from 0 to 255 that change slowly and continue over the edges.

    Args:
        name: Name of the noise.
        cells: Number of cells per side: 2, 4 or 8. More cells give smaller patches.
    """
    coarse = noise(name, cells)
    width = SIDE // cells
    offset = np.arange(SIDE)
    low, share = offset // width, 2 * (offset % width) + 1
    high = (low + 1) % cells
    across = coarse[:, low] * (2 * width - share) + coarse[:, high] * share
    mixed = across[low] * (2 * width - share)[:, None] + across[high] * share[:, None]
    found: IntArray = (mixed // (4 * width * width)).astype(np.int64)
    return found


def palette(values: IntArray, *codes: str) -> Texture:
    """Return a texture with the colour of each value: the first code for the lowest values, and so on."""
    ranks = np.argsort(np.argsort(values.ravel(), kind="stable"), kind="stable")
    colours = np.array([(*colour(code), 255) for code in codes], np.uint8)
    return colours[ranks * len(codes) // ranks.size].reshape(SIDE, SIDE, 4)


def speckled(name: str, *codes: str) -> Texture:
    """Return a texture of single texels, each colour equally often."""
    return palette(noise(name), *codes)


def clouded(name: str, *codes: str, cells: int = 8, grain: int = 1) -> Texture:
    """Return a texture of patches with some grain, each colour equally often."""
    return palette(3 * smooth_noise(name, cells) + grain * noise(name + " grain"), *codes)


def plain(code: str) -> Texture:
    """Return a texture of one colour."""
    return np.full((SIDE, SIDE, 4), (*colour(code), 255), np.uint8)


def empty() -> Texture:
    """Return a texture that is all hole."""
    return np.zeros((SIDE, SIDE, 4), np.uint8)


def area(texture: Texture, left: int, top: int, right: int, bottom: int, code: str) -> Texture:
    """Return a texture with an area of one colour, from (left, top) to before (right, bottom)."""
    made = texture.copy()
    made[top:bottom, left:right] = (*colour(code), 255)
    return made


def framed(texture: Texture, light: str, dark: str, inset: int = 0) -> Texture:
    """Return a texture with a frame one texel wide: light above and to the left, dark below and to the right."""
    end = SIDE - inset
    made = area(texture, inset, inset, end, inset + 1, light)
    made = area(made, inset, inset, inset + 1, end, light)
    made = area(made, inset, end - 1, end, end, dark)
    return area(made, end - 1, inset, end, end, dark)


def drawn(rows: Sequence[str], colours: Mapping[str, str], under: Texture | None = None) -> Texture:
    """Return a texture with texels drawn as text over another texture, or over a hole.

    Args:
        rows: Up to 16 rows of up to 16 signs; a dot or a space leaves the texel as it is.
        colours: Colour code of each sign.
        under: Texture below.
    """
    made = empty() if under is None else under.copy()
    for y, row in enumerate(rows):
        for x, sign in enumerate(row):
            if sign not in ". ":
                made[y, x] = (*colour(colours[sign]), 255)
    return made


def brighter(texture: Texture, percent: int) -> Texture:
    """Return a texture with its colours multiplied."""
    made = texture.copy()
    made[..., :3] = np.minimum(255, (texture[..., :3].astype(np.int64) * percent + 50) // 100)
    return made


def perforated(texture: Texture, name: str, percent: int) -> Texture:
    """Return a texture with holes in a share of its texels."""
    made = texture.copy()
    order = np.argsort(np.argsort((noise(name) + 2 * smooth_noise(name, 8)).ravel(), kind="stable"), kind="stable")
    made[(order * 100 < percent * order.size).reshape(SIDE, SIDE)] = 0
    return made


def translucent(texture: Texture, opacity: int) -> Texture:
    """Return a texture with another opacity where it is not a hole."""
    made = texture.copy()
    made[made[..., 3] > 0, 3] = opacity
    return made


def where(mask: BoolArray, texture: Texture, under: Texture) -> Texture:
    """Return one texture where a mask is true, and another elsewhere."""
    chosen: Texture = np.where(mask[..., None], texture, under)
    return chosen
