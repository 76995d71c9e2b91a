"""What the ego vehicle knows without images: its speed, its lane, its route, and what is ahead."""

from __future__ import annotations

import numpy as np

from offnominal.core.deterministic_math import arctan2, sincos
from offnominal.core.types import FloatArray
from offnominal.worlds.road.town.routes import Route
from offnominal.worlds.road.town.simulation import TownSimulation
from offnominal.worlds.road.town.snapshot import Snapshot
from offnominal.worlds.road.town.traffic_state import GREEN

CHANNELS = (
    "speed in m/s",
    "acceleration in m/s²",
    "speed limit in m/s",
    "distance to the left of the route in m",
    "angle of the route in rad, to the left",
    "angle of the route 10 m ahead in rad",
    "angle of the route 25 m ahead in rad",
    "remaining length of the route in m",
    "distance to the road user or object ahead in m",
    "its relative speed in m/s",
    "distance to the next traffic light that is not green in m",
    "last throttle",
    "last steering",
    "last brake",
)
"""Channels of the vector state."""
HORIZON = 100.0
LONGEST = 1000.0
NEAR, FAR = 10, 25
# The nearest waypoint is searched this far behind and ahead of the last one, m.
BEHIND, AHEAD = 5, 30
BESIDE = 0.4
LOW = np.array((-1.0, -100.0, 0.0, -50.0, *[-4.0] * 3, 0.0, 0.0, -100.0, 0.0, 0.0, -1.0, 0.0), np.float32)
HIGH = np.array((100.0, 100.0, 100.0, 50.0, *[4.0] * 3, LONGEST, HORIZON, 100.0, HORIZON, 1.0, 1.0, 1.0), np.float32)


class EgoView:
    """The vector state of the ego vehicle along a route.

    Args:
        route: The route.
    """

    def __init__(self, route: Route) -> None:
        self.route = route
        self.points, self.lanes = route.waypoints
        self.progress = 0

    def update(self, state: Snapshot) -> int:
        """Find the place on the route; return by how many metres the ego vehicle has advanced."""
        low, high = max(0, self.progress - BEHIND), min(len(self.points), self.progress + AHEAD)
        here = low + int(((self.points[low:high] - state.position[0]) ** 2).sum(axis=1).argmin())
        moved, self.progress = here - self.progress, here
        return moved

    @property
    def remaining(self) -> int:
        """Remaining length of the route, m."""
        return len(self.points) - 1 - self.progress

    @property
    def limit(self) -> float:
        """Speed limit here, m/s."""
        return float(self.route.graph.network.limit[self.lanes[self.progress]])

    def offset(self, state: Snapshot) -> float:
        """Return the distance to the left of the route, m."""
        along = self._direction(1)
        gap = state.position[0] - self.points[self.progress]
        return float(along[0] * gap[1] - along[1] * gap[0])

    def vector(self, state: Snapshot, simulation: TownSimulation) -> FloatArray:
        """Return the state as a vector; see `CHANNELS`."""
        sine, cosine = sincos(float(state.heading[0]))
        angles = [_angle(self._direction(step), cosine, sine) for step in (1, NEAR, FAR)]
        gap, relative = _ahead(state, cosine, sine)
        values = (
            float(state.speed[0]), float(state.acceleration[0]), self.limit, self.offset(state), *angles,
            float(self.remaining), gap, relative, self._light(simulation), *state.controls,
        )  # fmt: skip
        return np.clip(np.array(values, np.float32), LOW, HIGH)

    def _direction(self, step: int) -> FloatArray:
        """Return the unit vector along the route from here to a waypoint some metres ahead."""
        first = min(self.progress, len(self.points) - 2)
        gap: FloatArray = self.points[min(first + step, len(self.points) - 1)] - self.points[first]
        return gap / max(1e-9, float(np.sqrt((gap**2).sum())))

    def _light(self, simulation: TownSimulation) -> float:
        """Return the distance to the next light on the route that is not green."""
        net, light = self.route.graph.network, simulation.control.light
        for k, lane in enumerate(self.lanes[self.progress : self.progress + int(HORIZON)]):
            entering = k > 0 and net.road[lane] < 0 and net.road[self.lanes[self.progress + k - 1]] >= 0
            if entering and net.head[lane] >= 0:
                return HORIZON if light[net.head[lane]] == GREEN else float(k)
        return HORIZON


def _angle(direction: FloatArray, cosine: float, sine: float) -> float:
    """Return the angle of a direction relative to the heading."""
    x, y = float(direction[0]), float(direction[1])
    return arctan2(cosine * y - sine * x, cosine * x + sine * y)


def _ahead(state: Snapshot, cosine: float, sine: float) -> tuple[float, float]:
    """Return distance and relative speed of the nearest actor in the straight corridor ahead."""
    gap = state.position[1:] - state.position[0]
    along, across = gap[:, 0] * cosine + gap[:, 1] * sine, gap[:, 1] * cosine - gap[:, 0] * sine
    free = along - 0.5 * (state.size[1:, 0] + state.size[0, 0])
    inside = (along > 0.0) & (np.abs(across) < 0.5 * (state.size[1:, 1] + state.size[0, 1]) + BESIDE)
    if not inside.any() or free[inside].min() > HORIZON:
        return HORIZON, 0.0
    nearest = int(np.flatnonzero(inside)[free[inside].argmin()])
    turned = sincos(float(state.heading[1 + nearest]))
    own = float(state.speed[1 + nearest]) * (turned[1] * cosine + turned[0] * sine)
    return max(0.0, float(free[nearest])), own - float(state.speed[0])
