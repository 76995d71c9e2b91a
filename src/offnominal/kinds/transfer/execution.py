"""Run a cell of a transfer study: fit in one world, score and evaluate in each."""

from __future__ import annotations

from collections.abc import Mapping

from offnominal.datasets.dataset import Dataset
from offnominal.evaluation.evaluation_rows import evaluation_rows
from offnominal.kinds.faults.execution import build_alarm, build_detector
from offnominal.kinds.transfer.cell import TransferCell
from offnominal.kinds.transfer.evaluation import TransferEvaluation
from offnominal.studies.cell_result import CellRows
from offnominal.studies.resource_meter import ResourceMeter

RECALIBRATED = " (recalibrated)"
"""End of the name of an alarm that is calibrated in the tested world."""


def run_transfer(cell: TransferCell, data: Mapping[str, Dataset], meter: ResourceMeter) -> CellRows:
    """Fit the detector of a cell in its training world, then score and evaluate it in every tested world."""
    evaluation = TransferEvaluation(
        build_detector(cell),
        {entry.name: build_alarm(entry) for entry in cell.alarms},
        {entry.name + RECALIBRATED: build_alarm(entry) for entry in cell.alarms},
        replicates=cell.replicates,
        meter=meter,
    )
    evaluation.fit(data[cell.world], seed=cell.seed)
    found = {world: evaluation.evaluate(data[world], recalibrate=world != cell.world) for world in cell.test_worlds}
    meter.steps = evaluation.steps
    # The tested world replaces the training world of the cell, which has a column of its own.
    return CellRows([{"world": world} | row for world, each in found.items() for row in evaluation_rows(each.reports)])
