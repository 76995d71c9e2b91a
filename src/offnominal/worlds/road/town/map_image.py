"""A town seen from above, as an image."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from offnominal.core.checks import positive_number
from offnominal.core.types import FloatArray, Frame
from offnominal.sensing.canvas import Colour, blank, paint_disc, paint_polygon, rgb
from offnominal.worlds.road.town.surfaces import surfaces_of

if TYPE_CHECKING:
    from offnominal.worlds.road.town.town import Town

GROUND, WATER = rgb("#c9d8b0"), rgb("#9cc3dd")
SURFACES: dict[str, Colour] = {
    "road": rgb("#6f7178"),
    "median": rgb("#a9c18a"),
    "sidewalk": rgb("#cfc8bd"),
    "crossing": rgb("#f2f2ee"),
    "line": rgb("#f2f2ee"),
}
YELLOW = rgb("#e8b93b")
PLACES: dict[str, Colour] = {
    "building": rgb("#a8705a"),
    "tree": rgb("#5f8f4e"),
    "lamp": rgb("#34373d"),
    "light": rgb("#d23f31"),
    "sign": rgb("#2b63b8"),
    "rail": rgb("#8e949c"),
    "wall": rgb("#8a7f72"),
}
ROOFS = tuple(rgb(code) for code in ("#b5806a", "#a8705a", "#c49a7c", "#9c8577", "#8d7f8c", "#b39a8b"))
MARGIN = 45.0


def draw_map(town: Town, *, scale: float = 2.0) -> Frame:
    """Return the map of a town: roads, sidewalks, crossings and everything that stands beside them.

    Args:
        town: Town to draw.
        scale: Pixels per metre.

    Example:
        >>> from offnominal.worlds.road.town import make_town
        >>> draw_map(make_town("residential"), scale=0.5).ndim
        3
    """
    scale = positive_number("scale", scale)
    left, bottom, right, top = town.graph.bounds
    width, height = right - left + 2.0 * MARGIN, top - bottom + 2.0 * MARGIN
    frame = blank(round(width * scale), round(height * scale), GROUND)
    origin = np.array([left - MARGIN, top + MARGIN])

    def pixels(points: FloatArray) -> FloatArray:
        return np.ascontiguousarray((points - origin) * np.array([scale, -scale]))

    for surface in surfaces_of(town.graph):
        colour = YELLOW if surface.yellow else SURFACES[surface.kind]
        paint_polygon(frame, pixels(surface.corners), 0.0, *colour)
    for place in town.places:
        colour = PLACES[place.kind]
        if place.kind in ("tree", "lamp", "light", "sign"):
            x, y = pixels(np.array([[place.x, place.y]]))[0]
            paint_disc(frame, x, y, max(0.5 * place.length * scale, 1.2), 0.0, *colour)
        else:
            if place.kind == "building":
                colour = ROOFS[place.seed % len(ROOFS)]
            paint_polygon(frame, pixels(place.corners), 1.5, *colour)
    return frame
