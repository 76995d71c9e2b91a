"""Towns with traffic: road graphs, vehicles, pedestrians, an ego vehicle, and anomalies in their behaviour."""

from offnominal.core.public_calls import name_wrong_arguments
from offnominal.worlds.road.town.behaviour import BEHAVIOURS, Behaviour, make_behaviour
from offnominal.worlds.road.town.errors import AnomalyNotPossible, InvalidSpawn, InvalidTown, NoRoute
from offnominal.worlds.road.town.incidents import TEMPORAL_ANOMALIES, Incident, TemporalAnomaly
from offnominal.worlds.road.town.obstacle import Obstacle
from offnominal.worlds.road.town.places import Place
from offnominal.worlds.road.town.road_graph import LanePosition, Pose, RoadGraph
from offnominal.worlds.road.town.routes import Route, plan_route
from offnominal.worlds.road.town.simulation import TownSimulation
from offnominal.worlds.road.town.snapshot import FRAMES, TICKS, WARM_UP, Snapshot
from offnominal.worlds.road.town.town import Town, make_town, town_names

__all__ = [
    "BEHAVIOURS",
    "FRAMES",
    "TEMPORAL_ANOMALIES",
    "TICKS",
    "WARM_UP",
    "AnomalyNotPossible",
    "Behaviour",
    "Incident",
    "InvalidSpawn",
    "InvalidTown",
    "LanePosition",
    "NoRoute",
    "Obstacle",
    "Place",
    "Pose",
    "RoadGraph",
    "Route",
    "Snapshot",
    "TemporalAnomaly",
    "Town",
    "TownSimulation",
    "make_behaviour",
    "make_town",
    "plan_route",
    "town_names",
]

name_wrong_arguments(__name__)
