"""Faults of one signal: the observation or the action."""

from __future__ import annotations

from collections import deque
from typing import Any, Literal

import numpy as np

from offnominal.anomalies.anomaly import SignalAnomaly
from offnominal.anomalies.fault_table import TARGETS, FaultTable, with_width
from offnominal.anomalies.history import history_length
from offnominal.anomalies.kernel import perturb_rows, store
from offnominal.anomalies.signals import DELAY
from offnominal.core.types import Array, FloatArray, IntArray


class SignalFaults:
    """Applies the faults of one signal to a batch of vectors.

    Args:
        table: The faults of every row.
        target: The signal.
        channels: Number of channels of the signal.
        keep_history: Whether to keep recent signals, for faults that are added during an episode.

    Attributes:
        memory: (n, faults, channels): state of correlated noise.
        recent: The latest signals of every row, faults applied; its length is limited.
    """

    def __init__(
        self,
        table: FaultTable,
        target: Literal["observation", "action"],
        channels: int,
        *,
        keep_history: bool = False,
    ) -> None:
        self._table = table
        self._target = target
        n, width = table.slots.shape
        self.memory: FloatArray = np.zeros((n, width, channels))
        self._delayed = np.zeros((n, width, self._depth(), channels))
        self.recent: deque[Array] = deque(maxlen=history_length(8 * n * channels) if keep_history and channels else 0)
        self._describe()

    def _describe(self) -> None:
        table, channels = self._table, self.memory.shape[2]
        self._masks = np.zeros((*table.slots.shape, channels), np.bool_)
        self._custom: list[tuple[int, int, SignalAnomaly]] = []
        for r, row in enumerate(table.faults):
            for j, fault in enumerate(row):
                if isinstance(fault.kind, SignalAnomaly) and fault.kind.target == self._target:
                    self._masks[r, j, list(table.channels(r, j))] = True
                    if fault.kind.code == 0:
                        self._custom.append((r, j, fault.kind))
        self._any = table.affects(self._target)

    def _depth(self) -> int:
        """Return the number of signals that the longest delay needs."""
        slots = self._table.slots
        delays = slots[(slots["target"] == TARGETS[self._target]) & (slots["code"] == DELAY)]
        return int(delays["parameter"].max()) + 1 if delays.size else 0

    def follow_table(self) -> None:
        """Take over a change of the table; the state of faults that stay is kept."""
        width = self._table.slots.shape[1]
        self.memory = with_width(self.memory, width)
        delayed = with_width(self._delayed, width)
        old, new = delayed.shape[2], max(delayed.shape[2], self._depth())
        self._delayed = np.zeros((*delayed.shape[:2], new, delayed.shape[3]))
        for r, ticks in enumerate(self._table.ticks):
            earlier = np.arange(max(ticks - old, 0), ticks)
            self._delayed[r][:, earlier % max(new, 1)] = delayed[r][:, earlier % max(old, 1)]
        self._describe()

    def recall(self, r: int, j: int) -> None:
        """Give the recent signals to a delay that was added as fault j of row r."""
        slot, depth, ticks = self._table.slots[r, j], self._delayed.shape[2], int(self._table.ticks[r])
        if slot["target"] == TARGETS[self._target] and slot["code"] == DELAY:
            for k in range(1, min(depth, ticks, len(self.recent)) + 1):
                self._delayed[r, j, (ticks - k) % depth] = self.recent[-k][r]

    def apply(self, clean: Array, rows: IntArray) -> Array:
        """Return the signal with the faults of some rows applied; the given array is not changed.

        Args:
            clean: (n, ...): the signal of every row.
            rows: Indices of the rows that are stepped.
        """
        if not self._any:
            if self.recent.maxlen:
                self.recent.append(clean.reshape(clean.shape[0], -1).copy())
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
        self.recent.append(signal)
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
            self._delayed,
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
