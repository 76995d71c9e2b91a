"""What the runner of studies adds to its cells, and how soon a large store of results answers."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from offnominal.core.directories import DATA_VARIABLE
from offnominal.kinds import AlarmEntry, Cell, DataEntry
from offnominal.kinds.faults.data import content_hash, open_data
from offnominal.studies import CellResult, LocalPool, Store, result_key, run_cell
from offnominal.studies.code import Sources
from offnominal.studies.execution import SINGLE_THREAD_ENVIRONMENT, code_of
from offnominal.studies.result_rows import DRAWS
from offnominal.studies.segments import LARGE, Segments, _about
from offnominal.studies.task import Task, TaskEnded, TaskResult, run_task

WORLD = "SAP-Goal0-v0"
TASKS, TURNS = 30, 8
CELLS, FILES = 100_000, 1000
NAMES = 10
LEADERS = """
SELECT name, avg(matched_auroc) AS mean, count(DISTINCT key) AS cells
FROM {results} WHERE alarm IS NULL GROUP BY name ORDER BY mean DESC
"""
Row = dict[str, Any]


@contextmanager
def workplace() -> Iterator[Path]:
    """A folder for data and results; processes that start within have one thread each."""
    before = dict(os.environ)
    with TemporaryDirectory() as folder:
        os.environ.update({**SINGLE_THREAD_ENVIRONMENT, DATA_VARIABLE: f"{folder}/data"})
        yield Path(folder)
    os.environ.clear()
    os.environ.update(before)


def fastest(act: Callable[[], float], turns: int = TURNS) -> float:
    return min(act() for _ in range(turns))


def timed(act: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


@cache
def sources() -> Sources:
    return Sources()


def do(task: Task) -> TaskResult:
    """What a worker of ours does, for the processes of the peer."""
    return run_task(task, sources())


def tasks(folder: Path) -> list[Task]:
    """Cells of which each takes a few hundredths of a second, to be written to a new store."""
    data = DataEntry(episodes=6, validation=6, anomalies=("action/offset",), levels=("strong",))
    cells = [Cell(WORLD, "Random", "Random", data=data, seed=seed, replicates=0) for seed in range(TASKS)]
    hashed, code = content_hash(open_data(cells[0])), code_of(cells[0], sources())
    store = str(folder / uuid4().hex)
    return [Task(cell, result_key(cell, data=hashed, code=code), store) for cell in cells]


def beyond(answers: list[TaskResult], wall: float) -> float:
    """Return the milliseconds per cell that were not spent on the cells themselves."""
    assert not any(answer.error_info for answer in answers)
    return 1e3 * (wall - sum(answer.wall_s for answer in answers)) / len(answers)


def overhead() -> list[Row]:
    """Time per cell beyond the cell's own, with one worker that has begun: handing over, writing the result so that it
    survives a power cut, and the answer; beside a `ProcessPoolExecutor` that calls the same function.
    """
    with workplace() as folder, LocalPool(1) as pool, ProcessPoolExecutor(1, get_context("spawn")) as executor:

        def ours() -> float:
            given, answers = tasks(folder), list[TaskResult]()
            spent = timed(
                lambda: answers.extend(event.answer for event in pool.run(given) if isinstance(event, TaskEnded))
            )
            return beyond(answers, spent)

        def theirs() -> float:
            given, answers = tasks(folder), list[TaskResult]()
            spent = timed(lambda: answers.extend(executor.map(do, given)))
            return beyond(answers, spent)

        for contender in (ours, theirs):
            contender()
        best = [float("inf")] * 2
        for _ in range(TURNS):
            best = [min(best[0], ours()), min(best[1], theirs())]
    return [
        {
            "task": f"{TASKS} cells, one worker",
            "ours, ms per cell": round(best[0], 2),
            "peer": "ProcessPoolExecutor",
            "peer, ms per cell": round(best[1], 2),
            "bar": "<= 20 ms",
        }
    ]


def example() -> CellResult:
    """The result of a cell with four faults and two alarms: twelve rows."""
    anomalies = ("action/offset", "action/noise", "observation/offset", "observation/noise")
    data = DataEntry(episodes=6, validation=6, anomalies=anomalies, levels=("strong",))
    alarms = (AlarmEntry("maximum", "Maximum"), AlarmEntry("3 sigma", "ThreeSigma"))
    return run_cell(Cell(WORLD, "KNN", "KNN", data=data, alarms=alarms, replicates=20), sources=sources())


def keys(first: int, count: int) -> list[str]:
    return [hashlib.sha256(str(number).encode()).hexdigest() for number in range(first, first + count)]


def copies(table: Any, named: list[str], rng: np.random.Generator) -> Any:
    """Return a table once per key, with other names and numbers."""
    count, rows = len(named), table.num_rows
    made = table.take(pa.array(np.tile(np.arange(rows), count)))
    columns = {}
    for column in made.schema:
        values = made[column.name]
        if column.name == "key":
            values = pa.array(np.repeat(named, rows))
        elif column.name == "name":
            values = pa.array(np.repeat([f"detector {number % NAMES}" for number in range(count)], rows))
        elif pa.types.is_floating(column.type):
            drawn = pa.array(rng.random(len(made)))
            values = pc.if_else(pc.is_null(values), values, drawn)
        columns[column.name] = values
    return pa.table(columns)


def fill(folder: Path, one: CellResult) -> None:
    """Make a store whose segments are up to date; the cell files are empty, because they are then not opened."""
    rng, segments = np.random.default_rng(0), Segments(folder / "segments", folder / "cells", folder / "damaged")
    segments.folder.mkdir(parents=True)
    rows, about = one.rows.drop_columns(list(DRAWS)).replace_schema_metadata(None), _about(one.rows)
    at_once = LARGE // rows.num_rows + 1
    for first in range(0, CELLS, at_once):
        named = keys(first, min(at_once, CELLS - first))
        segments._write([copies(rows, named, rng)], [copies(about, named, rng)])
        for key in named:
            place = folder / "cells" / key[:2]
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{key}.parquet").touch()


def leaderboard() -> list[Row]:
    """Who leads in a store of 100,000 cells with twelve rows each, from a freshly opened store whose segments are up to
    date: listing the cell files is included. Beside DuckDB reading cell files, of which there are 1,000.
    """
    with workplace() as folder:
        one = example()
        fill(folder / "large", one)
        question = LEADERS.format(results="results")
        assert sum(row["cells"] for row in Store(folder / "large").sql(question).to_pylist()) == CELLS
        ours = fastest(lambda: timed(lambda: Store(folder / "large").sql(question)))
        small = Store(folder / "small")
        about = one.rows.schema.metadata
        for key in keys(0, FILES):
            table = one.rows.set_column(0, "key", pa.array([key] * one.rows.num_rows))
            small.write(key, table.replace_schema_metadata({**about, b"key": key.encode()}))
        read = f"read_parquet('{small.folder}/cells/*/*.parquet', union_by_name = true)"
        theirs = fastest(lambda: timed(lambda: duckdb.sql(LEADERS.format(results=read)).fetchall()))
        fresh = timed(lambda: small.sql(question))
        again = fastest(lambda: timed(lambda: Store(small.folder).sql(question)))
    peer = "DuckDB on cell files"
    return [
        row_of(f"{CELLS:,} cells", ours, "", None, "< 1 s"),
        row_of(f"{FILES:,} cells", again, peer, theirs, ""),
        row_of(f"{FILES:,} cells, first question: segments are made", fresh, peer, theirs, ""),
    ]


def row_of(task: str, ours: float, peer: str, theirs: float | None, bar: str) -> Row:
    return {
        "task": task,
        "ours, s": round(ours, 3),
        "peer": peer,
        "peer, s": None if theirs is None else round(theirs, 3),
        "ratio": None if theirs is None else theirs / ours,
        "bar": bar,
    }


SECTIONS = {"Overhead of the runner": overhead, "Leaderboard of a large store": leaderboard}
