"""The faults of every row of a batch: schedule, parameters in force, and the record of what was injected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from offnominal.anomalies.anomaly import FaultContext
from offnominal.anomalies.environment_info import EnvironmentInfo
from offnominal.anomalies.fault import Fault
from offnominal.anomalies.kernel import (
    ACTION,
    CAMERA,
    DYNAMICS,
    OBSERVATION,
    SLOT,
    advance,
    count_transitions,
    restart,
    switch_off,
)
from offnominal.anomalies.resolve import ResolvedFault, resolve
from offnominal.core.episode import Event
from offnominal.core.errors import InvalidSchedule
from offnominal.core.streams import Stream
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray, KeyArray
from offnominal.worlds.world_card import PhysicsParameter

TARGETS = {"observation": OBSERVATION, "action": ACTION, "dynamics": DYNAMICS, "camera": CAMERA}


class FaultTable:
    """The faults of every row, resolved for one environment, and their state in the current episodes.

    Scheduled faults belong to every episode of their row. A fault that is added during an episode belongs to that
    episode alone.

    Args:
        faults: One tuple of faults per row.
        environment: The environment; every fault is checked against it.

    Attributes:
        faults: One tuple of faults per row.
        slots: (n, faults) of SLOT: the faults as the compiled kernel reads them.
        applied: (n, faults): parameters in force.
        on: (n, faults): which faults act.
        active: (n,): whether a fault acts in the row.
        ticks: (n,): index of the next transition.
        keys: (n,): anomaly streams of the current episodes.
        physics_parameters: Physics parameters that any fault changes.
    """

    def __init__(self, faults: Sequence[tuple[Fault, ...]], environment: EnvironmentInfo) -> None:
        self.faults = [tuple(row) for row in faults]
        n, width = len(self.faults), max((len(row) for row in self.faults), default=0)
        self._environment = environment
        distinct = {id(fault): fault for row in self.faults for fault in row}
        found = {key: resolve(fault, environment) for key, fault in distinct.items()}
        self._resolved = [[found[id(fault)] for fault in row] for row in self.faults]
        self._scheduled = list(self.faults)
        self._changed_rows: set[int] = set()
        self._stopped: dict[tuple[int, int], int] = {}
        changed = [fault.physics_parameter for fault in found.values() if fault.physics_parameter]
        self.physics_parameters: list[PhysicsParameter] = list({each.name: each for each in changed}.values())
        self.slots = np.zeros((n, width), SLOT)
        self._onset_range = np.zeros((n, width, 2), np.int64)
        self._behind: IntArray = np.zeros((n, width), np.int64)
        for r, row in enumerate(self._resolved):
            for j, resolved in enumerate(row):
                self._fill(r, j, resolved)
        self._neutral = self.slots["neutral"].copy()
        self.applied: FloatArray = self._neutral.copy()
        self.on: BoolArray = np.zeros((n, width), np.bool_)
        self.active: BoolArray = np.zeros(n, np.bool_)
        self.ticks: IntArray = np.zeros(n, np.int64)
        self.keys: KeyArray = np.zeros(n, np.uint64)
        self._memory: dict[tuple[int, int], dict[str, Any]] = {}

    def _fill(self, r: int, j: int, resolved: ResolvedFault) -> None:
        slot, parameter = self.slots[r, j], resolved.physics_parameter
        slot["target"] = TARGETS[resolved.fault.kind.target]
        slot["code"] = resolved.code
        slot["option"] = resolved.option
        slot["parameter"] = resolved.parameter
        slot["neutral"] = resolved.neutral
        slot["level"] = 1.0
        slot["physics_parameter"] = self.physics_parameters.index(parameter) if parameter else -1
        slot["multiplies"] = parameter is not None and parameter.combine == "multiply"
        schedule = resolved.fault.resolved_schedule
        if schedule.after is not None and not j:
            raise InvalidSchedule(
                f"{resolved.fault.id} has after={schedule.after}, but it is the first fault; only later ones follow it."
            )
        schedule.fill(slot, resolved.first)
        self._onset_range[r, j] = resolved.first, resolved.last
        self._behind[r, j] = 0 if schedule.after is None else schedule.after + 1

    def affects(self, target: str) -> bool:
        """Return whether any fault acts on a target."""
        return bool((self.slots["target"] == TARGETS[target]).any())

    def channels(self, r: int, j: int) -> tuple[int, ...]:
        """Return the channels of fault j of row r."""
        return self._resolved[r][j].channels

    def resolve_now(self, r: int, fault: Fault) -> ResolvedFault:
        """Return a fault of row r whose onset is the next transition; its own onset is replaced."""
        schedule = replace(fault.resolved_schedule, onset=int(self.ticks[r]), after=None)
        return resolve(replace(fault, schedule=schedule), self._environment)

    def add(self, r: int, resolved: ResolvedFault) -> int:
        """Add a fault to the current episode of row r and return its index."""
        j, parameter = len(self.faults[r]), resolved.physics_parameter
        self.faults[r] += (resolved.fault,)
        self._resolved[r].append(resolved)
        self._changed_rows.add(r)
        if parameter is not None and parameter.name not in (each.name for each in self.physics_parameters):
            self.physics_parameters.append(parameter)
        self._set_width(max(j + 1, self.slots.shape[1]))
        self._fill(r, j, resolved)
        self._neutral[r, j] = self.applied[r, j] = resolved.neutral
        return j

    def stop(self, r: int, j: int) -> None:
        """End fault j of row r before the next transition, without recovery; one that has ended is left alone."""
        onset, step = int(self.slots[r, j]["onset"]), int(self.ticks[r])
        end = self._end(r, j)
        if end is not None and end <= step:
            return
        self._changed_rows.add(r)
        self._stopped[r, j] = max(onset, step)
        self.slots[r, j]["duration"] = self._stopped[r, j] - onset
        self.slots[r, j]["recovery"] = 0

    def has_begun(self, r: int, j: int) -> bool:
        """Return whether the onset of fault j of row r is not after the next transition."""
        return bool(self.slots[r, j]["onset"] <= self.ticks[r])

    def restore_schedule(self, rows: IntArray) -> bool:
        """Drop what was started or stopped in the last episodes of some rows; return whether there was anything."""
        if not self._changed_rows:
            return False
        changed = self._changed_rows.intersection(rows.tolist())
        for r in changed:
            scheduled = len(self._scheduled[r])
            self.faults[r], self._resolved[r] = self._scheduled[r], self._resolved[r][:scheduled]
            self.slots[r] = np.zeros((), SLOT)
            self._onset_range[r] = 0
            self._behind[r] = 0
            for j, resolved in enumerate(self._resolved[r]):
                self._fill(r, j, resolved)
            self._neutral[r] = self.applied[r] = self.slots[r]["neutral"]
        if changed:
            self._changed_rows -= changed
            self._stopped = {slot: end for slot, end in self._stopped.items() if slot[0] not in changed}
            self._set_width(max(map(len, self.faults)))
        return bool(changed)

    def _set_width(self, width: int) -> None:
        if width != self.slots.shape[1]:
            self.slots = with_width(self.slots, width)
            self._onset_range = with_width(self._onset_range, width)
            self._behind = with_width(self._behind, width)
            self._neutral = with_width(self._neutral, width)
            self.applied = with_width(self.applied, width)
            self.on = with_width(self.on, width)

    def _end(self, r: int, j: int) -> int | None:
        """Return the first transition after fault j of row r, or None if it does not end."""
        onset = int(self.slots[r, j]["onset"])
        return self._stopped.get((r, j), self.faults[r][j].resolved_schedule.end(onset))

    def release(self, rows: IntArray) -> None:
        """Switch every fault of some rows off."""
        switch_off(rows, self._neutral, self.applied, self.on, self.active)

    def restart(
        self, rows: IntArray, seeds: IntArray, episodes: IntArray, observed: FloatArray, acted: FloatArray
    ) -> None:
        """Start new episodes, as :meth:`.Injection.begin`: draw the onsets and clear the memory of every fault."""
        ranges, behind = self._onset_range, self._behind
        restart(rows, seeds, episodes, self.keys, self.ticks, ranges, behind, self.slots, observed, acted)
        if self._memory:
            restarted = set(rows.tolist())
            self._memory = {slot: kept for slot, kept in self._memory.items() if slot[0] not in restarted}

    def advance(self, rows: IntArray) -> None:
        """Begin a transition of some rows: set the parameters in force and the labels."""
        advance(rows, self.slots, self.keys, self.ticks, self.applied, self.on, self.active)

    def end_transition(self, rows: IntArray) -> None:
        """End a transition of some rows."""
        count_transitions(rows, self.ticks)

    def context(self, r: int, j: int, step: int) -> FaultContext:
        """Return the context in which fault j of row r acts."""
        return FaultContext(
            step=step,
            since=step - int(self.slots[r, j]["onset"]),
            lane=j,
            stream=Stream(self.keys[r]),
            memory=self._memory.setdefault((r, j), {}),
        )

    def events(self, row: int) -> tuple[Event, ...]:
        """Return the events of the current episode of a row."""
        events = []
        for j, resolved in enumerate(self._resolved[row]):
            onset = int(self.slots[row, j]["onset"])
            events.append(Event(resolved.fault.id, resolved.parameter, onset, self._end(row, j), resolved.channels))
        return tuple(events)


def with_width(array: Array, width: int) -> Array:
    """Return an array (n, faults, ...) for another number of faults; new entries are zero."""
    resized = np.zeros((len(array), width, *array.shape[2:]), array.dtype)
    kept = min(width, array.shape[1])
    resized[:, :kept] = array[:, :kept]
    return resized
