"""The eight towns. Each has the character of one published town and a layout of its own."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from offnominal.core.checks import instance_of
from offnominal.core.errors import UnknownName, did_you_mean
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


def _street(names: str, **options: Any) -> tuple[Road, ...]:
    """Return roads from node to node along a street."""
    stops = names.split()
    return tuple(Road(start, end, **options) for start, end in itertools.pairwise(stops))


def _lattice(xs: tuple[float, ...], ys: tuple[float, ...], kind: str = "lights") -> dict[str, Node]:
    """Return nodes on a lattice, named by column (a, b, ...) and row (1, 2, ...)."""
    return {f"{chr(97 + i)}{j + 1}": Node(x, y, kind) for i, x in enumerate(xs) for j, y in enumerate(ys)}


def small_town() -> TownPlan:
    """Return a small town of two-way streets with T-junctions, along a river with two bridges."""
    nodes = _lattice((0.0, 120.0, 250.0, 390.0), (0.0, 110.0, 230.0, 340.0), "priority")
    for name in ("b2", "c2", "b3", "c3"):
        nodes[name] = Node(nodes[name].x, nodes[name].y, "lights")
    for name in ("a1", "d1", "a4", "d4"):
        del nodes[name]
    roads = (
        *_street("b1 c1", limit=40),
        Road("b1", "a2", via=((0.0, 0.0),)),
        Road("c1", "d2", via=((390.0, 0.0),)),
        *_street("a2 b2 c2 d2", lanes=2, limit=50, rank=2),
        *_street("a3 b3 c3 d3", limit=40, crossings=(0.5,)),
        *_street("b4 c4"),
        Road("b4", "a3", via=((0.0, 340.0),)),
        Road("c4", "d3", via=((390.0, 340.0),)),
        *_street("a2 a3"),
        *_street("d2 d3"),
        *_street("b1 b2 b3 b4", rank=2, limit=50),
        *_street("c1 c2 c3 c4", limit=40),
    )
    around = Surroundings(0.55, (5.0, 10.0), (9.0, 15.0), 4.0, trees=4.0)
    return TownPlan("small-town", "Town01", "small town with T-junctions", nodes, roads, 100, 200, around)


def residential() -> TownPlan:
    """Return a small residential town with houses, gardens and one shopping street."""
    nodes = _lattice((0.0, 95.0, 200.0), (0.0, 90.0, 185.0), "stop")
    nodes["b2"] = Node(95.0, 90.0, "lights")
    for name in ("a1", "c1", "a3", "c3"):
        del nodes[name]
    roads = (
        Road("b1", "a2", limit=30, via=((0.0, 0.0),), bend=18),
        Road("b1", "c2", limit=30, via=((200.0, 0.0),), bend=18),
        Road("b3", "a2", limit=30, via=((0.0, 185.0),), bend=18),
        Road("b3", "c2", limit=30, via=((200.0, 185.0),), bend=18),
        *_street("a2 b2 c2", lanes=2, limit=40, rank=2),
        *_street("b1 b2 b3", limit=30),
    )
    around = Surroundings(0.6, (4.0, 7.0), (8.0, 12.0), 5.0, trees=6.0, lamps=30.0)
    return TownPlan("residential", "Town02", "residential streets with gardens", nodes, roads, 50, 100, around)


def roundabout() -> TownPlan:
    """Return a city around a roundabout, with an avenue of two lanes per direction as its frame."""
    nodes = _lattice((0.0, 150.0, 300.0, 450.0), (0.0, 150.0, 300.0, 450.0))
    for name in ("b2", "c2", "b3", "c3", "a1", "d1", "a4", "d4"):
        del nodes[name]
    nodes["o"] = Node(225.0, 225.0, "roundabout", 26.0)
    nodes |= {"w": Node(100.0, 225.0, "priority"), "e": Node(350.0, 225.0, "priority")}
    nodes |= {"s": Node(225.0, 100.0, "priority"), "n": Node(225.0, 350.0, "priority")}
    nodes |= {"sw": Node(0.0, 225.0, "lights"), "se": Node(450.0, 225.0, "lights")}
    avenue: dict[str, Any] = {"lanes": 2, "limit": 50.0, "rank": 2, "median": 2.0}
    roads = (
        *_street("b1 c1", **avenue),
        *_street("b4 c4", **avenue),
        *_street("a2 sw a3", **avenue),
        *_street("d2 se d3", **avenue),
        Road("b1", "a2", via=((0.0, 0.0),), bend=60, **avenue),
        Road("c1", "d2", via=((450.0, 0.0),), bend=60, **avenue),
        Road("b4", "a3", via=((0.0, 450.0),), bend=60, **avenue),
        Road("c4", "d3", via=((450.0, 450.0),), bend=60, **avenue),
        *_street("w o e"),
        *_street("s o n"),
        *_street("sw w"),
        *_street("e se"),
        Road("w", "s", via=((100.0, 100.0),), limit=30),
        Road("s", "e", via=((350.0, 100.0),), limit=30),
        Road("e", "n", via=((350.0, 350.0),), limit=30),
        Road("n", "w", via=((100.0, 350.0),), limit=30),
        Road("b1", "s", via=((150.0, 45.0), (225.0, 55.0)), limit=40),
        Road("c4", "n", via=((300.0, 405.0), (225.0, 395.0)), limit=40),
        Road("c1", "b4", via=((300.0, -60.0), (520.0, -60.0), (520.0, 510.0), (150.0, 510.0)), limit=60, bend=40),
        Road("a2", "a3", via=((-80.0, 150.0), (-80.0, 300.0)), limit=40),
    )
    around = Surroundings(0.7, (8.0, 22.0), (12.0, 20.0), 3.0, trees=4.0)
    return TownPlan("roundabout", "Town03", "city around a roundabout", nodes, roads, 200, 150, around)


def grid() -> TownPlan:
    """Return a regular grid of avenues with two lanes per direction and traffic lights."""
    nodes = _lattice((0.0, 115.0, 230.0, 345.0), (0.0, 115.0, 230.0, 345.0))
    wide: dict[str, Any] = {"lanes": 2, "limit": 50.0, "median": 1.5}
    for name in ("a1", "d1", "a4", "d4"):
        del nodes[name]
    roads = (
        *_street("b1 c1", **wide),
        *_street("a2 b2 c2 d2", **wide),
        *_street("a3 b3 c3 d3", **wide),
        *_street("b4 c4", **wide),
        *_street("a2 a3", **wide),
        *_street("d2 d3", **wide),
        Road("b1", "a2", via=((0.0, 0.0),), **wide),
        Road("c1", "d2", via=((345.0, 0.0),), **wide),
        Road("b4", "a3", via=((0.0, 345.0),), **wide),
        Road("c4", "d3", via=((345.0, 345.0),), **wide),
        *_street("b1 b2 b3 b4", lanes=1, limit=40.0),
        *_street("c1 c2 c3 c4", lanes=1, limit=40.0),
    )
    around = Surroundings(0.75, (10.0, 28.0), (14.0, 24.0), 3.0, trees=3.0)
    return TownPlan("grid", "Town05", "regular grid of avenues with lights", nodes, roads, 150, 150, around)


def boulevard() -> TownPlan:
    """Return two long boulevards with three lanes per direction and few cross streets."""
    xs, ys = (0.0, 190.0, 400.0, 590.0), (0.0, 130.0)
    nodes = _lattice(xs, ys)
    wide: dict[str, Any] = {"lanes": 3, "limit": 70.0, "median": 4.0, "rank": 2}
    roads = (
        *_street("a1 b1 c1 d1", **wide),
        *_street("a2 b2 c2 d2", **wide),
        *_street("b1 b2", lanes=2, limit=50),
        *_street("c1 c2", lanes=2, limit=50),
        *_street("a1 a2", lanes=2, limit=50),
        *_street("d1 d2", lanes=2, limit=50),
        Road("a1", "a2", via=((-90.0, 0.0), (-90.0, 130.0)), limit=60, bend=45, lanes=2, median=4.0),
        Road("d1", "d2", via=((680.0, 0.0), (680.0, 130.0)), limit=60, bend=45, lanes=2, median=4.0),
        Road("b1", "c1", via=((190.0, -110.0), (400.0, -110.0)), limit=40),
        Road("b2", "c2", via=((190.0, 240.0), (400.0, 240.0)), limit=40),
    )
    around = Surroundings(0.45, (6.0, 14.0), (16.0, 30.0), 8.0, trees=5.0)
    return TownPlan("boulevard", "Town06", "long boulevards with many lanes", nodes, roads, 150, 50, around)


def rural() -> TownPlan:
    """Return winding country roads between fields and woods, a village, and one wide country road."""
    nodes = {
        "village": Node(200.0, 200.0, "stop", 15.0),
        "church": Node(290.0, 210.0, "stop", 15.0),
        "north": Node(210.0, 300.0, "priority", 13.0),
        "mill": Node(300.0, 310.0, "priority", 13.0),
        "west": Node(20.0, 190.0, "priority", 20.0, crossings=False),
        "south": Node(190.0, 30.0, "priority", 20.0, crossings=False),
        "east": Node(480.0, 200.0, "priority", 20.0, crossings=False),
        "far": Node(260.0, 450.0, "priority", 20.0, crossings=False),
        "farm": Node(460.0, 390.0, "priority", 20.0, crossings=False),
    }
    country: dict[str, Any] = {"limit": 60.0, "sidewalks": "none", "bend": 60.0}
    wide = country | {"lanes": 2, "limit": 80.0, "rank": 3}
    roads = (
        *_street("village church", limit=30, crossings=(0.5,)),
        *_street("village north", limit=30),
        *_street("church mill", limit=30),
        *_street("north mill", limit=30, crossings=(0.5,)),
        Road("west", "village", via=((80.0, 215.0), (140.0, 180.0)), **country),
        Road("south", "village", via=((225.0, 90.0), (185.0, 140.0)), **country),
        Road("church", "east", via=((350.0, 235.0), (420.0, 190.0)), **country),
        Road("mill", "farm", via=((360.0, 340.0), (410.0, 385.0)), **country),
        Road("north", "far", via=((190.0, 370.0), (240.0, 400.0)), **country),
        Road("west", "south", via=((30.0, 90.0), (100.0, 20.0)), **wide),
        Road("south", "east", via=((300.0, 20.0), (460.0, 60.0)), **wide),
        Road("east", "farm", via=((510.0, 300.0),), **wide),
        Road("farm", "far", via=((440.0, 470.0), (350.0, 480.0)), **wide),
        Road("far", "west", via=((140.0, 470.0), (30.0, 400.0)), **wide),
    )
    around = Surroundings(0.12, (4.0, 8.0), (9.0, 20.0), 9.0, trees=7.0, lamps=0.0, rails=False, woods=14.0)
    return TownPlan("rural", "Town07", "country roads, fields and a village", nodes, roads, 50, 100, around)


def downtown() -> TownPlan:
    """Return an inner city of high-rises with avenues, one-way streets and a promenade along the water."""
    xs, ys = (0.0, 105.0, 215.0, 330.0), (0.0, 110.0, 215.0)
    nodes = _lattice(xs, ys)
    nodes |= {"p": Node(110.0, 310.0, "priority"), "q": Node(225.0, 310.0, "priority")}
    avenue: dict[str, Any] = {"lanes": 2, "limit": 50.0, "rank": 2}
    single: dict[str, Any] = {"lanes": 2, "back": 0, "limit": 40.0}
    del nodes["a1"], nodes["d1"]
    roads = (
        *_street("b1 c1", **avenue),
        *_street("a3 b3 c3 d3", **avenue, crossings=(0.5,)),
        *_street("d2 c2 b2 a2", **single),
        *_street("a2 a3", **avenue),
        *_street("d2 d3", **avenue),
        Road("b1", "a2", via=((0.0, 0.0),), **avenue),
        Road("c1", "d2", via=((330.0, 0.0),), **avenue),
        *_street("b1 b2 b3", **single),
        *_street("c3 c2 c1", **single),
        Road("a3", "p", via=((5.0, 290.0), (40.0, 310.0)), limit=40, bend=40, rank=2),
        *_street("p q", limit=40, rank=2, crossings=(0.5,)),
        Road("q", "d3", via=((300.0, 310.0), (330.0, 290.0)), limit=40, bend=40, rank=2),
        *_street("b3 p", limit=40),
        *_street("q c3", limit=40),
    )
    around = Surroundings(0.9, (25.0, 90.0), (18.0, 30.0), 2.5, trees=3.0, lamps=28.0)
    return TownPlan("downtown", "Town10HD", "inner city of high-rises", nodes, roads, 150, 150, around)


PRESETS: dict[str, Callable[[], TownPlan]] = {
    "small-town": small_town,
    "residential": residential,
    "roundabout": roundabout,
    "highway-ring": highway_ring,
    "grid": grid,
    "boulevard": boulevard,
    "rural": rural,
    "downtown": downtown,
}


def town_plan(name: str) -> TownPlan:
    """Return the description of a preset, or raise :class:`~offnominal.core.errors.UnknownName`.

    The published names (``Town01`` and so on) are accepted too.

    Example:
        >>> town_plan("gird")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.UnknownName: no town named 'gird'. Did you mean 'grid'?
    """
    instance_of("the name of a town", name, str)
    published = {build().published: key for key, build in PRESETS.items()}
    key = published.get(name, name)
    if key not in PRESETS:
        raise UnknownName(f"no town named {name!r}.{did_you_mean(str(name), [*PRESETS, *published])}")
    return PRESETS[key]()
