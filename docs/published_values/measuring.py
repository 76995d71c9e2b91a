"""Our values from the results in stores, written to the files of the published tables."""

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from offnominal.papers.catalogue import paper
from offnominal.papers.result_sources import ResultSources
from offnominal.papers.scoreboard import TableScore, scales_of, scoreboard
from offnominal.studies.store import Store
from offnominal.studies.stored_runs import StoredRun
from published_values.cell_intervals import with_cell_intervals
from published_values.measured_table import file_name
from published_values.places import places_of
from published_values.rows import MADE_BY, Row, csv_text, rank, read, rows_in, rows_of, shipped_value

NOWHERE = Path("no-such-store")


def published_tables() -> list[TableScore]:
    """Return every published table without results of a run."""
    return scoreboard(store=NOWHERE, shipped=False)


def measure(scores: Iterable[TableScore], stores: Iterable[Path], folder: Path) -> None:
    """Write the file of every table with values of ours, and remove the files of tables that no longer exist.

    A value in a file stays until there is one of a run that is as powerful or more; its verdict is that of the protocol
    of today. Facts are renewed, all of them; of a table that needs data, those that can be computed here.

    Args:
        scores: The published tables.
        stores: Stores with results.
        folder: Folder of the files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tables = {folder / file_name(score): score for score in scores}
    runs: dict[Path, list[list[Row]]] = {file: [] for file in tables}
    for store in stores:
        for score in stored_scores(tables.values(), store):
            runs[folder / file_name(score)].append(rows_of(score.lines, run_of(score, store)))
    found = {file: _rows(score, rows_in(file), runs[file]) for file, score in tables.items()}
    with_cell_intervals({file.stem: rows for file, rows in found.items()})
    for file, rows in found.items():
        if compared(rows) or file.exists():
            file.write_text(csv_text(judged_again(tables[file], rows)), encoding="utf-8")
    for file in set(folder.glob("*.csv")) - set(tables):
        file.unlink()


def stored_scores(scores: Iterable[TableScore], store: Path) -> Iterator[TableScore]:
    """Yield each table with the results of every scale that has any; scales with the same results count once.

    Args:
        scores: The published tables.
        store: Store of the results.
    """
    sources = ResultSources(store, shipped=False)
    for score in scores:
        seen = set[frozenset[str]]()
        for scale in reversed(sources.scales(score.table.study, scales(score))):
            keys = sources.run(score.table.study, scale).keys
            if keys and keys not in seen:
                seen.add(keys)
                made = sources.table(score.paper, score.table, (scale,))
                if made.runs:
                    yield TableScore(score.paper, score.table, made.lines, made.runs)


def stale_facts(scores: Iterable[TableScore], folder: Path) -> list[Path]:
    """Return the files of tables that need no run whose values are not those that are computed here.

    Args:
        scores: The published tables.
        folder: Folder of the files.
    """
    found = []
    for score in (score for score in scores if not score.needs_run):
        file = folder / file_name(score)
        rows = _rows(score, rows_in(file), [])
        if (compared(rows) or file.exists()) and read(file) != csv_text(judged_again(score, rows)):
            found.append(file)
    return found


def _rows(score: TableScore, before: list[Row], results: list[list[Row]]) -> list[Row]:
    """Return the rows of the file of a table: those of results and, if they need a run or data, former ones."""
    rows = rows_of(score.lines, {})
    if score.needs_run:
        return merged(rows, scales(score), before, *results)
    return _with_former(rows, before) if score.table.needs_data else rows


def _with_former(rows: list[Row], before: list[Row]) -> list[Row]:
    """Return rows with the former ones where nothing, or the same, is computed here."""
    known = dict(zip(places_of(before, rows), before, strict=True))
    found = []
    for place, row in zip(places_of(rows, rows), rows, strict=True):
        former = known.get(place, row)
        found.append(former if row["ours"] in ("", former["ours"]) else row)
    return found


def scales(score: TableScore) -> tuple[str, ...]:
    """Return the scales of a table whose results count, from the least to the most powerful."""
    return scales_of(paper(score.paper).load_published(), score.table)


def merged(published: list[Row], scales: Sequence[str], *results: list[Row]) -> list[Row]:
    """Return the published values with our results; of several, the last one of the most powerful run.

    Args:
        published: Rows of the published values alone. Labels without a value are measured, and name no row.
        scales: Scales from the least to the most powerful.
        results: Rows of results; one of a value that is no longer published is left out.
    """
    found = dict(zip(places_of(published, published), published, strict=True))
    for rows in results:
        known = [row for row in rows if row["ours"]]
        for key, row in zip(places_of(known, published), known, strict=True):
            before = found.get(key, row)
            if (key in found or not row["published"]) and (
                not before["ours"] or rank(row, scales) >= rank(before, scales)
            ):
                found[key] = row
    return list(found.values())


def judged_again(score: TableScore, rows: list[Row]) -> list[Row]:
    """Return the rows of a file with the verdicts of the protocol of today, where a value of ours is compared.

    Args:
        score: The published table, without results.
        rows: The rows.
    """
    lines = dict(zip(places_of(alone := rows_of(score.lines, {}), alone), score.lines, strict=True))
    found = []
    for place, row in zip(places_of(rows, alone), rows, strict=True):
        if row["ours"] and row["published"] and place in lines:
            line = shipped_value(row).beside(lines[place])
            line = line if score.table.explain is None else score.table.explain(line)
            found += rows_of([line], {name: row[name] for name in MADE_BY})
        else:
            found.append(row)
    return found


def compared(rows: Iterable[Row]) -> int:
    """Return the number of published values with one of ours beside them."""
    return sum(bool(row["ours"] and row["published"]) for row in rows)


def run_of(score: TableScore, store: Path) -> Row:
    """Return study and scale of the results of a table; see :func:`made_by`."""
    if not score.runs:
        return {}
    (run,) = score.runs
    return made_by(score.table.study, run, store)


def made_by(study: str, run: StoredRun, store: Path) -> Row:
    """Return study and scale of results, the number of cells, the day of the last one, and the versions of the package.

    Args:
        study: Name of the study.
        run: Its results.
        store: Where they are.
    """
    place, keys = Store(store), set(run.results.table["key"].to_pylist())
    cells = [row for row in place.cells().select(["key", "versions"]).to_pylist() if row["key"] in keys]
    versions = sorted({_version(json.loads(row["versions"])) for row in cells})
    last = max(place.path(key).stat().st_mtime for key in keys)
    return {
        "study": study,
        "scale": run.results.scale,
        "cells": f"{len(keys)} of {run.cells}",
        "date": datetime.fromtimestamp(last, UTC).date().isoformat(),
        "version": " ".join(versions),
    }


def _version(versions: dict[str, str]) -> str:
    """Return the version of the package, and that of the experts where policies act."""
    return versions["offnominal"] + (f" with experts {versions['experts']}" if "experts" in versions else "")
