"""The study kinds of the paper: searches of detector parameters on tables and on image sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from offnominal.datasets.image_sets import ImageSet
from offnominal.datasets.tables import Table
from offnominal.papers.comparison import image_search, table_search
from offnominal.papers.comparison.cells import ImageCell, SearchCell
from offnominal.papers.comparison.studies import ImageStudy, SearchStudy
from offnominal.studies.cell_result import CellRows
from offnominal.studies.code import Sources
from offnominal.studies.execution import code_of
from offnominal.studies.kind import C, Rows, S, StudyKind
from offnominal.studies.resource_meter import ResourceMeter
from offnominal.studies.results import RunResults


def beside(results: RunResults) -> tuple[str, ...]:
    """Return the studies whose results are shown beside those of a run."""
    return tuple(results.manifest.get("config", {}).get("beside", ()))


class SearchKind(StudyKind[S, C]):
    """Report and leaderboard of a search, on tables or on images."""

    leaderboard_columns: ClassVar[tuple[str, ...]] = ("method", "name", "mean rank", "AUC", "TPR@5")

    def report(self, results: RunResults, folder: Path) -> Path:
        """Write page, tables and figures of a run; return the page."""
        if beside(results):
            from offnominal.papers.comparison.beside_others import write_beside_report

            return write_beside_report(results, folder)
        from offnominal.papers.comparison.report import write_comparison_report

        return write_comparison_report(results, folder)

    def leaderboard(self, results: RunResults) -> Rows:
        """Return one row per method, best mean rank first."""
        if beside(results):
            from offnominal.papers.comparison.beside_others import BesideOthers

            return BesideOthers.of(results).leaderboard()
        from offnominal.papers.comparison.comparison_results import ComparisonResults
        from offnominal.papers.comparison.report import method_leaderboard

        return method_leaderboard(ComparisonResults.of(results.table))


class TableSearchKind(SearchKind[SearchStudy, SearchCell]):
    """Each cell fits many configurations of one method on one split of one table."""

    id = "search"
    study_class = SearchStudy
    cell_class = SearchCell
    code_targets = table_search.CODE_TARGETS

    def open_data(self, cell: SearchCell, *, workers: int = 1) -> Table:
        """Return the table of a cell, downloaded if it is missing."""
        return table_search.open_table(cell.table, cell.drop_identifiers)

    def data_hash(self, cell: SearchCell, data: Table) -> str:
        """Return the hash of the table."""
        return table_search.data_hash(data)

    def code_details(self, cell: SearchCell, sources: Sources) -> list[Any]:
        """Return the code and the search space of the method."""
        return [table_search.method_code(cell, sources)]

    def run(self, cell: SearchCell, data: Table, meter: ResourceMeter, *, sources: Sources) -> CellRows:
        """Fit and evaluate all configurations of a cell."""
        return table_search.run_search(cell, data, meter, code=code_of(cell, sources))


class ImageSearchKind(SearchKind[ImageStudy, ImageCell]):
    """Each cell fits many configurations of one method, or of several that share networks, on one class of images."""

    id = "image-search"
    study_class = ImageStudy
    cell_class = ImageCell
    code_targets = image_search.CODE_TARGETS

    def open_data(self, cell: ImageCell, *, workers: int = 1) -> ImageSet:
        """Return the image set of a cell, downloaded if it is missing."""
        return image_search.open_images(cell.images)

    def data_hash(self, cell: ImageCell, data: ImageSet) -> str:
        """Return the hash of the image set."""
        return image_search.data_hash(data)

    def code_details(self, cell: ImageCell, sources: Sources) -> list[Any]:
        """Return the code and the search space of the methods."""
        return image_search.method_code(cell, sources)

    def run(self, cell: ImageCell, data: ImageSet, meter: ResourceMeter, *, sources: Sources) -> CellRows:
        """Fit and evaluate all configurations of a cell."""
        return image_search.run_search(cell, data, meter, code=code_of(cell, sources))
