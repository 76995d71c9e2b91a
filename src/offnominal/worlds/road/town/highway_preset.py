"""The town inside a highway ring: two carriageways, ramps, and a small town in the middle."""

from __future__ import annotations

from typing import Any

from offnominal.worlds.road.town.description import Node, Road, Surroundings, TownPlan

MERGE_RADIUS = 30.0


def highway_ring() -> TownPlan:
    """Return a small town inside a highway ring with three lanes per direction."""
    nodes = _town_nodes() | _ring_nodes()
    around = Surroundings(0.5, (5.0, 12.0), (10.0, 18.0), 4.0, trees=4.0, woods=8.0)
    return TownPlan(
        "highway-ring",
        "Town04",
        "small town inside a highway ring",
        nodes,
        _town_roads() + _ring_roads(),
        250,
        100,
        around,
    )


def _town_nodes() -> dict[str, Node]:
    lights = ("b1", "b2", "c1", "c2")
    columns = {"a": -180.0, "b": -60.0, "c": 60.0, "d": 180.0}
    rows = {"1": -70.0, "2": 70.0}
    return {
        c + r: Node(x, y, "lights" if c + r in lights else "priority")
        for c, x in columns.items()
        for r, y in rows.items()
    }


def _town_roads() -> tuple[Road, ...]:
    avenue: dict[str, Any] = {"lanes": 2, "limit": 50.0, "rank": 2}
    rows = [Road(a + row, b + row, **avenue) for row in "12" for a, b in ("ab", "bc", "cd")]
    columns = [Road(f"{column}1", f"{column}2", limit=40.0, crossings=(0.5,)) for column in "abcd"]
    west = Road("a1", "a2", via=((-270.0, -70.0), (-270.0, 70.0)), limit=40.0)
    east = Road("d1", "d2", via=((270.0, -70.0), (270.0, 70.0)), limit=40.0)
    return (*rows, *columns, west, east)


def _ring_nodes() -> dict[str, Node]:
    """Return the nodes at which ramps leave (x) and join (j) the carriageways; the inner one runs clockwise."""
    merge: dict[str, Any] = {"kind": "priority", "radius": MERGE_RADIUS, "crossings": False}
    inner, outer = 230.0, 252.0
    return {
        "north-x": Node(-190.0, inner, **merge),
        "north-j": Node(190.0, inner, **merge),
        "south-x": Node(190.0, -inner, **merge),
        "south-j": Node(-190.0, -inner, **merge),
        "rest-x": Node(130.0, outer, **merge),
        "rest-j": Node(-130.0, outer, **merge),
        "stop-x": Node(-130.0, -outer, **merge),
        "stop-j": Node(130.0, -outer, **merge),
    }


def _ring_roads() -> tuple[Road, ...]:
    fast: dict[str, Any] = {"lanes": 3, "back": 0, "limit": 90.0, "sidewalks": "none", "rank": 3, "bend": 170.0}
    outer = fast | {"bend": 192.0}
    ramp: dict[str, Any] = {"lanes": 1, "back": 0, "limit": 50.0, "sidewalks": "none", "bend": 60.0}
    wide, far = 430.0, 452.0
    return (
        Road("north-x", "north-j", **fast),
        Road("north-j", "south-x", via=((wide, 230.0), (wide, -230.0)), **fast),
        Road("south-x", "south-j", **fast),
        Road("south-j", "north-x", via=((-wide, -230.0), (-wide, 230.0)), **fast),
        Road("rest-x", "rest-j", **outer),
        Road("rest-j", "stop-x", via=((-far, 252.0), (-far, -252.0)), **outer),
        Road("stop-x", "stop-j", **outer),
        Road("stop-j", "rest-x", via=((far, -252.0), (far, 252.0)), **outer),
        Road("north-x", "b2", via=((-115.0, 203.0), (-60.0, 160.0)), **ramp),
        Road("c2", "north-j", via=((60.0, 160.0), (115.0, 203.0)), **ramp),
        Road("south-x", "c1", via=((115.0, -203.0), (60.0, -160.0)), **ramp),
        Road("b1", "south-j", via=((-60.0, -160.0), (-115.0, -203.0)), **ramp),
        Road("rest-x", "rest-j", via=((75.0, 272.0), (40.0, 287.0), (-40.0, 287.0), (-75.0, 272.0)), **ramp),
        Road("stop-x", "stop-j", via=((-75.0, -272.0), (-40.0, -287.0), (40.0, -287.0), (75.0, -272.0)), **ramp),
    )
