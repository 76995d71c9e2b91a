"""The study kind of the paper: policies with uncertainty estimates in modified environments."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from offnominal.papers.ood_rl import execution
from offnominal.papers.ood_rl.cell import OODCell
from offnominal.papers.ood_rl.series import SCHEMA
from offnominal.papers.ood_rl.study import OODStudy
from offnominal.studies.cell_result import CellResult
from offnominal.studies.code import Sources
from offnominal.studies.kind import Rows, StudyKind
from offnominal.studies.results import RunResults


class OODKind(StudyKind[OODStudy, OODCell]):
    """Each cell runs one agent in all modified versions of its world and scores its episodes with some detectors."""

    id = "ood-rl"
    study_class = OODStudy
    cell_class = OODCell
    code_targets = execution.CODE_TARGETS
    example_schema = SCHEMA
    leaderboard_columns: ClassVar[tuple[str, ...]] = ("world", "method", "AUC", "equal length", "episode means")

    def prepare(self, cell: OODCell, *, workers: int = 1) -> str:
        """Train the agent of a cell if it is missing, and return the hash of its weights."""
        return execution.prepare(cell)

    def code_of(self, cell: OODCell, sources: Sources) -> str:
        """Return a hash of the code of world, faults, detectors and evaluation."""
        return execution.code_of(cell, sources)

    def run(self, cell: OODCell, *, sources: Sources | None = None) -> CellResult:
        """Run the agent of a cell in every setting and evaluate the detectors."""
        return execution.run_cell(cell, sources=sources)

    def report(self, results: RunResults, folder: Path) -> Path:
        """Write page, tables and figures of a run; return the page."""
        from offnominal.papers.ood_rl.report import write_ood_report

        return write_ood_report(results, folder)

    def leaderboard(self, results: RunResults) -> Rows:
        """Return one row per world and detector, best first."""
        from offnominal.papers.ood_rl.report_tables import detection_leaderboard
        from offnominal.papers.ood_rl.results import OODResults

        return detection_leaderboard(OODResults.of(results.table))
