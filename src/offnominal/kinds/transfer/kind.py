"""The study kind of transfer studies."""

from __future__ import annotations

from pathlib import Path

from offnominal.anomalies.chosen_strengths import choose_strengths
from offnominal.anomalies.strengths import strengths_of
from offnominal.datasets.dataset import Dataset
from offnominal.datasets.recipe import Strengths
from offnominal.kinds.faults.cell_run import used_objects
from offnominal.kinds.faults.data import datasets_hash, inputs_version, kept_open, world_data
from offnominal.kinds.faults.foreign_code import recorded_objects
from offnominal.kinds.faults.kind import CellKind, FaultStudyKind
from offnominal.kinds.transfer.cell import TRANSFER, TransferCell
from offnominal.kinds.transfer.cell_run import run_transfer
from offnominal.kinds.transfer.study import TransferStudy
from offnominal.studies.cell_result import CellRows
from offnominal.studies.code import Sources
from offnominal.studies.code_version import Used
from offnominal.studies.kind import Rows
from offnominal.studies.resource_meter import ResourceMeter
from offnominal.studies.results import RunResults


class TransferKind(CellKind[TransferStudy, TransferCell]):
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
        return run_transfer(cell, "world", cell.test_worlds, data, meter)

    def report(self, results: RunResults, folder: Path) -> Path:
        """Write page, tables and figure of a run; return the page."""
        from offnominal.kinds.transfer.report import write_transfer_report

        return write_transfer_report(results, folder)

    def leaderboard(self, results: RunResults) -> Rows:
        """Return one row per detector, best transfer first."""
        from offnominal.kinds.transfer.results import TransferResults
        from offnominal.kinds.transfer.tables import auroc_table

        return auroc_table(TransferResults.of(results.table)).rows


def open_datasets(cell: TransferCell, workers: int = 1) -> dict[str, Dataset]:
    """Return the dataset of each world, generated on first use; they stay open for cells with the same data."""
    versions = (inputs_version(world, cell.policy, cell.data) for world in cell.worlds)
    identity = " ".join([cell.source, *versions])

    def datasets() -> dict[str, Dataset]:
        strengths = {} if cell.data.faults else chosen_strengths(cell)
        plain = cell.replace(data=cell.data.replace(anomalies=None, levels=None))
        return {
            world: world_data(world, plain, strengths=strengths.get(world), workers=workers) for world in cell.worlds
        }

    return kept_open(identity, datasets)


def chosen_strengths(cell: TransferCell) -> dict[str, Strengths]:
    """Return the fault parameters of each world by anomaly and level; none for worlds that are not tested.

    Anomalies and levels that only some worlds have are left out in the others.

    Raises:
        UnknownName: The data name an anomaly or a level that no world has.
    """
    known = {world: _strengths(cell, world) if world in cell.test_worlds else {} for world in cell.worlds}
    everywhere = [key for table in known.values() for key in table]
    where, data = " or ".join(cell.test_worlds), cell.data
    return {
        world: choose_strengths(table, data.anomalies, data.levels, where=where, known=everywhere)
        for world, table in known.items()
    }


def _strengths(cell: TransferCell, world: str) -> Strengths:
    if not cell.faults:
        return strengths_of(world)
    return {(fault.anomaly, fault.level): fault.parameters[world] for fault in cell.faults if world in fault.parameters}
