"""The study kind of novelty: frames, episodes and categories of a NovelCraft set."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from offnominal.detectors.catalogue import uses_gpu
from offnominal.papers.novelcraft import cell_run
from offnominal.papers.novelcraft.cell import NOVELTY, NoveltyCell
from offnominal.papers.novelcraft.detector_registries import registry_of
from offnominal.papers.novelcraft.novelty_sets import NoveltySets, open_novelty_sets
from offnominal.papers.novelcraft.study import NoveltyStudy
from offnominal.papers.novelcraft.task_result import SCHEMA
from offnominal.studies.cell_result import CellRows
from offnominal.studies.code import Sources
from offnominal.studies.kind import Rows, StudyKind
from offnominal.studies.resource_meter import ResourceMeter
from offnominal.studies.results import RunResults


class NoveltyKind(StudyKind[NoveltyStudy, NoveltyCell]):
    """Each cell evaluates one method on novel frames, on novel episodes, or on novel categories."""

    id = NOVELTY
    study_class = NoveltyStudy
    cell_class = NoveltyCell
    code_targets = (*cell_run.TASKS.values(), *cell_run.SCORING)
    example_schema = SCHEMA
    leaderboard_columns: ClassVar[tuple[str, ...]] = ("task", "rank", "method", "variant", "AUROC or accuracy")

    def open_data(self, cell: NoveltyCell, *, workers: int = 1) -> NoveltySets:
        """Return the set of a cell, recorded if it is missing."""
        return open_novelty_sets(cell.data, workers=workers)

    def data_hash(self, cell: NoveltyCell, data: NoveltySets) -> str:
        """Return the hash of the set."""
        return data.content_hash

    def code_details(self, cell: NoveltyCell, sources: Sources) -> list[str]:
        """Return the hashes of the detectors."""
        return cell_run.detector_codes(cell, sources)

    def run(self, cell: NoveltyCell, data: NoveltySets, meter: ResourceMeter, *, sources: Sources) -> CellRows:
        """Fit, score and evaluate the method of a cell."""
        return cell_run.run_task(cell, data, meter, sources)

    def uses_gpu(self, cell: NoveltyCell) -> bool:
        """Whether a detector of a cell has a network."""
        return any(uses_gpu(entry.id, entry.parameters, registry_of(entry.id)) for entry in cell.detectors)

    def report(self, results: RunResults, folder: Path) -> Path:
        """Write page, tables and figures of a run; return the page."""
        from offnominal.papers.novelcraft.report import write_novelty_report

        return write_novelty_report(results, folder)

    def leaderboard(self, results: RunResults) -> Rows:
        """Return one row per method, task by task and best first."""
        from offnominal.papers.novelcraft.results import NoveltyResults
        from offnominal.papers.novelcraft.tables import leaderboard_rows

        return leaderboard_rows(NoveltyResults.of(results.table))
