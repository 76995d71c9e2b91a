"""The study kind of diagnosis studies."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from offnominal.kinds.diagnosis.cell import DIAGNOSIS, DiagnosisCell
from offnominal.kinds.diagnosis.cell_run import run_diagnosis
from offnominal.kinds.diagnosis.data import DiagnosisEpisodes, open_episodes
from offnominal.kinds.diagnosis.study import DiagnosisStudy
from offnominal.kinds.faults.kind import CellKind, FaultStudyKind
from offnominal.studies.cell_result import CellRows
from offnominal.studies.code import Sources
from offnominal.studies.kind import Rows
from offnominal.studies.resource_meter import ResourceMeter
from offnominal.studies.results import RunResults


class DiagnosisKind(CellKind[DiagnosisStudy, DiagnosisCell]):
    """Each cell fits one detector in one world and evaluates its explanations of faulty episodes."""

    id = DIAGNOSIS
    study_class = DiagnosisStudy
    cell_class = DiagnosisCell
    code_targets = (*FaultStudyKind.code_targets, "offnominal.kinds.diagnosis.cell_run:evaluate_diagnosis")
    leaderboard_columns: ClassVar[tuple[str, ...]] = (
        "detector",
        "sensor found",
        "actuator found",
        "onset found",
        "onset in interval",
        "kind of fault",
        "false onset",
    )

    def open_data(self, cell: DiagnosisCell, *, workers: int = 1) -> DiagnosisEpisodes:
        """Simulate the episodes of a cell."""
        return open_episodes(cell)

    def data_hash(self, cell: DiagnosisCell, data: DiagnosisEpisodes) -> str:
        """Return the hash of the episodes."""
        return data.content_hash()

    def run(self, cell: DiagnosisCell, data: DiagnosisEpisodes, meter: ResourceMeter, *, sources: Sources) -> CellRows:
        """Fit the detector of a cell, and evaluate its explanations."""
        return run_diagnosis(cell, data, meter)

    def report(self, results: RunResults, folder: Path) -> Path:
        """Write page, tables and figure of a run; return the page."""
        from offnominal.kinds.diagnosis.report import write_diagnosis_report

        return write_diagnosis_report(results, folder)

    def leaderboard(self, results: RunResults) -> Rows:
        """Return one row per detector, most faulty channels found first."""
        from offnominal.kinds.diagnosis.tables import DiagnosisResults, detector_table

        return detector_table(DiagnosisResults.of(results.table)).rows
