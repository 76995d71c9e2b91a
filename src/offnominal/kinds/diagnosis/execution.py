"""Run a cell of a diagnosis study."""

from __future__ import annotations

from offnominal.kinds.diagnosis.cell import DiagnosisCell
from offnominal.kinds.diagnosis.data import open_episodes
from offnominal.kinds.diagnosis.evaluation import evaluate_diagnosis
from offnominal.kinds.faults import execution
from offnominal.studies.cell_result import CellResult, make_result
from offnominal.studies.code import Sources
from offnominal.studies.execution import single_threaded
from offnominal.studies.resource_meter import ResourceMeter, cell_cost

CODE_TARGETS = ("offnominal.kinds.diagnosis.evaluation:evaluate_diagnosis",)


def run_cell(cell: DiagnosisCell, *, sources: Sources | None = None) -> CellResult:
    """Compute a cell in this process with one thread.

    Args:
        cell: The cell.
        sources: Source code that was read before.
    """
    meter = ResourceMeter()
    code = code_of(cell, sources or Sources())
    with single_threaded():
        data = open_episodes(cell)
        rows = evaluate_diagnosis(
            execution.build_detector(cell),
            data.train,
            data.validation,
            data.test,
            data.faulty,
            seed=cell.seed,
            replicates=cell.replicates,
            meter=meter,
        )
    steps = sum(len(episode) for part in (data.validation, data.test, *data.faulty.values()) for episode in part)
    return make_result(cell, rows, cell_cost(meter, steps), data=data.content_hash(), code=code)


def code_of(cell: DiagnosisCell, sources: Sources) -> str:
    """Return a hash of the versions of the objects that a cell uses."""
    return execution.code_of(cell, sources)
