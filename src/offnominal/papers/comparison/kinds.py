"""The study kinds of the paper: searches of detector parameters on tables and on image sets."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from offnominal.papers.comparison.cells import ImageCell, SearchCell
from offnominal.papers.comparison.search import image_search, table_search
from offnominal.papers.comparison.studies import ImageStudy, SearchStudy
from offnominal.studies.cell_result import CellResult
from offnominal.studies.code import Sources
from offnominal.studies.kind import C, Rows, S, StudyKind
from offnominal.studies.results import RunResults


class SearchKind(StudyKind[S, C]):
    """Report and leaderboard of a search, on tables or on images."""

    leaderboard_columns: ClassVar[tuple[str, ...]] = ("method", "name", "mean rank", "AUC", "TPR@5")

    def report(self, results: RunResults, folder: Path) -> Path:
        """Write page, tables and figures of a run; return the page."""
        from offnominal.papers.comparison.report.write_report import write_comparison_report

        return write_comparison_report(results, folder)

    def leaderboard(self, results: RunResults) -> Rows:
        """Return one row per method, best mean rank first."""
        from offnominal.papers.comparison.report.report_tables import method_leaderboard
        from offnominal.papers.comparison.selection.comparison_results import ComparisonResults

        return method_leaderboard(ComparisonResults.of(results.table))


class TableSearchKind(SearchKind[SearchStudy, SearchCell]):
    """Each cell fits many configurations of one method on one split of one table."""

    id = "search"
    study_class = SearchStudy
    cell_class = SearchCell
    code_targets = table_search.CODE_TARGETS

    def prepare(self, cell: SearchCell, *, workers: int = 1) -> str:
        """Download the table of a cell if it is missing, and return its hash."""
        return table_search.prepare(cell)

    def code_of(self, cell: SearchCell, sources: Sources) -> str:
        """Return a hash of the code of the method, of the search and of the evaluation."""
        return table_search.code_of(cell, sources)

    def run(self, cell: SearchCell, *, sources: Sources | None = None) -> CellResult:
        """Fit and evaluate all configurations of a cell."""
        return table_search.run_cell(cell, sources=sources)


class ImageSearchKind(SearchKind[ImageStudy, ImageCell]):
    """Each cell fits many configurations of one method, or of several that share networks, on one class of images."""

    id = "image-search"
    study_class = ImageStudy
    cell_class = ImageCell
    code_targets = image_search.CODE_TARGETS

    def prepare(self, cell: ImageCell, *, workers: int = 1) -> str:
        """Download the image set of a cell if it is missing, and return its hash."""
        return image_search.prepare(cell)

    def code_of(self, cell: ImageCell, sources: Sources) -> str:
        """Return a hash of the code of the methods, of the search and of the evaluation."""
        return image_search.code_of(cell, sources)

    def run(self, cell: ImageCell, *, sources: Sources | None = None) -> CellResult:
        """Fit and evaluate all configurations of a cell."""
        return image_search.run_cell(cell, sources=sources)
