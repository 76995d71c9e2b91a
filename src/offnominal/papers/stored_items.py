"""Tables and figures of papers from results that exist: those of a store or, without any, those of the package."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from offnominal.papers.catalogue import paper
from offnominal.papers.paper import FigureData, PublishedFigure, PublishedTable
from offnominal.papers.reproduced_items import (
    ReproducedFigure,
    ReproducedTable,
    draw_data,
    of_no_run,
    reproduced,
    written,
)
from offnominal.papers.reproduction import Reproduction, StudyRun
from offnominal.papers.result_sources import ResultSources, SourcedTable, scales_of
from offnominal.papers.shipped_figures import MARK, shipped_figure
from offnominal.papers.shipped_results import ShippedRun
from offnominal.studies.runs import STORE
from offnominal.studies.stored_runs import StoredRun


def stored_items(
    id: str, found: Sequence[Reproduction], *, scale: str | None = None, store: Path = STORE
) -> tuple[list[ReproducedTable | ReproducedFigure], list[str]]:
    """Return tables and figures with the most powerful results, and remarks on these. Nothing is computed.

    Args:
        id: Short name of the paper.
        found: Tables and figures with their runs.
        scale: Only results at this scale; by the protocol of the paper if None.
        store: Store of the results.

    Example:
        >>> from offnominal.papers.catalogue import tables_of
        >>> from offnominal.papers.reproduction import reproductions
        >>> (table,), remarks = stored_items("ood-rl", reproductions(tables_of("ood-rl", ["3"])), store=Path("none"))
        >>> table.shipped[0].name, remarks[0][:48]
        ('ood-rl@paper', 'Ours of Table 3 travel with the package, and are')
    """
    sources, published = ResultSources(store), paper(id).load_published()
    made: list[ReproducedTable | ReproducedFigure] = []
    remarks: list[str] = []
    for item, run in found:
        scales = scales_of(published, item) if scale is None else (scale,)
        if run is not None and scale is not None:
            sources.run(run.study, scale, run.worlds)  # an unknown scale is an error
        if isinstance(item, PublishedTable):
            table = sources.table(id, item, scales, None if run is None else run.worlds)
            made.append(_table(item, table))
            remarks += _remarks(item, run, table, sources, store)
        elif run is None:
            made.append(of_no_run(item, store.parent / "figures"))
        elif item.tables:
            figure, said = _of_tables(id, item, sources, run, scales, store)
            made.append(figure)
            remarks += said
        else:
            figure, said = _figure(id, item, _with_data(sources, item, run, scales), run, scales, store)
            made.append(figure)
            remarks += said
    return made, list(dict.fromkeys(remarks))


def state_of(run: StudyRun, stored: StoredRun, store: Path) -> str:
    """Return what is missing or outdated in the store, with the command that computes it; empty if nothing is.

    Args:
        run: The run.
        stored: Its results in the store.
        store: The store.
    """
    words = ["offnominal", "run", run.study, "--scale", run.scale]
    words += [word for world in run.worlds or () for word in ("--worlds", world)]
    words += [] if store == STORE else ["--store", str(store)]
    return f"Ours: {stored.state}; `{shlex.join(words)}` computes them, as --run does here." if stored.state else ""


def _with_data(sources: ResultSources, figure: PublishedFigure, run: StudyRun, scales: Sequence[str]) -> StoredRun:
    """Return the stored run of the last scale with data of a figure; that of the default scale if there is none."""
    stored = (sources.run(run.study, scale, run.worlds) for scale in reversed(sources.scales(run.study, scales)))
    found = (each for each in stored if each.results.cells and figure.data(each.results) is not None)
    return next(found, sources.run(run.study, run.scale, run.worlds))


def _figure(
    id: str, figure: PublishedFigure, stored: StoredRun, run: StudyRun, scales: Sequence[str], store: Path
) -> tuple[ReproducedFigure, list[str]]:
    """Return a figure from results of a store or, without any, from those of the package, and remarks on it."""
    made = reproduced(figure, stored.results)
    assert isinstance(made, ReproducedFigure)
    if made.file is not None:
        return made, _state(run, stored, store)
    found = shipped_figure(id, figure, scales)
    if found is None:
        return made, _not_drawn(figure, "its data do not travel with the package", run, stored, store)
    return _of_package(id, figure, found.data, (found.run,), store)


def _of_package(
    id: str, figure: PublishedFigure, data: FigureData, runs: tuple[ShippedRun, ...], store: Path
) -> tuple[ReproducedFigure, list[str]]:
    """Return a figure that is drawn from data of the package, and where they come from."""
    latest = {run.name: run for run in sorted(runs, key=lambda run: run.date)}
    mark = MARK + "; ".join(f"{name}, {run.date}" for name, run in latest.items())
    file = draw_data(figure, data, _image(id, figure, store, "shipped"), mark)
    said = f"{figure.name} is drawn from results that travel with the package, and are not computed here: "
    return ReproducedFigure(figure, file, runs), [f"{said}{'; '.join(map(_shipped, latest.values()))}."]


def _of_tables(
    id: str, figure: PublishedFigure, sources: ResultSources, run: StudyRun, scales: Sequence[str], store: Path
) -> tuple[ReproducedFigure, list[str]]:
    """Return a figure of the values of published tables, of which each has the most powerful results."""
    assert figure.of_values is not None
    halves = [table for table in paper(id).load_published().tables if str(table.number) in figure.tables]
    found = [sources.table(id, table, scales, run.worlds) for table in halves]
    data = figure.of_values([line for each in found for line in each.lines])
    if data is None:
        stored = sources.run(run.study, run.scale, run.worlds)
        return ReproducedFigure(figure, None), _not_drawn(figure, "it has too few values of ours", run, stored, store)
    if shipped := tuple(dict.fromkeys(each for table in found for each in table.shipped)):
        return _of_package(id, figure, data, shipped, store)
    return ReproducedFigure(figure, draw_data(figure, data, _image(id, figure, store, "figures"))), []


def _image(id: str, figure: PublishedFigure, store: Path, folder: str) -> Path:
    return store.parent / folder / f"{id}-figure-{figure.number}{'-images' if figure.images else ''}.png"


def _not_drawn(figure: PublishedFigure, why: str, run: StudyRun, stored: StoredRun, store: Path) -> list[str]:
    """Return why a figure is not drawn, and the command that computes what it needs."""
    return [f"{figure.name} is not drawn: {why}.", *_state(run, stored, store)]


def _table(table: PublishedTable, found: SourcedTable) -> ReproducedTable:
    file = written(table, found.lines, found.runs[0].results) if found.runs else None
    return ReproducedTable(table, found.lines, file, tuple(run.results.scale for run in found.runs), found.shipped)


def _remarks(
    table: PublishedTable, run: StudyRun | None, found: SourcedTable, sources: ResultSources, store: Path
) -> list[str]:
    """Return where the values of a table come from, and what is missing."""
    if found.n_shipped and run is None:
        return [f"{found.n_shipped} values of ours of {table.name} travel with the package: they need data."]
    if found.shipped:
        runs = "; ".join(map(_shipped, found.shipped))
        return [f"Ours of {table.name} travel with the package, and are not computed here: {runs}."]
    if run is None:
        return []
    if found.runs:
        return [line for each in found.runs for line in _state(run, each, store)]
    return _state(run, sources.run(run.study, run.scale, run.worlds), store)


def _shipped(run: ShippedRun) -> str:
    return f"{run}, `{run.command}`"


def _state(run: StudyRun, stored: StoredRun, store: Path) -> list[str]:
    line = state_of(StudyRun(run.study, stored.results.scale or run.scale, run.worlds), stored, store)
    return [line] if line else []
