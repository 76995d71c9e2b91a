"""A town seen from above, as an image."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from offnominal.core.checks import positive_number
from offnominal.core.types import FloatArray, Frame
from offnominal.sensing.canvas import Colour, blank, paint_disc, paint_polygon, rgb
from offnominal.worlds.road.town.places import Place
from offnominal.worlds.road.town.surfaces import surfaces_of

if TYPE_CHECKING:
    from offnominal.worlds.road.town.snapshot import Snapshot
    from offnominal.worlds.road.town.town import Town

GROUND = rgb("#c9d8b0")
EGO, ACTOR, WALKER, ANOMALY = rgb("#1565d8"), rgb("#f4f4f0"), rgb("#8e24aa"), rgb("#e01b24")
LIGHTS = (rgb("#1faa4a"), rgb("#f2c027"), rgb("#d23f31"))
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


def draw_map(
    town: Town,
    *,
    scale: float = 2.0,
    state: Snapshot | None = None,
    window: tuple[float, float, float, float] | None = None,
) -> Frame:
    """Return the map of a town: roads, sidewalks, crossings and everything that stands beside them.

    Args:
        town: Town to draw.
        scale: Pixels per metre.
        state: State of a simulation, to draw its actors too: the ego vehicle blue, active anomalies red.
        window: Part of the town as (left, bottom, right, top) in metres; None is the whole town.

    Example:
        >>> from offnominal.worlds.road.town import make_town
        >>> draw_map(make_town("residential"), scale=0.5).ndim
        3
    """
    scale = positive_number("scale", scale)
    left, bottom, right, top = town.graph.bounds
    if window is None:
        window = (left - MARGIN, bottom - MARGIN, right + MARGIN, top + MARGIN)
    left, bottom, right, top = window
    frame = blank(round((right - left) * scale), round((top - bottom) * scale), GROUND)
    origin = np.array([left, top])

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
    if state is not None:
        _draw_actors(frame, town, state, pixels, scale)
    return frame


def _draw_actors(
    frame: Frame, town: Town, state: Snapshot, pixels: Callable[[FloatArray], FloatArray], scale: float
) -> None:
    for place in town.places:
        if place.kind == "light":
            x, y = pixels(np.array([[place.x, place.y]]))[0]
            paint_disc(frame, x, y, max(0.6 * scale, 1.5), 0.0, *LIGHTS[state.lights[place.head]])
    for k, (x, y) in enumerate(state.position):
        colour = EGO if k == 0 else WALKER if state.kind[k] == "pedestrian" else ACTOR
        length, width, _ = (float(side) for side in state.size[k])
        body = Place("actor", float(x), float(y), float(state.heading[k]), length, width, 0.0)
        paint_polygon(frame, pixels(body.corners), 1.0, *(ANOMALY if state.anomalous[k] else colour))
