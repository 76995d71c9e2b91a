"""Axes of the search: fault parameters by their distance from neutral."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from gymnasium.spaces import Discrete

from offnominal.anomalies.anomaly import Anomaly, DynamicsAnomaly
from offnominal.anomalies.catalogue import anomalies_with, make_anomaly
from offnominal.anomalies.environment_info import EnvironmentInfo
from offnominal.anomalies.fault import Fault
from offnominal.anomalies.plausibility import plausible_range
from offnominal.anomalies.resolve import resolve
from offnominal.core.types import FloatArray
from offnominal.worlds.world import World

Direction = Literal["", "up", "down"]

OFFSETS = (1e-3, 1e3)
LOG_FACTORS = (2e-3, 6.0)
GRID_POINTS = 21
DIGITS = 4
WEAKEST = 1e-3
"""Weakest fault of the scan as a share of the largest plausible one."""
DELAYS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 13.0, 16.0, 20.0, 25.0, 32.0, 40.0)


@dataclass(frozen=True, slots=True)
class Axis:
    """Fault parameters by a positive distance from the neutral parameter; larger distances are stronger faults.

    Args:
        anomaly: Id of the anomaly.
        neutral: Parameter without effect.
        direction: ``"up"`` and ``"down"`` multiply the neutral parameter by growing or shrinking factors; ``""`` adds.
        integer: Whether parameters are integers.
        longest: Largest plausible distance.
        reason: What gives it.

    Example:
        >>> Axis("action/scaling", 1.0, "down").parameter(np.log([2.0, 4.0]))
        array([0.5 , 0.25])
    """

    anomaly: str
    neutral: float
    direction: Direction = ""
    integer: bool = False
    longest: float = math.inf
    reason: str = ""

    def parameter(self, distance: FloatArray) -> FloatArray:
        """Return the parameters at the given distances."""
        if not self.direction:
            return self.neutral + distance
        return self.neutral * np.exp(distance if self.direction == "up" else -distance)

    def distance(self, parameter: float) -> float:
        """Return the distance of a parameter from neutral."""
        return abs(parameter - self.neutral) if not self.direction else abs(float(np.log(parameter / self.neutral)))

    def grid(self) -> FloatArray:
        """Return the distances of the initial scan, from very weak to very strong, or to the largest plausible one."""
        whole = np.array(DELAYS) if self.integer else np.geomspace(*self._ends, GRID_POINTS)
        if self.longest >= whole[-1]:
            return whole
        while not (self.integer or self.direction) and whole[0] > WEAKEST * self.longest:
            whole = np.insert(whole, 0, whole[0] * np.exp(-self.spacing))
        return np.append(whole[whole < self.longest], self.longest)

    @property
    def spacing(self) -> float:
        """Difference of the logarithms of neighbouring distances of the scan."""
        weakest, strongest = self._ends
        return float(np.log(strongest / weakest)) / (GRID_POINTS - 1)

    @property
    def _ends(self) -> tuple[float, float]:
        return LOG_FACTORS if self.direction else OFFSETS

    def rounded(self, distance: float) -> float:
        """Return a distance after rounding the parameter's deviation from neutral to few digits."""
        deviation = float(self.parameter(np.array([distance]))[0]) - self.neutral
        return min(self.distance(self.neutral + float(f"{deviation:.{DIGITS}g}")), self.longest)

    @property
    def named_direction(self) -> str:
        """The direction if the anomaly has two, else an empty string."""
        return "" if self.anomaly.startswith("dynamics/") else self.direction

    @property
    def label(self) -> str:
        """Name of the axis in messages."""
        return f"{self.anomaly} {self.direction}".strip()


def axes_of(world: World, anomalies: Iterable[str | Anomaly] | None = None) -> list[Axis]:
    """Return the axes of some anomalies, or of all of a world; raise an error if it cannot have one of them."""
    discrete = isinstance(world.action_space, Discrete)
    given = anomalies or anomalies_with(world.physics_parameters, discrete=discrete)
    environment, found = EnvironmentInfo.of(world, world.card.max_steps), []
    for anomaly in map(make_anomaly, given):
        own = axes(anomaly, world)
        resolve(Fault(anomaly, float(own[0].parameter(own[0].grid()[:1])[0])), environment)
        found += own
    return found


def axes(anomaly: Anomaly, world: World) -> list[Axis]:
    """Return the axes of an anomaly.

    Scaling has two, up and down. A physics parameter that faults multiply has the one of its typical value; the others
    have one that adds. An axis ends where its parameters stop to be plausible.
    """
    plausible = plausible_range(world.card, anomaly)

    def axis(neutral: float, direction: Direction = "", *, integer: bool = False) -> Axis:
        """Return an axis with the plausible end of its direction; adding always means a larger parameter."""
        whole = Axis(anomaly.id, neutral, direction, integer)
        end = plausible.low if direction == "down" else plausible.high
        if not math.isfinite(end) or (direction and end <= 0.0):
            return whole
        return replace(whole, longest=whole.distance(end), reason=f"{end:.4g} is plausible: {plausible.reason}")

    if isinstance(anomaly, DynamicsAnomaly):
        parameter = world.physics_parameter(anomaly.physics_parameter)
        shrinks = parameter.typical is not None and parameter.typical < parameter.neutral
        direction: Direction = "" if parameter.combine == "add" else "down" if shrinks else "up"
        return [axis(parameter.neutral, direction)]
    if anomaly.neutral:
        return [axis(anomaly.neutral, "up"), axis(anomaly.neutral, "down")]
    return [axis(anomaly.neutral, integer=anomaly.integer)]
