"""CAR-LaneKeep: a car keeps its lane and its speed on a highway."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box

from offnominal.core.errors import SimulationDiverged
from offnominal.core.types import Array, FloatArray, Frames, IntArray
from offnominal.worlds.camera import DrawnCamera
from offnominal.worlds.road import kernel, traffic, vehicle
from offnominal.worlds.road.card import LANE_KEEP
from offnominal.worlds.road.highway import NODES
from offnominal.worlds.world import World, box


class LaneKeeping(World):
    """N cars, each on a highway of its own with its own traffic.

    An action changes two commands: acceleration (throttle above 0, brake below) and steering (positive to the left).
    The reward is minus the deviation from 50 km/h, from the lane's direction and from its centre, and a part of the
    action. An episode ends with a collision, 45 degrees off the lane, or 1.5 m off its centre.

    Args:
        n: Number of rows.
        threads: Not used; accepted because other worlds have it.

    Example:
        >>> world = LaneKeeping(2)
        >>> world.reset(np.arange(2), seeds=np.array([7, 8]), episodes=np.zeros(2, int))
        >>> world.step(np.zeros((2, 2)))
        >>> world.observations.shape
        (2, 9)
    """

    action_space: Box
    card = LANE_KEEP

    def __init__(self, n: int, *, threads: int | None = None) -> None:
        self.observation_space = box(self.card.observation)
        self.action_space = box(self.card.action, limit=1.0)
        self._allocate(n)
        self._states = vehicle.new_states(n)
        self._curvatures = np.zeros((n, NODES))
        self._cars = np.zeros((n, traffic.CARS, traffic.STATE))
        self._oncoming = np.zeros((n, traffic.ONCOMING, 2))
        self._lanes = np.zeros(n, np.int64)
        self._wrong_way = np.full(n, np.nan)
        self._gusts = np.zeros((n, 2))
        self._neutral = np.array([parameter.neutral for parameter in self.card.physics_parameters])
        self._column = {parameter.name: k for k, parameter in enumerate(self.card.physics_parameters)}
        self._physics_parameters = np.tile(self._neutral, (n, 1))
        self._keys = np.zeros(n, np.uint64)
        self._ticks = np.zeros(n, np.int64)
        self._seeds = np.zeros(n, np.int64)
        self._all = np.arange(n)

    def reset(self, rows: IntArray, seeds: IntArray, episodes: IntArray) -> None:
        """Draw a new road and new traffic in some rows; the car is at rest."""
        self._seeds[rows] = seeds
        self._physics_parameters[rows] = self._neutral
        kernel.reset_rows(
            rows,
            seeds,
            episodes,
            self._keys,
            self._ticks,
            self._states,
            self._curvatures,
            self._cars,
            self._oncoming,
            self._lanes,
            self._wrong_way,
            self._gusts,
            self.observations,
            self.rewards,
            self.terminated,
            self.success,
            self.critical,
            self.cost,
        )

    def step(self, actions: Array, rows: IntArray | None = None) -> None:
        """Change the commands and drive for 0.05 s."""
        diverged = kernel.step_rows(
            self._all if rows is None else rows,
            actions,
            self._keys,
            self._ticks,
            self._physics_parameters,
            self._states,
            self._curvatures,
            self._cars,
            self._oncoming,
            self._lanes,
            self._wrong_way,
            self._gusts,
            self.observations,
            self.rewards,
            self.terminated,
            self.success,
            self.critical,
            self.cost,
        )
        if diverged >= 0:
            raise SimulationDiverged(
                f"{self.card.id}: the state of the car is not finite in row {diverged} (seed {self._seeds[diverged]}) "
                f"at step {self._ticks[diverged] - 1}; use a weaker fault."
            )

    def set_physics_parameter(self, name: str, rows: IntArray, values: FloatArray) -> None:
        """Set a physics parameter of some rows."""
        self._physics_parameters[rows, self._column[self.physics_parameter(name).name]] = values

    def current_physics(self, row: int) -> dict[str, Any]:
        """Return the current values of the physics parameters."""
        return {name: float(self._physics_parameters[row, column]) for name, column in self._column.items()}

    @property
    def camera(self) -> DrawnCamera:
        """Camera that looks ahead from the car."""
        return DrawnCamera(self._draw)

    def _draw(self, rows: IntArray, observations: Array | None, size: int) -> Frames:
        """Draw rows; reported observations move the car across and against the lane, and the vehicle ahead."""
        from offnominal.worlds.road.view import draw

        states, cars, wrong_way = self._states[rows], self._cars[rows], self._wrong_way[rows]
        if observations is not None:
            reported = observations[rows].astype(np.float64)
            kernel.apply_reports(reported, states, cars, self._lanes[rows], wrong_way)
        return draw(
            self._keys[rows],
            states,
            self._curvatures[rows],
            cars,
            self._oncoming[rows],
            self._lanes[rows],
            wrong_way,
            self._physics_parameters[rows, kernel.HEAVY_RAIN],
            size=size,
        )
