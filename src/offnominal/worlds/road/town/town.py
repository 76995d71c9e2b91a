"""A town: its road graph and everything that stands beside the roads."""

from __future__ import annotations

from functools import cache

from offnominal.core.checks import instance_of, number_in
from offnominal.worlds.road.town.description import LANE_WIDTH, TownPlan
from offnominal.worlds.road.town.errors import InvalidSpawn
from offnominal.worlds.road.town.places import Place, make_places
from offnominal.worlds.road.town.presets import PRESETS, town_plan
from offnominal.worlds.road.town.road_graph import LanePosition, RoadGraph


class Town:
    """A town: road graph, places, and the default number of actors. It does not change; a simulation moves in it.

    Args:
        plan: Description of the town.

    Example:
        >>> town = make_town("residential")
        >>> town.name, town.published, town.default_vehicles
        ('residential', 'Town02', 50)
        >>> sorted({place.kind for place in town.places})
        ['building', 'lamp', 'light', 'sign', 'tree']
    """

    def __init__(self, plan: TownPlan) -> None:
        self.plan = plan
        self.graph = RoadGraph(plan)
        self.places: tuple[Place, ...] = make_places(self.graph)
        self.buildings = tuple(place for place in self.places if place.kind == "building")

    @property
    def name(self) -> str:
        """Name of the town."""
        return self.plan.name

    @property
    def published(self) -> str:
        """Published town of the same kind."""
        return self.plan.published

    @property
    def default_vehicles(self) -> int:
        """Number of vehicles by default, besides the ego vehicle."""
        return self.plan.vehicles

    @property
    def default_pedestrians(self) -> int:
        """Number of pedestrians by default."""
        return self.plan.pedestrians

    def building_at(self, x: float, y: float, margin: float = 0.0) -> Place | None:
        """Return the building at a position, or None."""
        return next((place for place in self.buildings if place.contains(x, y, margin)), None)

    def lane_at(self, x: float, y: float, heading: float | None = None) -> LanePosition:
        """Return the lane at a position, for a vehicle to be placed there, or raise :class:`InvalidSpawn`.

        Args:
            x: Position in metres.
            y: Position in metres.
            heading: Direction of the vehicle in radians; None accepts the direction of the nearest lane.

        Example:
            >>> town = make_town("grid")
            >>> house = next(place for place in town.places if place.kind == "building")
            >>> town.lane_at(house.x, house.y)
            Traceback (most recent call last):
                ...
            offnominal.worlds.road.town.errors.InvalidSpawn: the position (...) is inside a building; ...
        """
        x, y = number_in("x", x), number_in("y", y)
        if self.building_at(x, y) is not None:
            raise InvalidSpawn(f"the position ({x:.1f}, {y:.1f}) is inside a building; choose one on a lane.")
        found = self.graph.to_lane(x, y, heading)
        on_lane = abs(found.d) <= 0.5 * LANE_WIDTH and 0.0 <= found.s <= self.graph.lanes[found.lane].length
        if not on_lane:
            raise InvalidSpawn(
                f"the position ({x:.1f}, {y:.1f}) is off the road: the nearest lane is {abs(found.d):.1f} m away."
            )
        return found


def make_town(name: str) -> Town:
    """Return a town by its name, or by the name of the published town of its kind.

    Example:
        >>> make_town("Town05") is make_town("Town05"), make_town("Town05").name
        (True, 'grid')
    """
    return _town(instance_of("the name of a town", name, str))


@cache
def _town(name: str) -> Town:
    return Town(town_plan(name))


def town_names() -> tuple[str, ...]:
    """Return the names of all towns.

    Example:
        >>> town_names()
        ('small-town', 'residential', 'roundabout', 'highway-ring', 'grid', 'boulevard', 'rural', 'downtown')
    """
    return tuple(PRESETS)
