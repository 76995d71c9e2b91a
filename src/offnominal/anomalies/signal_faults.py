"""Faults of one signal: the observation or the action."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from offnominal.anomalies.anomaly import SignalAnomaly
from offnominal.anomalies.fault_table import TARGETS, FaultTable
from offnominal.anomalies.kernel import perturb_rows, store
from offnominal.anomalies.signals import DELAY
from offnominal.core.types import Array, FloatArray, IntArray


class SignalFaults:
    """Applies the faults of one signal to a batch of vectors.

    Args:
        table: The faults of every row.
        target: The signal.
        channels: Number of channels of the signal.

    Attributes:
        memory: (n, faults, channels): state of correlated noise.
    """

    def __init__(self, table: FaultTable, target: Literal["observation", "action"], channels: int) -> None:
        self._table = table
        self._target = target
        n, width = table.slots.shape
        self._masks = np.zeros((n, width, channels), np.bool_)
        self._custom: list[tuple[int, int, SignalAnomaly]] = []
        for r, row in enumerate(table.faults):
            for j, fault in enumerate(row):
                if isinstance(fault.kind, SignalAnomaly) and fault.kind.target == target:
                    self._masks[r, j, list(table.channels(r, j))] = True
                    if fault.kind.code == 0:
                        self._custom.append((r, j, fault.kind))
        self.memory: FloatArray = np.zeros((n, width, channels))
        self._history = np.zeros((n, width, self._history_depth(), channels))
        self._any = table.affects(target)

    def _history_depth(self) -> int:
        slots = self._table.slots
        delays = slots[(slots["target"] == TARGETS[self._target]) & (slots["code"] == DELAY)]
        return int(delays["parameter"].max()) + 1 if delays.size else 0

    def apply(self, clean: Array, rows: IntArray) -> Array:
        """Return the signal with the faults of some rows applied; the given array is not changed.

        Args:
            clean: (n, ...): the signal of every row.
            rows: Indices of the rows that are stepped.
        """
        if not self._any:
            return clean
        signal = clean.reshape(clean.shape[0], -1).astype(np.float64)
        width = self._table.slots.shape[1]
        if not self._custom:
            self._apply_built_in(0, width, rows, signal)
        else:
            stepped = set(rows.tolist())
            for j in range(width):
                self._apply_built_in(j, j + 1, rows, signal)
                self._apply_custom(j, stepped, signal)
        return _as_type(signal.reshape(clean.shape), clean.dtype)

    def _apply_built_in(self, first: int, last: int, rows: IntArray, signal: FloatArray) -> None:
        table = self._table
        perturb_rows(
            TARGETS[self._target],
            first,
            last,
            rows,
            table.slots,
            table.keys,
            table.ticks,
            table.applied,
            table.on,
            self._masks,
            self.memory,
            self._history,
            signal,
        )

    def _apply_custom(self, fault: int, rows: set[int], signal: FloatArray) -> None:
        table = self._table
        for r, j, anomaly in self._custom:
            if j != fault or r not in rows or not table.on[r, j]:
                continue
            context = table.context(r, j, int(table.ticks[r]))
            changed = anomaly.perturb(signal[r].copy(), float(table.applied[r, j]), context)
            signal[r] = np.where(self._masks[r, j], changed, signal[r])


def _as_type(signal: FloatArray, dtype: np.dtype[Any]) -> Array:
    """Return the signal in its original type; integers are rounded and clipped to the range of the type."""
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        low, high = signal <= limits.min, signal >= limits.max
        whole = np.where(low | high | np.isnan(signal), 0.0, np.rint(signal)).astype(dtype)
        whole[low], whole[high] = limits.min, limits.max
        return whole
    stored = np.empty(signal.shape, dtype)
    store(signal.reshape(len(signal), -1), stored.reshape(len(signal), -1))
    return stored
