"""Pillow, which draws sheets, and its font."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from offnominal.core.errors import MissingDependency

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont, ImageFont


def require_pillow() -> None:
    """Raise :class:`MissingDependency` if Pillow is not installed."""
    if find_spec("PIL") is None:
        raise MissingDependency('views of scenes need PIL; install it with `pip install "offnominal[plot]"`.')


@cache
def font_of(size: int) -> FreeTypeFont | ImageFont:
    """Return the font of the package Pillow in a size."""
    from PIL import ImageFont as Fonts

    return Fonts.load_default(size)
