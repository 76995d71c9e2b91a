"""Injection: applies the faults of every row of a batch."""

from __future__ import annotations

from collections.abc import Sequence

from offnominal.anomalies.camera_faults import CameraFaults
from offnominal.anomalies.camera_observations import CameraObservations
from offnominal.anomalies.environment_info import EnvironmentInfo
from offnominal.anomalies.fault import Fault
from offnominal.anomalies.fault_table import FaultTable
from offnominal.anomalies.physics_faults import PhysicsFaults
from offnominal.anomalies.signal_faults import SignalFaults
from offnominal.core.episode import Event
from offnominal.core.errors import UnsupportedEnvironment
from offnominal.core.types import Array, BoolArray, FloatArray, Frames, IntArray


class Injection:
    """The faults of every row of a batch.

    The constructor checks every fault. Each row has its own faults; a row without faults costs nothing and is never
    changed. The order of calls is: :meth:`release`, reset of the environment, :meth:`begin`, and then for each
    transition :meth:`act`, step of the environment, :meth:`observe`.

    Args:
        faults: One tuple of faults per row.
        environment: The environment.
    """

    def __init__(self, faults: Sequence[tuple[Fault, ...]], environment: EnvironmentInfo) -> None:
        self.environment = environment
        self._table = FaultTable(faults, environment)
        self._observation = SignalFaults(self._table, "observation", len(environment.observation))
        self._action = SignalFaults(self._table, "action", len(environment.action))
        self._physics = PhysicsFaults(self._table, environment.physics)
        self._camera = CameraFaults(self._table)
        world = environment.pixel_world
        self._pixels = None if world is None else CameraObservations(world, self._camera)

    @property
    def faults(self) -> list[tuple[Fault, ...]]:
        """One tuple of faults per row."""
        return self._table.faults

    @property
    def active(self) -> BoolArray:
        """(n,): whether a fault acts in the current transition of a row."""
        return self._table.active

    @property
    def applied(self) -> FloatArray:
        """(n, faults): parameter of each fault in the current transition; its neutral value while it is off."""
        return self._table.applied

    @property
    def affects_camera(self) -> bool:
        """Whether any fault acts on images."""
        return bool(self._camera.rows)

    @property
    def affects_physics(self) -> bool:
        """Whether any fault acts on the physics."""
        return bool(self._table.physics_parameters)

    def release(self, rows: IntArray) -> None:
        """Switch every fault of some rows off and restore the physics, before the environment resets."""
        self._table.release(rows)
        self._physics.update(rows)

    def begin(self, rows: IntArray, seeds: IntArray, episodes: IntArray) -> None:
        """Start new episodes in some rows: draw onsets, clear all memory, restore the physics.

        Args:
            rows: Indices of the rows.
            seeds: Root seed of each row.
            episodes: Number of earlier episodes with that seed.
        """
        self.release(rows)
        self._table.restart(rows, seeds, episodes, self._observation.memory, self._action.memory)
        if self._pixels is not None:
            self._pixels.start(rows)

    def act(self, actions: Array, rows: IntArray) -> Array:
        """Begin a transition: set the physics and return the actions with faults applied.

        Args:
            actions: (n, ...): commanded actions; not changed.
            rows: Indices of the rows that are stepped.
        """
        self._table.advance(rows)
        self._physics.update(rows)
        return self._action.apply(actions, rows)

    def observe(self, observations: Array, rows: IntArray) -> Array:
        """End a transition: return the observations with faults applied.

        In worlds with pixel observations this includes camera faults.

        Args:
            observations: (n, ...): true observations; not changed.
            rows: Indices of the rows that were stepped.
        """
        observations = self._observation.apply(observations, rows)
        self._table.ticks[rows] += 1
        return observations if self._pixels is None else self._pixels.observe(observations, rows)

    def apply_camera_faults(self, frames: Frames, rows: IntArray) -> Frames:
        """Return images with camera faults applied; the given array is not changed.

        Call it with the first images after :meth:`begin`, which no fault changes, and then after every :meth:`observe`:
        some faults show earlier images. In worlds with pixel observations those two methods call it.

        Args:
            frames: (len(rows), H, W, 3) bytes; image k belongs to ``rows[k]``.
            rows: Indices of the rows that were started or stepped.
        """
        return self._camera.apply(frames, rows)

    def camera_images(self, rows: IntArray) -> Frames:
        """Return the latest camera images of a world with pixel observations, faults applied.

        Returns:
            (len(rows), H, W, 3) bytes.
        """
        if self._pixels is None:
            raise UnsupportedEnvironment(f"{self.environment.name} has no pixel observations.")
        return self._pixels.camera_images(rows)

    def events(self, row: int) -> tuple[Event, ...]:
        """Return the events of the current episode of a row."""
        return self._table.events(row)
