"""What the ego vehicle does before an anomaly can have an effect on it, without states of other road users."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.worlds.road.town.obstacle import Obstacle
from offnominal.worlds.road.town.road_graph import Pose
from offnominal.worlds.road.town.snapshot import EGO, TICK_SECONDS
from offnominal.worlds.road.town.traffic_state import Vehicles

REACH = 1.0


@dataclass(frozen=True, eq=False)
class EgoTrace:
    """The ego vehicle in the recorded ticks before the anomaly can have an effect on it.

    Args:
        rows: (ticks, 5): speed, acceleration, throttle, steering and brake.
        vehicles: Number of vehicles, with the ego vehicle.
        pedestrians: Number of pedestrians.
        discards: Why the scenario is discarded, after the published rules; of all of its ticks.
        first_hit: Tick in which a vehicle touches the object for the first time; None if none does.
    """

    rows: FloatArray
    vehicles: int
    pedestrians: int
    discards: tuple[str, ...]
    first_hit: int | None


def ego_row(cars: Vehicles, controls: FloatArray) -> list[float]:
    """Return speed, acceleration, throttle, steering and brake of the ego vehicle."""
    return [float(cars.speed[EGO]), float(cars.acceleration[EGO]), *np.asarray(controls).tolist()]


def could_touch(cars: Vehicles, obstacle: Obstacle, pose: Pose) -> bool:
    """Return whether the ego vehicle could touch an object at a pose within the next tick."""
    sides = (*obstacle.size[:2], *cars.size[EGO, :2].tolist())
    reach = 0.5 * sum(sides) + REACH + TICK_SECONDS * float(cars.speed[EGO])
    x, y = cars.pose[EGO, :2].tolist()
    return bool((x - pose.x) ** 2 + (y - pose.y) ** 2 < reach**2)
