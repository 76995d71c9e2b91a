"""Assets of everything that stands beside the roads of a town."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from offnominal.core.deterministic_math import sincos
from offnominal.sensing.material import Texture
from offnominal.worlds.road.assets.asset import Asset
from offnominal.worlds.road.assets.buildings import STYLES, building
from offnominal.worlds.road.assets.draws import Draws
from offnominal.worlds.road.assets.street_furniture import guard_rail, street_lamp, traffic_light, traffic_sign
from offnominal.worlds.road.assets.vegetation import TREES, tree
from offnominal.worlds.road.town.places import Place
from offnominal.worlds.road.town.town import Town

LIGHT_COLOURS = ("green", "amber", "red")
LIGHT_ARM = 4.5
RAIL_STEP = 0.5
MAX_STOREYS = {"house": 1, "brick": 3, "old town": 4, "apartments": 8, "warehouse": 11, "office": 14, "tower": 30}
MIN_STOREYS = {"office": 3, "tower": 7}
TREE_SEEDS = 36


@dataclass(frozen=True)
class Theme:
    """Which buildings and trees a town has.

    Args:
        buildings: Styles of its buildings.
        trees: Kinds of its trees.
        paved: Whether the ground around its buildings is paved, as in a city.
    """

    buildings: tuple[str, ...] = ("apartments", "old town", "brick", "office")
    trees: tuple[str, ...] = ("broadleaf", "round")
    paved: bool = True


THEMES: dict[str, Theme] = {
    "small-town": Theme(("old town", "brick", "house", "apartments"), ("broadleaf", "round")),
    "residential": Theme(("house", "house", "brick"), ("round", "broadleaf", "conifer"), paved=False),
    "roundabout": Theme(("apartments", "old town", "office"), ("broadleaf", "poplar")),
    "highway-ring": Theme(("warehouse", "house", "brick"), ("conifer", "poplar", "broadleaf"), paved=False),
    "grid": Theme(("office", "apartments", "brick", "tower"), ("round", "broadleaf")),
    "boulevard": Theme(("apartments", "office", "old town"), ("palm", "palm", "round")),
    "rural": Theme(("house", "brick", "warehouse"), ("conifer", "broadleaf", "poplar", "round"), paved=False),
    "downtown": Theme(("tower", "office", "apartments"), ("round", "poplar")),
}


def placed_asset(place: Place, theme: Theme, *, lit: int = 0) -> Asset:
    """Return the asset of a place.

    Args:
        place: The place.
        theme: Theme of its town.
        lit: State of a traffic light: 0 green, 1 yellow, 2 red.
    """
    if place.kind == "building":
        return _building(place, theme)
    if place.kind == "tree":
        draws = Draws(place.seed, "tree of a town")
        return tree(draws.whole(0, TREE_SEEDS - 1), kind=draws.one_of(theme.trees or TREES))
    if place.kind == "lamp":
        return street_lamp()
    if place.kind == "light":
        return traffic_light(LIGHT_COLOURS[lit], arm=LIGHT_ARM)
    if place.kind == "sign":
        return traffic_sign(place.text if place.text in ("stop", "yield") else f"speed_{place.text}")
    # Pieces overlap a little, so that there are few different meshes and no gaps in curves.
    return guard_rail(RAIL_STEP * math.ceil(place.length / RAIL_STEP))


DETAILED: dict[str, Texture] = {
    "windows": "facade",
    "ribbons": "ribbon facade",
    "curtain": "curtain facade",
}
"""Textures of facades with depth, by those without."""


def with_facade(made: Asset) -> Asset:
    """Return an asset with a texture with depth where it has windows."""
    parts = tuple(
        replace(part, material=replace(part.material, texture=DETAILED[part.material.texture]))
        if part.material.texture in DETAILED
        else part
        for part in made.parts
    )
    return replace(made, parts=parts)


def pose_of(place: Place, made: Asset, town: Town) -> tuple[float, float, float]:
    """Return x, y and yaw in degrees of the asset of a place."""
    x, y, yaw = place.x, place.y, math.degrees(place.heading)
    if place.kind == "building":
        # Whole bays are smaller than the plot; the front stays where it is.
        sine, cosine = sincos(place.heading)
        ahead = 0.5 * (place.length - min(made.size[0], place.length))
        return x + ahead * cosine, y + ahead * sine, yaw
    if place.kind == "rail" and not _road_is_left(place, town):
        return x, y, yaw + 180.0
    if place.kind == "tree":
        return x, y, Draws(place.seed, "turn of a tree").between(0.0, 360.0)
    return x, y, yaw


def _building(place: Place, theme: Theme) -> Asset:
    draws = Draws(place.seed, "building of a town")
    storeys = max(0, round(place.height / 3.0) - 1)
    fitting = [each for each in theme.buildings if MIN_STOREYS.get(each, 0) <= storeys <= MAX_STOREYS[each]]
    style = draws.one_of(
        fitting or [each for each in STYLES if MIN_STOREYS.get(each, 0) <= storeys <= MAX_STOREYS[each]]
    )
    floors = max(0, round(place.height / STYLES[style].bay) - 1)
    return building(place.seed, style=style, width=place.width, depth=place.length, storeys=floors)


def _road_is_left(place: Place, town: Town) -> bool:
    found = town.graph.to_lane(place.x, place.y)
    length = float(town.graph.network.length[found.lane])
    along = town.graph.to_cartesian(found.lane, min(max(found.s, 0.0), length)).heading
    same_direction = sincos(along - place.heading)[1] > 0.0
    return (found.d < 0.0) == same_direction
