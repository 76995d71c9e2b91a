"""Axes of the search: fault parameters by their distance from neutral."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from offnominal.anomalies.anomaly import Anomaly, DynamicsAnomaly
from offnominal.core.types import FloatArray
from offnominal.worlds.world import World

Direction = Literal["", "up", "down"]

OFFSETS = (1e-3, 1e3)
LOG_FACTORS = (2e-3, 6.0)
GRID_POINTS = 21
DELAYS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 13.0, 16.0, 20.0, 25.0, 32.0, 40.0)


@dataclass(frozen=True, slots=True)
class Axis:
    """Fault parameters by a positive distance from the neutral parameter; larger distances are stronger faults.

    Args:
        anomaly: Id of the anomaly.
        neutral: Parameter without effect.
        direction: ``"up"`` and ``"down"`` multiply the neutral parameter by growing or shrinking factors; ``""`` adds.
        integer: Whether parameters are integers.

    Example:
        >>> Axis("action/scaling", 1.0, "down").parameter(np.log([2.0, 4.0]))
        array([0.5 , 0.25])
    """

    anomaly: str
    neutral: float
    direction: Direction = ""
    integer: bool = False

    def parameter(self, distance: FloatArray) -> FloatArray:
        """Return the parameters at the given distances."""
        if not self.direction:
            return self.neutral + distance
        return self.neutral * np.exp(distance if self.direction == "up" else -distance)

    def distance(self, parameter: float) -> float:
        """Return the distance of a parameter from neutral."""
        return abs(parameter - self.neutral) if not self.direction else abs(float(np.log(parameter / self.neutral)))

    def grid(self) -> FloatArray:
        """Return the distances of the initial scan, from very weak to very strong."""
        if self.integer:
            return np.array(DELAYS)
        return np.geomspace(*(LOG_FACTORS if self.direction else OFFSETS), GRID_POINTS)

    @property
    def label(self) -> str:
        """Name of the axis in messages."""
        return f"{self.anomaly} {self.direction}".strip()


def axes(anomaly: Anomaly, world: World) -> list[Axis]:
    """Return the axes of an anomaly.

    Scaling has two, up and down. A physics parameter that faults multiply has the one of its typical value; the others
    have one that adds.
    """
    if isinstance(anomaly, DynamicsAnomaly):
        parameter = world.physics_parameter(anomaly.physics_parameter)
        shrinks = parameter.typical is not None and parameter.typical < parameter.neutral
        direction: Direction = "" if parameter.combine == "add" else "down" if shrinks else "up"
        return [Axis(anomaly.id, parameter.neutral, direction)]
    if anomaly.neutral:
        return [Axis(anomaly.id, anomaly.neutral, "up"), Axis(anomaly.id, anomaly.neutral, "down")]
    return [Axis(anomaly.id, anomaly.neutral, integer=anomaly.integer)]
