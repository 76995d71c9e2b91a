"""Everything people look at after a run, in one folder."""

from __future__ import annotations

from pathlib import Path

from offnominal.reports.page import write_page
from offnominal.reports.study_figures import write_figures
from offnominal.reports.study_tables import study_tables
from offnominal.studies.results import RunResults


def write_report(results: RunResults, folder: Path) -> Path:
    """Write page, tables and figures of a run; return the page.

    Args:
        results: Of the run.
        folder: Gets ``page.html``, ``tables/*.md``, ``.tex`` and ``.csv``, ``figures/*.png`` and ``.svg``.

    Example:
        >>> import pyarrow as pa, tempfile
        >>> row = {
        ...     "key": "5f",
        ...     "world": "Toy-v0",
        ...     "policy": "tqc",
        ...     "name": "KNN",
        ...     "detector": "KNN",
        ...     "seed": 0,
        ...     "split": "action/noise@tiny",
        ...     "anomaly": "action/noise",
        ...     "kind": "action",
        ...     "level": "tiny",
        ...     "variant": "tiny",
        ...     "alarm": None,
        ...     "auroc": 0.8,
        ...     "draws_auroc": [0.7, 0.9],
        ... }
        >>> run = RunResults("toy", "A toy", "", "quick", {}, pa.Table.from_pylist([row]), pa.table({}))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     page = write_report(run, Path(folder))
        ...     page.name, sorted(path.name for path in (Path(folder) / "figures").glob("*.png"))
        ('page.html', ['by_kind.png', 'by_level.png', 'heat_map.png', 'leaderboard.png'])
    """
    for part in ("tables", "figures"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for table in study_tables(results):
        table.write(folder / "tables")
    write_figures(results, folder / "figures")
    return write_page(results, folder / "page.html")
