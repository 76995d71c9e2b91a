"""Run a cell of a diagnosis study."""

from __future__ import annotations

from offnominal.kinds.diagnosis.cell import DiagnosisCell
from offnominal.kinds.diagnosis.data import DiagnosisEpisodes
from offnominal.kinds.diagnosis.evaluation import evaluate_diagnosis
from offnominal.kinds.faults.execution import build_detector
from offnominal.studies.cell_result import CellRows
from offnominal.studies.resource_meter import ResourceMeter


def run_diagnosis(cell: DiagnosisCell, data: DiagnosisEpisodes, meter: ResourceMeter) -> CellRows:
    """Fit the detector of a cell, and evaluate its explanations; see :meth:`offnominal.studies.StudyKind.run`."""
    rows = evaluate_diagnosis(
        build_detector(cell),
        data.train,
        data.validation,
        data.test,
        data.faulty,
        seed=cell.seed,
        replicates=cell.replicates,
        meter=meter,
    )
    meter.steps = sum(len(episode) for part in (data.validation, data.test, *data.faulty.values()) for episode in part)
    return CellRows(rows)
