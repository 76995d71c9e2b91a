"""The study kind of driving scenes: scene detectors on content and temporal anomalies."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from offnominal.papers.anovox import execution
from offnominal.papers.anovox.cell import SCENES, SceneCell
from offnominal.papers.anovox.example_sheet import SCHEMA
from offnominal.papers.anovox.study import SceneStudy
from offnominal.studies.cell_result import CellResult
from offnominal.studies.code import Sources
from offnominal.studies.kind import Rows, StudyKind
from offnominal.studies.results import RunResults


class SceneKind(StudyKind[SceneStudy, SceneCell]):
    """Each cell fits one detector to normal scenes and evaluates it on content and temporal anomalies."""

    id = SCENES
    study_class = SceneStudy
    cell_class = SceneCell
    code_targets = execution.CODE_TARGETS
    example_schema = SCHEMA
    leaderboard_columns: ClassVar[tuple[str, ...]] = ("rank", "detector", "content AUROC", "temporal AUROC", "delay")

    def prepare(self, cell: SceneCell, *, workers: int = 1) -> str:
        """Record the scenes of a cell that are missing, and return their hash."""
        return execution.prepare(cell, workers=workers)

    def code_of(self, cell: SceneCell, sources: Sources) -> str:
        """Return a hash of the code of the detector, of its parts and of the evaluation."""
        return execution.code_of(cell, sources)

    def run(self, cell: SceneCell, *, sources: Sources | None = None) -> CellResult:
        """Fit, score and evaluate the detector of a cell."""
        return execution.run_cell(cell, sources=sources)

    def uses_gpu(self, cell: SceneCell, sources: Sources) -> bool:
        """Whether the detector of a cell has a network."""
        return execution.uses_gpu(cell)

    def report(self, results: RunResults, folder: Path) -> Path:
        """Write page, tables and figure of a run; return the page."""
        from offnominal.papers.anovox.report import write_scene_report

        return write_scene_report(results, folder)

    def leaderboard(self, results: RunResults) -> Rows:
        """Return one row per detector, best on content anomalies first."""
        from offnominal.papers.anovox.results import SceneResults
        from offnominal.papers.anovox.tables import leaderboard_rows

        return leaderboard_rows(SceneResults.of(results.table))
