"""Our values from the results in stores, written to the files of the published tables."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from offnominal.evaluation.estimate import Estimate
from offnominal.papers.paper import PublishedTable
from offnominal.papers.scoreboard import NO_VALUE, OutcomeCounts, TableScore, scoreboard
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.store import Store
from published_values.measured_table import file_name
from published_values.rows import MADE_BY, Row, csv_text, labels_of, rank, rows_in, rows_of

NOWHERE = Path("no-such-store")


def published_tables() -> list[TableScore]:
    """Return every published table without results of a run."""
    return scoreboard(store=NOWHERE)


def measure(scores: Iterable[TableScore], stores: Iterable[Path], folder: Path) -> None:
    """Write the file of every table with values of ours, and remove the files of tables that no longer exist.

    A value in a file stays until there is one of the same or of a larger scale; its reason is the one known now. A
    table that needs no run may need data; its file stays if it has more values than can be computed here.

    Args:
        scores: The published tables.
        stores: Stores with results.
        folder: Folder of the files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tables = {folder / file_name(score): score for score in scores}
    runs: dict[Path, list[list[Row]]] = {file: [] for file in tables}
    for store in stores:
        for score in scoreboard(store=store):
            if score.run is not None:
                runs[folder / file_name(score)].append(rows_of(score.lines, run_of(score, store)))
    for file, score in tables.items():
        before, rows = judged_again(score.table, rows_in(file)), rows_of(score.lines, {})
        if score.needs_run:
            rows = merged(rows, before, *runs[file])
        if compared(rows) >= max(compared(before), 1):
            file.write_text(csv_text(rows), encoding="utf-8")
    for file in set(folder.glob("*.csv")) - set(tables):
        file.unlink()


def merged(published: list[Row], *results: list[Row]) -> list[Row]:
    """Return the published values with our results; of several, the last one of the largest scale.

    At the same scale a mean over more tables comes before one over fewer.

    Args:
        published: Rows of the published values alone. Labels without a value are measured, and name no row.
        results: Rows of results; one of a value that is no longer published is left out.
    """
    naming = [tuple(name for name in labels_of([row]) if row[name] != NO_VALUE) for row in published]
    found = {_key(row, columns): row for row, columns in zip(published, naming, strict=True)}
    most_columns_first = sorted(set(naming), key=len, reverse=True)
    for row in (row for rows in results for row in rows if row["ours"]):
        keys = [_key(row, columns) for columns in most_columns_first]
        key = next((key for key in keys if key in found), keys[0])
        before = found.get(key, row)
        if (key in found or not row["published"]) and (not before["ours"] or rank(row) >= rank(before)):
            found[key] = row
    return list(found.values())


def judged_again(table: PublishedTable, rows: list[Row]) -> list[Row]:
    """Return the rows of a file with the reasons that are known now, where a value of ours is compared."""
    if table.judge_again is None:
        return rows
    found = []
    for row in rows:
        if row["ours"] and row["published"]:
            ends = np.array([float(row[name]) for name in ("low", "high") if row[name]])
            labels = {name: row[name] for name in labels_of([row])}
            line = PublishedComparison(labels, Estimate(float(row["ours"]), ends), float(row["published"]))
            found += rows_of([table.judge_again(line)], {name: row[name] for name in MADE_BY})
        else:
            found.append(row)
    return found


def compared(rows: Iterable[Row]) -> int:
    """Return the number of published values with one of ours beside them."""
    return OutcomeCounts.of(row["outcome"] or None for row in rows).compared


def run_of(score: TableScore, store: Path) -> Row:
    """Return study and scale of the results, the day of the last one, and the versions of the package."""
    if score.run is None:
        return {}
    place, keys = Store(store), set(score.run.results.table["key"].to_pylist())
    cells = [row for row in place.cells().select(["key", "versions"]).to_pylist() if row["key"] in keys]
    versions = sorted({json.loads(row["versions"])["offnominal"] for row in cells})
    last = max(place.path(key).stat().st_mtime for key in keys)
    day = datetime.fromtimestamp(last, UTC).date().isoformat()
    return {
        "study": score.table.study,
        "scale": score.scale,
        "cells": f"{len(keys)} of {score.run.cells}",
        "date": day,
        "version": " ".join(versions),
    }


def _key(row: Row, columns: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the labels of a row in some columns, without those that it does not have."""
    return tuple((name, row[name]) for name in columns if name in row)
