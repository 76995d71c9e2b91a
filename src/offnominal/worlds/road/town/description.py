"""The compact description of a town: nodes, roads and what stands along them. The builder makes a road graph of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from offnominal.core.checks import integer_in, number_in, one_of, positive_number
from offnominal.worlds.road.town.errors import InvalidTown

JUNCTION_KINDS = ("lights", "priority", "stop", "roundabout")
SIDES = ("both", "right", "left", "none")
LANE_WIDTH = 3.5
SIDEWALK_WIDTH = 2.6
KERB = 0.4
KMH = 1.0 / 3.6


@dataclass(frozen=True, slots=True)
class Node:
    """A place where roads meet.

    Args:
        x: Position in metres, to the east.
        y: Position in metres, to the north.
        kind: ``lights``, ``priority`` (roads of lower rank yield), ``stop`` (first come, first served) or
            ``roundabout``.
        radius: Distance from the node to the ends of its roads, or radius of the roundabout; None chooses it.
        crossings: Whether pedestrians cross the roads here.
    """

    x: float
    y: float
    kind: str = "priority"
    radius: float | None = None
    crossings: bool = True

    def __post_init__(self) -> None:
        number_in("x", self.x)
        number_in("y", self.y)
        one_of("kind of a node", self.kind, JUNCTION_KINDS)
        if self.radius is not None:
            positive_number("radius", self.radius)


@dataclass(frozen=True, slots=True)
class Road:
    """A road between two nodes, with its lanes, drawn on the right-hand side.

    Args:
        start: Name of the node where it begins.
        end: Name of the node where it ends.
        lanes: Number of lanes from start to end.
        back: Number of lanes from end to start; None means as many, 0 means a one-way road.
        limit: Speed limit in km/h.
        via: Points in between; corners are rounded.
        median: Width of the strip between the two directions, in metres.
        sidewalks: ``both``, ``right`` or ``left`` as seen from start to end, or ``none``.
        rank: Roads of a higher rank have priority over roads of a lower rank.
        crossings: Crossings between the nodes, as shares of the length of the road.
        bend: Radius of the rounded corners in metres.
    """

    start: str
    end: str
    lanes: int = 1
    back: int | None = None
    limit: float = 40.0
    via: tuple[tuple[float, float], ...] = ()
    median: float = 0.0
    sidewalks: str = "both"
    rank: int = 1
    crossings: tuple[float, ...] = ()
    bend: float = 30.0

    def __post_init__(self) -> None:
        integer_in("lanes", self.lanes, 1, 4)
        if self.back is not None:
            integer_in("back", self.back, 0, 4)
        positive_number("limit", self.limit)
        number_in("median", self.median, 0.0)
        one_of("sidewalks", self.sidewalks, SIDES)
        positive_number("bend", self.bend)
        for share in self.crossings:
            number_in("share of a crossing", share, 0.0, 1.0, open_low=True, open_high=True)

    @property
    def lanes_back(self) -> int:
        """Number of lanes from end to start."""
        return self.lanes if self.back is None else self.back

    @property
    def one_way(self) -> bool:
        """Whether all lanes lead from start to end."""
        return self.lanes_back == 0

    def lane_offset(self, index: int, forward: bool) -> float:
        """Return the distance of a lane's centre line to the left of the road's reference line.

        Lane 0 is the leftmost one in its direction.

        Example:
            >>> road = Road("a", "b", lanes=2)
            >>> road.lane_offset(0, True), road.lane_offset(1, False)
            (-1.75, 5.25)
        """
        shift = 0.5 * self.lanes * LANE_WIDTH if self.one_way else -0.5 * self.median
        offset = shift - (index + 0.5) * LANE_WIDTH
        return offset if forward else -offset

    @property
    def right_edge(self) -> float:
        """Distance from the reference line to the right kerb, a positive number."""
        return -self.lane_offset(self.lanes - 1, True) + 0.5 * LANE_WIDTH

    @property
    def left_edge(self) -> float:
        """Distance from the reference line to the left kerb, a positive number."""
        if self.one_way:
            return self.lane_offset(0, True) + 0.5 * LANE_WIDTH
        return self.lane_offset(self.lanes_back - 1, False) + 0.5 * LANE_WIDTH

    def has_sidewalk(self, side: str) -> bool:
        """Return whether there is a sidewalk on the ``right`` or ``left``."""
        return self.sidewalks in ("both", side)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands along the roads of a town.

    Args:
        buildings: Share of the roadside that buildings fill.
        heights: Lowest and highest building in metres.
        depths: Smallest and largest side of a building in metres.
        setback: Distance of the buildings from the sidewalk in metres.
        trees: Trees per 100 m of roadside.
        lamps: Distance between street lamps in metres; 0 means none.
        rails: Whether roads without sidewalks have guard rails.
        woods: Trees per hectare away from the roads.
    """

    buildings: float = 0.6
    heights: tuple[float, float] = (6.0, 12.0)
    depths: tuple[float, float] = (10.0, 18.0)
    setback: float = 3.0
    trees: float = 3.0
    lamps: float = 35.0
    rails: bool = True
    woods: float = 0.0


@dataclass(frozen=True, slots=True)
class TownPlan:
    """The description of a town.

    Args:
        name: Name of the town.
        published: Published town of the same kind.
        summary: Character in one line.
        nodes: Nodes by name.
        roads: Roads between them.
        vehicles: Number of vehicles by default, besides the ego vehicle.
        pedestrians: Number of pedestrians by default.
        surroundings: What stands along the roads.
    """

    name: str
    published: str
    summary: str
    nodes: dict[str, Node]
    roads: tuple[Road, ...]
    vehicles: int = 50
    pedestrians: int = 50
    surroundings: Surroundings = Surroundings()

    def __post_init__(self) -> None:
        for road in self.roads:
            for end in (road.start, road.end):
                if end not in self.nodes:
                    raise InvalidTown(f"{self.name}: a road ends at the node {end!r}, which is not in the description.")


def changed(road: Road, **fields: object) -> Road:
    """Return a road with some fields changed."""
    return replace(road, **fields)  # type: ignore[arg-type]
