"""A recorded nominal simulation, in which the moment for an anomaly is searched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from offnominal.core.types import FloatArray, IntArray
from offnominal.worlds.road.town.snapshot import TICKS
from offnominal.worlds.road.town.traffic_state import Control, Vehicles, Walkers


class Traffic(Protocol):
    """The actors of a simulation, which drive and walk on their own."""

    tick: int
    cars: Vehicles
    walkers: Walkers
    control: Control

    def advance(self) -> None:
        """Advance by one tick on autopilot."""

    def collisions(self) -> list[tuple[int, int]]:
        """Return the pairs of instance ids that overlap."""


@dataclass(frozen=True, slots=True)
class Trace:
    """States of all actors at every tick; row 0 is the state after the reset.

    Args:
        lane: (ticks + 1, n): lanes of the vehicles.
        s: (ticks + 1, n): arclengths.
        speed: (ticks + 1, n): speeds.
        changing: (ticks + 1, n): lane that a lane change leaves, or -1.
        following: (ticks + 1, n): next lane of the path.
        pose: (ticks + 1, n, 4): poses of the vehicles.
        walk: (ticks + 1, m): walks of the pedestrians.
        walker: (ticks + 1, m, 4): poses of the pedestrians.
        light: (ticks + 1, heads): states of the traffic lights.
    """

    lane: IntArray
    s: FloatArray
    speed: FloatArray
    changing: IntArray
    following: IntArray
    pose: FloatArray
    walk: IntArray
    walker: FloatArray
    light: IntArray


def record(traffic: Traffic, ticks: int = TICKS) -> Trace:
    """Advance a simulation on autopilot and record it."""
    rows: list[tuple[FloatArray | IntArray, ...]] = []
    for k in range(ticks + 1):
        if k:
            traffic.advance()
        cars, walkers = traffic.cars, traffic.walkers
        state = (cars.lane, cars.s, cars.speed, cars.change_from, cars.path[:, 1], cars.pose)
        rows.append(tuple(a.copy() for a in (*state, walkers.walk, walkers.pose, traffic.control.light)))
    return Trace(*(np.stack(column) for column in zip(*rows, strict=True)))
