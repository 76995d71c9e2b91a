"""Kill the run or its workers at any time: the same call goes on, and nothing is lost or half there."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from offnominal.studies import Store, run_cell, run_study, same_results
from offnominal.studies.files import is_whole

from .cases import small_cell

pytestmark = pytest.mark.long

CELLS = 12
DRIVER = """
import json
import sys

from offnominal.kinds import Cell
from offnominal.studies import run_study

cells = [Cell.from_dict(cell) for cell in json.loads(sys.argv[2])]
print("begins", file=sys.stderr, flush=True)
run_study(cells, sys.argv[1], workers=2)
"""


def cells():
    return [small_cell("Random", seed=seed) for seed in range(CELLS)]


def children_of(pid):
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in listed.read_text(encoding="ascii").split()] if listed.exists() else []


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ends(pid, seconds=30.0):
    """Whether a process is gone after a while."""
    until = time.monotonic() + seconds
    while is_alive(pid) and time.monotonic() < until:
        time.sleep(0.02)
    return not is_alive(pid)


def kill_once(store, whom, lines, rng):
    """Start or continue the run, wait for some lines of its output, and kill its driver or one of its workers."""
    command = [sys.executable, "-c", DRIVER, str(store), json.dumps([cell.to_dict() for cell in cells()])]
    driver = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    try:
        for _ in range(lines):
            driver.stderr.readline()
        time.sleep(rng.uniform(0.0, 0.2))
        workers = children_of(driver.pid)
        if whom == "worker" and workers:
            os.kill(rng.choice(workers), signal.SIGKILL)
            driver.stderr.readline()
            workers = children_of(driver.pid)
        driver.kill()
        driver.wait()
        assert all(ends(worker) for worker in workers), "a worker outlived its driver"
    finally:
        driver.stderr.close()
        driver.kill()
        driver.wait()


def survives(tmp_path, kills, rng, sources):
    store = Store(tmp_path / "store")
    for whom, lines in kills:
        kill_once(store.folder, whom, lines, rng)
        assert all(is_whole(path) for path in store.folder.glob("cells/*/*"))
    outcome = run_study(cells(), store, report=lambda line: None)
    assert outcome.complete
    assert store.cells().num_rows == CELLS
    assert len(store.keys()) == CELLS
    last = run_cell(cells()[-1], sources=sources)
    assert same_results(store.rows([last.key]), last.rows)
    return outcome


@pytest.mark.usefixtures("result", "in_process")
def test_a_run_survives_kills(tmp_path, sources):
    # The third line is that of the first cell.
    outcome = survives(tmp_path, [("driver", 3)], random.Random(1), sources)
    assert outcome.reused > 0


@pytest.mark.slow
@pytest.mark.usefixtures("result")
def test_a_run_survives_twenty_kills(tmp_path, sources):
    for seed in range(4):
        rng = random.Random(seed)
        kills = [(whom, rng.randint(1, 4)) for whom in ("driver", "worker", "driver", "driver", "worker")]
        survives(tmp_path / str(seed), kills, rng, sources)
