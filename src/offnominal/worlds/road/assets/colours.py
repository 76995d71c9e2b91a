"""Named colours of the assets, in red, green and blue from 0 to 1."""

from __future__ import annotations

import math

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.sensing.material import Colour

PAINT, SECOND = "paint", "second"
UNPAINTED: Colour = (math.nan, math.nan, math.nan)
# Lamps are brighter than 1, so that they stay bright in the shade.
COLOURS: dict[str, Colour] = {
    "white": (0.90, 0.90, 0.88),
    "cream": (0.88, 0.82, 0.68),
    "light": (0.72, 0.73, 0.74),
    "grey": (0.50, 0.51, 0.52),
    "dark": (0.22, 0.23, 0.25),
    "black": (0.07, 0.07, 0.08),
    "steel": (0.60, 0.63, 0.67),
    "zinc": (0.70, 0.73, 0.75),
    "glass": (0.16, 0.21, 0.26),
    "window": (0.28, 0.36, 0.44),
    "tyre": (0.06, 0.06, 0.065),
    "red": (0.74, 0.10, 0.09),
    "maroon": (0.42, 0.08, 0.10),
    "orange": (0.92, 0.45, 0.08),
    "amber": (0.95, 0.62, 0.10),
    "yellow": (0.95, 0.82, 0.15),
    "green": (0.16, 0.50, 0.20),
    "lime": (0.48, 0.72, 0.20),
    "moss": (0.30, 0.36, 0.16),
    "leaf": (0.22, 0.40, 0.15),
    "pine": (0.12, 0.27, 0.16),
    "teal": (0.10, 0.46, 0.48),
    "blue": (0.13, 0.28, 0.62),
    "navy": (0.09, 0.13, 0.30),
    "sky": (0.45, 0.66, 0.88),
    "purple": (0.40, 0.18, 0.52),
    "pink": (0.92, 0.55, 0.62),
    "magenta": (0.78, 0.16, 0.48),
    "brown": (0.40, 0.26, 0.15),
    "chestnut": (0.45, 0.23, 0.10),
    "bark": (0.31, 0.24, 0.18),
    "wood": (0.66, 0.47, 0.28),
    "pale wood": (0.80, 0.66, 0.46),
    "card": (0.72, 0.55, 0.36),
    "sand": (0.80, 0.71, 0.50),
    "fawn": (0.70, 0.54, 0.34),
    "ochre": (0.75, 0.55, 0.22),
    "rust": (0.52, 0.28, 0.15),
    "brick": (0.60, 0.30, 0.22),
    "tile": (0.62, 0.29, 0.18),
    "slate": (0.30, 0.33, 0.38),
    "stone": (0.58, 0.56, 0.52),
    "concrete": (0.66, 0.65, 0.62),
    "asphalt": (0.27, 0.275, 0.285),
    "skin": (0.84, 0.64, 0.52),
    "tan": (0.66, 0.46, 0.34),
    "umber": (0.36, 0.23, 0.16),
    "gold": (0.85, 0.66, 0.22),
    "bronze": (0.46, 0.36, 0.20),
    "copper": (0.70, 0.40, 0.25),
    "patina": (0.40, 0.62, 0.54),
    "lamp": (2.2, 2.1, 1.8),
    "red lamp": (4.0, 0.22, 0.14),
    "amber lamp": (4.0, 1.7, 0.12),
    "green lamp": (0.2, 3.6, 1.2),
    "blue lamp": (0.3, 0.8, 4.0),
}


def colour(name: str) -> Colour:
    """Return a named colour; ``"paint"`` and ``"second"`` are left to the material of the instance."""
    if name in (PAINT, SECOND):
        return UNPAINTED
    if name not in COLOURS:
        raise UnknownName(f"no colour named {name!r}.{did_you_mean(name, COLOURS)}")
    return COLOURS[name]
