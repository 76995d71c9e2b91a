# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.worlds.road.carla.errors import CarlaError as CarlaError
from offnominal.worlds.road.carla.errors import CarlaTimeout as CarlaTimeout
from offnominal.worlds.road.carla.errors import CarlaUnreachable as CarlaUnreachable
from offnominal.worlds.road.carla.errors import CarlaVersionMismatch as CarlaVersionMismatch
from offnominal.worlds.road.carla.errors import NotOnServer as NotOnServer
from offnominal.worlds.road.carla.run import CarlaRun as CarlaRun
from offnominal.worlds.road.carla.run import CarlaTown as CarlaTown

__all__ = [
    "CarlaError",
    "CarlaRun",
    "CarlaTimeout",
    "CarlaTown",
    "CarlaUnreachable",
    "CarlaVersionMismatch",
    "NotOnServer",
]
