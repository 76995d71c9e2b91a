"""Processes on this machine: one that fails or dies takes nothing with it."""

import os
import signal
import subprocess
import sys

import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.studies import LocalPool, Store, local, run_study, same_results, task
from offnominal.studies.task import Task, TaskEnded, TaskStarted

from .cases import DATA, NAMES, small_cell, small_cells

pytestmark = pytest.mark.long


def silent(line):
    pass


def test_results_do_not_depend_on_the_number_of_workers(tmp_path, result):
    outcome = run_study(small_cells(), tmp_path, workers=2, report=silent)
    assert (outcome.computed, outcome.failures) == (3, ())
    rows = Store(tmp_path).rows(outcome.keys)
    assert rows["name"].to_pylist() == [name for name in NAMES for _ in range(2)]
    for number, name in enumerate(NAMES):
        assert same_results(rows.slice(2 * number, 2), result[name].rows)


def test_a_task_that_fails_or_dies_fails_alone(tmp_path, package, result, monkeypatch):
    monkeypatch.setattr(task, "RETRIES", 0)
    cells = [*(small_cell(name, f"{package.name}.trouble:{name}") for name in ("Raises", "Dies")), small_cell("Time")]
    store = Store(tmp_path / "store")
    outcome = run_study(cells, store, workers=1, report=silent)
    assert outcome.computed == 1
    assert not outcome.complete
    raised, died = outcome.failures
    assert (raised.error, raised.message) == ("ZeroDivisionError", "as it was asked to")
    assert "trouble.py" in raised.traceback
    assert died.error == "WorkerKilled"
    assert "SIGKILL" in died.message
    assert "last words" in died.traceback
    assert same_results(store.rows(outcome.keys[2:]), result["Time"].rows)


def test_a_worker_that_died_while_it_was_idle_is_replaced_and_workers_end_with_the_pool(result):
    cell = small_cell("Time")
    with LocalPool(1) as pool:
        first = list(pool.run([Task(cell)]))
        (worker,) = pool._hired
        os.kill(worker._process.pid, signal.SIGKILL)
        worker._process.wait()
        second = list(pool.run([Task(cell)]))
        process = pool._hired[0]._process
        assert process.poll() is None
    assert process.poll() is not None
    for started, ended in (first, second):
        assert isinstance(started, TaskStarted)
        assert ended.answer.data == result["Time"].rows.schema.metadata[b"data"].decode()


def test_one_task_runs_at_a_time_if_memory_is_short(monkeypatch, result):
    monkeypatch.setattr(local, "available_mb", lambda: 100.0)
    tasks = [Task(small_cell("Time", data=DATA.replace(seed=seed, episodes=2, levels=()))) for seed in (11, 12)]
    with LocalPool(2, peak_mb=90.0) as pool:
        kinds = [type(event) for event in pool.run(tasks)]
        assert len(pool._hired) == 1
    assert kinds == [TaskStarted, TaskEnded, TaskStarted, TaskEnded]


@pytest.mark.parametrize(
    ("ending", "kills", "error", "killed"),
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", [0, 0], "WorkerKilled", True),
        ("os.kill(os.getpid(), signal.SIGTERM)", [0, 1], "WorkerKilled", True),
        ("os.kill(os.getpid(), signal.SIGKILL)", [0, 1], "OutOfMemory", True),
        ("os.kill(os.getpid(), signal.SIGKILL)", [None, None], "WorkerKilled", True),
        ("os.abort()", [0, 1], "WorkerDied", False),
        ("os._exit(3)", [0, 1], "WorkerDied", False),
    ],
)
def test_how_a_worker_ended_tells_killed_from_crashed(monkeypatch, ending, kills, error, killed):
    class Popen(subprocess.Popen):
        def __init__(self, command, **options):
            super().__init__([sys.executable, "-c", f"import os, signal; {ending}"], **options)

    counts = iter(kills)
    monkeypatch.setattr(local.subprocess, "Popen", Popen)  # type: ignore[attr-defined]
    monkeypatch.setattr(local, "oom_kills", lambda: next(counts))
    reading, writing = os.pipe()
    worker = local.Worker(1, reading)
    worker.task = Task(small_cell("Time"))
    _, answer = worker.result()
    os.close(reading)
    os.close(writing)
    assert (answer.error_info.error, answer.killed) == (error, killed)
    assert answer.peak_mb > 1
    if error == "OutOfMemory":
        assert "fewer workers" in answer.error_info.message


def test_a_worker_uses_one_thread_and_finds_what_its_master_finds(package, monkeypatch):
    started = {}

    class Popen(subprocess.Popen):
        def __init__(self, command, **options):
            started.update(options["env"])
            super().__init__([sys.executable, "-c", ""], **options)

    monkeypatch.setattr(local.subprocess, "Popen", Popen)  # type: ignore[attr-defined]
    reading, writing = os.pipe()
    local.Worker(1, reading).stop()
    os.close(reading)
    os.close(writing)
    assert started["OMP_NUM_THREADS"] == started["NUMBA_NUM_THREADS"] == "1"
    assert str(package.parent) in started["PYTHONPATH"].split(os.pathsep)


@pytest.mark.parametrize("workers", [0, -1, 1.5])
def test_the_number_of_workers_is_checked(workers):
    with pytest.raises(InvalidParameter, match="workers"):
        LocalPool(workers)
