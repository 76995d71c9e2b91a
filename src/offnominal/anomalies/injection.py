"""Injection: applies the faults of every row of a batch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from offnominal.anomalies.camera_faults import CameraFaults
from offnominal.anomalies.camera_observations import CameraObservations
from offnominal.anomalies.environment_info import AdjustablePhysics, EnvironmentInfo
from offnominal.anomalies.fault import Fault
from offnominal.anomalies.fault_table import FaultTable
from offnominal.anomalies.kernel import combine_physics_parameters
from offnominal.anomalies.resolve import ResolvedFault
from offnominal.anomalies.signal_faults import SignalFaults
from offnominal.core.checks import integer_in, require_integers, require_shape
from offnominal.core.episode import Event
from offnominal.core.errors import InvalidParameter, UnsupportedEnvironment
from offnominal.core.indices import require_indices
from offnominal.core.types import Array, BoolArray, FloatArray, Frames, IntArray


class Injection:
    """The faults of every row of a batch.

    The constructor checks every fault. Each row has its own faults; a row without faults costs nothing and is never
    changed. The order of calls is: :meth:`release`, reset of the environment, :meth:`begin`, and then for each
    transition :meth:`act`, step of the environment, :meth:`observe`. Between transitions, :meth:`start` adds a fault to
    the current episode of a row and :meth:`stop` ends one.

    Args:
        faults: One tuple of faults per row: those of every episode.
        environment: The environment.
        keep_history: Whether to keep recent signals and images, which delays that :meth:`start` starts need.
    """

    def __init__(
        self, faults: Sequence[tuple[Fault, ...]], environment: EnvironmentInfo, *, keep_history: bool = False
    ) -> None:
        self.environment = environment
        self.keeps_history = keep_history
        table = self._table = FaultTable(faults, environment)
        self._rows_shape = (len(table.faults),)
        widths = len(environment.observation), len(environment.action)
        self._observation = SignalFaults(table, "observation", widths[0], keep_history=keep_history)
        self._action = SignalFaults(table, "action", widths[1], keep_history=keep_history)
        self._physics = PhysicsFaults(table, environment.physics)
        self._camera = CameraFaults(table, keep_history=keep_history)
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
    def uses_images(self) -> bool:
        """Whether images are changed or kept, so that :meth:`apply_camera_faults` must be called."""
        return bool(self._camera.rows) or self.keeps_history

    def release(self, rows: IntArray) -> None:
        """Switch every fault of some rows off and restore the physics, before the environment resets."""
        require_indices("rows", rows, len(self.faults))
        self._table.release(rows)
        self._physics.update(rows)

    def begin(self, rows: IntArray, seeds: IntArray, episodes: IntArray) -> None:
        """Start new episodes in some rows: restore schedules, draw onsets, clear all memory, restore the physics.

        Args:
            rows: Indices of the rows.
            seeds: Root seed of each row.
            episodes: Number of earlier episodes with that seed.
        """
        self.release(rows)
        require_integers("seeds", seeds, len(rows))
        require_integers("episodes", episodes, len(rows))
        if self._table.restore_schedule(rows):
            self._follow_table()
        self._camera.restart(rows)
        self._table.restart(rows, seeds, episodes, self._observation.memory, self._action.memory)
        if self._pixels is not None:
            self._pixels.start(rows)

    def start(self, row: int, fault: Fault) -> int:
        """Add a fault to the current episode of a row; it acts from the next transition on.

        Its onset is replaced. All else is as if it had been scheduled with that onset after the other faults of the
        row: the rest of its schedule, its random numbers, its event and its labels.

        Args:
            row: Index of the row.
            fault: The fault.

        Returns:
            Index of the fault in the row.

        Raises:
            InvalidParameter: The fault needs more recent signals or images than were kept.
        """
        resolved = self._table.resolve_now(row, fault)
        self._check_history(resolved)
        index = self._table.add(row, resolved)
        self._follow_table()
        for faults in (self._observation, self._action, self._camera):
            faults.recall(row, index)
        return index

    def stop(self, row: int, index: int | None = None) -> None:
        """End a fault of a row before its next transition, at once and for the rest of the episode.

        Args:
            row: Index of the row.
            index: Index of the fault; None for all that have begun. One that has not begun will not act; one that has
                ended is left alone.
        """
        count = len(self.faults[integer_in("row", row, 0, len(self.faults) - 1)])
        if index is None:
            stopped = [j for j in range(count) if self._table.has_begun(row, j)]
        elif 0 <= index < count:
            stopped = [index]
        else:
            raise InvalidParameter(f"there is no fault {index}; the episode has {count}, numbered from 0.")
        for j in stopped:
            self._table.stop(row, j)

    def _check_history(self, resolved: ResolvedFault) -> None:
        target, needed = resolved.fault.kind.target, resolved.fault.kind.lookback(resolved.parameter)
        signals = {"observation": self._observation, "action": self._action}
        kept = signals[target].recent.maxlen if target in signals else self._camera.history_length
        if needed > (kept or 0):
            raise InvalidParameter(
                f"{resolved.fault.id} with parameter {resolved.parameter:g} needs the last {needed} transitions, and "
                f"{kept or 'none'} are kept. "
                + (f"Choose at most {kept}, or schedule it." if kept else "Make the environment with faults=().")
            )

    def _follow_table(self) -> None:
        for faults in (self._observation, self._action, self._physics, self._camera):
            faults.follow_table()
        if self._pixels is not None:
            self._pixels.follow_faults()

    def _require(self, name: str, values: Array, rows: IntArray) -> None:
        """Raise an error unless there is a value for every row, and rows are indices."""
        if values.shape[:1] != self._rows_shape:
            require_shape(name, values, len(self.faults), "...")
        require_indices("rows", rows, self._rows_shape[0])

    def act(self, actions: Array, rows: IntArray) -> Array:
        """Begin a transition: set the physics and return the actions with faults applied.

        Args:
            actions: (n, ...): commanded actions; not changed.
            rows: Indices of the rows that are stepped.
        """
        self._require("actions", actions, rows)
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
        self._require("observations", observations, rows)
        observations = self._observation.apply(observations, rows)
        self._table.end_transition(rows)
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


class PhysicsFaults:
    """Sets the physics parameters of every row to the values that its faults give.

    Args:
        table: The faults of every row.
        physics: Physics of the environment; None if no fault changes it.
    """

    def __init__(self, table: FaultTable, physics: AdjustablePhysics | None) -> None:
        self._table = table
        self._physics = physics
        self._values: FloatArray = np.zeros((len(table.faults), 0))
        self.follow_table()

    def follow_table(self) -> None:
        """Take over new physics parameters of the table; the others keep their values."""
        added = [parameter.neutral for parameter in self._table.physics_parameters[self._values.shape[1] :]]
        self._values = np.hstack([self._values, np.tile(added, (len(self._values), 1))])
        self._changed = np.zeros(self._values.shape, np.bool_)

    def update(self, rows: IntArray) -> None:
        """Set every physics parameter of some rows whose value has changed."""
        table = self._table
        if not table.physics_parameters:
            return
        if combine_physics_parameters(rows, table.slots, table.applied, table.on, self._values, self._changed):
            assert self._physics is not None
            for k, parameter in enumerate(table.physics_parameters):
                changed = rows[self._changed[rows, k]]
                if changed.size:
                    self._physics.set_physics_parameter(parameter.name, changed, self._values[changed, k])
