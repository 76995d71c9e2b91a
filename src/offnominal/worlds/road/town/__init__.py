"""Towns with traffic: road graphs, vehicles, pedestrians, an ego vehicle, and anomalies in their behaviour."""

from offnominal.worlds.road.town.errors import AnomalyNotPossible, InvalidSpawn, InvalidTown, NoRoute
from offnominal.worlds.road.town.road_graph import LanePosition, Pose, RoadGraph
from offnominal.worlds.road.town.town import Town, make_town, town_names

__all__ = [
    "AnomalyNotPossible",
    "InvalidSpawn",
    "InvalidTown",
    "LanePosition",
    "NoRoute",
    "Pose",
    "RoadGraph",
    "Town",
    "make_town",
    "town_names",
]
