"""What the pages of a run show."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import pyarrow.compute as pc

from offnominal.core.errors import OffnominalError, UnknownName
from offnominal.core.files import read_text
from offnominal.core.progress_bar import format_duration
from offnominal.reports.tables import text, words_of
from offnominal.studies.metric_table import world_labels
from offnominal.web.best_detectors import best_detectors
from offnominal.web.library import Library, Run, slug

Row = dict[str, Any]
ELSEWHERE = ("examples", "pairs", "ranks", "extras", "guarantees")
"""Data of a study page that the pages of a run do not show."""
_UNESCAPED = re.compile(r"^'(?=\s*[=+\-@])")
"""Sign before text that a spreadsheet would take for a formula; see :func:`~offnominal.reports.escape.csv_cell`."""
SHOWN = 3
"""Rows of a leaderboard on the page of all runs."""
LARGEST_TABLE = 400
"""Rows of a table that are shown."""


def run_data(library: Library, run: Run) -> dict[str, Any] | None:
    """Return the data of the interactive pages of a run, without episodes; None if its kind has none.

    Besides the entries of :func:`~offnominal.reports.payload.payload` there are ``id``, ``cells`` (for each world and
    detector, the keys and training seeds of its cells), ``addresses`` (of detectors) and ``best`` (the best detectors
    of each fault).
    """

    def compute() -> dict[str, Any] | None:
        results = library.results(run)
        data = run.kind.page_data(results)
        if data is None:
            return None
        best = best_detectors(data) if data["metrics"] else []
        data = {name: value for name, value in data.items() if name not in ELSEWHERE}
        for fault in data["faults"]:
            fault["id"] = slug(f"{fault['world']} {fault['anomaly']}")
        return data | {
            "id": run.id,
            "best": best,
            "cells": _cells(results.table),
            "addresses": {name: slug(name) for name in data["names"]},
        }

    return library.computed(run, "data", compute, stored=True)


def _cells(table: Any) -> dict[str, dict[str, list[tuple[str, int]]]]:
    plain = table.filter(pc.is_null(table["alarm"]))
    found: dict[str, dict[str, dict[str, int]]] = {}
    columns = (plain[name].to_pylist() for name in ("name", "key", "seed"))
    for world, name, key, seed in zip(world_labels(plain).tolist(), *columns, strict=True):
        found.setdefault(world, {}).setdefault(name, {})[key] = seed
    return {world: {name: list(keys.items()) for name, keys in names.items()} for world, names in found.items()}


def leaderboard_rows(library: Library, run: Run) -> list[Row]:
    """Return the leaderboard of a run of any kind, best first."""
    return library.computed(run, "rows", lambda: _plain(run.kind.leaderboard(library.results(run))), stored=True)


def _plain(rows: Sequence[Mapping[str, Any]]) -> list[Row]:
    return [
        {name: value if not isinstance(value, float) or math.isfinite(value) else None for name, value in row.items()}
        for row in rows
    ]


def leading(library: Library, run: Run) -> list[Row]:
    """Return the first rows of the leaderboard with its main columns, as text; none if the run has no results."""
    try:
        rows = leaderboard_rows(library, run)[:SHOWN]
    except OffnominalError:
        return []
    columns = run.kind.leaderboard_columns or tuple(rows[0] if rows else ())[:5]
    return [{name: text(row[name]) for name in columns if name in row} for row in rows]


def findings(library: Library, run: Run) -> list[str]:
    """Return the sentences below the leaderboard."""
    return library.computed(run, "findings", lambda: run.kind.findings(library.results(run)), stored=True)


def prepare(library: Library) -> None:
    """Compute what the first pages show, before anybody asks for it."""
    for run in library.runs():
        leading(library, run)
        with suppress(OffnominalError):
            run_data(library, run)


def facts(run: Run) -> dict[str, str]:
    """Return the size of a run, its date and its cost."""
    finished = sum(run.store.path(key).exists() for key in run.manifest["keys"])
    found = {"cells": text(finished)}
    if finished < len(run.manifest["keys"]):
        found["missing"] = text(len(run.manifest["keys"]) - finished)
    if isinstance(run.manifest.get("cpu_s"), int | float):
        found["CPU time"] = format_duration(run.manifest["cpu_s"])
    return found | {"date": run.date or "–"}


def tables(run: Run) -> list[dict[str, Any]]:
    """Return the tables that the report of a run wrote: name, columns, rows, and which columns are words."""
    found = []
    for path in sorted((run.folder / "tables").glob("*.csv")):
        rows = _read_rows(path.read_text(encoding="utf-8"))
        if rows:
            shown = rows[:LARGEST_TABLE]
            found.append(
                {"name": path.stem, "rows": shown, "left_out": len(rows) - len(shown), "words": words_of(shown)}
            )
    return found


def table_file(run: Run, name: str) -> str:
    """Return a table of the report of a run as CSV.

    Raises:
        UnknownName: There is no such table.
    """
    for path in (run.folder / "tables").glob("*.csv"):
        if path.stem == name:
            return read_text(path)
    raise UnknownName(f"{run.id} has no table {name!r}.")


def _read_rows(content: str) -> list[Row]:
    rows = csv.DictReader(io.StringIO(content))
    return [{name: _UNESCAPED.sub("", value) or "–" for name, value in row.items()} for row in rows]
