"""The study kind of diagnosis studies."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from offnominal.kinds.diagnosis import execution
from offnominal.kinds.diagnosis.cell import DIAGNOSIS, DiagnosisCell
from offnominal.kinds.diagnosis.data import open_episodes
from offnominal.kinds.diagnosis.study import DiagnosisStudy
from offnominal.kinds.faults.kind import FaultStudyKind
from offnominal.studies.cell_result import CellResult
from offnominal.studies.code import Sources
from offnominal.studies.kind import Rows, StudyKind
from offnominal.studies.results import RunResults


class DiagnosisKind(StudyKind[DiagnosisStudy, DiagnosisCell]):
    """Each cell fits one detector in one world and evaluates its explanations of faulty episodes."""

    id = DIAGNOSIS
    study_class = DiagnosisStudy
    cell_class = DiagnosisCell
    code_targets = (*FaultStudyKind.code_targets, *execution.CODE_TARGETS)
    leaderboard_columns: ClassVar[tuple[str, ...]] = (
        "detector",
        "sensor found",
        "actuator found",
        "onset found",
        "onset in interval",
        "kind of fault",
        "false onset",
    )

    def prepare(self, cell: DiagnosisCell, *, workers: int = 1) -> str:
        """Simulate the episodes of a cell, and return their hash."""
        return open_episodes(cell).content_hash()

    def code_of(self, cell: DiagnosisCell, sources: Sources) -> str:
        """Return a hash of the code of the detector and of the evaluation."""
        return execution.code_of(cell, sources)

    def run(self, cell: DiagnosisCell, *, sources: Sources | None = None) -> CellResult:
        """Fit the detector of a cell, and evaluate its explanations."""
        return execution.run_cell(cell, sources=sources)

    def report(self, results: RunResults, folder: Path) -> Path:
        """Write page, tables and figure of a run; return the page."""
        from offnominal.kinds.diagnosis.report import write_diagnosis_report

        return write_diagnosis_report(results, folder)

    def leaderboard(self, results: RunResults) -> Rows:
        """Return one row per detector, most faulty channels found first."""
        from offnominal.kinds.diagnosis.tables import DiagnosisResults, detector_table

        return detector_table(DiagnosisResults.of(results.table)).rows

    def uses_gpu(self, cell: DiagnosisCell, sources: Sources) -> bool:
        """Whether the detector of a cell trains a network, as far as its source code tells."""
        return FaultStudyKind().uses_gpu(cell, sources)
