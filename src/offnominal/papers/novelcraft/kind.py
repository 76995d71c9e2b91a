"""The study kind of novelty: frames, episodes and categories of a NovelCraft set."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from offnominal.papers.novelcraft import execution
from offnominal.papers.novelcraft.cell import NOVELTY, NoveltyCell
from offnominal.papers.novelcraft.study import NoveltyStudy
from offnominal.papers.novelcraft.task_result import SCHEMA
from offnominal.studies.cell_result import CellResult
from offnominal.studies.code import Sources
from offnominal.studies.kind import Rows, StudyKind
from offnominal.studies.results import RunResults


class NoveltyKind(StudyKind[NoveltyStudy, NoveltyCell]):
    """Each cell evaluates one method on novel frames, on novel episodes, or on novel categories."""

    id = NOVELTY
    study_class = NoveltyStudy
    cell_class = NoveltyCell
    code_targets = (*execution.TASKS.values(), *execution.SCORING)
    example_schema = SCHEMA
    leaderboard_columns: ClassVar[tuple[str, ...]] = ("task", "rank", "method", "variant", "AUROC or accuracy")

    def prepare(self, cell: NoveltyCell, *, workers: int = 1) -> str:
        """Record the set of a cell if it is missing, and return its hash."""
        return execution.prepare(cell, workers=workers)

    def code_of(self, cell: NoveltyCell, sources: Sources) -> str:
        """Return a hash of the code of the detectors and of the evaluation."""
        return execution.code_of(cell, sources)

    def run(self, cell: NoveltyCell, *, sources: Sources | None = None) -> CellResult:
        """Fit, score and evaluate the method of a cell."""
        return execution.run_cell(cell, sources=sources)

    def uses_gpu(self, cell: NoveltyCell, sources: Sources) -> bool:
        """Whether a detector of a cell has a network."""
        return execution.uses_gpu(cell)

    def report(self, results: RunResults, folder: Path) -> Path:
        """Write page, tables and figures of a run; return the page."""
        from offnominal.papers.novelcraft.report import write_novelty_report

        return write_novelty_report(results, folder)

    def leaderboard(self, results: RunResults) -> Rows:
        """Return one row per method, task by task and best first."""
        from offnominal.papers.novelcraft.results import NoveltyResults
        from offnominal.papers.novelcraft.tables import leaderboard_rows

        return leaderboard_rows(NoveltyResults.of(results.table))
