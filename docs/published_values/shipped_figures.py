"""The data of figures that travel with the package, from stores with results."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from offnominal.papers.catalogue import paper, papers
from offnominal.papers.paper import PublishedFigure
from offnominal.papers.result_sources import ResultSources, scales_of
from offnominal.papers.shipped_figures import FILE, SCHEMA
from offnominal.papers.shipped_results import RUN
from offnominal.studies.catalogue import load_study
from published_values.measuring import made_by
from published_values.shipping import write_manifest

Row = dict[str, str]


def write_figures(stores: Iterable[Path], folder: Path) -> None:
    """Write the data of every figure, and renew the manifest; data stay until a run as powerful has others.

    Args:
        stores: Stores with results.
        folder: Folder of the files of the package.
    """
    file = folder / FILE
    before = pq.read_table(file).to_pylist() if file.exists() else []
    found = {(row["paper"], row["figure"]): row for row in before}
    for store in stores:
        found |= dict(_rows(store, found))
    rows = [found[place] for place in sorted(found)]
    if rows != before or not file.exists():
        pq.write_table(pa.Table.from_pylist(rows, SCHEMA), file, compression="zstd", compression_level=19)
        write_manifest(folder)


def _rows(store: Path, before: Mapping[tuple[str, str], Row]) -> Iterator[tuple[tuple[str, str], Row]]:
    """Yield the row of each figure with data in a store that are of a run as powerful as those before."""
    sources = ResultSources(store, shipped=False)
    for id in papers.ids():
        for figure in (each for each in paper(id).load_published().figures if each.table is None):
            scales = scales_of(paper(id).load_published(), figure)
            known = before.get((id, str(figure.number)))
            least = scales.index(known["scale"]) if known else 0
            row = _row(id, figure, sources, scales[least:], store)
            if row:
                yield (id, str(figure.number)), row


def _row(id: str, figure: PublishedFigure, sources: ResultSources, scales: tuple[str, ...], store: Path) -> Row:
    for scale in reversed(sources.scales(figure.study, scales)):
        run = sources.run(figure.study, scale, figure.worlds or None)
        data = figure.data(run.results) if run.results.cells else None
        if data is not None:
            about = load_study(figure.study).scales[scale].summary
            made = made_by(figure.study, run, store) | {"about": about}
            text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
            return {"paper": id, "figure": str(figure.number), **{name: made[name] for name in RUN}, "data": text}
    return {}
