"""Tables and figures of papers, made from our results and written into the folder of their run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from offnominal.core.errors import InvalidParameter
from offnominal.core.files import write_text
from offnominal.core.plot_style import pyplot
from offnominal.papers.catalogue import figures_of, tables_of
from offnominal.papers.paper import FigureData, PublishedFigure, PublishedTable
from offnominal.papers.reproduction import Item
from offnominal.papers.shipped_results import ShippedRun
from offnominal.reports.escape import markdown_text
from offnominal.reports.published_comparison import comparison_markdown, comparison_rows
from offnominal.reports.report import write_report
from offnominal.reports.save_figures import save_figures
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults
from offnominal.studies.runs import STORE


class ReproducedTable(NamedTuple):
    """A table of a paper, compared with our results.

    Args:
        table: The table.
        lines: Its values and ours.
        file: The written comparison; None without results.
        scales: Scales of the runs with our values, the most powerful one first.
        shipped: Runs of values that travel with the package; none if there are own results.
    """

    table: PublishedTable
    lines: Sequence[PublishedComparison]
    file: Path | None
    scales: tuple[str, ...] = ()
    shipped: tuple[ShippedRun, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        table = self.table
        reason = {"not_computed": table.not_computed} if table.not_computed else {}
        sources = {"scales": list(self.scales), "shipped": [run.to_dict() for run in self.shipped]}
        return {"table": table.number, "title": table.title, **reason, **sources, "rows": comparison_rows(self.lines)}


class ReproducedFigure(NamedTuple):
    """A figure of a paper, drawn from our results.

    Args:
        figure: The figure.
        file: The image; None without results that it can be drawn from.
        shipped: Runs of the data, if they travel with the package; none if there are own results.
    """

    figure: PublishedFigure
    file: Path | None
    shipped: tuple[ShippedRun, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        file = None if self.file is None else str(self.file)
        shipped = [run.to_dict() for run in self.shipped]
        return {"figure": self.figure.number, "title": self.figure.title, "file": file, "shipped": shipped}


def chosen_items(
    paper: str, tables: Sequence[str], figures: Sequence[str], *, images: bool, as_published: bool
) -> list[Item]:
    """Return tables and figures of a paper; all tables if neither is chosen.

    Args:
        paper: Short name of the paper.
        tables: Numbers of tables.
        figures: Numbers of figures.
        images: Whether to return the part of the tables about image detectors.
        as_published: Whether tables have the errors of the public code.

    Raises:
        InvalidParameter: No table differs with the errors of the public code.
    """
    drawn = figures_of(paper, figures, images=images)
    found = tables_of(paper, tables or None, images=images) if tables or not figures else []
    if as_published:
        if not any(each.has_published_form for each in found):
            raise InvalidParameter("--as-published changes nothing in these tables and figures; leave it out.")
        found = [each.as_published() for each in found]
    return [*found, *drawn]


def reproduced(item: Item, results: RunResults) -> ReproducedTable | ReproducedFigure:
    """Return a table or a figure made from results; if there are any, it is written into the folder of their run."""
    if isinstance(item, PublishedTable):
        return _reproduced_table(item, results)
    if not item.study:
        return of_no_run(item, STORE.parent / "figures")
    data = item.data(results) if results.cells else None
    if data is None:
        return ReproducedFigure(item, None)
    folder = results.folder or Path()
    write_report(results, folder)
    file = folder / "figures" / f"{item.file}.png"
    return ReproducedFigure(item, file if file.exists() else draw_data(item, data, file))


def of_no_run(figure: PublishedFigure, folder: Path) -> ReproducedFigure:
    """Return a figure that needs no run, drawn into a folder."""
    data = figure.data(RunResults.none())
    return ReproducedFigure(figure, None if data is None else draw_data(figure, data, folder / f"{figure.file}.png"))


def draw_data(figure: PublishedFigure, data: FigureData, file: Path, mark: str = "") -> Path:
    """Draw a figure as PNG and SVG, and return the PNG.

    Args:
        figure: The figure.
        data: Its data.
        file: The PNG.
        mark: Where the data come from, in a line above the figure.
    """

    def draw(plt: Any) -> Any:
        drawn = figure.draw(plt, data)
        if mark:
            drawn.text(0.0, 1.02, mark, fontsize=7.5, va="bottom")
        return drawn

    file.parent.mkdir(parents=True, exist_ok=True)
    save_figures(pyplot(), {file.stem: draw}, file.parent)
    return file


def _reproduced_table(table: PublishedTable, results: RunResults) -> ReproducedTable:
    lines, scales = table.lines(results), (results.scale,) if results.cells else ()
    return ReproducedTable(table, lines, written(table, lines, results) if results.cells else None, scales)


def written(table: PublishedTable, lines: Sequence[PublishedComparison], results: RunResults) -> Path | None:
    """Write a comparison into the folder of a run, and return its file; None if the run has no folder.

    Args:
        table: The table.
        lines: Its values and ours.
        results: Results of the run.
    """
    if results.folder is None:
        return None
    file = results.folder / f"table-{table.number}.md"
    write_text(file, f"# {markdown_text(table.heading)}\n\n{comparison_markdown(lines)}\n")
    return file
