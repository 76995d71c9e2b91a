# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.worlds.road.town.behaviour import BEHAVIOURS as BEHAVIOURS
from offnominal.worlds.road.town.behaviour import Behaviour as Behaviour
from offnominal.worlds.road.town.behaviour import make_behaviour as make_behaviour
from offnominal.worlds.road.town.errors import AnomalyNotPossible as AnomalyNotPossible
from offnominal.worlds.road.town.errors import InvalidSpawn as InvalidSpawn
from offnominal.worlds.road.town.errors import InvalidTown as InvalidTown
from offnominal.worlds.road.town.errors import NoRoute as NoRoute
from offnominal.worlds.road.town.incidents import TEMPORAL_ANOMALIES as TEMPORAL_ANOMALIES
from offnominal.worlds.road.town.incidents import Incident as Incident
from offnominal.worlds.road.town.incidents import TemporalAnomaly as TemporalAnomaly
from offnominal.worlds.road.town.obstacle import Obstacle as Obstacle
from offnominal.worlds.road.town.places import Place as Place
from offnominal.worlds.road.town.road_graph import LanePosition as LanePosition
from offnominal.worlds.road.town.road_graph import Pose as Pose
from offnominal.worlds.road.town.road_graph import RoadGraph as RoadGraph
from offnominal.worlds.road.town.routes import Route as Route
from offnominal.worlds.road.town.routes import plan_route as plan_route
from offnominal.worlds.road.town.simulation import TownSimulation as TownSimulation
from offnominal.worlds.road.town.snapshot import FRAMES as FRAMES
from offnominal.worlds.road.town.snapshot import TICKS as TICKS
from offnominal.worlds.road.town.snapshot import WARM_UP as WARM_UP
from offnominal.worlds.road.town.snapshot import Snapshot as Snapshot
from offnominal.worlds.road.town.town import Town as Town
from offnominal.worlds.road.town.town import make_town as make_town
from offnominal.worlds.road.town.town import town_names as town_names

__all__ = [
    "AnomalyNotPossible",
    "BEHAVIOURS",
    "Behaviour",
    "FRAMES",
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
    "TEMPORAL_ANOMALIES",
    "TICKS",
    "TemporalAnomaly",
    "Town",
    "TownSimulation",
    "WARM_UP",
    "make_behaviour",
    "make_town",
    "plan_route",
    "town_names",
]
