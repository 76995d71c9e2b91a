"""The study kind of transfer studies."""

from __future__ import annotations

from pathlib import Path

from offnominal.kinds.faults.kind import FaultStudyKind
from offnominal.kinds.transfer import execution
from offnominal.kinds.transfer.cell import TRANSFER, TransferCell
from offnominal.kinds.transfer.study import TransferStudy
from offnominal.studies.cell_result import CellResult
from offnominal.studies.code import Sources
from offnominal.studies.kind import Rows, StudyKind
from offnominal.studies.results import RunResults


class TransferKind(StudyKind[TransferStudy, TransferCell]):
    """Each cell fits one detector in one world and evaluates it on the faults of every tested world."""

    id = TRANSFER
    study_class = TransferStudy
    cell_class = TransferCell
    code_targets = (*FaultStudyKind.code_targets, *execution.CODE_TARGETS)

    def prepare(self, cell: TransferCell, *, workers: int = 1) -> str:
        """Generate the datasets of a cell that are missing, and return their hash."""
        return execution.prepare(cell, workers)

    def code_of(self, cell: TransferCell, sources: Sources) -> str:
        """Return a hash of the code of the detector, of the alarms and of the evaluation."""
        return execution.code_of(cell, sources)

    def run(self, cell: TransferCell, *, sources: Sources | None = None) -> CellResult:
        """Fit the detector of a cell in its training world, then score and evaluate it in every tested world."""
        return execution.run_cell(cell, sources=sources)

    def report(self, results: RunResults, folder: Path) -> Path:
        """Write page, tables and figure of a run; return the page."""
        from offnominal.kinds.transfer.report import write_transfer_report

        return write_transfer_report(results, folder)

    def leaderboard(self, results: RunResults) -> Rows:
        """Return one row per detector, best transfer first."""
        from offnominal.kinds.transfer.results import TransferResults
        from offnominal.kinds.transfer.tables import auroc_table

        return auroc_table(TransferResults.of(results.table)).rows

    def uses_gpu(self, cell: TransferCell, sources: Sources) -> bool:
        """Whether the detector of a cell trains a network, as far as its source code tells."""
        return FaultStudyKind().uses_gpu(cell, sources)
