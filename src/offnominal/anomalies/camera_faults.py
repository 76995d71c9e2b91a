"""Faults of cameras: changes of images."""

from __future__ import annotations

import numpy as np

from offnominal.anomalies.anomaly import CameraAnomaly
from offnominal.anomalies.fault_table import FaultTable
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Frame, Frames, IntArray


class CameraFaults:
    """Applies the camera faults of every row to images.

    Args:
        table: The faults of every row.

    Attributes:
        rows: Rows that have camera faults.
    """

    def __init__(self, table: FaultTable) -> None:
        self._table = table
        slots = {
            r: [(j, fault.kind) for j, fault in enumerate(row) if isinstance(fault.kind, CameraAnomaly)]
            for r, row in enumerate(table.faults)
        }
        self._slots = {r: faults for r, faults in slots.items() if faults}
        self.rows = tuple(self._slots)

    def apply(self, frames: Frames, rows: IntArray) -> Frames:
        """Return images with the faults of their rows applied; the given array is not changed.

        Args:
            frames: (len(rows), H, W, 3) bytes; image k belongs to ``rows[k]``.
            rows: Indices of the rows that were started or stepped.
        """
        if not self._slots:
            return frames
        if frames.dtype != np.uint8 or frames.shape != (len(rows), *frames.shape[1:3], 3):
            raise InvalidParameter(
                f"the images are {frames.dtype} of shape {frames.shape}; expected uint8 of ({len(rows)}, H, W, 3)."
            )
        faulty = frames.copy()
        for k, r in enumerate(rows.tolist()):
            for j, anomaly in self._slots.get(r, ()):
                self._apply(anomaly, faulty[k], r, j)
        return faulty

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
