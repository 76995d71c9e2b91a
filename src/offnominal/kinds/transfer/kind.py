"""The study kind of transfer studies."""

from __future__ import annotations

from pathlib import Path

from offnominal.datasets.dataset import Dataset
from offnominal.kinds.faults.cell_run import used_objects
from offnominal.kinds.faults.foreign_code import recorded_objects
from offnominal.kinds.faults.kind import FaultStudyKind
from offnominal.kinds.transfer.cell import TRANSFER, TransferCell
from offnominal.kinds.transfer.cell_run import run_transfer
from offnominal.kinds.transfer.data import datasets_hash, open_datasets
from offnominal.kinds.transfer.study import TransferStudy
from offnominal.studies.cell_result import CellRows
from offnominal.studies.code import Sources
from offnominal.studies.code_version import Used
from offnominal.studies.kind import Rows, StudyKind
from offnominal.studies.resource_meter import ResourceMeter
from offnominal.studies.results import RunResults


class TransferKind(StudyKind[TransferStudy, TransferCell]):
    """Each cell fits one detector in one world and evaluates it on the faults of every tested world."""

    id = TRANSFER
    study_class = TransferStudy
    cell_class = TransferCell
    code_targets = (*FaultStudyKind.code_targets, "offnominal.kinds.transfer.cell_run:TransferEvaluation")

    def open_data(self, cell: TransferCell, *, workers: int = 1) -> dict[str, Dataset]:
        """Return the dataset of each world, generated on first use."""
        return open_datasets(cell, workers)

    def data_hash(self, cell: TransferCell, data: dict[str, Dataset]) -> str:
        """Return the hash of the episodes of all worlds."""
        return datasets_hash(data)

    def used(self, cell: TransferCell) -> list[Used]:
        """Return the detector, the alarms, the worlds and the anomalies."""
        faults = recorded_objects(cell.world, (fault.anomaly for fault in cell.faults))
        return [*used_objects(cell, cell.worlds), *faults]

    def run(self, cell: TransferCell, data: dict[str, Dataset], meter: ResourceMeter, *, sources: Sources) -> CellRows:
        """Fit the detector of a cell in its training world, then score and evaluate it in every tested world."""
        return run_transfer(cell, data, meter)

    def report(self, results: RunResults, folder: Path) -> Path:
        """Write page, tables and figure of a run; return the page."""
        from offnominal.kinds.transfer.report import write_transfer_report

        return write_transfer_report(results, folder)

    def leaderboard(self, results: RunResults) -> Rows:
        """Return one row per detector, best transfer first."""
        from offnominal.kinds.transfer.results import TransferResults
        from offnominal.kinds.transfer.tables import auroc_table

        return auroc_table(TransferResults.of(results.table)).rows

    def uses_gpu(self, cell: TransferCell) -> bool:
        """Whether the detector of a cell trains a network, as far as its source code tells."""
        return FaultStudyKind().uses_gpu(cell)
