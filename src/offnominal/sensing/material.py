"""Materials: a colour and a procedural texture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean

Colour: TypeAlias = tuple[float, float, float]
Texture: TypeAlias = Literal[
    "plain", "checker", "noise", "windows", "lane", "ribbons", "curtain", "planks", "highway", "asphalt", "worn",
    "facade", "ribbon facade", "curtain facade",
]  # fmt: skip
TEXTURES: tuple[str, ...] = get_args(Texture)
PLAIN, CHECKER, NOISE, WINDOWS, LANE, RIBBONS, CURTAIN, PLANKS, HIGHWAY = range(9)
ASPHALT, WORN, FACADE, RIBBON_FACADE, CURTAIN_FACADE = range(9, len(TEXTURES))


@dataclass(frozen=True)
class Material:
    """Colour and texture of a surface.

    Args:
        colour: Red, green and blue from 0 to 1.
        second: Second colour of the texture, or of a mesh's trim.
        texture: ``"plain"``; ``"checker"``: fields of `scale`; ``"noise"``: stains of about `scale`; ``"windows"``:
            panes on upright faces, one per `scale`, a few of them lit; ``"lane"``: a road along x whose lanes are
            `scale` wide, with a dashed line at y = 0 and full lines one lane to either side; ``"ribbons"``: a band of
            glass per `scale` on upright faces; ``"curtain"``: upright faces of glass with thin frames; ``"planks"``:
            thin horizontal joints on upright faces, one per `scale`; ``"highway"``: a road along x of three lanes of
            `scale`, with dashed lines between them and full lines at their edges, and a dash every 24/7 of the `scale`;
            ``"asphalt"``: a road with grain, cracks, patches and manholes; ``"worn"``: paint that is rubbed off to the
            second colour in places; ``"facade"``, ``"ribbon facade"`` and ``"curtain facade"``: like windows, ribbons
            and curtain, with glass deep in the wall, frames, sills, blinds and dirt.
        scale: Size of the texture, m.

    Example:
        >>> Material((0.9, 0.9, 0.9), (0.7, 0.7, 0.7), texture="checker", scale=0.5).texture
        'checker'
    """

    colour: Colour = (0.7, 0.7, 0.7)
    second: Colour = (0.9, 0.9, 0.9)
    texture: Texture = "plain"
    scale: float = 1.0

    def __post_init__(self) -> None:
        if self.texture not in TEXTURES:
            hint = did_you_mean(self.texture, TEXTURES)
            raise UnknownName(f"no texture named {self.texture!r}.{hint} Choose one of {', '.join(TEXTURES)}.")
        check_colour("colour", self.colour)
        check_colour("second", self.second)
        if not self.scale > 0.0:
            raise InvalidParameter(f"scale is {self.scale}; expected a length above zero, in metres.")


def check_colour(name: str, colour: Colour) -> None:
    """Raise :class:`InvalidParameter` unless a colour is three numbers from 0 to 1."""
    if len(colour) != 3 or not all(0.0 <= part <= 1.0 for part in colour):
        raise InvalidParameter(f"{name} is {colour}; expected red, green and blue from 0 to 1.")
