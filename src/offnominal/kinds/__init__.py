"""Kinds of studies, a folder each: their cells, how a cell is computed, and the report of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from offnominal.core.lazy_imports import lazy_attributes

if TYPE_CHECKING:
    from offnominal.kinds.diagnosis.cell import DiagnosisCell
    from offnominal.kinds.diagnosis.study import DiagnosisStudy
    from offnominal.kinds.faults.cell import AlarmEntry, Cell, DataEntry
    from offnominal.kinds.faults.execution import run_cell
    from offnominal.kinds.faults.fault_entry import FaultEntry
    from offnominal.kinds.faults.study import Scale, Study
    from offnominal.kinds.transfer.cell import TransferCell, TransferFault
    from offnominal.kinds.transfer.study import TransferStudy

_NAMES = {
    "diagnosis.cell": ("DiagnosisCell",),
    "diagnosis.study": ("DiagnosisStudy",),
    "faults.cell": ("AlarmEntry", "Cell", "DataEntry"),
    "faults.execution": ("run_cell",),
    "faults.fault_entry": ("FaultEntry",),
    "faults.study": ("Scale", "Study"),
    "transfer.cell": ("TransferCell", "TransferFault"),
    "transfer.study": ("TransferStudy",),
}

__all__ = [
    "AlarmEntry",
    "Cell",
    "DataEntry",
    "DiagnosisCell",
    "DiagnosisStudy",
    "FaultEntry",
    "Scale",
    "Study",
    "TransferCell",
    "TransferFault",
    "TransferStudy",
    "run_cell",
]

__getattr__, __dir__ = lazy_attributes(__name__, _NAMES)
