"""The results that travel with the package, from the files of the published tables."""

import json
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from offnominal.core.checksum import write_checked_json
from offnominal.core.files import sha256_of
from offnominal.papers.shipped_results import FILE, MANIFEST, NUMBERS, SCHEMA
from offnominal.studies.catalogue import load_study
from published_values.measured_table import MeasuredTable
from published_values.rows import MADE_BY, Row, row_labels


def shipped_rows(tables: Iterable[MeasuredTable]) -> pa.Table:
    """Return every value of ours in some tables, as in the file of the package."""
    about = cache(_about)
    rows = [_row(table, row, about) for table in tables for row in table.rows if row["ours"]]
    return pa.Table.from_pylist(rows, SCHEMA)


def write_shipped(tables: Iterable[MeasuredTable], folder: Path) -> None:
    """Write the values of the package and its manifest, if what they say has changed."""
    made, file = shipped_rows(tables), folder / FILE
    if file.exists() and pq.read_table(file).to_pylist() == made.to_pylist():
        return
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(made, file, compression="zstd", compression_level=19)
    write_manifest(folder)


def write_manifest(folder: Path) -> None:
    """Write the manifest of the files of the package: hash, size and rows of each."""
    content = {
        file.name: {"sha256": sha256_of(file), "bytes": file.stat().st_size, "rows": pq.read_metadata(file).num_rows}
        for file in sorted(folder.glob("*.parquet"))
    }
    write_checked_json(folder / MANIFEST, {"files": content})


def _row(table: MeasuredTable, row: Row, about: Callable[[str, str], str]) -> dict[str, object]:
    study, scale = table.score.table.study, row["scale"]
    return {
        "paper": table.score.paper,
        "table": str(table.score.table.number),
        "labels": json.dumps(row_labels(row), ensure_ascii=False),
        "note": row["note"],
        "study": study,
        "about": about(study, scale) if scale else "",
        "units": int(row["units"] or 1),
        **{name: row[name] for name in MADE_BY if name != "study"},
        **{name: float(row[name]) if row[name] else None for name in NUMBERS},
    }


def _about(study: str, scale: str) -> str:
    """Return what a scale of a study is."""
    return load_study(study).scales[scale].summary
