"""CAR-LaneKeep: a car keeps its lane and its speed on a highway."""

from __future__ import annotations

import numpy as np
from gymnasium.spaces import Box

from offnominal.core.compilation import RepeatedCall
from offnominal.core.types import Array, Frames, IntArray
from offnominal.worlds.camera import DrawnCamera
from offnominal.worlds.compiled_world import CompiledWorld
from offnominal.worlds.road import drive_train, kernel, traffic, vehicle
from offnominal.worlds.road.card import GEARED_LANE_KEEP, LANE_KEEP
from offnominal.worlds.road.highway import NODES
from offnominal.worlds.world import box

STEP = RepeatedCall(kernel.step_rows)


class LaneKeeping(CompiledWorld):
    """N cars, each on a highway of its own with its own traffic.

    An action changes two commands: acceleration (throttle above 0, brake below) and steering (positive to the left).
    The reward is minus the deviation from 50 km/h, from the lane's direction and from its centre, and a part of the
    action. An episode ends with a collision, 45 degrees off the lane, or 1.5 m off its centre.

    Args:
        n: Number of rows.

    Example:
        >>> world = LaneKeeping(2)
        >>> world.reset(np.arange(2), seeds=np.array([7, 8]), episodes=np.zeros(2, int))
        >>> world.step(np.zeros((2, 2)))
        >>> world.observations.shape
        (2, 9)
    """

    action_space: Box
    card = LANE_KEEP
    state_columns = vehicle.STATE

    def __init__(self, n: int) -> None:
        self.observation_space = box(self.card.observation)
        self.action_space = box(self.card.action, limit=1.0)
        self._allocate(n)
        self._road = kernel.Road(
            keys=np.zeros(n, np.uint64),
            ticks=self._ticks,
            states=vehicle.new_states(n, self.state_columns),
            curvatures=np.zeros((n, NODES)),
            cars=np.zeros((n, traffic.CARS, traffic.STATE)),
            oncoming=np.zeros((n, traffic.ONCOMING, 2)),
            lanes=np.zeros(n, np.int64),
            wrong_way=np.full(n, np.nan),
            gusts=np.zeros((n, 2)),
        )

    def reset(self, rows: IntArray, seeds: IntArray, episodes: IntArray) -> None:
        """Draw a new road and new traffic in some rows; the car is at rest."""
        self._begin(rows, seeds)
        kernel.reset_rows(rows, seeds, episodes, self._road, self._outcomes)

    def step(self, actions: Array, rows: IntArray | None = None) -> None:
        """Change the commands and drive for 0.05 s."""
        self._step(STEP, rows, actions, self._physics_parameters, self._road, self._outcomes)

    @property
    def camera(self) -> DrawnCamera:
        """Camera that looks ahead from the car."""
        return DrawnCamera(self._draw)

    def _draw(self, rows: IntArray, observations: Array | None, size: int) -> Frames:
        """Draw rows; reported observations move the car across and against the lane, and the vehicle ahead."""
        from offnominal.worlds.road.view import draw

        road = kernel.Road._make(each[rows] for each in self._road)
        if observations is not None:
            reported = observations[rows].astype(np.float64)
            kernel.apply_reports(reported, road)
        return draw(road, self._physics_parameters[rows, kernel.HEAVY_RAIN], size=size)


class GearedLaneKeeping(LaneKeeping):
    """The same with the drive train of CARLA: an engine that brakes without throttle, and five gears.

    Args:
        n: Number of rows.

    Example:
        >>> world = GearedLaneKeeping(1)
        >>> world.reset(np.arange(1), seeds=np.array([7]), episodes=np.zeros(1, int))
        >>> for _ in range(80):
        ...     world.step(np.array([[1.0, 0.0]]))
        >>> world.gears
        array([3])
    """

    card = GEARED_LANE_KEEP
    state_columns = drive_train.GEARED_STATE

    @property
    def gears(self) -> IntArray:
        """(n,): gear of each car, from 1."""
        return self._road.states[:, drive_train.GEAR].astype(np.int64) + 1
