"""The faults of every row of a batch: schedule, parameters in force, and the record of what was injected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from offnominal.anomalies.anomaly import FaultContext
from offnominal.anomalies.environment_info import EnvironmentInfo
from offnominal.anomalies.fault import Fault
from offnominal.anomalies.kernel import ACTION, CAMERA, DYNAMICS, OBSERVATION, SLOT, advance, restart
from offnominal.anomalies.resolve import ResolvedFault, resolve
from offnominal.core.episode import Event
from offnominal.core.streams import Stream
from offnominal.core.types import BoolArray, FloatArray, IntArray, KeyArray
from offnominal.worlds.world_card import PhysicsParameter

TARGETS = {"observation": OBSERVATION, "action": ACTION, "dynamics": DYNAMICS, "camera": CAMERA}


class FaultTable:
    """The faults of every row, resolved for one environment, and their state in the current episodes.

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
        self._resolved: dict[int, ResolvedFault] = {}
        for row in self.faults:
            for fault in row:
                if id(fault) not in self._resolved:
                    self._resolved[id(fault)] = resolve(fault, environment)
        changed = [fault.physics_parameter for fault in self._resolved.values() if fault.physics_parameter]
        self.physics_parameters: list[PhysicsParameter] = list({each.name: each for each in changed}.values())
        self.slots = np.zeros((n, width), SLOT)
        self._onset_range = np.zeros((n, width, 2), np.int64)
        for r, row in enumerate(self.faults):
            for j, fault in enumerate(row):
                self._fill(r, j, self._resolved[id(fault)])
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
        resolved.fault.resolved_schedule.fill(slot, resolved.first)
        self._onset_range[r, j] = resolved.first, resolved.last

    def affects(self, target: str) -> bool:
        """Return whether any fault acts on a target."""
        return bool((self.slots["target"] == TARGETS[target]).any())

    def channels(self, r: int, j: int) -> tuple[int, ...]:
        """Return the channels of fault j of row r."""
        return self._resolved[id(self.faults[r][j])].channels

    def release(self, rows: IntArray) -> None:
        """Switch every fault of some rows off."""
        self.applied[rows] = self._neutral[rows]
        self.on[rows] = False
        self.active[rows] = False

    def restart(
        self, rows: IntArray, seeds: IntArray, episodes: IntArray, observed: FloatArray, acted: FloatArray
    ) -> None:
        """Start new episodes in some rows: draw the onsets and clear the memory of every fault.

        Args:
            rows: Indices of the rows.
            seeds: Root seed of each row.
            episodes: Number of earlier episodes with that seed.
            observed: Memory of the signal faults of the observation.
            acted: Memory of the signal faults of the action.
        """
        restart(rows, seeds, episodes, self.keys, self.ticks, self._onset_range, self.slots, observed, acted)
        if self._memory:
            restarted = set(rows.tolist())
            self._memory = {slot: kept for slot, kept in self._memory.items() if slot[0] not in restarted}

    def advance(self, rows: IntArray) -> None:
        """Begin a transition of some rows: set the parameters in force and the labels."""
        advance(rows, self.slots, self.keys, self.ticks, self.applied, self.on, self.active)

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
        for j, fault in enumerate(self.faults[row]):
            resolved = self._resolved[id(fault)]
            onset = int(self.slots[row, j]["onset"])
            end = fault.resolved_schedule.end(onset)
            events.append(Event(fault.id, resolved.parameter, onset, end, resolved.channels))
        return tuple(events)
