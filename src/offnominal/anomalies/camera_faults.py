"""Faults of cameras: changes of images."""

from __future__ import annotations

from collections import defaultdict, deque

import numpy as np

from offnominal.anomalies.anomaly import CameraAnomaly
from offnominal.anomalies.fault_table import FaultTable
from offnominal.anomalies.history import history_length
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Frame, Frames, IntArray


class CameraFaults:
    """Applies the camera faults of every row to images.

    Args:
        table: The faults of every row.
        keep_history: Whether to keep recent images, for faults that are added during an episode.

    Attributes:
        rows: Rows that have camera faults.
        keep_history: As given.
        history_length: Largest number of images of a row that are kept; it depends on their size.
    """

    def __init__(self, table: FaultTable, *, keep_history: bool = False) -> None:
        self._table = table
        self.keep_history = keep_history
        self.history_length = 0
        self._recent: defaultdict[int, deque[tuple[int, Frame]]] = defaultdict(deque)
        self.follow_table()

    def follow_table(self) -> None:
        """Take over a change of the table."""
        slots = {
            r: [(j, fault.kind) for j, fault in enumerate(row) if isinstance(fault.kind, CameraAnomaly)]
            for r, row in enumerate(self._table.faults)
        }
        self._slots = {r: faults for r, faults in slots.items() if faults}
        self.rows = tuple(self._slots)

    def restart(self, rows: IntArray) -> None:
        """Forget the images of earlier episodes of some rows."""
        if self._recent:
            for r in rows.tolist():
                self._recent.pop(r, None)

    def recall(self, r: int, j: int) -> None:
        """Give the recent images to a camera fault that was added as fault j of row r."""
        for slot, anomaly in self._slots.get(r, ()):
            if slot == j:
                for step, frame in self._recent[r]:
                    context = self._table.context(r, j, step)
                    anomaly.observe(frame, float(self._table.slots[r, j]["parameter"]), context)

    def apply(self, frames: Frames, rows: IntArray) -> Frames:
        """Return images with the faults of their rows applied; the given array is not changed.

        Args:
            frames: (len(rows), H, W, 3) bytes; image k belongs to ``rows[k]``.
            rows: Indices of the rows that were started or stepped.
        """
        if not self._slots:
            if self.keep_history:
                self.keep(frames, rows)
            return frames
        if frames.dtype != np.uint8 or frames.shape != (len(rows), *frames.shape[1:3], 3):
            raise InvalidParameter(
                f"the images are {frames.dtype} of shape {frames.shape}; expected uint8 of ({len(rows)}, H, W, 3)."
            )
        faulty = frames.copy()
        for k, r in enumerate(rows.tolist()):
            for j, anomaly in self._slots.get(r, ()):
                self._apply(anomaly, faulty[k], r, j)
        if self.keep_history:
            self.keep(faulty, rows)
        return faulty

    def keep(self, frames: Frames, rows: IntArray) -> None:
        """Keep images, faults applied, for faults that are added later; arguments as for :meth:`apply`."""
        kept = frames.copy()
        kept.flags.writeable = False
        self.history_length = history_length(len(self._table.faults) * frames[0].nbytes)
        for k, r in enumerate(rows.tolist()):
            recent = self._recent[r]
            recent.append((int(self._table.ticks[r]) - 1, kept[k]))
            if len(recent) > self.history_length:
                recent.popleft()

    def _apply(self, anomaly: CameraAnomaly, frame: Frame, r: int, j: int) -> None:
        table = self._table
        given = frame.view()
        given.flags.writeable = False
        context = table.context(r, j, int(table.ticks[r]) - 1)
        if not table.on[r, j] or context.step < 0:
            anomaly.observe(given, float(table.slots[r, j]["parameter"]), context)
            return
        changed = anomaly.perturb(given, float(table.applied[r, j]), context)
        if not isinstance(changed, np.ndarray) or changed.dtype != np.uint8 or changed.shape != frame.shape:
            raise InvalidParameter(
                f"{anomaly.id} returned {getattr(changed, 'dtype', type(changed).__name__)} of shape "
                f"{np.shape(changed)}; `perturb` must return an image like the given one, uint8 of shape "
                f"{frame.shape}."
            )
        frame[...] = changed
