"""Run a cell of a transfer study: load the data of all worlds, fit in one, score and evaluate in each."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from offnominal.evaluation.detector_evaluation import DetectorEvaluation
from offnominal.kinds.faults import execution
from offnominal.kinds.faults.cell import Cell
from offnominal.kinds.faults.foreign_code import recorded_objects
from offnominal.kinds.transfer.cell import TRAIN_WORLD, TransferCell
from offnominal.kinds.transfer.data import datasets_hash, open_datasets
from offnominal.kinds.transfer.evaluation import TransferEvaluation
from offnominal.studies import example_episodes as examples
from offnominal.studies.cell_result import CellResult, provenance
from offnominal.studies.cells import result_key
from offnominal.studies.code import Sources
from offnominal.studies.code_version import code_version
from offnominal.studies.execution import single_threaded
from offnominal.studies.resource_meter import ResourceMeter, cell_cost
from offnominal.studies.result_rows import result_table

CODE_TARGETS = ("offnominal.kinds.transfer.evaluation:TransferEvaluation",)
RECALIBRATED = " (recalibrated)"
"""End of the name of an alarm that is calibrated in the tested world."""


def run_cell(cell: TransferCell, *, sources: Sources | None = None) -> CellResult:
    """Compute a cell in this process with one thread.

    Args:
        cell: The cell.
        sources: Source code that was read before.
    """
    meter = ResourceMeter()
    code = code_of(cell, sources or Sources())
    evaluation = TransferEvaluation(
        execution.build_detector(cell),
        {entry.name: execution.build_alarm(entry) for entry in cell.alarms},
        {entry.name + RECALIBRATED: execution.build_alarm(entry) for entry in cell.alarms},
        replicates=cell.replicates,
        meter=meter,
    )
    with single_threaded():
        data = open_datasets(cell)
        evaluation.fit(data[cell.world], seed=cell.seed)
        found = {world: evaluation.evaluate(data[world], recalibrate=world != cell.world) for world in cell.test_worlds}
    content = datasets_hash(data)
    key = result_key(cell, data=content, code=code)
    cost = cell_cost(meter, evaluation.steps)
    tables = [_rows(cell, world, key, evaluated, cost) for world, evaluated in found.items()]
    rows = pa.concat_tables(tables, promote_options="default")
    about = provenance(cell, key, data=content, code=code)
    shown = examples.SCHEMA.empty_table().replace_schema_metadata({"key": key})
    return CellResult(cell, key, rows.replace_schema_metadata(about), shown)


def _rows(cell: TransferCell, world: str, key: str, evaluation: DetectorEvaluation, cost: dict[str, float]) -> Any:
    """Return the rows of a tested world, with the training world in a column of its own."""
    tested = Cell(world, cell.name, cell.detector, cell.parameters, cell.seed, cell.policy)
    table = result_table(tested, key, evaluation, cost)
    return table.append_column(TRAIN_WORLD, pa.array([cell.world] * table.num_rows, pa.string()))


def prepare(cell: TransferCell, workers: int = 1) -> str:
    """Generate the datasets of a cell that are missing, and return their hash."""
    return datasets_hash(open_datasets(cell, workers))


def code_of(cell: TransferCell, sources: Sources) -> str:
    """Return a hash of the versions of the objects that a cell uses."""
    used = execution.used_objects(cell, cell.worlds)
    return code_version(sources, [*used, *recorded_objects(cell.world, (fault.anomaly for fault in cell.faults))])
