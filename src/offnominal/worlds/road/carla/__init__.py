"""CARLA as another back end of scenario files; the package ``carla`` is imported when a run begins."""

from offnominal.core.public_calls import name_wrong_arguments
from offnominal.worlds.road.carla.errors import (
    CarlaError,
    CarlaTimeout,
    CarlaUnreachable,
    CarlaVersionMismatch,
    NotOnServer,
)
from offnominal.worlds.road.carla.run import CarlaRun, CarlaTown

__all__ = [
    "CarlaError",
    "CarlaRun",
    "CarlaTimeout",
    "CarlaTown",
    "CarlaUnreachable",
    "CarlaVersionMismatch",
    "NotOnServer",
]

name_wrong_arguments(__name__)
