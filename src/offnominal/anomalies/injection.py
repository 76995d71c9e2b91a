"""The injection: which faults act in which row of a batch, and what they have done so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from offnominal.anomalies.anomaly import CameraAnomaly, FaultContext, SignalAnomaly
from offnominal.anomalies.camera_observations import CameraObservations
from offnominal.anomalies.environment_info import AdjustablePhysics, EnvironmentInfo
from offnominal.anomalies.fault import Fault
from offnominal.anomalies.kernel import (
    ACTION,
    CAMERA,
    DYNAMICS,
    OBSERVATION,
    SLOT,
    advance,
    combine_physics_parameters,
    perturb_rows,
    restart,
    store,
)
from offnominal.anomalies.resolve import ResolvedFault, resolve
from offnominal.anomalies.signals import DELAY
from offnominal.core.episode import Event
from offnominal.core.errors import InvalidParameter, UnsupportedEnvironment
from offnominal.core.streams import Stream
from offnominal.core.types import Array, BoolArray, FloatArray, Frame, Frames, IntArray, KeyArray

__all__ = ["AdjustablePhysics", "EnvironmentInfo", "Injection"]

_TARGETS = {"observation": OBSERVATION, "action": ACTION, "dynamics": DYNAMICS, "camera": CAMERA}


class Injection:
    """The faults of every row of a batch.

    Everything is checked here, before anything runs. Each row has its own faults; rows without any cost nothing and
    are never touched.

    Args:
        faults: One tuple of faults per row.
        environment: The environment.
    """

    def __init__(self, faults: Sequence[tuple[Fault, ...]], environment: EnvironmentInfo) -> None:
        self.environment = environment
        self.faults = [tuple(row) for row in faults]
        n, width = len(self.faults), max((len(row) for row in self.faults), default=0)
        self._resolved: dict[int, ResolvedFault] = {}
        for row in self.faults:
            for fault in row:
                if id(fault) not in self._resolved:
                    self._resolved[id(fault)] = resolve(fault, environment)
        self._physics_parameters = list(
            {
                each.physics_parameter.name: each.physics_parameter
                for each in self._resolved.values()
                if each.physics_parameter
            }.values()
        )
        self._slots = np.zeros((n, width), SLOT)
        channels = {"observation": len(environment.observation), "action": len(environment.action)}
        self._masks = {target: np.zeros((n, width, count), np.bool_) for target, count in channels.items()}
        self._onset_range = np.zeros((n, width, 2), np.int64)
        for r, row in enumerate(self.faults):
            for j, fault in enumerate(row):
                self._fill(r, j, self._resolved[id(fault)])
        self._neutral = self._slots["neutral"].copy()
        self.applied: FloatArray = self._neutral.copy()
        self.on: BoolArray = np.zeros((n, width), np.bool_)
        self.active: BoolArray = np.zeros(n, np.bool_)
        self.ticks: IntArray = np.zeros(n, np.int64)
        self._keys: KeyArray = np.zeros(n, np.uint64)
        self._memory = {target: np.zeros((n, width, count)) for target, count in channels.items()}
        self._history = {
            target: np.zeros((n, width, self._history_depth(target), count)) for target, count in channels.items()
        }
        self._custom = {target: self._custom_slots(target) for target in ("observation", "action")}
        self._cameras = self._camera_slots()
        self._camera_observations = (
            None if environment.camera_world is None else CameraObservations(environment.camera_world, self._cameras)
        )
        self._scratch: dict[tuple[int, int], dict[str, Any]] = {}
        self._positions = np.tile(
            np.array([physics_parameter.neutral for physics_parameter in self._physics_parameters]), (n, 1)
        )
        self._moved = np.zeros(self._positions.shape, np.bool_)
        self._affects = {target: bool((self._slots["target"] == code).any()) for target, code in _TARGETS.items()}

    def _fill(self, r: int, j: int, resolved: ResolvedFault) -> None:
        slot = self._slots[r, j]
        slot["target"] = _TARGETS[resolved.fault.kind.target]
        slot["code"] = resolved.code
        slot["option"] = resolved.option
        slot["parameter"] = resolved.parameter
        slot["neutral"] = resolved.neutral
        slot["level"] = 1.0
        slot["physics_parameter"] = (
            self._physics_parameters.index(resolved.physics_parameter) if resolved.physics_parameter else -1
        )
        slot["multiplies"] = resolved.physics_parameter is not None and resolved.physics_parameter.combine == "multiply"
        resolved.fault.resolved_schedule.fill(slot, resolved.first)
        if resolved.channels:
            self._masks[resolved.fault.kind.target][r, j, list(resolved.channels)] = True
        self._onset_range[r, j] = resolved.first, resolved.last

    def _history_depth(self, target: str) -> int:
        delays = self._slots[(self._slots["target"] == _TARGETS[target]) & (self._slots["code"] == DELAY)]
        return int(delays["parameter"].max()) + 1 if delays.size else 0

    def _custom_slots(self, target: str) -> list[tuple[int, int, SignalAnomaly]]:
        return [
            (r, j, fault.kind)
            for r, row in enumerate(self.faults)
            for j, fault in enumerate(row)
            if isinstance(fault.kind, SignalAnomaly) and fault.kind.code == 0 and fault.kind.target == target
        ]

    def _camera_slots(self) -> dict[int, list[tuple[int, CameraAnomaly]]]:
        slots = {
            r: [(j, fault.kind) for j, fault in enumerate(row) if isinstance(fault.kind, CameraAnomaly)]
            for r, row in enumerate(self.faults)
        }
        return {r: cameras for r, cameras in slots.items() if cameras}

    @property
    def affects_observation(self) -> bool:
        """Whether any fault acts on the observation's numbers."""
        return self._affects["observation"]

    @property
    def affects_camera(self) -> bool:
        """Whether any fault acts on pictures."""
        return self._affects["camera"]

    @property
    def affects_physics(self) -> bool:
        """Whether any fault acts on the physics."""
        return bool(self._physics_parameters)

    def release(self, rows: IntArray) -> None:
        """Switch every fault of some rows off and put every physics parameter back, before the environment resets."""
        self.applied[rows] = self._neutral[rows]
        self.on[rows] = False
        self.active[rows] = False
        self._update_physics(rows)

    def begin(self, rows: IntArray, seeds: IntArray, episodes: IntArray) -> None:
        """Start new episodes in some rows: draw onsets, forget everything, put every physics parameter back."""
        self.release(rows)
        restart(
            rows,
            seeds,
            episodes,
            self._keys,
            self.ticks,
            self._onset_range,
            self._slots,
            self._memory["observation"],
            self._memory["action"],
        )
        if self._scratch:
            gone = set(rows.tolist())
            self._scratch = {place: kept for place, kept in self._scratch.items() if place[0] not in gone}
        if self._camera_observations is not None:
            self._camera_observations.start(rows, self.apply_camera_faults)

    def act(self, actions: Array, rows: IntArray) -> Array:
        """Begin a transition: set the physics parameters and return the actions as the faults pass them on.

        Args:
            actions: (n, ...) commanded actions; not changed.
            rows: The rows that are stepped.
        """
        advance(rows, self._slots, self._keys, self.ticks, self.applied, self.on, self.active)
        self._update_physics(rows)
        if not self._affects["action"]:
            return actions
        return self._perturb("action", actions, rows)

    def observe(self, observations: Array, rows: IntArray) -> Array:
        """End a transition: return the observations as the faults pass them on.

        Where agents see through the world's cameras, faults of these have acted too.

        Args:
            observations: (n, ...) true observations; not changed.
            rows: The rows that were stepped.
        """
        if self._affects["observation"]:
            observations = self._perturb("observation", observations, rows)
        self.ticks[rows] += 1
        return (
            observations
            if self._camera_observations is None
            else self._camera_observations.observe(observations, rows, self.apply_camera_faults)
        )

    def _perturb(self, target: str, clean: Array, rows: IntArray) -> Array:
        signal = clean.reshape(clean.shape[0], -1).astype(np.float64)
        width = self._slots.shape[1]
        if not self._custom[target]:
            self._perturb_built_in(target, 0, width, rows, signal)
        else:
            stepped = set(rows.tolist())
            for j in range(width):
                self._perturb_built_in(target, j, j + 1, rows, signal)
                self._perturb_custom(target, j, stepped, signal)
        return _as_type(signal.reshape(clean.shape), clean.dtype)

    def _perturb_built_in(self, target: str, first: int, last: int, rows: IntArray, signal: FloatArray) -> None:
        perturb_rows(
            _TARGETS[target],
            first,
            last,
            rows,
            self._slots,
            self._keys,
            self.ticks,
            self.applied,
            self.on,
            self._masks[target],
            self._memory[target],
            self._history[target],
            signal,
        )

    def _perturb_custom(self, target: str, fault: int, rows: set[int], signal: FloatArray) -> None:
        for r, j, anomaly in self._custom[target]:
            if j != fault or r not in rows or not self.on[r, j]:
                continue
            context = self._context(r, j, int(self.ticks[r]))
            changed = anomaly.perturb(signal[r].copy(), float(self.applied[r, j]), context)
            signal[r] = np.where(self._masks[target][r, j], changed, signal[r])

    def _context(self, r: int, j: int, step: int) -> FaultContext:
        return FaultContext(
            step=step,
            since=step - int(self._slots[r, j]["onset"]),
            lane=j,
            stream=Stream(self._keys[r]),
            memory=self._scratch.setdefault((r, j), {}),
        )

    def apply_camera_faults(self, frames: Frames, rows: IntArray) -> Frames:
        """Return the pictures as the faults of the cameras pass them on.

        To be called with the first pictures after :meth:`begin`, which no fault touches, and then after every
        :meth:`observe`: a camera that hangs shows what it was given before. Where agents see through the world's
        cameras those two call it themselves.

        Args:
            frames: (len(rows), H, W, 3) bytes; picture k belongs to ``rows[k]``. Not changed.
            rows: The rows that were started or stepped.
        """
        if not self.affects_camera:
            return frames
        if frames.dtype != np.uint8 or frames.shape != (len(rows), *frames.shape[1:3], 3):
            raise InvalidParameter(
                f"the pictures are {frames.dtype} of shape {frames.shape}; expected uint8 of ({len(rows)}, H, W, 3)."
            )
        seen = frames.copy()
        for k, r in enumerate(rows.tolist()):
            for j, camera in self._cameras.get(r, ()):
                self._apply_camera_fault(camera, seen[k], r, j)
        return seen

    def camera_images(self, rows: IntArray) -> Frames:
        """Return what the cameras of a world that `pixel_observations` showed latest, (len(rows), H, W, 3) bytes."""
        if self._camera_observations is None:
            raise UnsupportedEnvironment(f"{self.environment.name} has no cameras through which agents see.")
        return self._camera_observations.camera_images(rows)

    def _apply_camera_fault(self, camera: CameraAnomaly, frame: Frame, r: int, j: int) -> None:
        """Let fault j of row r see a picture, and change it in place if it is on."""
        given = frame.view()
        given.flags.writeable = False
        context = self._context(r, j, int(self.ticks[r]) - 1)
        if not self.on[r, j] or context.step < 0:
            camera.observe(given, float(self._slots[r, j]["parameter"]), context)
            return
        shown = camera.perturb(given, float(self.applied[r, j]), context)
        if not isinstance(shown, np.ndarray) or shown.dtype != np.uint8 or shown.shape != frame.shape:
            raise InvalidParameter(
                f"{camera.id} returned {getattr(shown, 'dtype', type(shown).__name__)} of shape {np.shape(shown)}; "
                f"`perturb` must return a picture like the one it was given, uint8 of shape {frame.shape}."
            )
        frame[...] = shown

    def _update_physics(self, rows: IntArray) -> None:
        """Set every physics parameter that moved to what the faults of each row add up to."""
        if self._physics_parameters and combine_physics_parameters(
            rows, self._slots, self.applied, self.on, self._positions, self._moved
        ):
            assert self.environment.physics is not None
            for k, physics_parameter in enumerate(self._physics_parameters):
                turned = rows[self._moved[rows, k]]
                if turned.size:
                    self.environment.physics.set_physics_parameter(
                        physics_parameter.name, turned, self._positions[turned, k]
                    )

    def events(self, row: int) -> tuple[Event, ...]:
        """Return what is injected into the current episode of a row."""
        listed = []
        for j, fault in enumerate(self.faults[row]):
            resolved = self._resolved[id(fault)]
            onset = int(self._slots[row, j]["onset"])
            listed.append(
                Event(fault.id, resolved.parameter, onset, fault.resolved_schedule.end(onset), resolved.channels)
            )
        return tuple(listed)


def _as_type(signal: FloatArray, dtype: np.dtype[Any]) -> Array:
    """Return the signal in the type it came in; whole numbers are rounded and kept within their range."""
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        low, high = signal <= limits.min, signal >= limits.max
        whole = np.where(low | high | np.isnan(signal), 0.0, np.rint(signal)).astype(dtype)
        whole[low], whole[high] = limits.min, limits.max
        return whole
    stored = np.empty(signal.shape, dtype)
    store(signal.reshape(len(signal), -1), stored.reshape(len(signal), -1))
    return stored
